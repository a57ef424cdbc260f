//! Reads tools to measure with: JSON lines of real tools, or our own corpus.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The raw JSON of each server's tools, by server.
pub(crate) type Tools = BTreeMap<String, Vec<String>>;

/// The tools of `folder`: `dev_benign.jsonl` if there is one, else the entries of all corpus files.
pub(crate) fn tools(folder: &Path) -> Result<Tools> {
    let lines = folder.join("dev_benign.jsonl");
    let mut tools = Tools::new();
    if lines.is_file() {
        for line in read(&lines)?.lines() {
            let entry: Value = serde_json::from_str(line).context("a line of dev_benign.jsonl is no JSON")?;
            put(&mut tools, &entry, flat_tool(&entry).to_string());
        }
    } else {
        for entry in corpus(folder)? {
            put(&mut tools, &entry, nested_tool(&entry).to_string());
        }
    }
    if tools.is_empty() {
        bail!("{} holds neither dev_benign.jsonl nor corpus files", folder.display());
    }
    Ok(tools)
}

/// The entries of all corpus files of a folder.
pub(crate) fn corpus(folder: &Path) -> Result<Vec<Value>> {
    let listing = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = listing.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let mut entries = Vec::new();
    for path in paths {
        let mut file: Value = serde_json::from_str(&read(&path)?)?;
        if let Value::Array(more) = file["entries"].take() {
            entries.extend(more);
        }
    }
    Ok(entries)
}

/// The tool of a corpus entry; of a pair, the later one.
pub(crate) fn nested_tool(entry: &Value) -> &Value {
    if entry["after"].is_object() { &entry["after"] } else { &entry["tool"] }
}

/// The tool of a JSON line, whose fields lie flat and are spelt otherwise.
fn flat_tool(entry: &Value) -> Value {
    let fields = [
        ("name", "name"),
        ("description", "description"),
        ("inputSchema", "input_schema"),
        ("outputSchema", "output_schema"),
        ("annotations", "annotations"),
    ];
    let present = fields.iter().filter(|(_, from)| !entry[from].is_null());
    Value::Object(present.map(|(to, from)| ((*to).to_owned(), entry[from].clone())).collect::<Map<_, _>>())
}

fn put(tools: &mut Tools, entry: &Value, json: String) {
    let server = entry["server"].as_str().unwrap_or("unnamed").to_owned();
    tools.entry(server).or_default().push(json);
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn leaves_out_what_is_null() {
        let line = json!({"name": "a", "description": "b", "input_schema": {"type": "object"}, "annotations": null, "label": "x"});
        let tool = json!({"name": "a", "description": "b", "inputSchema": {"type": "object"}});
        assert_eq!(flat_tool(&line), tool);
    }

    #[test]
    fn a_pair_is_its_later_half() {
        assert_eq!(nested_tool(&json!({"before": {"a": 1}, "after": {"a": 2}})), &json!({"a": 2}));
        assert_eq!(nested_tool(&json!({"tool": {"a": 3}})), &json!({"a": 3}));
    }
}
