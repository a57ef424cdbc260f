//! Runs one session through the guard, call by call, as the gateway would.

use std::collections::BTreeMap;

use portcullis_decide::policy::{Act, Verdict};
use portcullis_detect::call::{Call, CallSignal, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::{Definition, Departure, Flow, Guard, Kind};
use portcullis_gateway::judge::{Before, JudgeRules, Trial, verdict_on, verdict_on_result};
use serde_json::Value;

use super::session::{RecordedCall, Session};

/// The strongest verdict of a session, and on which call it fell first.
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) call: Option<usize>,
    pub(crate) signals: Vec<CallSignal>,
}

/// Recordings are judged with one fixed key: the same file gives the same bytes.
const KEY: u64 = 0x706f_7274_6375_6c6c;

/// With what sessions are judged.
pub(crate) struct Judging<'a> {
    pub(crate) guard: &'a Guard,
    pub(crate) rules: &'a JudgeRules,
}

impl Judging<'_> {
    /// Judges a session.
    pub(crate) fn session(&self, session: &Session) -> Outcome {
        let profiles = self.declared(session);
        let mut flow = Flow::new(KEY);
        let none = Verdict { act: Act::Log, risk: 0, is_flagged: false, rules: Vec::new() };
        let mut outcome = Outcome { verdict: none, call: None, signals: Vec::new() };
        for (number, recorded) in session.calls.iter().enumerate() {
            let profile = self.profile_of(&profiles, recorded);
            let call = recorded.call();
            let seen = self.guard.observe_call(&call, &profile, &flow, None);
            // A recording has no habits to compare with: the agent is being learnt.
            let (policy, conditions) = (&self.rules.policy, &self.rules.conditions);
            let before = Before { is_learning: true, ..Before::default() };
            let verdict = verdict_on(&call, &seen, policy, conditions, before);
            outcome.take(number, verdict, seen.signals);
            let (verdict, signals) = self.answered(&call, &profile, recorded, &seen.departure, &mut flow);
            outcome.take(number, verdict, signals);
        }
        outcome
    }

    /// What would become of the last call of a session; `None` if it has none.
    pub(crate) fn trial(&self, session: &Session) -> Option<Value> {
        let (last, before) = session.calls.split_last()?;
        let profiles = self.declared(session);
        let mut flow = Flow::new(KEY);
        for recorded in before {
            let (call, profile) = (recorded.call(), self.profile_of(&profiles, recorded));
            let departure = self.guard.observe_call(&call, &profile, &flow, None).departure;
            self.answered(&call, &profile, recorded, &departure, &mut flow);
        }
        let trial = Trial { guard: self.guard, rules: self.rules, flow: &flow, baseline: None, hold: None };
        Some(trial.of(&last.call(), &self.profile_of(&profiles, last)))
    }

    /// Judges the result of a call, and remembers both.
    fn answered(
        &self,
        call: &Call<'_>,
        profile: &ToolProfile,
        recorded: &RecordedCall,
        departure: &Departure,
        flow: &mut Flow,
    ) -> (Verdict, Vec<CallSignal>) {
        let answered = self.guard.observe_result(call, profile, flow, &recorded.result);
        let verdict = verdict_on_result(call, &answered, &self.rules.policy);
        if recorded.is_error {
            // A call that failed sent nothing; what its error says is still read.
            flow.remember(answered.memory);
        } else {
            self.guard.remember(call, departure, &recorded.result, answered.memory, flow);
        }
        (verdict.into(), answered.signals)
    }

    fn said(&self, server: &str, tool: &str) -> Override {
        self.rules.overrides.get(server).and_then(|tools| tools.get(tool)).cloned().unwrap_or_default()
    }

    /// The profiles of the tools a session declares.
    fn declared(&self, session: &Session) -> Profiles {
        let definitions = session.tools.iter().filter_map(|(server, json)| {
            let definition = Definition::parse(server, Kind::Tool, json).ok()?;
            let profile = ToolProfile::of(&definition, &self.said(server, definition.name()));
            Some(((server.clone(), definition.name().to_owned()), profile))
        });
        definitions.collect()
    }

    /// The profile of a call's tool: as declared, for its server or for any, or else guessed from the call.
    fn profile_of(&self, profiles: &Profiles, recorded: &RecordedCall) -> ToolProfile {
        let under = |server: &str| profiles.get(&(server.to_owned(), recorded.tool.clone()));
        let known = under(&recorded.server).or_else(|| under(""));
        known.cloned().unwrap_or_else(|| {
            let members: &[(Box<str>, Json)] = recorded.arguments.members();
            let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
            ToolProfile::of_call(&recorded.tool, &names, &self.said(&recorded.server, &recorded.tool))
        })
    }
}

impl RecordedCall {
    fn call(&self) -> Call<'_> {
        Call {
            server: &self.server,
            tool: &self.tool,
            arguments: &self.arguments,
            intent: self.intent.as_ref(),
            at_ms: self.at_ms,
        }
    }
}

impl Outcome {
    fn take(&mut self, number: usize, verdict: Verdict, signals: Vec<CallSignal>) {
        if verdict.act > self.verdict.act {
            *self = Outcome { verdict, call: Some(number), signals };
        }
    }
}

type Profiles = BTreeMap<(String, String), ToolProfile>;
