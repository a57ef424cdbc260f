//! Fingerprints over real definitions, if a folder of them is given: any changed character shows.

use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::json::Json;
use std::collections::BTreeMap;

/// Names a folder of `*.jsonl` files, one definition or labelled definition a line.
const FOLDER: &str = "PORTCULLIS_TEST_DEFINITIONS";

#[test]
fn any_changed_character_of_real_definitions_shows() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut seen = BTreeMap::new();
    let mut changes = 0;
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Ok(document) = Json::parse(line) else { continue };
            let identity = Identity::of("s", Kind::Tool, &document);
            let canonical = document.canonical().text().to_owned();
            let known = seen.entry(identity.fingerprint().to_string()).or_insert_with(|| canonical.clone());
            assert_eq!(*known, canonical, "one fingerprint, one definition");
            assert_eq!(
                Identity::parse("s", Kind::Tool, &canonical),
                Ok(identity),
                "canonical is the same definition"
            );
            changes += change_some(line, &document, &identity);
        }
    }
    assert!(changes > 0, "no definition in the folder");
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
