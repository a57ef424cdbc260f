//! Reads the corpus shape: `{"version": 1, "entries": […]}`, in files or whole folders.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use portcullis_decide::Incomplete;
use portcullis_detect::{Definition, Kind, escape_line};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::entry::{Corpus, Entry};
use super::lines;
use crate::exit::Failure;
use crate::input::elements::elements;
use crate::input::files::{Text, expand};
use crate::input::gap::{gap, stem, without_place};
use crate::input::place::Places;

/// Credentials are broken by this marker in committed files; it is no part of the text.
const CUT: &str = "{cut}";

/// Reads all entries behind `paths`; folders give their `*.json` and `*.jsonl`.
///
/// # Errors
/// A path that does not exist. What is wrong inside a file is a gap of the corpus instead.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Corpus, Failure> {
    let mut corpus = Corpus::default();
    for path in expand(paths, &["json", "jsonl", "ndjson"])? {
        match std::fs::read(&path) {
            Ok(bytes) => read_file(&path, bytes, &mut corpus),
            Err(error) => corpus.gaps.push(gap(&path.to_string_lossy(), None, &error.to_string())),
        }
    }
    Ok(corpus)
}

fn read_file(path: &Path, bytes: Vec<u8>, corpus: &mut Corpus) {
    let text = Text::of(bytes);
    if let Some(offset) = text.bad_byte {
        corpus.gaps.push(gap(&path.to_string_lossy(), Some(Places::new(&text.text).at(offset)), "not UTF-8"));
    }
    let is_lines = path.extension().is_some_and(|end| end == "jsonl" || end == "ndjson");
    let entries = if is_lines {
        lines::entries(path, &text.text, corpus)
    } else {
        entries(path, &text.text, &mut corpus.gaps)
    };
    corpus.files.push(entries);
}

fn entries(path: &Path, text: &str, gaps: &mut Vec<Incomplete>) -> Vec<Entry> {
    let places = Places::new(text);
    let (raw_entries, error) = elements(text, "entries");
    if let Some(error) = error {
        let place = places.inside(text, error.line(), error.column());
        gaps.push(gap(&path.to_string_lossy(), Some(place), &error.to_string()));
    }
    let mut entries = Vec::with_capacity(raw_entries.len());
    for raw in raw_entries {
        match Written::read(raw).and_then(|written| written.entry(path)) {
            Ok(entry) => entries.push(entry),
            Err(bad) => {
                let place = places.inside(raw.get(), bad.line, bad.column);
                gaps.push(gap(&path.to_string_lossy(), Some(place), &bad.reason));
            }
        }
    }
    entries
}

/// Why an entry could not be read; line and column inside the entry, 0 when unknown.
#[derive(Debug)]
pub(crate) struct BadEntry {
    pub(crate) reason: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl BadEntry {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        BadEntry { reason: reason.into(), line: 0, column: 0 }
    }
}

impl From<serde_json::Error> for BadEntry {
    fn from(error: serde_json::Error) -> Self {
        let reason = without_place(&error.to_string());
        BadEntry { reason, line: error.line(), column: error.column() }
    }
}

/// An entry as it is written.
#[derive(Deserialize)]
struct Written<'a> {
    id: String,
    source: Option<String>,
    label: String,
    category: String,
    resembles: Option<String>,
    server: Option<String>,
    #[serde(borrow)]
    tool: Option<&'a RawValue>,
    #[serde(borrow)]
    before: Option<&'a RawValue>,
    #[serde(borrow)]
    after: Option<&'a RawValue>,
    #[serde(borrow, default)]
    peers: Vec<WrittenPeer<'a>>,
}

#[derive(Deserialize)]
struct WrittenPeer<'a> {
    server: Option<String>,
    #[serde(borrow)]
    tool: &'a RawValue,
}

impl<'a> Written<'a> {
    fn read(raw: &'a RawValue) -> Result<Self, BadEntry> {
        Ok(serde_json::from_str(raw.get())?)
    }

    fn entry(self, path: &Path) -> Result<Entry, BadEntry> {
        let server = self.server.as_deref().unwrap_or("server");
        // Of a pair the text that came later is judged: it is what the agent reads now.
        let Some(tool) = self.after.or(self.tool) else {
            return Err(BadEntry::new("an entry needs `tool`, or `before` and `after`"));
        };
        let mut judged = definition(server, tool)?;
        if let (Some(before), Some(_)) = (self.before, self.after) {
            judged = judged.replacing(&definition(server, before)?);
        }
        let peers =
            self.peers.iter().map(|peer| definition(peer.server.as_deref().unwrap_or(server), peer.tool));
        Ok(Entry {
            is_malicious: is_malicious(&self.label)?,
            definition: judged,
            peers: peers.collect::<Result<_, _>>()?,
            source: self.source.unwrap_or_else(|| stem(path)),
            id: self.id,
            category: self.category,
            resembles: self.resembles,
            visible: None,
        })
    }
}

fn definition(server: &str, raw: &RawValue) -> Result<Definition, BadEntry> {
    let json: Cow<'_, str> =
        if raw.get().contains(CUT) { raw.get().replace(CUT, "").into() } else { raw.get().into() };
    Definition::parse(server, Kind::Tool, &json).map_err(|bad| BadEntry::new(without_place(&bad.reason)))
}

/// What a label says; changes of a pair are labelled with their own words.
pub(crate) fn is_malicious(label: &str) -> Result<bool, BadEntry> {
    match label {
        "malicious" | "malicious_change" => Ok(true),
        "benign" | "benign_change" => Ok(false),
        _ => Err(BadEntry::new(format!("unknown label `{}`", escape_line(label, 40)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ids: &[&str], gaps: &[&str]) {
        let mut found_gaps = Vec::new();
        let found = entries(Path::new("corpus/x.json"), text, &mut found_gaps);
        assert_eq!(found.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ids);
        let found_gaps = found_gaps.iter().map(|gap| format!("{}: {}", gap.subject, gap.reason));
        assert_eq!(found_gaps.collect::<Vec<_>>(), gaps);
    }

    #[test]
    fn one_bad_entry_does_not_lose_the_others() {
        check(
            r#"{"version":1,"entries":[
 {"id":"a","label":"benign","category":"benign","tool":{"name":"t"}},
 {"id":"b","label":"odd","category":"benign","tool":{"name":"t"}},
 {"id":"c","label":"benign","category":"benign"},
 {"id":"d","label":"malicious","category":"rug_pull","before":{"name":"t"},"after":{"name":"u"}}
]}"#,
            &["a", "d"],
            &[
                "corpus/x.json:3:2: unknown label `odd`",
                "corpus/x.json:4:2: an entry needs `tool`, or `before` and `after`",
            ],
        );
    }

    #[test]
    fn broken_json_names_line_and_column_and_keeps_what_came_before() {
        check(
            "{\"entries\":[\n {\"id\":\"a\",\"label\":\"benign\",\"category\":\"x\",\"tool\":{}},\n {\"id\" 1}]}",
            &["a"],
            &["corpus/x.json:3:8: expected `:`"],
        );
    }

    #[test]
    fn the_cut_marker_is_no_part_of_the_text() {
        let raw = RawValue::from_string(r#"{"name":"to{cut}ken"}"#.into()).expect("this is JSON");
        assert_eq!(definition("s", &raw).expect("this is a definition").name(), "token");
    }
}
