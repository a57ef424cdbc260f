//! What is known of one tool: its state, what was last seen of it, and what people decided.

use alloc::boxed::Box;
use alloc::vec::Vec;
use portcullis_detect::fingerprint::Fingerprint;

/// Where a tool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Seen, and waiting for a decision.
    Quarantined,
    /// What was last seen is what was approved.
    Approved,
    /// Changed since it was approved.
    RugPull,
    /// Blocked by an operator until an operator unblocks it.
    Blocked,
}

impl State {
    /// All states.
    pub const ALL: [State; 4] = [State::Quarantined, State::Approved, State::RugPull, State::Blocked];

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Quarantined => "quarantined",
            State::Approved => "approved",
            State::RugPull => "rug_pull",
            State::Blocked => "blocked",
        }
    }
}

/// Who or what approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approver {
    /// A human, by name.
    Operator(Box<str>),
    /// The setting `auto_quarantine_new_tools: false`.
    Setting,
    /// The trust mode `scan`: nothing was found.
    Scan,
    /// The trust mode `pinned`: the lock names this fingerprint.
    Lock,
}

/// An approval: of one fingerprint, never just of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// What was approved.
    pub fingerprint: Fingerprint,
    /// Who approved it.
    pub by: Approver,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The hard checks that were accepted, by id, ordered.
    pub accepted: Vec<Box<str>>,
    /// Why, if hard checks were accepted or the operator said so.
    pub reason: Option<Box<str>>,
}

/// A rejection: the tool stays held, and this is why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Who rejected it.
    pub by: Box<str>,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Why.
    pub reason: Box<str>,
}

/// All that is known of one tool. A store reads and writes these; new ones come out of a
/// [`Transition`](super::Transition) only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it stands.
    pub state: State,
    /// The operator's switch, apart from the state.
    pub is_enabled: bool,
    /// Whether the server still lists it.
    pub is_present: bool,
    /// What was last seen of it.
    pub seen: Fingerprint,
    /// The hard checks on what was last seen, by id, ordered.
    pub hard: Vec<Box<str>>,
    /// The approval that stands; of an earlier fingerprint in state `rug_pull`.
    pub approval: Option<Approval>,
    /// The rejection that stands.
    pub rejection: Option<Rejection>,
    /// In state `rug_pull`: the agent that was shown another tool than was approved, as long as the gateway itself was not
    /// shown that. A server may have one face for agents and one for whoever reviews.
    pub shown_to: Option<Box<str>>,
}

impl Record {
    /// The hard checks nobody accepted for what was last seen.
    pub fn unaccepted(&self) -> Vec<Box<str>> {
        let approval = self.approval.as_ref().filter(|approval| approval.fingerprint == self.seen);
        let accepted = approval.map_or(&[][..], |approval| &approval.accepted);
        self.hard.iter().filter(|check| !accepted.contains(check)).cloned().collect()
    }

    /// Whether a sighting is only the other face of a server: what was approved, while an agent was shown something else
    /// and has not been shown this since. It lifts nothing.
    pub fn is_other_face(&self, fingerprint: Fingerprint, shown_to: Option<&str>) -> bool {
        let is_approved = self.approval.as_ref().is_some_and(|approval| approval.fingerprint == fingerprint);
        let is_another = self.shown_to.as_deref().is_some_and(|agent| shown_to != Some(agent));
        is_another && is_approved && self.seen != fingerprint
    }

    /// Whether a sighting of what was last seen still says something: that the gateway is shown what an agent was, so that
    /// the tool changed for everybody.
    pub fn awaits(&self, shown_to: Option<&str>) -> bool {
        self.shown_to.is_some() && shown_to.is_none()
    }

    /// Where a tool that is not blocked stands, by the facts alone.
    pub(super) fn settled(&self) -> State {
        match &self.approval {
            Some(approval) if approval.fingerprint != self.seen => State::RugPull,
            Some(_) if self.unaccepted().is_empty() => State::Approved,
            Some(_) | None => State::Quarantined,
        }
    }
}
