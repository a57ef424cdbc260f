//! The text of `portcullis.lock`: one line for each definition, ordered, so that merges touch few lines.

use std::collections::BTreeMap;

use portcullis_decide::lock::{LOCKED_PARTS, Locked};
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::lines::{self, BadFile};

const FORMAT: &str = "portcullis.lock";
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    server: Box<str>,
    kind: String,
    name: Box<str>,
    fingerprint: String,
    parts: BTreeMap<String, Box<str>>,
}

/// Reads a lock.
///
/// # Errors
/// The file is broken, no lock, or from a newer version.
pub fn read(text: &str) -> Result<Vec<Locked>, BadFile> {
    let lines = lines::read::<Line>(text, FORMAT, VERSION)?;
    lines
        .into_iter()
        .map(|(line, entry)| locked(entry).map_err(|reason| BadFile::Line { line, reason }))
        .collect()
}

fn locked(line: Line) -> Result<Locked, String> {
    let fingerprint = Fingerprint::from_hex(&line.fingerprint).ok_or("the fingerprint is not 64 digits")?;
    let kind = kind(&line.kind).ok_or("an unknown kind")?;
    if line.parts.len() != LOCKED_PARTS.len() {
        return Err("a part is missing or unknown".into());
    }
    let mut parts = LOCKED_PARTS.map(|_| Box::default());
    for (part, hash) in LOCKED_PARTS.iter().zip(&mut parts) {
        let found = line.parts.get(part.as_str()).ok_or("a part is missing or unknown")?;
        *hash = found.clone();
    }
    Ok(Locked { server: line.server, kind, name: line.name, fingerprint, parts })
}

/// The kind a word stands for.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    let kinds = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate, Kind::Instructions];
    kinds.into_iter().find(|kind| kind.as_str() == word)
}

/// Writes a lock, in its order.
pub fn write(entries: &[Locked]) -> String {
    let mut sorted: Vec<&Locked> = entries.iter().collect();
    sorted.sort_by_cached_key(|entry| entry.order());
    let line = |entry: &Locked| Line {
        server: entry.server.clone(),
        kind: entry.kind.as_str().into(),
        name: entry.name.clone(),
        fingerprint: entry.fingerprint.to_string(),
        parts: LOCKED_PARTS.iter().map(|part| part.as_str().to_owned()).zip(entry.parts.clone()).collect(),
    };
    lines::write(FORMAT, VERSION, sorted.into_iter().map(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_detect::fingerprint::Identity;

    fn entry(server: &str, name: &str) -> Locked {
        let identity = Identity::parse(server, Kind::Tool, "{}").expect("good JSON");
        Locked::new(server, Kind::Tool, name, &identity)
    }

    #[test]
    fn what_is_written_reads_back_and_its_order_does_not_depend_on_ours() {
        let entries = [entry("b", "x"), entry("a", "z\u{200b}"), entry("a", "y")];
        let text = write(&entries);
        assert!(text.is_ascii(), "hostile names are escaped: {text}");
        let read = read(&text).expect("a good lock");
        assert_eq!(read, [entry("a", "y"), entry("a", "z\u{200b}"), entry("b", "x")]);
        let turned = write(&[entry("a", "y"), entry("b", "x"), entry("a", "z\u{200b}")]);
        assert_eq!(text, turned);
        assert_eq!(text.lines().count(), 4);
    }

    #[test]
    fn a_broken_or_newer_lock_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = read(text).expect_err("a bad lock").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "first line");
        check("[]", "first line");
        check("{\"portcullis.suppress\":1}\n", "first line");
        check("{\"portcullis.lock\":2}\nanything", "newer");
        check("{\"portcullis.lock\":1}\n<<<<<<< ours\n", "line 2: a merge conflict");
        check("{\"portcullis.lock\":1}\n\n{\"server\":\"a\"}\n", "line 3: missing field");
        let good = write(&[entry("a", "y")]);
        check(&good.replace("\"kind\":\"tool\"", "\"kind\":\"spoon\""), "kind");
        check(&good.replace("title", "titel"), "part");
        check(&good.replacen("\"fingerprint\":\"", "\"fingerprint\":\"0", 1), "64 digits");
        check(&good.replace("{\"server\"", "{\"x\":1,\"server\""), "unknown field");
    }
}
