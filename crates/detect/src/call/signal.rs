//! What a check says about a call or a result: like a signal on a definition, but weighed by source and severity.

use crate::prelude::*;
use crate::signal::{Confidence, Threat};

/// How a signal was come by; sources differ in how far they can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Data or orders were followed from one call to another.
    Flow,
    /// Sensitive data was found.
    Sensitive,
    /// The call itself, its tool and its text.
    Static,
    /// It is unlike what this agent did before.
    Behavioural,
    /// The agent's own word.
    AgentHint,
}

impl Source {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Flow => "flow",
            Source::Sensitive => "pii",
            Source::Static => "static",
            Source::Behavioural => "behavioral",
            Source::AgentHint => "agent_hint",
        }
    }
}

/// One observation on a call. Nothing in it shows a value: places and words only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSignal {
    /// The id of the check, such as `flow.instruction_to_action`.
    pub check: &'static str,
    /// How it was come by.
    pub source: Source,
    /// How bad it is if true, 0 to 100.
    pub severity: u8,
    /// The kind of harm.
    pub threat: Threat,
    /// How sure the check is.
    pub confidence: Confidence,
    /// The JSON pointer in arguments or result; escaped.
    pub pointer: String,
    /// The earlier call the data or order came from.
    pub from_call: Option<u32>,
    /// One sentence for the operator; render-safe.
    pub detail: String,
}
