//! Which entry of a policy decided about a call, and why the others did not.

use super::entry::{self, Entry, Level};
use super::verdict::decide;
use super::{Act, CallState, Policy, Subject, Verdict, judge_call};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use portcullis_detect::call::CallSignal;

/// An entry of a policy, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// Where it stands.
    pub level: Level,
    /// The entry, as it is written; may hold what an agent or a server named: escape before printing.
    pub entry: String,
    /// What it asks for.
    pub act: Act,
    /// Whether the operator wrote it, or the profile brings it.
    pub is_written: bool,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It decided.
    Decided,
    /// Another that counts as much, or that may always be stricter, asks for more.
    Milder,
    /// A level that counts more decided.
    Outranked,
    /// It does not speak about this call, for this reason.
    Silent(&'static str),
}

impl Outcome {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Decided => "decided",
            Outcome::Milder => "milder",
            Outcome::Outranked => "outranked",
            Outcome::Silent(_) => "silent",
        }
    }

    /// Why it did not decide.
    pub fn reason(self) -> &'static str {
        match self {
            Outcome::Decided => "",
            Outcome::Milder => "another entry is stricter",
            Outcome::Outranked => "a level that counts more decided",
            Outcome::Silent(why) => why,
        }
    }
}

/// The verdict on a call, and every entry of the policy with what became of it, what counts most first.
pub fn explain_call(
    subject: Subject<'_>,
    signals: &[CallSignal],
    policy: &Policy,
    state: &CallState<'_>,
) -> (Verdict, Vec<Weighed>) {
    let verdict = judge_call(subject, signals, policy, state);
    let (base, _) = decide(subject, signals, policy, state);
    let mut entries: Vec<Entry<'_>> = entry::naming(subject, policy, state).collect();
    let named = entries.iter().filter(|entry| entry.silence.is_none()).map(|entry| entry.level).min();
    for entry in entry::raised(signals, policy, state) {
        let is_same =
            |known: &&mut Entry<'_>| known.level == Level::Rule && known.name.short() == entry.name.short();
        match entries.iter_mut().find(is_same) {
            Some(known) => known.act = known.act.max(entry.act),
            None => entries.push(entry),
        }
    }
    let has_written = entries.iter().any(|entry| entry.level == Level::Rule && entry.is_written);
    entries.push(entry::on_operation(subject.operation, policy));
    let outcome = |entry: &Entry<'_>| {
        let is_behind = named.is_some_and(|level| entry.level > level);
        // A rule the operator wrote on what was raised stands before what is said of operations.
        let is_overruled = entry.level == Level::Operation && has_written;
        match entry.silence {
            Some(why) => Outcome::Silent(why),
            None if is_behind || is_overruled => Outcome::Outranked,
            None if entry.act == verdict.act && verdict.act == base => Outcome::Decided,
            None => Outcome::Milder,
        }
    };
    let mut weighed: Vec<Weighed> = Vec::new();
    for entry in &entries {
        if entry.level == Level::Operation {
            weighed.extend(unraised(signals, policy));
        }
        weighed.push(Weighed {
            level: entry.level,
            entry: entry.name.whole(),
            act: entry.act,
            is_written: entry.is_written,
            outcome: outcome(entry),
        });
    }
    weighed.extend(raising(&verdict, base, policy, state));
    (verdict, weighed)
}

/// The operator's rules on checks that raised nothing.
fn unraised<'a>(signals: &'a [CallSignal], policy: &'a Policy) -> impl Iterator<Item = Weighed> + 'a {
    let is_about = |rule: &str, check: &str| check == rule || check.split('.').next() == Some(rule);
    let quiet = policy
        .rules
        .iter()
        .filter(move |(rule, _)| !signals.iter().any(|signal| is_about(rule, signal.check)));
    quiet.map(|(rule, act)| Weighed {
        level: Level::Rule,
        entry: rule.clone(),
        act: *act,
        is_written: true,
        outcome: Outcome::Silent("no such check raised anything"),
    })
}

/// What may only make a verdict stricter: checks that failed, a flow nobody knows, and the score.
fn raising(verdict: &Verdict, base: Act, policy: &Policy, state: &CallState<'_>) -> Vec<Weighed> {
    let degraded = policy.about_degraded();
    let mut weighed = Vec::new();
    let mut reached = base;
    let mut add = |level: Level, act: Act, silence: Option<&'static str>, is_written: bool| {
        let outcome = match silence {
            Some(why) => Outcome::Silent(why),
            None if act > reached && act == verdict.act => Outcome::Decided,
            None => Outcome::Milder,
        };
        if silence.is_none() {
            reached = reached.max(act);
        }
        weighed.push(Weighed { level, entry: level.as_str().to_string(), act, is_written, outcome });
    };
    let silence = (!state.is_degraded).then_some("all checks could look");
    add(Level::Degraded, degraded, silence, policy.degraded.is_some());
    let silence = (!state.is_flow_away).then_some("what went before is known, or the call only reads");
    add(Level::FlowsAway, policy.about_flows_away(), silence, policy.flows_away.is_some());
    if let Some(thresholds) = policy.risk {
        let asked = thresholds.about(verdict.risk);
        let silence = asked.is_none().then_some("the risk is below the threshold");
        add(Level::Risk, asked.unwrap_or(Act::Approve), silence, true);
    }
    weighed
}

#[cfg(test)]
mod tests {
    use super::super::{AddressRule, ArgumentRule, ConditionRule, Profile, RiskThresholds};
    use super::*;
    use alloc::vec;
    use portcullis_detect::call::{Operation, Source};
    use portcullis_detect::json::Json;
    use portcullis_detect::{Confidence, Threat};

    fn signal(check: &'static str) -> CallSignal {
        CallSignal {
            check,
            source: Source::Flow,
            severity: 90,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(900),
            pointer: String::new(),
            from_call: None,
            detail: String::new(),
        }
    }

    fn policy() -> Policy {
        let argument = |value: &str, act: Act| ArgumentRule {
            server: "*".into(),
            tool: "send*".into(),
            parameter: "to".into(),
            value: value.into(),
            act,
        };
        Policy {
            operations: vec![(Operation::Write, Act::Deny)],
            rules: vec![("flow".into(), Act::Warn), ("result.hidden".into(), Act::Deny)],
            addresses: vec![
                AddressRule { server: "m*".into(), tool: None, act: Act::Approve },
                AddressRule { server: "mail".into(), tool: Some("send".into()), act: Act::Log },
                AddressRule { server: "bank".into(), tool: Some("send".into()), act: Act::Deny },
            ],
            arguments: vec![argument("*@tide.example", Act::Log), argument("bob@*", Act::Deny)],
            conditions: vec![ConditionRule { id: "late".into(), act: Act::Warn }],
            ..Policy::default()
        }
    }

    fn explained(policy: &Policy, state: &CallState<'_>, to: &str) -> (Verdict, Vec<String>) {
        let arguments = Json::parse(&alloc::format!(r#"{{"to":"{to}"}}"#)).expect("JSON");
        let subject =
            Subject { server: "mail", tool: "send", arguments: &arguments, operation: Operation::Write };
        let (verdict, weighed) = explain_call(subject, &[signal("flow.internal_to_external")], policy, state);
        let line =
            |one: &Weighed| alloc::format!("{} {} {}", one.outcome.as_str(), one.level.as_str(), one.entry);
        (verdict, weighed.iter().map(line).collect())
    }

    #[test]
    fn one_level_decides_and_every_other_entry_says_why_it_did_not() {
        let late = ["late".to_string()];
        let state = CallState { conditions: &late, ..CallState::default() };
        let (verdict, lines) = explained(&policy(), &state, "cleo@elsewhere.example");
        assert_eq!((verdict.act, &*verdict.rules), (Act::Warn, &["condition:late".to_string()][..]));
        let expected = [
            "silent argument */send* to=*@tide.example",
            "silent argument */send* to=bob@*",
            "milder tool mail/send",
            "silent tool bank/send",
            "decided tool condition:late",
            "outranked server m*",
            "outranked rule flow.internal_to_external",
            "silent rule result.hidden",
            "outranked operation write",
            "silent degraded degraded",
            "silent flows_away flows_away",
        ];
        assert_eq!(lines, expected);
        let (verdict, lines) = explained(&policy(), &state, "bob@tide.example");
        assert_eq!(verdict.act, Act::Deny);
        assert_eq!(
            lines[..2],
            ["milder argument */send* to=*@tide.example", "decided argument */send* to=bob@*"]
        );
    }

    #[test]
    fn what_decides_is_what_the_verdict_names() {
        let whole = policy();
        let bare = Policy { addresses: vec![], arguments: vec![], conditions: vec![], ..policy() };
        let none = Policy { rules: vec![], ..bare.clone() };
        let risky = Policy { risk: Some(RiskThresholds::default()), ..Policy::default() };
        let strict = Policy { profile: Profile::Strict, ..Policy::default() };
        for policy in [whole, bare, none, risky, strict, Policy::default()] {
            for (is_degraded, is_flow_away, hold) in [
                (false, false, None),
                (true, false, None),
                (false, true, None),
                (true, true, Some(super::super::Hold::Stopped)),
            ] {
                let state = CallState { is_degraded, is_flow_away, hold, ..CallState::default() };
                let arguments = Json::parse(r#"{"to":"ann@tide.example"}"#).expect("JSON");
                let subject = Subject {
                    server: "mail",
                    tool: "send",
                    arguments: &arguments,
                    operation: Operation::Write,
                };
                let signals = [signal("flow.internal_to_external")];
                let (verdict, weighed) = explain_call(subject, &signals, &policy, &state);
                let decided: Vec<&Weighed> =
                    weighed.iter().filter(|one| one.outcome == Outcome::Decided).collect();
                assert!(!decided.is_empty(), "{weighed:?}");
                assert!(decided.iter().all(|one| one.act == verdict.act), "{verdict:?} {weighed:?}");
            }
        }
    }
}
