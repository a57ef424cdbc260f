//! The text of a baseline: a first line with the rules it was made with, then one line for each definition seen.

use portcullis_decide::baseline::{Baseline, Seen};
use portcullis_detect::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::lines::{self, BadFile};
use crate::lock::kind;

const FORMAT: &str = "portcullis.baseline";
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(rename = "portcullis.baseline")]
    version: u64,
    rules_version: Box<str>,
    checks: Vec<Box<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    server: Box<str>,
    kind: String,
    name: Box<str>,
    content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<Box<str>>,
}

/// Reads a baseline.
///
/// # Errors
/// The file is broken, no baseline, or from a newer version.
pub fn read(text: &str) -> Result<Baseline, BadFile> {
    let lines = lines::read::<Line>(text, FORMAT, VERSION)?;
    let bad_head = |error: serde_json::Error| BadFile::Line { line: 1, reason: error.to_string() };
    let head: Head = serde_json::from_str(text.lines().next().unwrap_or_default()).map_err(bad_head)?;
    let seen =
        lines.into_iter().map(|(line, entry)| seen(entry).map_err(|reason| BadFile::Line { line, reason }));
    Ok(Baseline::new(&head.rules_version, head.checks, seen.collect::<Result<_, _>>()?))
}

fn seen(line: Line) -> Result<Seen, String> {
    Ok(Seen {
        server: line.server,
        kind: kind(&line.kind).ok_or("an unknown kind")?,
        name: line.name,
        content: Fingerprint::from_hex(&line.content).ok_or("the content is not 64 digits")?,
        checks: line.found,
    })
}

/// Writes a baseline, in its order.
pub fn write(baseline: &Baseline) -> String {
    let Baseline { rules_version, checks, .. } = baseline;
    let head = Head { version: VERSION, rules_version: rules_version.clone(), checks: checks.clone() };
    let line = |seen: &Seen| Line {
        server: seen.server.clone(),
        kind: seen.kind.as_str().into(),
        name: seen.name.clone(),
        content: seen.content.to_string(),
        found: seen.checks.clone(),
    };
    lines::write_under(&head, baseline.seen().map(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_detect::Kind;
    use portcullis_detect::fingerprint::Identity;

    fn baseline() -> Baseline {
        let content = Identity::parse("a", Kind::Tool, "{}").expect("good JSON").fingerprint();
        let seen = |name: &str, checks: &[&str]| Seen {
            server: "a".into(),
            kind: Kind::Tool,
            name: name.into(),
            content,
            checks: checks.iter().map(|check| (*check).into()).collect(),
        };
        let seen = vec![seen("z\u{200b}", &["unicode.hidden"]), seen("b", &[])];
        Baseline::new("1.2.3", vec!["unicode.hidden".into()], seen)
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = write(&baseline());
        assert!(text.starts_with("{\"portcullis.baseline\":1,\"rules_version\":\"1.2.3\""), "{text}");
        assert!(text.is_ascii(), "hostile names are escaped: {text}");
        assert_eq!(read(&text), Ok(baseline()));
    }

    #[test]
    fn a_broken_or_newer_baseline_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = read(text).expect_err("a bad baseline").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "first line");
        check("{\"portcullis.baseline\":2}", "newer");
        check("{\"portcullis.baseline\":1}", "line 1: missing field `rules_version`");
        let good = write(&baseline());
        check(&good.replace("\"kind\":\"tool\"", "\"kind\":\"spoon\""), "kind");
        check(&good.replace("\"content\":\"", "\"content\":\"0"), "64 digits");
    }
}
