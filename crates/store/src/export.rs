//! Records as others read them: one JSON object or one line of CSV each.

use data_encoding::HEXLOWER;
use serde::Serialize;

use crate::record::{Mark, Record, StoredValue};

/// The first line of a CSV export.
pub const CSV_HEADER: &str =
    "seq,time,kind,status,server,tool,session,risk,sensitive,arguments,result,note,hash";

/// The version of the line.
const SCHEMA: &str = "portcullis.activity/1";

#[derive(Serialize)]
struct Line<'r> {
    schema: &'static str,
    seq: u64,
    time: String,
    writer: &'r str,
    kind: &'static str,
    status: &'static str,
    server: &'r str,
    tool: &'r str,
    session: &'r str,
    risk: u8,
    sensitive: &'r [String],
    redacted: bool,
    arguments: Option<&'r StoredValue>,
    result: Option<&'r StoredValue>,
    note: Option<&'r StoredValue>,
    mark: Option<&'r Mark>,
    hash: String,
}

/// A record as JSON on one line; characters that cannot be seen are escaped.
pub fn json_line(record: &Record) -> String {
    let (facts, body) = (&record.facts, record.body.as_ref());
    let line = Line {
        schema: SCHEMA,
        seq: record.seq,
        time: time_text(record.at_us),
        writer: &facts.writer,
        kind: facts.kind.word(),
        status: facts.status.word(),
        server: &facts.server,
        tool: &facts.tool,
        session: &facts.session,
        risk: facts.risk,
        sensitive: &facts.sensitive,
        redacted: body.is_none(),
        arguments: body.and_then(|body| body.arguments.as_ref()),
        result: body.and_then(|body| body.result.as_ref()),
        note: body.and_then(|body| body.note.as_ref()),
        mark: facts.mark.as_ref(),
        hash: HEXLOWER.encode(&record.hash),
    };
    // INVARIANT: a struct of strings and numbers always becomes JSON.
    visible(&serde_json::to_string(&line).unwrap_or_default())
}

/// Every character of the JSON that is not plainly visible as a `\u` escape: still the same JSON, safe on a terminal.
fn visible(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        let is_plain = matches!(character, ' '..='~') || character.is_alphanumeric();
        match is_plain {
            true => shown.push(character),
            false => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| shown.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    shown
}

/// A record as one line of CSV.
pub fn csv_line(record: &Record) -> String {
    let (facts, body) = (&record.facts, record.body.as_ref());
    let text = |value: Option<&StoredValue>| value.map(|value| value.text.clone()).unwrap_or_default();
    let fields = [
        record.seq.to_string(),
        time_text(record.at_us),
        facts.kind.word().to_owned(),
        facts.status.word().to_owned(),
        facts.server.clone(),
        facts.tool.clone(),
        facts.session.clone(),
        facts.risk.to_string(),
        facts.sensitive.join(" "),
        text(body.and_then(|body| body.arguments.as_ref())),
        text(body.and_then(|body| body.result.as_ref())),
        text(body.and_then(|body| body.note.as_ref())),
        HEXLOWER.encode(&record.hash),
    ];
    fields.map(|field| csv_field(&field)).join(",")
}

/// A field in quotes if it needs them. One that a spreadsheet would run as a formula gets an apostrophe in front.
fn csv_field(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    let text: String = field.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match is_formula || text.contains([',', '"']) {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// A time in the usual form, such as `2026-11-16T02:00:00Z`.
pub fn time_text(at_us: i64) -> String {
    jiff::Timestamp::from_microsecond(at_us).map_or_else(|_| at_us.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_neither_breaks_the_line_nor_runs() {
        assert_eq!(csv_field("plain"), "plain");
        assert_eq!(csv_field("a,\"b\"\nc"), "\"a,\"\"b\"\" c\"");
        assert_eq!(csv_field("=1+1"), "\"'=1+1\"");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_and_reads_the_same() {
        let text = "{\"a\":\"x\u{200b}\u{202e}\u{1f600}\u{e9}\"}";
        let shown = visible(text);
        assert!(shown.contains("\\u200b\\u202e\\ud83d\\ude00\u{e9}"), "{shown}");
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(value(&shown), value(text));
    }

    #[test]
    fn times_are_written_as_everybody_does() {
        assert_eq!(time_text(1_790_000_000_000_000), "2026-09-21T14:13:20Z");
    }
}
