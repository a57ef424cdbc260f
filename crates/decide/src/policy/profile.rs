//! The three profiles: what is done about each rule where the operator says nothing else.

use super::Act;
use portcullis_detect::call::Operation;

/// A ready-made policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Watches and records.
    Observe,
    /// Stops what is almost surely an attack, asks about little.
    #[default]
    Balanced,
    /// Asks about everything that leaves, denies what destroys.
    Strict,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::Observe, Profile::Balanced, Profile::Strict];

    /// The word used in configurations and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Observe => "observe",
            Profile::Balanced => "balanced",
            Profile::Strict => "strict",
        }
    }

    /// What is done about a signal of that check and severity; `is_learning` while the baseline of the agent is not ratified.
    pub(crate) fn about(self, check: &str, severity: u8, is_learning: bool) -> Act {
        let row = TABLE.iter().find(|row| row.check == check && severity >= row.from);
        let Some(row) = row else { return Act::Log };
        match self {
            Profile::Observe => Act::Log,
            Profile::Balanced if is_learning => row.learning,
            Profile::Balanced => row.balanced,
            Profile::Strict => row.strict,
        }
    }

    /// What is done about a call that not all checks could look at.
    pub(crate) fn about_degraded(self) -> Act {
        match self {
            Profile::Observe => Act::Log,
            Profile::Balanced => Act::Warn,
            Profile::Strict => Act::Deny,
        }
    }

    /// What is done about a call that does more than read while nobody knows what went before it.
    pub(crate) fn about_flows_away(self) -> Act {
        match self {
            Profile::Observe => Act::Log,
            Profile::Balanced => Act::Approve,
            Profile::Strict => Act::Deny,
        }
    }

    /// What is done about an operation by itself.
    pub(crate) fn about_operation(self, operation: Operation) -> Act {
        match (self, operation) {
            (Profile::Observe, _) | (_, Operation::Read | Operation::Write | Operation::Unknown) => Act::Log,
            (Profile::Balanced, Operation::Destructive) => Act::Warn,
            (Profile::Strict, Operation::Destructive) => Act::Deny,
        }
    }
}

/// What the profiles do about one check.
struct Row {
    check: &'static str,
    /// From this severity on; the first row that fits counts.
    from: u8,
    /// Balanced, while the agent's habits are being learnt.
    learning: Act,
    balanced: Act,
    strict: Act,
}

const fn row(check: &'static str, from: u8, learning: Act, balanced: Act, strict: Act) -> Row {
    Row { check, from, learning, balanced, strict }
}

const TABLE: [Row; 26] = [
    row("flow.instruction_to_action", 0, Act::Approve, Act::Approve, Act::Deny),
    row("contradiction.intent", 50, Act::Approve, Act::Approve, Act::Deny),
    row("contradiction.intent", 0, Act::Warn, Act::Warn, Act::Approve),
    row("canary.seen", 70, Act::Deny, Act::Deny, Act::Deny),
    row("canary.seen", 0, Act::Warn, Act::Warn, Act::Approve),
    row("exfiltration.collector", 0, Act::Deny, Act::Deny, Act::Deny),
    row("sensitive.outward", 85, Act::Deny, Act::Deny, Act::Deny),
    row("sensitive.outward", 0, Act::Warn, Act::Warn, Act::Approve),
    row("flow.private_to_new_destination", 0, Act::Warn, Act::Approve, Act::Approve),
    row("flow.untrusted_destination", 0, Act::Warn, Act::Approve, Act::Deny),
    row("flow.internal_to_external", 0, Act::Warn, Act::Warn, Act::Approve),
    row("exfiltration.encoded_address", 80, Act::Approve, Act::Approve, Act::Deny),
    row("exfiltration.encoded_address", 0, Act::Warn, Act::Warn, Act::Approve),
    row("exfiltration.private_data", 0, Act::Approve, Act::Approve, Act::Deny),
    row("exfiltration.secret", 0, Act::Approve, Act::Approve, Act::Deny),
    row("flow.solicited_data", 0, Act::Approve, Act::Approve, Act::Deny),
    row("exfiltration.trace_removed", 80, Act::Approve, Act::Approve, Act::Deny),
    row("exfiltration.trace_removed", 0, Act::Warn, Act::Approve, Act::Deny),
    row("exfiltration.window", 0, Act::Warn, Act::Warn, Act::Approve),
    row("address.disguised", 0, Act::Approve, Act::Approve, Act::Deny),
    row("baseline.novelty", 0, Act::Log, Act::Warn, Act::Warn),
    row("result.hidden", 0, Act::Redact, Act::Redact, Act::Redact),
    row("result.injection", 0, Act::Warn, Act::Warn, Act::Approve),
    row("result.image_exfiltration", 0, Act::Warn, Act::Warn, Act::Approve),
    row("result.phishing", 0, Act::Approve, Act::Approve, Act::Deny),
    row("sensitive.inbound", 0, Act::Warn, Act::Warn, Act::Redact),
];
