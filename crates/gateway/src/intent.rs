//! What an agent says it wants with a call: by the variant of `call_tool` it chose, or in `_meta`.
//!
//! It is said to the gate: the walk takes it out of the message before it leaves, so that a server never learns it.

use serde_json::Value;

use crate::wire::{Fault, Field, Limits, Message, Splice};

/// The member of `_meta`.
const KEY: &str = "portcullis/intent";
/// The most of a reason that is kept; it is a sentence, not a document.
const LONGEST_REASON: usize = 1024;
/// The most of a word.
const LONGEST_WORD: usize = 64;

/// What a call does to the world, as the agent says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Read,
    Write,
    Destructive,
}

impl Operation {
    pub(crate) const ALL: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Destructive];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Destructive => "destructive",
        }
    }

    fn named(word: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|one| one.word() == word)
    }
}

/// What an agent says it wants with a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Intent {
    pub(crate) operation: Option<Operation>,
    /// `public`, `internal`, `private`, …
    pub(crate) data_sensitivity: Option<String>,
    /// In its own words.
    pub(crate) reason: Option<String>,
}

impl Intent {
    /// The intent in the `_meta` of a message, if there is one.
    pub(crate) fn of(message: &Message) -> Option<Intent> {
        Some(Intent::read(&message.value(Field::MetaIntent)?))
    }

    /// The intent as it is written; what is not understood is left out.
    pub(crate) fn read(said: &Value) -> Intent {
        let text = |key: &str, longest: usize| said[key].as_str().map(|text| cut(text, longest));
        Intent {
            operation: said["operation"].as_str().and_then(Operation::named),
            data_sensitivity: text("data_sensitivity", LONGEST_WORD),
            reason: text("reason", LONGEST_REASON),
        }
    }

    /// The intent of a message, and the message without it.
    pub(crate) fn taken(message: Message, limits: Limits) -> Result<(Option<Intent>, Message), Fault> {
        if !message.has(Field::MetaIntent) {
            return Ok((None, message));
        }
        let intent = Intent::of(&message);
        let mut splice = Splice::new();
        splice.remove_member(message.bytes(), message.place(Field::MetaIntent));
        Ok((intent, message.spliced(splice, limits)?))
    }

    /// Writes the intent into the `_meta` of a message, in the place of what may be there.
    pub(crate) fn write(&self, message: &Message, splice: &mut Splice) {
        let value = self.value();
        let member = format!("\"{KEY}\":{value}");
        match (message.has(Field::MetaIntent), message.raw(Field::Meta), message.raw(Field::Params)) {
            (true, ..) => splice.replace(message.place(Field::MetaIntent), value.to_string()),
            (_, Some(meta), _) => splice.add_members(message.place(Field::Meta), meta, &member),
            (_, None, Some(params)) => {
                let meta = format!(r#""_meta":{{{member}}}"#);
                splice.add_members(message.place(Field::Params), params, &meta);
            }
            (_, None, None) => {}
        }
    }

    /// As it stands in `_meta` and in records.
    pub(crate) fn value(&self) -> Value {
        let members = [
            ("operation", self.operation.map(Operation::word)),
            ("data_sensitivity", self.data_sensitivity.as_deref()),
            ("reason", self.reason.as_deref()),
        ];
        members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use serde_json::json;

    fn message(params: &str) -> Message {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        Message::one(Bytes::from(text), Limits::default()).unwrap()
    }

    #[test]
    fn what_is_written_is_taken() {
        let intent = Intent {
            operation: Some(Operation::Write),
            data_sensitivity: None,
            reason: Some("\"tidy\" up".into()),
        };
        for (params, left) in [
            (r#"{"name":"a"}"#, r#"{"_meta":{},"name":"a"}"#),
            (r#"{"_meta":{"x":1.0},"name":"a"}"#, r#"{"_meta":{"x":1.0},"name":"a"}"#),
            (r#"{"_meta":{"x":1,"portcullis/intent":{"operation":"read"}}}"#, r#"{"_meta":{"x":1}}"#),
        ] {
            let outer = message(params);
            let mut splice = Splice::new();
            intent.write(&outer, &mut splice);
            let written = outer.spliced(splice, Limits::default()).unwrap();
            let (taken, rest) = Intent::taken(written, Limits::default()).unwrap();
            assert_eq!(taken.as_ref(), Some(&intent), "{params}");
            assert_eq!(rest.bytes(), message(left).bytes());
        }
        assert_eq!(intent.value().to_string(), r#"{"operation":"write","reason":"\"tidy\" up"}"#);
    }

    #[test]
    fn nonsense_is_no_operation_and_nothing_is_endless() {
        let long = "x".repeat(5000);
        let said = message(
            &json!({ "_meta": { KEY: { "operation": "READ", "reason": long, "data_sensitivity": 7 } } })
                .to_string(),
        );
        let intent = Intent::of(&said).unwrap();
        assert_eq!((intent.operation, intent.data_sensitivity), (None, None));
        assert_eq!(intent.reason.map(|text| text.len()), Some(LONGEST_REASON));
        assert_eq!(Intent::of(&message(r#"{"name":"a"}"#)), None);
    }
}
