//! Reads labelled JSON lines made by others: tools, before/after pairs, and server instructions.

use std::path::Path;

use portcullis_detect::{Definition, Kind};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::corpus::{BadEntry, is_malicious};
use super::data::Sample;
use super::entry::{Corpus, Entry};
use super::operations::Annotated;
use crate::input::gap::{gap, stem, without_place};
use crate::input::place::Place;

/// The entries of a file, one per line; a labelled text is a sample of the corpus, a bad line is a gap.
pub(crate) fn entries(path: &Path, text: &str, corpus: &mut Corpus) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(annotated) = Annotated::read(line) {
            corpus.annotated.push(annotated);
            continue;
        }
        let read = match Sample::read(line) {
            Some(sample) => sample.map(|sample| corpus.samples.push(sample)).map_err(BadEntry::from),
            None => entry(path, index + 1, line).map(|entry| entries.push(entry)),
        };
        if let Err(bad) = read {
            let before = line.as_bytes().get(..bad.column.saturating_sub(1)).unwrap_or_default();
            let column = String::from_utf8_lossy(before).chars().count() + 1;
            let place = Some(Place { line: index + 1, column });
            corpus.gaps.push(gap(&path.to_string_lossy(), place, &bad.reason));
        }
    }
    entries
}

/// One line of any of the shapes; each shape has fields the others lack.
#[derive(Deserialize)]
struct Line<'a> {
    id: Option<String>,
    source: Option<String>,
    label: Option<String>,
    category: Option<String>,
    resembles: Option<String>,
    metadata_visible: Option<Visible>,
    #[serde(borrow, default)]
    peers: Vec<Tool<'a>>,
    #[serde(borrow)]
    before: Option<&'a RawValue>,
    #[serde(borrow)]
    after: Option<&'a RawValue>,
    #[serde(borrow)]
    a: Option<Tool<'a>>,
    #[serde(borrow)]
    b: Option<Tool<'a>>,
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
    version: Option<String>,
}

/// Yes and no are written as booleans, the shades between as words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Visible {
    Whether(bool),
    Word(String),
}

/// The parts of a tool, as raw JSON.
#[derive(Clone, Deserialize)]
struct Tool<'a> {
    server: Option<String>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
}

fn entry(path: &Path, number: usize, text: &str) -> Result<Entry, BadEntry> {
    // Two readings of one line: serde's `flatten` cannot hold raw JSON.
    let line: Line<'_> = serde_json::from_str(text)?;
    let tool: Tool<'_> = serde_json::from_str(text)?;
    let category = line.category.clone().unwrap_or_else(|| line.shape().into());
    let peers = line.peers.iter().map(|peer| peer.definition(peer.server("server")));
    Ok(Entry {
        is_malicious: is_malicious(line.label.as_deref().unwrap_or("benign"))?,
        category,
        definition: line.definition(&tool)?,
        peers: peers.collect::<Result<_, _>>()?,
        id: line.id(tool.server.as_deref(), path, number),
        source: line.source.unwrap_or_else(|| stem(path)),
        resembles: line.resembles,
        visible: line.metadata_visible.map(|visible| match visible {
            Visible::Whether(is_visible) => is_visible.to_string(),
            Visible::Word(word) => word,
        }),
    })
}

impl Line<'_> {
    /// The category of a line that names none.
    fn shape(&self) -> &'static str {
        if self.instructions.is_some() {
            "instructions"
        } else if self.b.is_some() || self.after.is_some() {
            "drift"
        } else {
            "benign"
        }
    }

    fn id(&self, server: Option<&str>, path: &Path, number: usize) -> String {
        match (&self.id, server, self.instructions) {
            (Some(id), _, _) => id.clone(),
            (None, Some(server), Some(_)) => {
                format!("instructions:{server}@{}", self.version.as_deref().unwrap_or("?"))
            }
            _ => format!("{}:{number}", stem(path)),
        }
    }

    /// The definition that is judged; of a pair the later one, under the name both share.
    fn definition(&self, tool: &Tool<'_>) -> Result<Definition, BadEntry> {
        if let Some(instructions) = self.instructions {
            return parse(tool.server("server"), Kind::Instructions, instructions.get());
        }
        if let Some(later) = &self.b {
            let server = later.server("server");
            let named = Tool { name: later.name.or(tool.name), ..later.clone() }.definition(server)?;
            return Ok(match &self.a {
                Some(earlier) => named.replacing(&earlier.definition(server)?),
                None => named,
            });
        }
        if self.after.is_some() {
            let server = tool.server("server");
            let described = |text| Tool { description: text, ..tool.clone() }.definition(server);
            return Ok(described(self.after)?.replacing(&described(self.before)?));
        }
        tool.definition(tool.server("server"))
    }
}

impl Tool<'_> {
    fn server<'s>(&'s self, otherwise: &'s str) -> &'s str {
        self.server.as_deref().unwrap_or(otherwise)
    }

    /// The tool as an MCP server would declare it; what is null is left out.
    fn definition(&self, server: &str) -> Result<Definition, BadEntry> {
        let parts = [
            ("name", self.name),
            ("description", self.description),
            ("inputSchema", self.input_schema),
            ("outputSchema", self.output_schema),
            ("annotations", self.annotations),
        ];
        let mut json = String::from("{");
        for (key, raw) in parts {
            let Some(raw) = raw else { continue };
            if json.len() > 1 {
                json.push(',');
            }
            json.extend(["\"", key, "\":", raw.get()]);
        }
        json.push('}');
        parse(server, Kind::Tool, &json)
    }
}

fn parse(server: &str, kind: Kind, json: &str) -> Result<Definition, BadEntry> {
    Definition::parse(server, kind, json).map_err(|bad| BadEntry::new(without_place(&bad.reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Entry {
        entry(Path::new("data/some.jsonl"), 7, line).expect("a good line")
    }

    #[test]
    fn a_tool_line_becomes_an_entry_with_peers() {
        let entry = read(
            r#"{"id":"x-1","source":"src","server":"s","name":"n","description":"d","input_schema":null,
            "label":"malicious","category":"shadowing","metadata_visible":true,
            "peers":[{"server":"mail","name":"send","description":"Sends.","input_schema":{"type":"object"}}]}"#,
        );
        assert_eq!(
            (entry.id.as_str(), entry.source.as_str(), entry.category.as_str()),
            ("x-1", "src", "shadowing")
        );
        assert_eq!((entry.definition.server(), entry.definition.name()), ("s", "n"));
        assert_eq!((entry.peers[0].server(), entry.peers[0].name()), ("mail", "send"));
        assert!(entry.is_malicious && entry.is_counted());
    }

    #[test]
    fn an_attack_that_only_code_shows_does_not_count() {
        for (visible, counts) in [("true", true), ("false", false), ("\"weak\"", false), ("\"overt\"", false)]
        {
            let line = format!(r#"{{"name":"n","label":"malicious","metadata_visible":{visible}}}"#);
            assert_eq!(read(&line).is_counted(), counts, "{visible}");
        }
    }

    #[test]
    fn of_a_pair_the_later_text_is_judged() {
        let drift = read(
            r#"{"id":"d","name":"n","a":{"server":"old","description":"A"},"b":{"server":"new","description":"B"},"label":"benign_change"}"#,
        );
        assert_eq!((drift.definition.server(), drift.definition.name()), ("new", "n"));
        assert_eq!((drift.category.as_str(), drift.is_malicious), ("drift", false));
        let pull =
            read(r#"{"name":"n","before":"A","after":"B","category":"rug_pull","label":"malicious_change"}"#);
        assert_eq!((pull.id.as_str(), pull.is_malicious), ("some:7", true));
    }

    #[test]
    fn instructions_are_definitions_too() {
        let entry = read(r#"{"server":"s","version":"1.2","instructions":"Call x first.","label":"benign"}"#);
        assert_eq!(entry.definition.kind(), Kind::Instructions);
        assert_eq!((entry.id.as_str(), entry.category.as_str()), ("instructions:s@1.2", "instructions"));
    }

    #[test]
    fn a_bad_line_names_its_column_and_keeps_the_others() {
        let mut corpus = Corpus::default();
        let text = "{\"name\":\"a\"}\n\n{\"name\" 1}\n{\"name\":\"b\"}\n";
        let found = entries(Path::new("x.jsonl"), text, &mut corpus);
        let gaps = corpus.gaps;
        assert_eq!(found.len(), 2);
        assert_eq!(gaps.len(), 1);
        assert_eq!((gaps[0].subject.as_str(), gaps[0].reason.as_str()), ("x.jsonl:3:9", "expected `:`"));
    }
}
