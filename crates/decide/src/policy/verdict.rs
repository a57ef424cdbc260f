//! Signals, policy and state of one call -> what is done about it, and why.

use super::entry::{self, Entry};
use super::{Act, Policy};
use crate::risk::risk;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use portcullis_detect::call::{CallSignal, Operation};
use portcullis_detect::json::Json;

/// What a call is addressed to, and with which arguments.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The arguments.
    pub arguments: &'a Json,
    /// What the call does.
    pub operation: Operation,
}

/// Why a tool may not be called at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// All calls are stopped.
    Stopped,
    /// The tool or its server is held until a human approves it.
    Quarantined,
    /// The tool is blocked.
    Blocked,
    /// The agent calls too often.
    RateLimited,
}

/// What is known besides the call.
#[derive(Clone, Debug, Default)]
pub struct CallState<'a> {
    /// Why the tool may not be called, if so.
    pub hold: Option<Hold>,
    /// Whether the agent's habits are still being learnt.
    pub is_learning: bool,
    /// The ids of the operator's conditions that are true.
    pub conditions: &'a [String],
    /// Whether a check failed on the call.
    pub is_degraded: bool,
    /// Whether the call does more than read while nobody knows what went before it.
    pub is_flow_away: bool,
}

/// What is done about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What is done.
    pub act: Act,
    /// 0 to 100.
    pub risk: u8,
    /// Whether the risk is above the operator's threshold for flagging.
    pub is_flagged: bool,
    /// The checks, or the operator's rules, that led to the act; in a fixed order, each once.
    pub rules: Vec<String>,
}

/// Judges a call. Levels count in this order, and within one the stricter: held tools and the stop switch, arguments,
/// tools and conditions, servers, rules, operations.
pub fn judge_call(
    subject: Subject<'_>,
    signals: &[CallSignal],
    policy: &Policy,
    state: &CallState<'_>,
) -> Verdict {
    let risk = risk(signals);
    let (act, rules) = decide(subject, signals, policy, state);
    let mut verdict = Verdict { act, risk, is_flagged: false, rules };
    if state.is_degraded {
        verdict.raise(policy.about_degraded(), "degraded");
    }
    if state.is_flow_away {
        verdict.raise(policy.about_flows_away(), "flows_away");
    }
    if let Some(thresholds) = policy.risk {
        verdict.is_flagged = risk >= thresholds.auto_flag;
        if let Some(act) = thresholds.about(risk) {
            verdict.raise(act, "risk");
        }
    }
    verdict
}

impl Verdict {
    fn raise(&mut self, act: Act, rule: &str) {
        if act > self.act {
            self.act = act;
            self.rules.push(rule.to_string());
        }
    }
}

type Decision = (Act, Vec<String>);

pub(super) fn decide(
    subject: Subject<'_>,
    signals: &[CallSignal],
    policy: &Policy,
    state: &CallState<'_>,
) -> Decision {
    let mut strictest: Option<Entry<'_>> = None;
    for entry in entry::naming(subject, policy, state).filter(|entry| entry.silence.is_none()) {
        match &strictest {
            Some(found) if entry.level > found.level => break,
            Some(found) if entry.act <= found.act => {}
            _ => strictest = Some(entry),
        }
    }
    match strictest {
        Some(entry) => (entry.act, [entry.name.short()].into()),
        None => by_rule(subject, signals, policy, state),
    }
}

/// Rules, then operations. Where the operator wrote no rule, the profile's rules and its operations both count.
fn by_rule(subject: Subject<'_>, signals: &[CallSignal], policy: &Policy, state: &CallState<'_>) -> Decision {
    let mut act = Act::Log;
    let mut rules: Vec<String> = Vec::new();
    let mut is_written = false;
    for entry in entry::raised(signals, policy, state) {
        is_written |= entry.is_written;
        let rule = entry.name.short();
        if entry.act > Act::Log && !rules.contains(&rule) {
            rules.push(rule);
        }
        act = act.max(entry.act);
    }
    let operation = entry::on_operation(subject.operation, policy);
    if operation.act > act && !is_written {
        act = operation.act;
        rules.push(operation.name.short());
    }
    (act, rules)
}

/// The operator's strictest word on a check: by its id, or by the word before the dot.
pub(super) fn written<A: Copy + Ord>(rules: &[(String, A)], check: &str) -> Option<A> {
    let family = check.split('.').next().unwrap_or_default();
    let of = |name: &str| rules.iter().filter(|(rule, _)| rule == name).map(|(_, act)| *act).max();
    of(check).or_else(|| of(family))
}

#[cfg(test)]
mod tests {
    use super::super::{AddressRule, ArgumentRule, ConditionRule, Profile, RiskThresholds};
    use super::*;
    use alloc::vec;
    use portcullis_detect::call::Source;
    use portcullis_detect::{Confidence, Threat};

    fn signal(check: &'static str, severity: u8) -> CallSignal {
        CallSignal {
            check,
            source: Source::Flow,
            severity,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(900),
            pointer: String::new(),
            from_call: None,
            detail: String::new(),
        }
    }

    fn judged(
        policy: &Policy,
        state: &CallState<'_>,
        operation: Operation,
        signals: &[CallSignal],
    ) -> Verdict {
        let arguments = Json::parse(r#"{"to":"ann@tide.example","force":true}"#).expect("JSON");
        let subject = Subject { server: "mail", tool: "send", arguments: &arguments, operation };
        judge_call(subject, signals, policy, state)
    }

    #[test]
    fn the_profiles_follow_their_table() {
        let check = |profile: Profile, is_learning: bool, signal: CallSignal, expected: Act| {
            let policy = Policy { profile, ..Policy::default() };
            let state = CallState { is_learning, ..CallState::default() };
            let verdict = judged(&policy, &state, Operation::Write, core::slice::from_ref(&signal));
            assert_eq!(verdict.act, expected, "{profile:?} {}", signal.check);
        };
        let injection = || signal("flow.instruction_to_action", 90);
        check(Profile::Observe, false, injection(), Act::Log);
        check(Profile::Balanced, true, injection(), Act::Approve);
        check(Profile::Strict, false, injection(), Act::Deny);
        let leak = || signal("flow.private_to_new_destination", 80);
        check(Profile::Balanced, true, leak(), Act::Warn);
        check(Profile::Balanced, false, leak(), Act::Approve);
        check(Profile::Balanced, true, signal("contradiction.intent", 45), Act::Warn);
        check(Profile::Balanced, true, signal("contradiction.intent", 50), Act::Approve);
        check(Profile::Balanced, true, signal("contradiction.intent", 70), Act::Approve);
        check(Profile::Balanced, true, signal("exfiltration.collector", 95), Act::Deny);
    }

    #[test]
    fn levels_count_in_order_and_within_one_the_stricter() {
        let mut policy = Policy { operations: vec![(Operation::Write, Act::Deny)], ..Policy::default() };
        let state = CallState::default();
        let act = |policy: &Policy, state: &CallState<'_>| {
            judged(policy, state, Operation::Write, &[signal("flow.internal_to_external", 90)]).act
        };
        assert_eq!(act(&policy, &state), Act::Deny);
        policy.rules.push(("flow".into(), Act::Warn));
        assert_eq!(act(&policy, &state), Act::Warn);
        policy.addresses.push(AddressRule { server: "m*".into(), tool: None, act: Act::Approve });
        assert_eq!(act(&policy, &state), Act::Approve);
        policy.addresses.push(AddressRule {
            server: "mail".into(),
            tool: Some("send".into()),
            act: Act::Log,
        });
        assert_eq!(act(&policy, &state), Act::Log);
        policy.conditions.push(ConditionRule { id: "late".into(), act: Act::Warn });
        let late = ["late".to_string()];
        let state = CallState { conditions: &late, ..CallState::default() };
        assert_eq!(act(&policy, &state), Act::Warn);
        let rule = |value: &str, act: Act| ArgumentRule {
            server: "*".into(),
            tool: "*".into(),
            parameter: "to".into(),
            value: value.into(),
            act,
        };
        policy.arguments.push(rule("*@tide.example", Act::Log));
        assert_eq!(act(&policy, &state), Act::Log);
        policy.arguments.push(rule("ann@*", Act::Deny));
        assert_eq!(act(&policy, &state), Act::Deny);
        policy.arguments.clear();
        let stopped = CallState { hold: Some(Hold::Stopped), ..state };
        assert_eq!(act(&policy, &stopped), Act::Deny);
    }

    #[test]
    fn a_call_that_not_all_checks_saw_passes_or_not_as_the_policy_says() {
        let act = |profile: Profile, degraded: Option<Act>| {
            let policy = Policy { profile, degraded, ..Policy::default() };
            let state = CallState { is_degraded: true, ..CallState::default() };
            judged(&policy, &state, Operation::Write, &[]).act
        };
        assert_eq!(act(Profile::Balanced, None), Act::Warn);
        assert_eq!(act(Profile::Strict, None), Act::Deny);
        assert_eq!(act(Profile::Balanced, Some(Act::Deny)), Act::Deny);
        assert_eq!(act(Profile::Observe, None), Act::Log);
    }

    #[test]
    fn a_call_after_nobody_knows_what_is_asked_about_or_refused_as_the_policy_says() {
        let act = |profile: Profile, flows_away: Option<Act>| {
            let policy = Policy { profile, flows_away, ..Policy::default() };
            let state = CallState { is_flow_away: true, ..CallState::default() };
            judged(&policy, &state, Operation::Write, &[])
        };
        assert_eq!(act(Profile::Balanced, None).act, Act::Approve);
        assert_eq!(act(Profile::Balanced, None).rules, ["flows_away"]);
        assert_eq!(act(Profile::Strict, None).act, Act::Deny);
        assert_eq!(act(Profile::Balanced, Some(Act::Deny)).act, Act::Deny);
        assert_eq!(act(Profile::Balanced, Some(Act::Warn)).act, Act::Warn);
        assert_eq!(act(Profile::Observe, None).act, Act::Log);
    }

    #[test]
    fn risk_asks_or_denies_only_where_the_operator_set_thresholds() {
        let signals = [signal("baseline.novelty", 90)];
        let mut policy = Policy::default();
        let state = CallState { is_learning: true, ..CallState::default() };
        assert_eq!(judged(&policy, &state, Operation::Write, &signals).act, Act::Log);
        policy.risk = Some(RiskThresholds::default());
        assert_eq!(judged(&policy, &state, Operation::Write, &signals).act, Act::Approve);
        policy.risk = Some(RiskThresholds { block_on_critical: true, ..RiskThresholds::default() });
        assert_eq!(judged(&policy, &state, Operation::Write, &signals).act, Act::Deny);
    }
}
