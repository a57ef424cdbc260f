//! What is recorded: the kinds, a header that the chain covers, and a body that may be redacted later.

use portcullis_detect::sensitive::SensitiveData;
use serde::{Deserialize, Serialize};

use crate::masking::{self, Masked};

/// The version of the stored header and body.
pub(crate) const RECORD_VERSION: u8 = 1;
/// Names longer than this are cut.
const LONGEST_NAME: usize = 256;

/// Makes an enum whose words are stored, shown and asked for.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$what])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The one a word names.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|one| one.word() == word)
            }

            pub(crate) fn number(self) -> u8 {
                self as u8
            }

            pub(crate) fn numbered(number: u8) -> Option<$name> {
                $name::ALL.get(usize::from(number)).copied()
            }
        }
    };
}

words! {
    /// What happened. New ones go to the end: their numbers are stored.
    Kind {
        /// A call, before it leaves, or its result, before it returns.
        ToolCall = "tool_call",
        /// The policy allowed, refused or held something.
        PolicyDecision = "policy_decision",
        /// A tool or server was held or let go.
        QuarantineChange = "quarantine_change",
        /// A tool is no longer what was approved.
        RugPull = "rug_pull",
        /// Somebody was told.
        Alert = "alert",
        /// A server came, went or is started differently.
        ServerChange = "server_change",
        /// The configuration changed.
        ConfigChange = "config_change",
        /// The gate itself: start, stop, keys, redaction, retention.
        System = "system",
    }
}

words! {
    /// How it went. New ones go to the end: their numbers are stored.
    Status {
        /// Nothing to judge.
        Noted = "noted",
        /// On its way to the server.
        Sent = "sent",
        /// The server answered.
        Answered = "answered",
        /// The server failed, or was not reached.
        Failed = "failed",
        /// Not let through.
        Refused = "refused",
        /// Waiting for a human.
        Held = "held",
    }
}

/// What a record of kind `system` says about the log itself; it stays when bodies are redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Mark {
    /// Bodies of these records may be gone from now on.
    Redacted {
        /// The first of them.
        from: u64,
        /// The last of them.
        through: u64,
    },
    /// Records up to this one may be gone from now on.
    Dropped {
        /// The last of them.
        through: u64,
        /// Its hash, where the chain now begins.
        hash: String,
    },
    /// Bodies of these records of a chain may be gone from now on; where several chains share a store.
    RedactedOf {
        /// Whose chain.
        writer: String,
        /// The first of them.
        from: u64,
        /// The last of them.
        through: u64,
    },
    /// Records of a chain up to this one may be gone from now on; where several chains share a store.
    DroppedOf {
        /// Whose chain.
        writer: String,
        /// The last of them.
        through: u64,
        /// Its hash, where that chain now begins.
        hash: String,
    },
    /// Another chain reached at least this record.
    Witnessed {
        /// Whose chain.
        writer: String,
        /// The record.
        seq: u64,
    },
    /// Checkpoints may be signed with this key from now on.
    SigningKey {
        /// The public half.
        public: String,
    },
}

/// The part of a header that is neither a number nor a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    #[serde(rename = "v")]
    pub(crate) version: u8,
    /// Which log it was written to.
    pub writer: String,
    /// What happened.
    pub kind: Kind,
    /// The server concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server: String,
    /// The tool concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// How it went.
    pub status: Status,
    /// The risk, 0 to 100.
    #[serde(default)]
    pub risk: u8,
    /// Types of sensitive data found in arguments and result, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<String>,
    /// What the record says about the log itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// A value as it is stored: masked, and cut if it was long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredValue {
    /// The value, masked; at most 4 KB of it.
    pub text: String,
    /// How long the whole value was, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// BLAKE3 of the whole masked value, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// The part of a record that redaction removes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    #[serde(rename = "v")]
    pub(crate) version: u8,
    /// What the tool was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<StoredValue>,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<StoredValue>,
    /// Anything else worth a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<StoredValue>,
}

/// A record as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number; the first is 1 and none is left out.
    pub seq: u64,
    /// When it happened, in microseconds since 1970.
    pub at_us: i64,
    /// The rest of the header.
    pub facts: Facts,
    /// Its hash, which covers the header, the body's digest and the hash before.
    pub hash: [u8; 32],
    /// `None` once it was redacted.
    pub body: Option<Body>,
}

/// Something to record, not yet masked.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// When it happened, in microseconds since 1970.
    pub at_us: i64,
    /// What happened.
    pub kind: Kind,
    /// The server concerned, or nothing.
    pub server: &'a str,
    /// The tool concerned, or nothing.
    pub tool: &'a str,
    /// The agent's session, or nothing.
    pub session: &'a str,
    /// How it went.
    pub status: Status,
    /// The risk; more than 100 counts as 100.
    pub risk: u8,
    /// What the tool was asked, as it came.
    pub arguments: Option<&'a [u8]>,
    /// What it answered, as it came.
    pub result: Option<&'a [u8]>,
    /// Anything else worth a sentence.
    pub note: Option<&'a str>,
}

impl Draft<'_> {
    /// A draft that names nothing yet.
    pub fn new(kind: Kind, status: Status, at_us: i64) -> Self {
        Draft {
            at_us,
            kind,
            server: "",
            tool: "",
            session: "",
            status,
            risk: 0,
            arguments: None,
            result: None,
            note: None,
        }
    }

    /// Masks every text; nothing of a draft is stored that did not come through here.
    pub(crate) fn masked(&self, data: &SensitiveData, writer: &str, mark: Option<Mark>) -> (Facts, Body) {
        let mut types = Vec::new();
        let mut value = |bytes: &[u8]| {
            let Masked { stored, types: found } = masking::mask(data, bytes);
            types.extend(found);
            stored
        };
        let body = Body {
            version: RECORD_VERSION,
            arguments: self.arguments.map(&mut value),
            result: self.result.map(&mut value),
            note: self.note.map(|note| value(note.as_bytes())),
        };
        types.sort_unstable();
        types.dedup();
        let name = |text: &str| masking::name(data, text, LONGEST_NAME);
        let facts = Facts {
            version: RECORD_VERSION,
            writer: writer.to_owned(),
            kind: self.kind,
            server: name(self.server),
            tool: name(self.tool),
            session: name(self.session),
            status: self.status,
            risk: self.risk.min(100),
            sensitive: types,
            mark,
        };
        (facts, body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_go_both_ways() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.word()), Some(*kind));
            assert_eq!(Kind::numbered(kind.number()), Some(*kind));
        }
        for status in Status::ALL {
            assert_eq!(Status::named(status.word()), Some(*status));
            assert_eq!(Status::numbered(status.number()), Some(*status));
        }
        assert_eq!((Kind::named("x"), Kind::numbered(99)), (None, None));
    }

    #[test]
    fn a_draft_is_masked_everywhere() {
        let data = SensitiveData::new();
        let mail = "please write to jane.doe@corporate.example.org today";
        let draft = Draft {
            server: mail,
            tool: mail,
            session: mail,
            risk: 200,
            arguments: Some(br#"{"to":"jane.doe@corporate.example.org"}"#),
            result: Some(mail.as_bytes()),
            note: Some(mail),
            ..Draft::new(Kind::ToolCall, Status::Sent, 7)
        };
        let (facts, body) = draft.masked(&data, "w", None);
        let stored =
            format!("{}{}", serde_json::to_string(&facts).unwrap(), serde_json::to_string(&body).unwrap());
        assert!(!stored.contains("jane.doe"), "{stored}");
        assert_eq!(facts.sensitive, ["email"]);
        assert_eq!(facts.risk, 100);
    }

    #[test]
    fn the_stored_form_of_version_1_stays_readable() {
        let facts: Facts =
            serde_json::from_str(r#"{"v":1,"writer":"w","kind":"rug_pull","status":"held","later":1}"#)
                .unwrap();
        assert_eq!((facts.kind, facts.status, facts.risk), (Kind::RugPull, Status::Held, 0));
        let mark: Mark = serde_json::from_str(r#"{"is":"redacted","from":1,"through":9}"#).unwrap();
        assert_eq!(mark, Mark::Redacted { from: 1, through: 9 });
    }
}
