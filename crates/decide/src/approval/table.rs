//! Which step each event takes in each state: the whole machine on one page.

use super::event::EventKind;
use super::record::State;

/// What an event does; `step.rs` says how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing changes but what is known of the sighting.
    Keep,
    /// Look again: approved if what is seen is what was approved, or if trust mode or settings say so; else held.
    Look,
    /// Look again, but the block stands.
    LookBlocked,
    /// Note that the server no longer lists the tool.
    Vanish,
    /// Approve exactly what was read, unless that is stale or has hard findings nobody accepted.
    Approve,
    /// Hold, with a reason; an approval of what is seen is withdrawn.
    Reject,
    /// Hold for good.
    Block,
    /// Back to quarantine: what was approved before the block is not approved now.
    Unblock,
    /// Switch on.
    Enable,
    /// Switch off.
    Disable,
    /// Weigh the hard checks against those that were accepted.
    Weigh,
    /// Weigh the hard checks, but the block stands.
    WeighBlocked,
    /// Ask the new trust mode.
    Trust,
    /// May not be: the tool is blocked.
    RefuseBlocked,
    /// May not be: the tool is not blocked.
    RefuseUnblocked,
}

impl Step {
    /// The word used in documentation.
    pub fn as_str(self) -> &'static str {
        match self {
            Step::Keep => "keep",
            Step::Look | Step::LookBlocked => "look",
            Step::Vanish => "vanish",
            Step::Approve => "approve",
            Step::Reject => "reject",
            Step::Block => "block",
            Step::Unblock => "unblock",
            Step::Enable => "enable",
            Step::Disable => "disable",
            Step::Weigh | Step::WeighBlocked => "weigh",
            Step::Trust => "trust",
            Step::RefuseBlocked | Step::RefuseUnblocked => "refuse",
        }
    }
}

/// The step for a tool that is known. One that is not has its own: see `step::first`.
pub fn step_of(state: State, event: EventKind) -> Step {
    use EventKind as E;
    use State::{Approved, Blocked, Quarantined, RugPull};
    match (event, state) {
        // A known tool seen "first" is a tool whose server was added again.
        (E::FirstSeen | E::SeenUnchanged | E::SeenChanged | E::Renamed, Quarantined | Approved | RugPull) => {
            Step::Look
        }
        (E::FirstSeen | E::SeenUnchanged | E::SeenChanged | E::Renamed, Blocked) => Step::LookBlocked,
        (E::Vanished, Quarantined | Approved | RugPull | Blocked) => Step::Vanish,
        (E::Approved, Quarantined | Approved | RugPull) => Step::Approve,
        (E::Approved, Blocked) => Step::RefuseBlocked,
        (E::Rejected, Quarantined | Approved | RugPull) => Step::Reject,
        (E::Rejected, Blocked) => Step::RefuseBlocked,
        (E::Blocked, Quarantined | Approved | RugPull) => Step::Block,
        (E::Blocked, Blocked) => Step::Keep,
        (E::Unblocked, Quarantined | Approved | RugPull) => Step::RefuseUnblocked,
        (E::Unblocked, Blocked) => Step::Unblock,
        (E::Enabled, Quarantined | Approved | RugPull | Blocked) => Step::Enable,
        (E::Disabled, Quarantined | Approved | RugPull | Blocked) => Step::Disable,
        (E::HardFinding | E::RulesUpdated, Quarantined | Approved | RugPull) => Step::Weigh,
        (E::HardFinding | E::RulesUpdated, Blocked) => Step::WeighBlocked,
        // The server is held, not its tools: approvals stay.
        (E::LaunchChanged | E::LaunchConfirmed, Quarantined | Approved | RugPull | Blocked) => Step::Keep,
        (E::TrustModeChanged, Quarantined | Approved | RugPull) => Step::Trust,
        (E::TrustModeChanged, Blocked) => Step::Keep,
    }
}
