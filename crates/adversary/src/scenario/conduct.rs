//! How a scenario keeps to the protocol: its eras, its transports, the rules it breaks.

use crate::fields::Fields;

/// Clients open a session with `initialize`, or say everything with each request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// The rules a scenario can break, by what is wrong on the wire.
const RULES: [&str; 16] = [
    "response_id",
    "id_type",
    "duplicate_answer",
    "unasked_answer",
    "cancelled_answer",
    "no_answer",
    "duplicate_keys",
    "utf8",
    "json",
    "framing",
    "envelope",
    "batch",
    "version",
    "era",
    "capability",
    "definition",
];

pub(super) fn breaks(fields: &Fields) -> Vec<&'static str> {
    fields.words("breaks", "rule", &RULES)
}

pub(super) fn eras(fields: &Fields) -> Vec<Era> {
    let words = fields.words("eras", "era", &["legacy", "modern"]);
    let all = || vec![Era::Legacy, Era::Modern];
    let era = |word: &&str| if *word == "legacy" { Era::Legacy } else { Era::Modern };
    if words.is_empty() { all() } else { words.iter().map(era).collect() }
}

pub(super) fn transports(fields: &Fields) -> Vec<Transport> {
    let words = fields.words("transports", "transport", &["stdio", "http"]);
    let all = || vec![Transport::Stdio, Transport::Http];
    let transport = |word: &&str| if *word == "stdio" { Transport::Stdio } else { Transport::Http };
    if words.is_empty() { all() } else { words.iter().map(transport).collect() }
}
