//! The corpus: every id once, enough of every kind, every entry with its reason.

use crate::{hold, tree};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tree::File;

/// The least number of entries of each category.
const LEAST: [(&str, usize); 14] = [
    ("unicode_smuggling", 40),
    ("decoded_payload", 40),
    ("shadowing", 40),
    ("capability_mismatch", 40),
    ("tool_poisoning", 40),
    ("prompt_injection", 40),
    ("exfiltration", 40),
    ("embedded_secret", 40),
    ("terminal_escape", 40),
    ("example_clothing", 40),
    ("rug_pull", 40),
    ("implicit_harm", 1), // Honest words, harmful meaning: more than was asked for, so one is enough.
    ("hard_negative", 200),
    ("benign", 100),
];

/// All entries of all files; a file that is no corpus is a violation.
fn entries(files: &[File]) -> Result<Vec<Value>, String> {
    let mut entries = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".json")) {
        let parsed: Value =
            serde_json::from_str(&file.text).map_err(|error| format!("{}: {error}", file.path))?;
        let list = parsed["entries"].as_array().ok_or_else(|| format!("{} has no entries", file.path))?;
        entries.extend(list.iter().cloned());
    }
    Ok(entries)
}

fn word<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry[field].as_str().unwrap_or_default()
}

fn shapes(entries: &[Value]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut violations = Vec::new();
    for entry in entries {
        let id = word(entry, "id");
        let mut wrong = |what: &str| violations.push(format!("`{id}` {what}"));
        if id.is_empty() || !seen.insert(id.to_owned()) {
            wrong("is no id, or is there twice");
        }
        if word(entry, "reason").is_empty() {
            wrong("has no reason");
        }
        let is_honest = ["benign", "hard_negative"].contains(&word(entry, "category"));
        if word(entry, "label") != if is_honest { "benign" } else { "malicious" } {
            wrong("has a label that does not fit its category");
        }
        let is_pair = entry["before"].is_object() && entry["after"].is_object();
        if !(entry["tool"].is_object() || is_pair) {
            wrong("has neither a tool nor a pair");
        }
        if word(entry, "category") == "hard_negative" && word(entry, "resembles").is_empty() {
            wrong("does not say which attack it resembles");
        }
    }
    violations
}

fn counts(entries: &[Value], least: &[(&str, usize)]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(word(entry, "category")).or_default() += 1;
    }
    let found = |category: &str| counts.get(category).copied().unwrap_or_default();
    let few = least.iter().filter(|(category, least)| found(category) < *least);
    let few = few
        .map(|(category, least)| format!("{category}: {} entries, {least} are the least", found(category)));
    let unknown = counts.keys().filter(|category| !least.iter().any(|(known, _)| known == *category));
    few.chain(unknown.map(|category| format!("{category} is no category"))).collect()
}

#[test]
fn the_corpus_is_whole() {
    let entries = entries(&tree::below("corpus/")).expect("the corpus can be read");
    hold("entries of the corpus", &shapes(&entries));
    hold("size of the corpus", &counts(&entries, &LEAST));
}

#[test]
fn the_rules_on_the_corpus_can_fail() {
    let file = |text: &str| [tree::made_up("corpus/a.json", text)];
    assert!(entries(&file("{")).is_err());
    assert!(entries(&file("{}")).is_err());
    let good = r#"{"id":"a-1","label":"malicious","category":"shadowing","reason":"r","tool":{}}"#;
    let check = |list: &str, expected: usize| {
        let entries = entries(&file(&format!("{{\"entries\":[{list}]}}"))).unwrap();
        assert_eq!(shapes(&entries).len(), expected, "{list}");
        entries
    };
    let one = check(good, 0);
    assert_eq!(counts(&one, &[("shadowing", 1)]), Vec::<String>::new());
    assert_eq!(counts(&one, &[("shadowing", 2)]), ["shadowing: 1 entries, 2 are the least"]);
    assert_eq!(counts(&one, &[]), ["shadowing is no category"]);
    check(&format!("{good},{good}"), 1);
    check(&good.replace(r#""reason":"r","#, ""), 1);
    check(&good.replace("malicious", "benign"), 1);
    check(&good.replace(r#""tool":{}"#, r#""before":{}"#), 1);
    check(&good.replace("malicious", "benign").replace("shadowing", "hard_negative"), 1);
}
