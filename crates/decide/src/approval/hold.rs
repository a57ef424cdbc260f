//! Whether a tool may be used now, and why not.

use super::record::{Record, State};
use super::server::{Server, ServerHold};
use super::setting::Settings;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use portcullis_detect::Kind;

/// Why a tool may not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its server is held.
    Server(ServerHold),
    /// An operator blocked it.
    Blocked,
    /// An operator switched it off.
    Disabled,
    /// Its server no longer lists it.
    Vanished,
    /// Hard checks nobody accepted.
    HardFinding(Vec<Box<str>>),
    /// It changed since it was approved.
    RugPull,
    /// Nobody approved it yet.
    Quarantined,
}

/// For agents: what they may know, and what a human can do about it.
impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hold::Server(ServerHold::Quarantined) => "its server is held for review",
            Hold::Server(ServerHold::LaunchChanged) => {
                "its server is launched in another way than was confirmed, and held for review"
            }
            Hold::Blocked => "an operator blocked it",
            Hold::Disabled => "an operator switched it off",
            Hold::Vanished => "its server no longer lists it",
            Hold::HardFinding(_) => "a finding holds it for review",
            Hold::RugPull => "it changed since it was approved, and is held for review",
            Hold::Quarantined => "nobody has approved it yet; it is held for review",
        })
    }
}

/// Why a definition may not be used, `None` if it may. The decisions of people (blocked, disabled, a held server) hold
/// whatever the settings say. Resources come and go with the data they stand for: only a hard finding holds them.
pub fn hold(kind: Kind, record: &Record, server: &Server, settings: &Settings) -> Option<Hold> {
    if let Some(hold) = server.hold() {
        return Some(Hold::Server(hold));
    }
    if record.state == State::Blocked {
        return Some(Hold::Blocked);
    }
    if !record.is_enabled {
        return Some(Hold::Disabled);
    }
    if !record.is_present {
        return Some(Hold::Vanished);
    }
    if !settings.tool_quarantine {
        return None;
    }
    let checks = record.unaccepted();
    if !checks.is_empty() {
        return Some(Hold::HardFinding(checks));
    }
    match record.state {
        State::Quarantined | State::RugPull if kind == Kind::Resource && record.rejection.is_none() => None,
        State::Approved => None,
        State::RugPull if !settings.rug_pull_detection && record.rejection.is_none() => None,
        State::RugPull => Some(Hold::RugPull),
        State::Quarantined => Some(Hold::Quarantined),
        State::Blocked => Some(Hold::Blocked),
    }
}
