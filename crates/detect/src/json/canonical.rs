//! RFC 8785: members sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them.
//!
//! The RFC leaves out what I-JSON forbids, and hostile servers send it all the same. Equal keys keep their order
//! among each other. A number that no double holds exactly is written as the RFC says, and its exact value is kept
//! beside the text: two documents are equal only if both are.

use super::{Json, number};
use crate::prelude::*;
use core::fmt::Write as _;

/// A document in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    text: String,
    exact: String,
    numbers: usize,
}

impl Canonical {
    pub(super) fn of(value: &Json) -> Self {
        let mut canonical = Canonical { text: String::new(), exact: String::new(), numbers: 0 };
        canonical.value(value);
        canonical
    }

    /// The text of RFC 8785.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The exact values of numbers that the text had to round, each with its place among the numbers; usually "".
    pub fn exact(&self) -> &str {
        &self.exact
    }

    fn value(&mut self, value: &Json) {
        match value {
            Json::Null => self.text.push_str("null"),
            Json::Bool(true) => self.text.push_str("true"),
            Json::Bool(false) => self.text.push_str("false"),
            Json::Number(spelling) => self.number(spelling),
            Json::String(text) => self.string(text),
            Json::Array(items) => self.array(items),
            Json::Object(members) => self.object(members),
        }
    }

    fn array(&mut self, items: &[Json]) {
        self.text.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.value(item);
        }
        self.text.push(']');
    }

    fn object(&mut self, members: &[(Box<str>, Json)]) {
        let mut sorted: Vec<&(Box<str>, Json)> = members.iter().collect();
        // The sort is stable: of equal keys the first stays first, for clients differ in which one they take.
        sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        self.text.push('{');
        for (index, (key, value)) in sorted.into_iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.string(key);
            self.text.push(':');
            self.value(value);
        }
        self.text.push('}');
    }

    fn number(&mut self, spelling: &str) {
        let written = number::ecmascript(spelling.parse().unwrap_or_default());
        let exact = number::exact(spelling);
        if exact != number::exact(&written) {
            // Writing to a string cannot fail.
            let _ = write!(self.exact, "{}:{exact};", self.numbers);
        }
        self.numbers += 1;
        self.text.push_str(&written);
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for character in text.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\u{8}' => self.text.push_str("\\b"),
                '\t' => self.text.push_str("\\t"),
                '\n' => self.text.push_str("\\n"),
                '\u{c}' => self.text.push_str("\\f"),
                '\r' => self.text.push_str("\\r"),
                '\0'..='\u{1f}' => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(character));
                }
                _ => self.text.push(character),
            }
        }
        self.text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        let canonical = Json::parse(json).expect("good JSON").canonical();
        assert_eq!(canonical.text(), expected);
        let again = Json::parse(canonical.text()).expect("canonical JSON is JSON").canonical();
        assert_eq!(again.text(), expected, "canonical twice is canonical once");
    }

    #[test]
    fn the_examples_of_the_rfc() {
        check(
            r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        );
        // By UTF-16 code units the emoji, a surrogate pair, sorts before U+FB33.
        check(
            r#"{"\u20ac":5,"\r":1,"\ufb33":7,"1":2,"\ud83d\ude02":6,"\u0080":3,"\u00f6":4}"#,
            "{\"\\r\":1,\"1\":2,\"\u{80}\":3,\"\u{f6}\":4,\"\u{20ac}\":5,\"\u{1f602}\":6,\"\u{fb33}\":7}",
        );
    }

    #[test]
    fn equal_keys_are_all_kept_in_their_order() {
        check(r#"{"b":0,"a":2,"a":1}"#, r#"{"a":2,"a":1,"b":0}"#);
    }

    #[test]
    fn rounded_numbers_keep_their_exact_value_beside_the_text() {
        let canonical = |json: &str| Json::parse(json).expect("good JSON").canonical();
        let (one, other) = (canonical("[1, 9007199254740993]"), canonical("[1, 9007199254740992.0]"));
        assert_eq!(one.text(), other.text());
        assert_eq!((one.exact(), other.exact()), ("1:9007199254740993e0;", ""));
    }
}
