//! What an event led to: the record after it and what others should hear, or why it may not be.

use super::event::{Actor, EventKind};
use super::record::{Record, State};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use portcullis_detect::fingerprint::Fingerprint;

/// A change the machine made. Its fields are private: a store commits nothing else, so skipping the machine does not
/// compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub(super) event: EventKind,
    pub(super) before: Option<State>,
    pub(super) is_change: bool,
    pub(super) record: Record,
    pub(super) notices: Vec<Notice>,
    pub(super) by: Option<Actor>,
    pub(super) at: u64,
}

impl Transition {
    /// What happened.
    pub fn event(&self) -> EventKind {
        self.event
    }

    /// Where the tool stood, `None` if nobody had seen it.
    pub fn before(&self) -> Option<State> {
        self.before
    }

    /// Whether anything about the tool is different now.
    pub fn is_change(&self) -> bool {
        self.is_change
    }

    /// What is known of the tool now.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What others should hear.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Who asked, `None` for what simply happened.
    pub fn by(&self) -> Option<&Actor> {
        self.by.as_ref()
    }

    /// When, in milliseconds since 1970.
    pub fn at(&self) -> u64 {
        self.at
    }
}

/// What others should hear of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A tool nobody had seen.
    NewTool,
    /// It changed since it was approved.
    RugPull {
        /// What was approved.
        approved: Fingerprint,
        /// What is there now.
        seen: Fingerprint,
    },
    /// The server should be held with it (`quarantine_server_on_rug_pull`).
    HoldServer,
    /// It is again exactly what was approved.
    Restored,
    /// It was approved without a human.
    ApprovedByItself,
    /// Hard checks nobody accepted.
    HardFinding {
        /// The checks, by id.
        checks: Vec<Box<str>>,
    },
    /// The server no longer lists it.
    Vanished,
    /// The server lists it again.
    Returned,
    /// It has the content of a tool that went.
    Renamed {
        /// The name that went.
        from: Box<str>,
    },
}

/// Why an event may not be. The message says what the operator can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// What was read is not what is there now.
    StaleFingerprint {
        /// What is there now.
        seen: Fingerprint,
    },
    /// Hard checks that were not accepted by id.
    HardFinding {
        /// The checks, by id.
        checks: Vec<Box<str>>,
    },
    /// Hard checks were accepted without a reason.
    ReasonMissing,
    /// The tool is blocked.
    Blocked,
    /// The tool is not blocked.
    NotBlocked,
    /// The server is pinned: the lock decides.
    Pinned,
    /// Nobody has seen the tool.
    Unknown,
    /// An agent asked for what only an operator may do.
    OnlyForOperators,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::StaleFingerprint { seen } => {
                write!(f, "the tool is no longer what you read: it is now {seen}. Read it again, then approve that")
            }
            Refusal::HardFinding { checks } => {
                let checks: Vec<&str> = checks.iter().map(|check| &**check).collect();
                let checks: String = checks.join(", ");
                write!(f, "hard findings stand against it: {checks}. Name each of them and give a reason to accept it")
            }
            Refusal::ReasonMissing => f.write_str("accepting a hard finding needs a reason"),
            Refusal::Blocked => f.write_str("the tool is blocked. Unblock it first; it then waits in quarantine"),
            Refusal::NotBlocked => f.write_str("the tool is not blocked"),
            Refusal::Pinned => f.write_str(
                "the server is pinned to the lock. Update the lock (portcullis lock --update --only SERVER/TOOL), or \
                 choose another trust mode",
            ),
            Refusal::Unknown => f.write_str("no such tool was ever seen on this server"),
            Refusal::OnlyForOperators => {
                f.write_str("only an operator may do this, out of band: dashboard, command line or REST")
            }
        }
    }
}

impl core::error::Error for Refusal {}
