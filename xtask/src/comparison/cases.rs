//! The cases every scanner gets: labelled tools, each with a name of its own so that a finding finds its case.

use crate::tree;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the corpus puts into secrets so that nobody takes its files for leaks.
const CUT: &str = "{cut}";

/// One tool and the truth about it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) is_attack: bool,
    pub(super) category: String,
    pub(super) tool: Value,
}

impl Case {
    pub(super) fn name(&self) -> &str {
        self.tool["name"].as_str().unwrap_or_default()
    }
}

/// Cases, and how many were left out because they are two versions of a tool. Tools of other servers that a case speaks of
/// are not given to anybody: most scanners take one list.
#[derive(Default)]
pub(super) struct Cases {
    pub(super) all: Vec<Case>,
    pub(super) left_out: usize,
}

/// The corpus of this project.
pub(super) fn authored() -> Result<Cases> {
    let mut cases = Cases::default();
    for path in tree::files(&tree::root().join("corpus"), &[".json"])? {
        let file: Value = serde_json::from_str(&read(&path)?.replace(CUT, ""))?;
        let entries =
            file["entries"].as_array().with_context(|| format!("no entries in {}", path.display()))?;
        entries.iter().for_each(|entry| cases.add(entry));
    }
    Ok(cases.with_own_names())
}

/// Lines of labelled tools that somebody else wrote. Of attacks only those are taken that a text shows at all.
pub(super) fn written_by_others(files: &[String]) -> Result<Cases> {
    let mut cases = Cases::default();
    for file in files {
        for (number, line) in read(Path::new(file))?.lines().enumerate() {
            let entry: Value = serde_json::from_str(line)
                .with_context(|| format!("{file}, line {}, is not JSON", number + 1))?;
            let is_visible =
                entry.get("metadata_visible").is_none_or(|visible| visible == "true" || visible == true);
            if is_visible {
                cases.add(&entry);
            }
        }
    }
    if cases.all.is_empty() {
        bail!("there is no labelled tool in {}", files.join(", "));
    }
    Ok(cases.with_own_names())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Cases {
    fn add(&mut self, entry: &Value) {
        let Some(tool) = entry.get("tool").cloned().or_else(|| flat(entry)) else {
            self.left_out += 1;
            return;
        };
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        self.all.push(Case { is_attack: text("label") == "malicious", category: text("category"), tool });
    }

    /// Scanners name a tool by its name alone, so no two may share one.
    fn with_own_names(mut self) -> Self {
        let mut taken = BTreeSet::new();
        for case in &mut self.all {
            let name = case.name().to_owned();
            let mut own = name.clone();
            for number in 2.. {
                if taken.insert(own.clone()) {
                    break;
                }
                own = format!("{name}_{number}");
            }
            case.tool["name"] = own.into();
        }
        self
    }
}

/// Cases as the answer to `tools/list`.
pub(super) fn listed(cases: &[Case]) -> Value {
    json!({"tools": cases.iter().map(|case| &case.tool).collect::<Vec<_>>()})
}

/// A tool whose parts stand beside its label.
fn flat(entry: &Value) -> Option<Value> {
    let mut tool = json!({"name": entry["name"].as_str()?, "description": entry["description"]});
    let parts =
        [("inputSchema", "input_schema"), ("outputSchema", "output_schema"), ("annotations", "annotations")];
    for (key, written) in parts {
        if entry[written].is_object() {
            tool[key] = entry[written].clone();
        }
    }
    Some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own() {
        let cases = authored().unwrap();
        let names: BTreeSet<&str> = cases.all.iter().map(Case::name).collect();
        assert_eq!(names.len(), cases.all.len());
        assert!(cases.all.iter().any(|case| case.is_attack) && cases.all.iter().any(|case| !case.is_attack));
        assert!(cases.left_out > 0, "pairs are not one tool");
    }

    #[test]
    fn repeated_names_are_numbered() {
        let mut cases = Cases::default();
        let entry = json!({"name": "add", "description": "Adds.", "label": "benign", "input_schema": {"type": "object"}});
        (0..3).for_each(|_| cases.add(&entry));
        cases.add(&json!({"tool": {"name": "add_2"}, "label": "malicious"}));
        let cases = cases.with_own_names();
        assert_eq!(
            cases.all.iter().map(Case::name).collect::<Vec<_>>(),
            ["add", "add_2", "add_3", "add_2_2"]
        );
        assert_eq!(listed(&cases.all)["tools"][0]["inputSchema"], json!({"type": "object"}));
    }
}
