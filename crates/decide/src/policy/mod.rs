//! What an operator wants done about calls: plain data, profiles, and in which order rules count.

mod entry;
mod explain;
mod profile;
mod result;
mod verdict;

use alloc::string::String;
use alloc::vec::Vec;
use portcullis_detect::call::Operation;

pub use entry::Level;
pub use explain::{Outcome, Weighed, explain_call};
pub use profile::Profile;
pub use result::{ResultAct, ResultVerdict, is_about_results, judge_result};
pub use verdict::{CallState, Hold, Subject, Verdict, judge_call};

/// What is done about a call, from mildest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// It passes and is recorded; `allow` means the same.
    Log,
    /// It passes and somebody is told.
    Warn,
    /// It passes with sensitive values masked.
    Redact,
    /// It waits for a human.
    Approve,
    /// It does not pass.
    Deny,
}

impl Act {
    /// The act a word names, as configurations write it.
    pub fn named(word: &str) -> Option<Act> {
        match word {
            "allow" | "log" => Some(Act::Log),
            "warn" => Some(Act::Warn),
            "redact" => Some(Act::Redact),
            "approve" => Some(Act::Approve),
            "deny" | "block" => Some(Act::Deny),
            _ => None,
        }
    }

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Act::Log => "allow",
            Act::Warn => "warn",
            Act::Redact => "redact",
            Act::Approve => "approve",
            Act::Deny => "deny",
        }
    }
}

/// A rule on one parameter: what it may or may not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRule {
    /// Which server; `*` stands for any run of characters.
    pub server: String,
    /// Which tool.
    pub tool: String,
    /// Which parameter, by name, at any depth.
    pub parameter: String,
    /// What its value looks like; `*` for any.
    pub value: String,
    /// What is done then.
    pub act: Act,
}

/// A rule on what a call is addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRule {
    /// Which server.
    pub server: String,
    /// Which tool; `None` for the whole server.
    pub tool: Option<String>,
    /// What is done then.
    pub act: Act,
}

/// A rule whose condition is evaluated elsewhere and arrives as true or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRule {
    /// The operator's name of the rule.
    pub id: String,
    /// What is done when the condition is true.
    pub act: Act,
}

/// Thresholds on the risk of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RiskThresholds {
    /// From here a call is flagged.
    pub auto_flag: u8,
    /// From here a human is asked.
    pub require_approval: u8,
    /// Whether calls of critical risk are denied instead of asked about.
    pub block_on_critical: bool,
}

impl Default for RiskThresholds {
    fn default() -> Self {
        RiskThresholds { auto_flag: 70, require_approval: 85, block_on_critical: false }
    }
}

impl RiskThresholds {
    /// What the score alone asks for.
    pub(crate) fn about(&self, risk: u8) -> Option<Act> {
        if self.block_on_critical && risk >= self.auto_flag {
            Some(Act::Deny)
        } else {
            (risk >= self.require_approval).then_some(Act::Approve)
        }
    }
}

/// What an operator wants done about calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// What holds where nothing else is said.
    pub profile: Profile,
    /// By what a call does; `unknown` is judged as a write.
    pub operations: Vec<(Operation, Act)>,
    /// By check: an id, or its first word (`contradiction`, `flow`).
    pub rules: Vec<(String, Act)>,
    /// What is done about results, by check or its first word; before `rules`.
    pub results: Vec<(String, ResultAct)>,
    /// By server or tool.
    pub addresses: Vec<AddressRule>,
    /// By parameter.
    pub arguments: Vec<ArgumentRule>,
    /// By condition; counts as a rule on the tool.
    pub conditions: Vec<ConditionRule>,
    /// By risk; absent, the score is only shown.
    pub risk: Option<RiskThresholds>,
    /// What is done about a call that not all checks could look at; absent, what the profile says.
    pub degraded: Option<Act>,
    /// What is done about a call that does more than read while nobody knows what went before it; absent, what the
    /// profile says.
    pub flows_away: Option<Act>,
}

impl Policy {
    /// The operator's rule on a check: by its id, or by the word before the dot.
    pub fn about_check(&self, check: &str) -> Option<Act> {
        verdict::written(&self.rules, check)
    }

    /// What is done about a call that does this and shows nothing else.
    pub fn about_operation(&self, operation: Operation) -> Act {
        let operation = judged(operation);
        let written = self.operations.iter().filter(|(named, _)| *named == operation).map(|(_, act)| *act);
        written.max().unwrap_or_else(|| self.profile.about_operation(operation))
    }

    /// What is done about a call that not all checks could look at.
    pub fn about_degraded(&self) -> Act {
        self.degraded.unwrap_or_else(|| self.profile.about_degraded())
    }

    /// What is done about a call that does more than read while nobody knows what went before it.
    pub fn about_flows_away(&self) -> Act {
        self.flows_away.unwrap_or_else(|| self.profile.about_flows_away())
    }
}

/// What a call is judged as: if nobody knows what it does, as a write.
fn judged(operation: Operation) -> Operation {
    if operation == Operation::Unknown { Operation::Write } else { operation }
}

/// Whether a text fits a pattern in which `*` stands for any run of characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, text, expected) in [
            ("*", "anything", true),
            ("mail", "mail", true),
            ("mail", "mailer", false),
            ("get_*", "get_x", true),
            ("*_admin_*", "the_admin_tool", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
