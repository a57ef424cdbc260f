//! Writes what was found, one line each: for people, or as JSON lines.

use crate::args::{ListFormat, SensitiveArguments, SensitiveFailOn};
use portcullis_detect::escape_line;
use portcullis_detect::sensitive::{Facts, Family, Located, Piece, SensitiveData, Strength};
use serde::Serialize;
use std::io::{self, Write};

/// Takes the pieces of a document and lists the values among them.
pub(super) struct Listing<'a> {
    arguments: &'a SensitiveArguments,
    data: &'a SensitiveData,
    bound: usize,
    keyword: usize,
    doubtful: usize,
}

/// One value, as other programs read it.
#[derive(Serialize)]
struct Line<'a> {
    path: Option<&'a str>,
    line: usize,
    #[serde(rename = "type")]
    kind: &'a str,
    row: &'a str,
    family: &'static str,
    strength: &'static str,
    severity: &'static str,
    confidence: f64,
    masked: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<&'static str>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(arguments: &'a SensitiveArguments, data: &'a SensitiveData) -> Self {
        Listing { arguments, data, bound: 0, keyword: 0, doubtful: 0 }
    }

    pub(super) fn take(&mut self, piece: Piece<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Piece::Found(located) = piece else { return Ok(()) };
        let facts = self.data.facts(located.hit.row);
        match (located.hit.doubt, located.hit.strength) {
            (Some(_), _) => self.doubtful += 1,
            (None, Strength::Bound) => self.bound += 1,
            (None, Strength::Keyword) => self.keyword += 1,
        }
        match self.arguments.format {
            ListFormat::Plain => plain(&located, &facts, out),
            ListFormat::Json => {
                writeln!(out, "{}", in_ascii(&serde_json::to_string(&line(&located, &facts))?))
            }
        }
    }

    /// One sentence about all of it.
    pub(super) fn conclude(&self, err: &mut dyn Write) -> io::Result<()> {
        let Listing { bound, keyword, doubtful, .. } = self;
        match bound + keyword + doubtful {
            0 => writeln!(err, "nothing sensitive found"),
            _ => writeln!(err, "{bound} bound, {keyword} by keyword, {doubtful} placeholders"),
        }
    }

    pub(super) fn fails(&self) -> bool {
        match self.arguments.fail_on {
            SensitiveFailOn::Never => false,
            SensitiveFailOn::Bound => self.bound > 0,
            SensitiveFailOn::Any => self.bound + self.keyword > 0,
        }
    }
}

fn line<'a>(located: &'a Located, facts: &Facts<'a>) -> Line<'a> {
    Line {
        path: located.pointer.as_deref(),
        line: located.line,
        kind: facts.kind,
        row: facts.id,
        family: family(facts.family),
        strength: located.hit.strength.as_str(),
        severity: facts.severity.as_str(),
        confidence: f64::from(located.hit.confidence.thousandths()) / 1000.0,
        masked: &located.masked,
        encoding: located.hit.encoding,
        doubt: located.hit.doubt,
    }
}

/// The same JSON with everything beyond printable ASCII as escapes: exact for programs, and no terminal is steered.
fn in_ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, ' '..='~') {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

fn family(family: Family) -> &'static str {
    match family {
        Family::Secret => "secret",
        Family::Personal => "personal",
        Family::Custom => "custom",
    }
}

fn plain(located: &Located, facts: &Facts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let place = match located.pointer.as_deref() {
        Some(pointer) => format!("{}: #{}", located.line, escape_line(pointer, 200)),
        None => format!("{}:", located.line),
    };
    let masked = escape_line(&located.masked, 80);
    let kind = escape_line(facts.kind, 60);
    let (strength, severity) = (located.hit.strength.as_str(), facts.severity.as_str());
    write!(out, "{place}  {kind}  {strength}  {severity}  {}  {masked}", located.hit.confidence)?;
    if let Some(encoding) = located.hit.encoding {
        write!(out, "  (under {encoding})")?;
    }
    if let Some(doubt) = located.hit.doubt {
        write!(out, "  ({doubt})")?;
    }
    writeln!(out)
}
