//! What cannot be read off the scenarios: how well tools are classified and personal data found, on labelled samples.

use crate::{shell, tree};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Texts in which personal data is marked as `[[type|value]]`.
const PERSONAL: &str = include_str!("../../street/personal.txt");
/// Where tools lie whose annotations say what they do.
const TOOLS: [&str; 2] = ["corpus/benign.json", "corpus/hard_negative.json"];

/// Reading told from modifying, as a share of all annotated tools of the corpus, and how many those are.
pub(super) fn classification(portcullis: &Path, folder: &Path) -> Result<(f64, u64)> {
    let mut lines = String::new();
    for file in TOOLS {
        let corpus: Value = serde_json::from_str(&fs::read_to_string(tree::root().join(file))?)?;
        annotated(&corpus, &mut lines);
    }
    let measured = &eval(portcullis, &folder.join("annotated.jsonl"), &lines)?["operations"];
    let share = measured["read_vs_modify"].as_f64().context("no tool of the corpus has annotations")?;
    Ok((share, measured["n"].as_u64().unwrap_or_default()))
}

/// Every definition with annotations, wherever it stands.
fn annotated(value: &Value, lines: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| annotated(item, lines)),
        Value::Object(members) => {
            if value["name"].is_string() && value["annotations"].is_object() {
                let tool = json!({ "name": value["name"], "description": value["description"],
                    "annotations": value["annotations"] });
                lines.push_str(&format!("{tool}\n"));
            }
            members.values().for_each(|member| annotated(member, lines));
        }
        _ => {}
    }
}

/// The mean of the F1 of each type of personal data, and how many values there are.
pub(super) fn personal(portcullis: &Path, folder: &Path) -> Result<(f64, u64)> {
    let lines: String = PERSONAL.lines().map(|line| format!("{}\n", sample(line))).collect();
    let measured = eval(portcullis, &folder.join("personal.jsonl"), &lines)?;
    let rows = measured["rows"].as_array().context("nothing was measured")?;
    let (mut sum, mut types, mut values) = (0.0, 0.0, 0);
    for row in rows.iter().filter(|row| row["strength"] == "all" && row["n"].as_u64() > Some(0)) {
        let (precision, recall) =
            (row["precision"].as_f64().unwrap_or(0.0), row["recall"].as_f64().unwrap_or(0.0));
        sum += if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        types += 1.0;
        values += row["n"].as_u64().unwrap_or_default();
    }
    Ok((sum / f64::max(types, 1.0), values))
}

/// A text without its marks, and where they stood, counted in characters.
fn sample(line: &str) -> Value {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for (number, part) in line.split("[[").enumerate() {
        let marked = part.split_once("]]").filter(|_| number > 0);
        let Some((mark, after)) = marked else {
            text.push_str(part);
            continue;
        };
        let (kind, value) = mark.split_once('|').unwrap_or(("", mark));
        let start = text.chars().count();
        text.push_str(value);
        spans.push(json!({ "start": start, "end": start + value.chars().count(), "type": kind }));
        text.push_str(after);
    }
    json!({ "text": text, "spans": spans })
}

fn eval(portcullis: &Path, file: &Path, lines: &str) -> Result<Value> {
    fs::write(file, lines)?;
    let scorecard = shell::output(Command::new(portcullis).args(["eval", "--corpus"]).arg(file))?;
    Ok(serde_json::from_str(&scorecard)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_spans() {
        let sample = sample("é [[email|a@b.example]] and [[ip|1.2.3.4]].");
        assert_eq!(sample["text"], "é a@b.example and 1.2.3.4.");
        assert_eq!(sample["spans"][0], json!({ "start": 2, "end": 13, "type": "email" }));
        assert_eq!(sample["spans"][1], json!({ "start": 18, "end": 25, "type": "ip" }));
    }

    #[test]
    fn definitions_with_annotations_are_found_at_any_depth() {
        let mut lines = String::new();
        let tool = json!({ "name": "t", "description": "d", "annotations": {} });
        annotated(&json!({ "entries": [{ "definition": tool }, { "name": "u" }] }), &mut lines);
        assert_eq!(lines.lines().count(), 1);
    }
}
