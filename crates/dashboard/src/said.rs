//! What a definition says, text by text, with the evidence marked where it stands.

use std::ops::Range;

use maud::{Markup, html};
use serde_json::Value;

use crate::report::{Report, Signal};
use crate::{visible, words};

/// Texts that are shown; the JSON below them is whole.
const MOST_TEXTS: usize = 200;
/// What people read first.
const FIRST: [&str; 4] = ["/name", "/title", "/description", "/instructions"];

/// The texts of a definition, then the JSON itself.
pub(crate) fn definition(definition: &Value, report: &Report) -> Markup {
    let texts = texts(definition);
    let left_out = texts.len().saturating_sub(MOST_TEXTS);
    let signals: Vec<&Signal> = report.findings.iter().flat_map(|finding| &finding.signals).collect();
    let json = serde_json::to_string_pretty(definition).unwrap_or_default();
    html! {
        @if texts.is_empty() { (words::empty("It has no text.")) }
        @for (pointer, text) in texts.iter().take(MOST_TEXTS) {
            div class="part" {
                span class="pointer" { (visible::text(pointer)) }
                p class="said" { (visible::text_with(text, &marks(pointer, text, &signals))) }
            }
        }
        div class="part" {
            @if left_out > 0 { p class="muted" { (left_out) " more texts are in the JSON only." } }
            details class="more" { summary { "The whole definition as JSON" } div { pre { (visible::text(&json)) } } }
        }
    }
}

/// Every text and where it stands, what people read first before the others.
pub(crate) fn texts(definition: &Value) -> Vec<(String, &str)> {
    let mut texts = Vec::new();
    gather(definition, &mut String::new(), &mut texts);
    texts.sort_by_key(|(pointer, _)| FIRST.iter().position(|first| first == pointer).unwrap_or(FIRST.len()));
    texts
}

fn gather<'a>(value: &'a Value, pointer: &mut String, texts: &mut Vec<(String, &'a str)>) {
    let at = pointer.len();
    match value {
        Value::String(text) => texts.push((pointer.clone(), text)),
        Value::Array(all) => {
            for (index, one) in all.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                gather(one, pointer, texts);
                pointer.truncate(at);
            }
        }
        Value::Object(members) => {
            for (key, one) in members {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                gather(one, pointer, texts);
                pointer.truncate(at);
            }
        }
        _ => {}
    }
}

/// The places of this text that checks speak of.
fn marks(pointer: &str, text: &str, signals: &[&Signal]) -> Vec<Range<usize>> {
    // The pointer of evidence was escaped and cut as it was made.
    let shown = portcullis_detect::escape_line(pointer, 200);
    let here = signals.iter().filter(|signal| signal.pointer == shown && signal.decodings.is_empty());
    let places =
        here.filter_map(|signal| visible::place(text, &signal.excerpt, (signal.mark.start, signal.mark.end)));
    visible::joined(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Finding, Mark};

    #[test]
    fn evidence_is_marked_in_its_own_text_only() {
        let said =
            serde_json::json!({ "name": "notes", "description": "Read me. <b>Do it</b>", "x": ["Do it"] });
        let signal = Signal {
            pointer: "/description".into(),
            excerpt: "Read me. <b>Do it</b>".into(),
            mark: Mark { start: 12, end: 17 },
            ..Signal::default()
        };
        let report = Report {
            findings: vec![Finding { signals: vec![signal], ..Finding::default() }],
            ..Report::default()
        };
        let page = definition(&said, &report).into_string();
        assert_eq!(page.matches("<mark>Do it</mark>").count(), 1, "{page}");
        assert!(page.find("/name") < page.find("/description"), "names come first");
        assert!(!page.contains("<b>"), "{page}");
    }
}
