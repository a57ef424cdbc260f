//! JSON that is exact for programs and safe for terminals: what cannot be seen is written as `\u` escapes.
//!
//! Names of tools come from the attacker. Cutting or replacing their characters would break identity; printing
//! them raw would let a name rewrite the reader's terminal. An escape does neither.

use std::io::{self, Write};

use portcullis_detect::escape_line;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Writes `value` as indented JSON and ends the line.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Safe { pretty: PrettyFormatter::new() });
    value.serialize(&mut serializer).map_err(io::Error::from)?;
    writeln!(out)
}

/// `value` as JSON on one line.
pub fn line(value: &impl Serialize) -> String {
    let compact = serde_json::to_string(value).unwrap_or_default();
    let mut line = String::with_capacity(compact.len());
    // INVARIANT: outside of strings JSON is visible ASCII, so only characters of strings are escaped.
    for character in compact.chars() {
        if is_visible(character) {
            line.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            line.push_str(&format!("\\u{unit:04x}"));
        }
    }
    line
}

struct Safe {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut plain_from = 0;
        for (index, character) in fragment.char_indices() {
            if is_visible(character) {
                continue;
            }
            writer.write_all(&fragment.as_bytes()[plain_from..index])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain_from = index + character.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[plain_from..])
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}

/// The one judge of what can be seen is the evidence's own escaping.
fn is_visible(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    let text = character.encode_utf8(&mut [0; 4]).to_owned();
    escape_line(&text, 1) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_reads_back_exactly() {
        let hostile = "a\u{200b}b\u{1b}[2J\u{202e}c\u{e0041}\u{7f} ü日本";
        let mut out = Vec::new();
        write(&hostile, &mut out).expect("a buffer takes everything");
        let text = String::from_utf8(out).expect("JSON is text");
        assert_eq!(text, "\"a\\u200bb\\u001b[2J\\u202ec\\udb40\\udc41\\u007f ü日本\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).expect("valid JSON"), hostile);
    }
}
