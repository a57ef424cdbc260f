//! Signals, policy and state of one call -> what is done about it, and why.

use super::{Act, Policy, fits};
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
        verdict.raise(policy.degraded.unwrap_or_else(|| policy.profile.about_degraded()), "degraded");
    }
    if let Some(thresholds) = policy.risk {
        verdict.is_flagged = risk >= thresholds.auto_flag;
        if thresholds.block_on_critical && risk >= thresholds.auto_flag {
            verdict.raise(Act::Deny, "risk");
        } else if risk >= thresholds.require_approval {
            verdict.raise(Act::Approve, "risk");
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

fn decide(subject: Subject<'_>, signals: &[CallSignal], policy: &Policy, state: &CallState<'_>) -> Decision {
    if let Some(hold) = state.hold {
        let rule = match hold {
            Hold::Stopped => "stop-calls",
            Hold::Quarantined => "quarantined",
            Hold::Blocked => "blocked",
        };
        return (Act::Deny, [rule.to_string()].into());
    }
    by_argument(subject, policy)
        .or_else(|| by_tool(subject, policy, state))
        .or_else(|| by_server(subject, policy))
        .unwrap_or_else(|| by_rule(subject, signals, policy, state))
}

/// The stricter of those that apply.
fn strictest(found: impl Iterator<Item = (Act, String)>) -> Option<Decision> {
    let (act, rule) = found.reduce(|one, other| if other.0 > one.0 { other } else { one })?;
    Some((act, [rule].into()))
}

fn by_argument(subject: Subject<'_>, policy: &Policy) -> Option<Decision> {
    let applies = policy.arguments.iter().filter(|rule| {
        fits(&rule.server, subject.server)
            && fits(&rule.tool, subject.tool)
            && has_value(subject.arguments, &rule.parameter, &rule.value)
    });
    strictest(applies.map(|rule| (rule.act, alloc::format!("argument:{}", rule.parameter))))
}

/// Whether a parameter of that name, at any depth, has a value that fits.
fn has_value(json: &Json, parameter: &str, pattern: &str) -> bool {
    let is_value = |value: &Json| match value {
        Json::String(text) | Json::Number(text) => fits(pattern, text),
        Json::Bool(value) => fits(pattern, if *value { "true" } else { "false" }),
        Json::Array(items) => items.iter().any(|item| item.as_str().is_some_and(|text| fits(pattern, text))),
        _ => pattern == "*",
    };
    match json {
        Json::Object(members) => members.iter().any(|(key, value)| {
            &**key == parameter && is_value(value) || has_value(value, parameter, pattern)
        }),
        Json::Array(items) => items.iter().any(|item| has_value(item, parameter, pattern)),
        _ => false,
    }
}

fn by_tool(subject: Subject<'_>, policy: &Policy, state: &CallState<'_>) -> Option<Decision> {
    let tools = policy.addresses.iter().filter_map(|rule| {
        let tool = rule.tool.as_deref()?;
        let applies = fits(&rule.server, subject.server) && fits(tool, subject.tool);
        applies.then(|| (rule.act, alloc::format!("tool:{tool}")))
    });
    let conditions = policy.conditions.iter().filter(|rule| state.conditions.contains(&rule.id));
    let conditions = conditions.map(|rule| (rule.act, alloc::format!("condition:{}", rule.id)));
    strictest(tools.chain(conditions))
}

fn by_server(subject: Subject<'_>, policy: &Policy) -> Option<Decision> {
    let servers =
        policy.addresses.iter().filter(|rule| rule.tool.is_none() && fits(&rule.server, subject.server));
    strictest(servers.map(|rule| (rule.act, alloc::format!("server:{}", rule.server))))
}

/// Rules, then operations. Where the operator wrote no rule, the profile's rules and its operations both count.
fn by_rule(subject: Subject<'_>, signals: &[CallSignal], policy: &Policy, state: &CallState<'_>) -> Decision {
    let mut act = Act::Log;
    let mut rules: Vec<String> = Vec::new();
    let mut is_written = false;
    for signal in signals {
        let written = written(&policy.rules, signal.check);
        is_written |= written.is_some();
        let here =
            written.unwrap_or_else(|| policy.profile.about(signal.check, signal.severity, state.is_learning));
        if here > Act::Log && !rules.iter().any(|rule| rule == signal.check) {
            rules.push(signal.check.to_string());
        }
        act = act.max(here);
    }
    let operation = by_operation(subject.operation, policy);
    if operation > act && !is_written {
        act = operation;
        rules.push(alloc::format!("operation:{}", subject.operation.as_str()));
    }
    (act, rules)
}

/// The operator's strictest word on a check: by its id, or by the word before the dot.
pub(super) fn written<A: Copy + Ord>(rules: &[(String, A)], check: &str) -> Option<A> {
    let family = check.split('.').next().unwrap_or_default();
    let of = |name: &str| rules.iter().filter(|(rule, _)| rule == name).map(|(_, act)| *act).max();
    of(check).or_else(|| of(family))
}

fn by_operation(operation: Operation, policy: &Policy) -> Act {
    let operation = if operation == Operation::Unknown { Operation::Write } else { operation };
    let written =
        policy.operations.iter().filter(|(named, _)| *named == operation).map(|(_, act)| *act).max();
    written.unwrap_or_else(|| policy.profile.about_operation(operation))
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
