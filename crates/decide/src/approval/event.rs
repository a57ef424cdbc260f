//! What can happen to a tool.

use super::record::Record;
use crate::Finding;
use alloc::boxed::Box;
use alloc::vec::Vec;
use portcullis_detect::Tier;
use portcullis_detect::fingerprint::Fingerprint;

/// Who asks for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A human with the operator's role, out of band.
    Operator(Box<str>),
    /// An agent, over MCP: it can tighten, never loosen.
    Agent(Box<str>),
}

impl Actor {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Actor::Operator(name) | Actor::Agent(name) => name,
        }
    }
}

/// What a scan of one definition found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The hard checks that signalled, by id.
    pub hard: Vec<Box<str>>,
    /// The soft checks that signalled, by id.
    pub soft: Vec<Box<str>>,
    /// Something was not looked at.
    pub is_incomplete: bool,
}

impl Scan {
    /// What a finding says, check by check; `None` is a definition with nothing against it.
    pub fn of(finding: Option<&Finding>, is_incomplete: bool) -> Scan {
        let (mut hard, mut soft) = (Vec::new(), Vec::new());
        for signal in finding.iter().flat_map(|finding| &finding.signals) {
            let checks = if signal.tier == Tier::Hard { &mut hard } else { &mut soft };
            checks.push(signal.check.into());
        }
        Scan { hard: ordered(hard), soft: ordered(soft), is_incomplete }
    }

    /// Nothing found, and everything looked at.
    pub fn is_clean(&self) -> bool {
        self.hard.is_empty() && self.soft.is_empty() && !self.is_incomplete
    }

    /// The hard checks, ordered, each once.
    pub(super) fn hard_checks(&self) -> Vec<Box<str>> {
        ordered(self.hard.clone())
    }
}

pub(super) fn ordered(mut checks: Vec<Box<str>>) -> Vec<Box<str>> {
    checks.sort();
    checks.dedup();
    checks
}

/// A tool in a server's list, scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What was seen, spans marked volatile left out.
    pub fingerprint: Fingerprint,
    /// What the scan of it found.
    pub scan: Scan,
    /// What the lock says the tool is, if it names the tool.
    pub locked: Option<Fingerprint>,
    /// The agent the server showed it to; `None` if the gateway read it for itself.
    pub shown_to: Option<Box<str>>,
}

/// What happened to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The server lists it. Whether that is new, unchanged or changed, the machine sees for itself.
    Seen(Sighting),
    /// The server no longer lists it.
    Vanished,
    /// The server lists it where another with the same content was.
    Renamed {
        /// The name it had.
        from: Box<str>,
        /// What was seen.
        sighting: Sighting,
    },
    /// Somebody approves exactly what they read.
    Approved {
        /// What they read.
        fingerprint: Fingerprint,
        /// Who.
        by: Actor,
        /// The hard checks they accept, by id.
        accepted: Vec<Box<str>>,
        /// Why.
        reason: Option<Box<str>>,
    },
    /// Somebody wants it held.
    Rejected {
        /// Who.
        by: Actor,
        /// Why.
        reason: Box<str>,
    },
    /// Somebody blocks it for good.
    Blocked {
        /// Who.
        by: Actor,
        /// Why.
        reason: Box<str>,
    },
    /// Somebody lifts the block.
    Unblocked {
        /// Who.
        by: Actor,
    },
    /// Somebody switches it on.
    Enabled {
        /// Who.
        by: Actor,
    },
    /// Somebody switches it off.
    Disabled {
        /// Who.
        by: Actor,
    },
    /// A hard check signalled on what was last seen, such as shadowing when another server arrived.
    HardFinding {
        /// The checks, by id.
        checks: Vec<Box<str>>,
    },
    /// What was last seen was scanned again with other rules.
    RulesUpdated {
        /// What that scan found.
        scan: Scan,
    },
    /// The server is launched in another way. Holds the server; approvals of tools stay.
    LaunchChanged,
    /// Somebody confirmed the launch.
    LaunchConfirmed {
        /// Who.
        by: Actor,
    },
    /// Somebody chose another trust mode; the new one is the mode given to `apply`.
    TrustModeChanged {
        /// Who.
        by: Actor,
        /// What the lock says the tool is, if it names the tool.
        locked: Option<Fingerprint>,
    },
}

/// The kind of an event, as the table knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the events of the same names say what they are")]
pub enum EventKind {
    FirstSeen,
    SeenUnchanged,
    SeenChanged,
    Vanished,
    Renamed,
    Approved,
    Rejected,
    Blocked,
    Unblocked,
    Enabled,
    Disabled,
    HardFinding,
    RulesUpdated,
    LaunchChanged,
    LaunchConfirmed,
    TrustModeChanged,
}

impl EventKind {
    /// All kinds, with the words used in every output format.
    pub const ALL: [(EventKind, &'static str); 16] = [
        (EventKind::FirstSeen, "first_seen"),
        (EventKind::SeenUnchanged, "seen_unchanged"),
        (EventKind::SeenChanged, "seen_changed"),
        (EventKind::Vanished, "vanished"),
        (EventKind::Renamed, "renamed"),
        (EventKind::Approved, "approved"),
        (EventKind::Rejected, "rejected"),
        (EventKind::Blocked, "blocked"),
        (EventKind::Unblocked, "unblocked"),
        (EventKind::Enabled, "enabled"),
        (EventKind::Disabled, "disabled"),
        (EventKind::HardFinding, "hard_finding"),
        (EventKind::RulesUpdated, "rules_updated"),
        (EventKind::LaunchChanged, "launch_changed"),
        (EventKind::LaunchConfirmed, "launch_confirmed"),
        (EventKind::TrustModeChanged, "trust_mode_changed"),
    ];

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        EventKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    /// An agent can tighten, never loosen; and what it tightens, an operator can undo.
    pub(super) fn is_open_to_agents(self) -> bool {
        self == EventKind::Rejected
    }
}

impl Event {
    /// The kind, given what is known of the tool.
    pub fn kind(&self, record: Option<&Record>) -> EventKind {
        match self {
            Event::Seen(sighting) => match record {
                None => EventKind::FirstSeen,
                Some(record) if record.seen == sighting.fingerprint => EventKind::SeenUnchanged,
                Some(_) => EventKind::SeenChanged,
            },
            Event::Vanished => EventKind::Vanished,
            Event::Renamed { .. } => EventKind::Renamed,
            Event::Approved { .. } => EventKind::Approved,
            Event::Rejected { .. } => EventKind::Rejected,
            Event::Blocked { .. } => EventKind::Blocked,
            Event::Unblocked { .. } => EventKind::Unblocked,
            Event::Enabled { .. } => EventKind::Enabled,
            Event::Disabled { .. } => EventKind::Disabled,
            Event::HardFinding { .. } => EventKind::HardFinding,
            Event::RulesUpdated { .. } => EventKind::RulesUpdated,
            Event::LaunchChanged => EventKind::LaunchChanged,
            Event::LaunchConfirmed { .. } => EventKind::LaunchConfirmed,
            Event::TrustModeChanged { .. } => EventKind::TrustModeChanged,
        }
    }

    /// Who asked, `None` for what simply happened.
    pub fn actor(&self) -> Option<&Actor> {
        match self {
            Event::Approved { by, .. }
            | Event::Rejected { by, .. }
            | Event::Blocked { by, .. }
            | Event::Unblocked { by }
            | Event::Enabled { by }
            | Event::Disabled { by }
            | Event::LaunchConfirmed { by }
            | Event::TrustModeChanged { by, .. } => Some(by),
            Event::Seen(_)
            | Event::Vanished
            | Event::Renamed { .. }
            | Event::HardFinding { .. }
            | Event::RulesUpdated { .. }
            | Event::LaunchChanged => None,
        }
    }
}
