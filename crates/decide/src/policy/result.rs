//! Signals and policy of one result, or of a server's question -> what is done about it, and why.

use super::verdict::written;
use super::{Act, Policy, Verdict, fits};
use crate::risk::risk;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use portcullis_detect::call::CallSignal;

/// What is done about a result, from mildest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultAct {
    /// It goes back as it came.
    Pass,
    /// It goes back, with a word around what others wrote; sensitive data is only recorded.
    Mark,
    /// It goes back without what was found.
    Strip,
    /// It does not go back.
    Hold,
}

impl ResultAct {
    /// All of them, mildest first.
    pub const ALL: [ResultAct; 4] = [ResultAct::Pass, ResultAct::Mark, ResultAct::Strip, ResultAct::Hold];

    /// The act a word names, as configurations write it.
    pub fn named(word: &str) -> Option<ResultAct> {
        ResultAct::ALL.into_iter().find(|act| act.as_str() == word)
    }

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            ResultAct::Pass => "pass",
            ResultAct::Mark => "mark",
            ResultAct::Strip => "strip",
            ResultAct::Hold => "hold",
        }
    }
}

/// What a word about calls means for a result.
impl From<Act> for ResultAct {
    fn from(act: Act) -> ResultAct {
        match act {
            Act::Log => ResultAct::Pass,
            Act::Warn => ResultAct::Mark,
            Act::Redact => ResultAct::Strip,
            Act::Approve | Act::Deny => ResultAct::Hold,
        }
    }
}

/// How strict an act is beside those about calls.
impl From<ResultAct> for Act {
    fn from(act: ResultAct) -> Act {
        match act {
            ResultAct::Pass => Act::Log,
            ResultAct::Mark => Act::Warn,
            ResultAct::Strip => Act::Redact,
            ResultAct::Hold => Act::Approve,
        }
    }
}

/// What is done about a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultVerdict {
    /// The strictest of what is done.
    pub act: ResultAct,
    /// 0 to 100.
    pub risk: u8,
    /// Whether the risk is above the operator's threshold for flagging.
    pub is_flagged: bool,
    /// The checks that led to it, each once, and what is done about each.
    pub rules: Vec<(String, ResultAct)>,
}

impl ResultVerdict {
    /// The names of the rules.
    pub fn names(&self) -> Vec<String> {
        self.rules.iter().map(|(rule, _)| rule.clone()).collect()
    }

    /// Whether this is done because of that check.
    pub fn does(&self, act: ResultAct, check: &str) -> bool {
        self.rules.iter().any(|(rule, done)| rule == check && *done == act)
    }

    fn raise(&mut self, act: ResultAct, rule: &str) {
        if act > ResultAct::Pass && !self.rules.iter().any(|(known, _)| known == rule) {
            self.rules.push((rule.to_string(), act));
        }
        self.act = self.act.max(act);
    }
}

/// The same beside verdicts on calls.
impl From<ResultVerdict> for Verdict {
    fn from(verdict: ResultVerdict) -> Verdict {
        let rules = verdict.names();
        Verdict { act: verdict.act.into(), risk: verdict.risk, is_flagged: verdict.is_flagged, rules }
    }
}

/// Secrets and personal data that come in. They are masked or recorded, and stop nothing: whoever reads a vault would
/// never get an answer.
const INBOUND: &str = "sensitive.inbound";

/// Judges what a server sends back. For each check the operator's word on results counts, then the one on the check, then
/// the profile. Words on tools and servers are about calls, but for `allow`: whom an operator trusts so is not marked.
pub fn judge_result(
    server: &str,
    tool: &str,
    signals: &[CallSignal],
    policy: &Policy,
    is_degraded: bool,
) -> ResultVerdict {
    let mut verdict =
        ResultVerdict { act: ResultAct::Pass, risk: risk(signals), is_flagged: false, rules: Vec::new() };
    if is_trusted(policy, server, tool) {
        return verdict;
    }
    for signal in signals {
        verdict.raise(policy.on_result(signal.check, signal.severity), signal.check);
    }
    if is_degraded {
        verdict.raise(policy.about_degraded().into(), "degraded");
    }
    if let Some(thresholds) = policy.risk {
        let others: Vec<CallSignal> = signals.iter().filter(|one| one.check != INBOUND).cloned().collect();
        let risk = risk(&others);
        verdict.is_flagged = verdict.risk >= thresholds.auto_flag;
        let is_critical = thresholds.block_on_critical && risk >= thresholds.auto_flag;
        if is_critical || risk >= thresholds.require_approval {
            verdict.raise(ResultAct::Hold, "risk");
        }
    }
    verdict
}

/// Whether the operator's narrowest word on the tool is that it is allowed.
fn is_trusted(policy: &Policy, server: &str, tool: &str) -> bool {
    let here = || policy.addresses.iter().filter(|rule| fits(&rule.server, server));
    let of_tool = here().filter(|rule| rule.tool.as_deref().is_some_and(|one| fits(one, tool)));
    let of_server = here().filter(|rule| rule.tool.is_none());
    let strictest = of_tool.map(|rule| rule.act).max().or_else(|| of_server.map(|rule| rule.act).max());
    strictest == Some(Act::Log)
}

impl Policy {
    /// What is done about a result because of a check, at that severity.
    pub fn on_result(&self, check: &str, severity: u8) -> ResultAct {
        let by_check = || written(&self.rules, check).map(ResultAct::from);
        let act = written(&self.results, check).or_else(by_check);
        // What a result shows does not depend on habits.
        let act = act.unwrap_or_else(|| self.profile.about(check, severity, true).into());
        act.min(if check == INBOUND { ResultAct::Strip } else { ResultAct::Hold })
    }
}

/// Whether a check looks at what comes back.
pub fn is_about_results(check: &str) -> bool {
    check.starts_with("result.") || check == INBOUND
}

#[cfg(test)]
mod tests {
    use super::super::{AddressRule, Profile, RiskThresholds};
    use super::*;
    use alloc::vec;
    use portcullis_detect::call::{Operation, Source};
    use portcullis_detect::{Confidence, Threat};

    fn signal(check: &'static str) -> CallSignal {
        CallSignal {
            check,
            source: Source::Static,
            severity: 90,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(1000),
            pointer: String::new(),
            from_call: None,
            detail: String::new(),
        }
    }

    fn act(policy: &Policy, check: &'static str) -> ResultAct {
        judge_result("mail", "read", &[signal(check)], policy, false).act
    }

    #[test]
    fn each_profile_has_its_word_on_results() {
        for (profile, check, expected) in [
            (Profile::Observe, "result.injection", ResultAct::Pass),
            (Profile::Balanced, "result.injection", ResultAct::Mark),
            (Profile::Strict, "result.injection", ResultAct::Hold),
            (Profile::Balanced, "result.hidden", ResultAct::Strip),
            (Profile::Balanced, "result.phishing", ResultAct::Hold),
            (Profile::Balanced, INBOUND, ResultAct::Mark),
            (Profile::Strict, INBOUND, ResultAct::Strip),
        ] {
            let policy = Policy { profile, ..Policy::default() };
            assert_eq!(act(&policy, check), expected, "{profile:?} {check}");
        }
    }

    #[test]
    fn the_word_on_results_counts_before_the_one_on_the_check() {
        let mut policy = Policy { rules: vec![("result.injection".into(), Act::Deny)], ..Policy::default() };
        assert_eq!(act(&policy, "result.injection"), ResultAct::Hold);
        policy.results.push(("result".into(), ResultAct::Strip));
        assert_eq!(act(&policy, "result.injection"), ResultAct::Strip);
        policy.results.push(("result.injection".into(), ResultAct::Pass));
        assert_eq!(act(&policy, "result.injection"), ResultAct::Pass);
        assert_eq!(act(&policy, "result.hidden"), ResultAct::Strip);
    }

    #[test]
    fn words_on_calls_hold_no_results() {
        let rule = |act| AddressRule { server: "mail".into(), tool: Some("read".into()), act };
        let mut policy = Policy {
            addresses: vec![rule(Act::Approve)],
            operations: vec![(Operation::Read, Act::Deny)],
            ..Policy::default()
        };
        assert_eq!(judge_result("mail", "read", &[], &policy, false).act, ResultAct::Pass);
        assert_eq!(act(&policy, "result.injection"), ResultAct::Mark);
        policy.addresses = vec![rule(Act::Log)];
        assert_eq!(act(&policy, "result.injection"), ResultAct::Pass);
    }

    #[test]
    fn what_is_sensitive_stops_no_result() {
        let policy = Policy {
            results: vec![(INBOUND.into(), ResultAct::Hold)],
            risk: Some(RiskThresholds { auto_flag: 50, require_approval: 60, block_on_critical: true }),
            ..Policy::default()
        };
        let verdict = judge_result("mail", "read", &[signal(INBOUND)], &policy, false);
        assert_eq!((verdict.act, verdict.is_flagged), (ResultAct::Strip, true));
        assert_eq!(act(&policy, "result.injection"), ResultAct::Hold);
    }
}
