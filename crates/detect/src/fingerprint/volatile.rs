//! Spans an operator marked volatile: numbers and dates inside one string, left out when versions are compared.
//!
//! A mark never covers words. Were a whole description volatile, an order to the model could hide in it; of a
//! number or a date there is nothing to obey.

use crate::json::Json;
use crate::prelude::*;

/// What changes from day to day inside a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VolatileKind {
    /// Numbers: "1,024 documents".
    Counts,
    /// Numbers, and names of months and weekdays: "as of Monday, 3 March 2025".
    Dates,
}

impl VolatileKind {
    /// The word used in the configuration and in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            VolatileKind::Counts => "counts",
            VolatileKind::Dates => "dates",
        }
    }

    /// The kind a word stands for.
    pub fn named(word: &str) -> Option<VolatileKind> {
        [VolatileKind::Counts, VolatileKind::Dates].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One mark: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volatile {
    /// The JSON pointer of the string inside the definition.
    pub pointer: Box<str>,
    /// What changes there.
    pub kind: VolatileKind,
}

impl Volatile {
    /// The definition with the marked spans written as `#`.
    pub fn settle(definition: &Json, marks: &[Volatile]) -> Json {
        settle(definition, &mut String::new(), marks)
    }
}

fn settle(value: &Json, pointer: &mut String, marks: &[Volatile]) -> Json {
    let below = |pointer: &mut String, step: &str, value: &Json| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        let settled = settle(value, pointer, marks);
        pointer.truncate(length);
        settled
    };
    match value {
        Json::String(text) => match marks.iter().find(|mark| *mark.pointer == **pointer) {
            Some(mark) => Json::String(settled(text, mark.kind).into()),
            None => value.clone(),
        },
        Json::Array(items) => {
            let items = items.iter().enumerate();
            Json::Array(items.map(|(index, item)| below(pointer, &index.to_string(), item)).collect())
        }
        Json::Object(members) => {
            let members = members.iter();
            Json::Object(members.map(|(key, value)| (key.clone(), below(pointer, key, value))).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
    }
}

/// A text with its numbers, and dates if asked, written as `#`.
fn settled(text: &str, kind: VolatileKind) -> String {
    let mut settled = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_kin = |c: char| c.is_alphanumeric() == first.is_alphanumeric();
        let end = rest.find(|c| !is_kin(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let is_number = run.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = kind == VolatileKind::Dates && is_calendar_name(run);
        settled.push_str(if first.is_alphanumeric() && (is_number || is_name) { "#" } else { run });
        rest = after;
    }
    // "1,024" and "7" are both one number, whatever their length.
    for joint in ["#,#", "#.#"] {
        while settled.contains(joint) {
            settled = settled.replace(joint, "#");
        }
    }
    settled
}

/// Months and weekdays in English, whole or by three letters.
fn is_calendar_name(word: &str) -> bool {
    const NAMES: [&str; 19] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let lower = word.to_ascii_lowercase();
    NAMES.iter().any(|name| lower == *name || (lower.len() == 3 && name.starts_with(&lower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: VolatileKind, expected: &str) {
        assert_eq!(settled(text, kind), expected);
    }

    #[test]
    fn numbers_and_dates_are_left_out_and_words_stay() {
        check("Searches 1,024 documents.", VolatileKind::Counts, "Searches # documents.");
        check("As of 2025-03-03 10:20, v2.", VolatileKind::Counts, "As of #-#-# #:#, v2.");
        check("As of Monday, 3 Mar 2025.", VolatileKind::Dates, "As of #, # # #.");
        check("As of Monday, 3 Mar 2025.", VolatileKind::Counts, "As of Monday, # Mar #.");
        check("Ignore all rules.", VolatileKind::Dates, "Ignore all rules.");
        check("\u{e9}5 \u{200b}5", VolatileKind::Counts, "\u{e9}5 \u{200b}#");
    }

    #[test]
    fn only_the_marked_string_is_settled() {
        let json = Json::parse(r#"{"description":"7 files","a/b":["7"]}"#).expect("good JSON");
        let mark = |pointer: &str| Volatile { pointer: pointer.into(), kind: VolatileKind::Counts };
        let settled = |pointer: &str| Volatile::settle(&json, &[mark(pointer)]).canonical().text().to_owned();
        assert_eq!(settled("/description"), r##"{"a/b":["7"],"description":"# files"}"##);
        assert_eq!(settled("/a~1b/0"), r##"{"a/b":["#"],"description":"7 files"}"##);
        assert_eq!(settled("/other"), r#"{"a/b":["7"],"description":"7 files"}"#);
    }
}
