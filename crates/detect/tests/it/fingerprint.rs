//! Fingerprints over whole definitions: any changed character shows, and one fingerprint is one definition.

use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::json::Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names a folder of `*.jsonl` files with more definitions, one a line.
const FOLDER: &str = "PORTCULLIS_TEST_DEFINITIONS";

#[test]
fn any_changed_character_shows() {
    let mut definitions = corpus();
    definitions.extend(std::env::var_os(FOLDER).into_iter().flat_map(lines));
    assert!(definitions.len() > 500, "{} definitions", definitions.len());
    let mut seen = BTreeMap::new();
    let mut changes = 0;
    for text in &definitions {
        let document = Json::parse(text).expect("good JSON");
        let identity = Identity::of("s", Kind::Tool, &document);
        let canonical = document.canonical().text().to_owned();
        let known = seen.entry(identity.fingerprint().to_string()).or_insert_with(|| canonical.clone());
        assert_eq!(*known, canonical, "one fingerprint, one definition");
        assert_eq!(
            Identity::parse("s", Kind::Tool, &canonical),
            Ok(identity),
            "canonical is the same definition"
        );
        changes += change_some(text, &document, &identity);
    }
    assert!(changes > 20 * definitions.len(), "{changes} changes");
}

/// The tools of our own corpus.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut tools = Vec::new();
    for path in files(&folder, "json") {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let document: serde_json::Value = serde_json::from_str(&text).expect("good JSON");
        let entries = document["entries"].as_array().expect("a list of entries");
        tools.extend(entries.iter().map(|entry| entry["tool"].to_string()));
    }
    tools
}

fn lines(folder: impl Into<PathBuf>) -> Vec<String> {
    let mut lines = Vec::new();
    for path in files(&folder.into(), "jsonl") {
        let text = fs::read_to_string(&path).expect("the file can be read");
        lines.extend(text.lines().filter(|line| Json::parse(line).is_ok()).map(str::to_owned));
    }
    lines
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == ending)).collect()
}

/// Replaces characters all over the line, at most 40 of them; returns how many changed the value.
fn change_some(line: &str, document: &Json, identity: &Identity) -> usize {
    let places: Vec<(usize, char)> = line.char_indices().collect();
    let step = places.len().div_ceil(40).max(1);
    let mut changes = 0;
    for (at, character) in places.iter().step_by(step) {
        let with = if character.is_ascii_digit() { '7' } else { 'q' };
        let changed = format!("{}{with}{}", &line[..*at], &line[at + character.len_utf8()..]);
        let Ok(other) = Json::parse(&changed) else { continue };
        let is_same_value = other.canonical() == document.canonical();
        let is_same = Identity::of("s", Kind::Tool, &other) == *identity;
        assert_eq!(is_same, is_same_value, "{changed}");
        changes += usize::from(!is_same);
    }
    changes
}
