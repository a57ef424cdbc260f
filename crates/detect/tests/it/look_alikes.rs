//! Look-alikes: what only resembles a secret or a number of a person is never a bound hit, wherever it stands.

use portcullis_detect::sensitive::{Format, SensitiveData, Strength};
use serde_json::json;

const TEXTS: &str = include_str!("../data/look-alikes.txt");

/// One text, and the kinds of personal data that really stand in it.
struct LookAlike {
    text: String,
    kinds: Vec<&'static str>,
}

fn look_alikes() -> Vec<LookAlike> {
    let mut kinds = Vec::new();
    let mut all = Vec::new();
    for line in TEXTS.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        match line.strip_prefix("## ") {
            Some(heading) => {
                let named = heading.split_once('[').map_or("", |(_, named)| named.trim_end_matches(']'));
                kinds = named.split_whitespace().collect();
            }
            None => {
                let text = line.replace("{cut}", "").replace("\\n", "\n");
                all.push(LookAlike { text, kinds: kinds.clone() });
            }
        }
    }
    all
}

/// The text alone, in a sentence, and in a document.
fn settings(text: &str) -> [(String, Format); 3] {
    [
        (text.to_owned(), Format::Text),
        (format!("We noted {text} on the second page, and went on."), Format::Text),
        (json!({ "items": [{ "id": 7, "value": text, "open": true }] }).to_string(), Format::Json),
    ]
}

#[test]
fn there_are_three_hundred() {
    assert!(look_alikes().len() >= 300, "{}", look_alikes().len());
}

#[test]
fn no_look_alike_is_a_bound_hit() {
    let data = SensitiveData::new();
    let mut alarms = Vec::new();
    for LookAlike { text, kinds } in look_alikes() {
        for (document, format) in settings(&text) {
            for located in data.in_document(document.as_bytes(), format).hits {
                let (hit, facts) = (located.hit, data.facts(located.hit.row));
                let is_sure = hit.strength == Strength::Bound && hit.doubt.is_none();
                if is_sure && !kinds.contains(&facts.kind) {
                    alarms.push(format!("{} in {document}", facts.kind));
                }
            }
        }
    }
    assert_eq!(alarms, [] as [String; 0]);
}

#[test]
fn what_stands_in_a_look_alike_is_found() {
    let data = SensitiveData::new();
    for LookAlike { text, kinds } in
        look_alikes().into_iter().filter(|look_alike| !look_alike.kinds.is_empty())
    {
        let hits = data.in_text(text.as_bytes());
        assert!(hits.iter().any(|hit| kinds.contains(&data.facts(hit.row).kind)), "{text}");
    }
}
