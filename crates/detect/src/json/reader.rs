//! The reader behind [`Json::parse`]: one pass, recursion bounded, strict.

use super::{Json, number};
use crate::parse::{BadDefinition, LARGEST};
use crate::prelude::*;
use crate::text::eight::{TOPS, every};

/// As deep as serde_json reads a definition: what the scan reads, identity reads, and nothing else.
const DEEPEST: usize = 127;

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, BadDefinition>;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Reader { text, at: 0, depth: 0 }
    }

    pub(super) fn document(mut self) -> Read<Json> {
        if self.text.len() > LARGEST {
            return Err(BadDefinition::too_large());
        }
        let value = self.value()?;
        self.blank();
        if self.at < self.text.len() { Err(self.bad("trailing characters")) } else { Ok(value) }
    }

    fn value(&mut self) -> Read<Json> {
        self.blank();
        match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.bad("expected a value")),
            None => Err(self.bad("the text ends too early")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Json>) -> Read<Json> {
        if self.depth >= DEEPEST {
            return Err(self.bad("nested too deep"));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Read<Json> {
        let mut members = Vec::new();
        if self.takes(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.blank();
            if self.peek() != Some(b'"') {
                return Err(self.bad("expected a key"));
            }
            let key = self.string()?;
            if !self.takes(b':') {
                return Err(self.bad("expected `:`"));
            }
            members.push((key, self.value()?));
            if self.takes(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.takes(b',') {
                return Err(self.bad("expected `,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Read<Json> {
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.takes(b']') {
                return Ok(Json::Array(items));
            }
            if !self.takes(b',') {
                return Err(self.bad("expected `,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Read<Box<str>> {
        let start = self.at;
        self.at += 1;
        let mut has_escapes = false;
        loop {
            self.at += plain(self.text.as_bytes().get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    self.at += 2;
                }
                Some(_) => return Err(self.bad("a control character in a string")),
                None => return Err(self.bad("the text ends too early")),
            }
        }
        self.at += 1;
        let inside = self.text.get(start + 1..self.at - 1).unwrap_or_default();
        if !has_escapes {
            return Ok(inside.into());
        }
        if let Some(text) = resolved(inside) {
            return Ok(text.into_boxed_str());
        }
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str::<String>(quoted).map(String::into_boxed_str).map_err(|_| {
            self.at = start;
            self.bad("an escape in a string that stands for no character")
        })
    }

    fn number(&mut self) -> Read<Json> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
        let length = rest.as_bytes().iter().take_while(|byte| is_part(byte)).count();
        let spelling = rest.get(..length).unwrap_or_default();
        if !number::is_spelt_well(spelling) {
            return Err(self.bad("invalid number"));
        }
        // Without an exponent it takes more than three hundred digits to leave the range of a double.
        let is_small = length < 300 && !spelling.bytes().any(|byte| matches!(byte, b'e' | b'E'));
        if !is_small && !spelling.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(self.bad("number out of range"));
        }
        self.at += length;
        Ok(Json::Number(spelling.into()))
    }

    fn word(&mut self, word: &str, value: Json) -> Read<Json> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.bad("expected a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.blank();
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bad(&self, reason: &str) -> BadDefinition {
        let before = self.text.as_bytes().get(..self.at).unwrap_or(self.text.as_bytes());
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        BadDefinition { reason: reason.into(), line, column }
    }
}

/// How many bytes stand before the first that a string ends with, escapes by, or may not hold.
fn plain(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut rest = bytes;
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        // The lowest bit that is set is that of the first such byte; those above it may be wrong.
        let below = |value: u64, bound: u8| value.wrapping_sub(every(bound)) & !value & TOPS;
        let ends = below(eight, b' ') | below(eight ^ every(b'"'), 1) | below(eight ^ every(b'\\'), 1);
        if ends != 0 {
            return count + ends.trailing_zeros() as usize / 8;
        }
        count += 8;
        rest = behind;
    }
    count + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..b' ')).count()
}

/// A string with its escapes resolved, if each of them is one letter; the others are seldom.
fn resolved(inside: &str) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(rest.get(..at)?);
        text.push(match rest.as_bytes().get(at + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return None,
        });
        rest = rest.get(at + 2..)?;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, Kind};
    use proptest::prelude::*;

    fn check(text: &str) {
        let ours = Json::parse(text);
        let theirs = Definition::parse("s", Kind::Tool, text);
        assert_eq!(ours.is_ok(), theirs.is_ok(), "{text:?}: {ours:?}, {theirs:?}");
    }

    #[test]
    fn what_the_scan_reads_is_read_and_nothing_else() {
        for text in [
            "",
            " ",
            "{}",
            "[]",
            "{\"a\":1,}",
            "[1,]",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "nul",
            "nulll",
            "01",
            "-",
            "1.",
            ".1",
            "1e",
            "1e+",
            "-0",
            "1E5",
            "1e308",
            "1e309",
            "-1e400",
            "1e-400",
            "18446744073709551616",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\udc00\"",
            "\"\\x\"",
            "\"\\",
            "\"\\\"",
            "\"a",
            "\"\t\"",
            "\"\\u00e9\"",
            "\u{feff}{}",
            "{} {}",
            "{\"a\":1,\"a\":2}",
            "+1",
            "1+1",
            "1e5.2",
            "tru",
            "\"\u{7f}\"",
            "-",
            "--1",
            "1-1",
            "0.0000000000000000000000001",
        ] {
            check(text);
        }
        for digits in [298, 299, 300, 308, 309, 310, 400] {
            check(&"9".repeat(digits));
            check(&format!("-{}.5", "1".repeat(digits)));
        }
        for depth in [1, 126, 127, 128, 129, 5000] {
            check(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
            check(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        }
    }

    #[test]
    fn strings_are_what_serde_reads() {
        let pieces = [
            "",
            "a",
            "seven b",
            "\u{e9}\u{20ac}",
            r#"\""#,
            r"\\",
            r"\/",
            r"\b\f\n\r\t",
            r"\u00e9",
            "\u{7f}\u{80}",
            "~ !#[",
        ];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let text = format!("\"{first}{second}{third}{first}\"");
                    let theirs = serde_json::from_str::<String>(&text).expect("well formed");
                    assert_eq!(
                        Json::parse(&text).expect("well formed").as_str(),
                        Some(theirs.as_str()),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn control_characters_are_refused_wherever_they_stand() {
        for place in 0..20 {
            for sign in (0u8..0x20).chain([b'"']) {
                let text = format!("\"{}{}abcdefgh\"", "x".repeat(place), char::from(sign));
                check(&text);
            }
        }
    }

    #[test]
    fn the_place_of_a_mistake_is_named() {
        let bad = Json::parse("{\n \"a\": x}").expect_err("x is no value");
        assert_eq!((bad.line, bad.column), (2, 7));
    }

    proptest! {
        #[test]
        fn random_text_is_read_by_both_or_by_none(text in "[\\[\\]{}\":,\\\\ud8-f0-9eE.+\\- tnsalrf]{0,24}") {
            check(&text);
        }
    }
}
