//! A call that somebody only asks about: looked at and judged as any other, and nothing is remembered of it.

use std::sync::{Arc, PoisonError};

use portcullis_decide::Band;
use portcullis_decide::approval;
use portcullis_decide::policy::{Hold, Weighed, explain_call};
use portcullis_detect::baseline::Baseline;
use portcullis_detect::call::{Call, ToolProfile};
use portcullis_detect::{Flow, Guard, Kind, escape_line};
use serde_json::{Value, json};

use super::verdict::{Before, judged_by};
use super::{Asked, Judge, JudgeRules, declared, read, words};
use crate::quarantine::Quarantine;

/// Characters of an entry that are shown: names and patterns of an operator.
const LONGEST_ENTRY: usize = 400;

/// What a call is tried with.
pub struct Trial<'a> {
    /// What looks at it.
    pub guard: &'a Guard,
    /// What decides about it.
    pub rules: &'a JudgeRules,
    /// What went before it.
    pub flow: &'a Flow,
    /// The agent's habits, if they are known.
    pub baseline: Option<&'a Baseline>,
    /// Why the tool may not be called at all.
    pub hold: Option<Hold>,
}

impl Trial<'_> {
    /// The verdict, the facts it rests on, and every entry of the policy with what became of it.
    pub fn of(&self, call: &Call<'_>, profile: &ToolProfile) -> Value {
        let seen = self.guard.observe_call(call, profile, self.flow, self.baseline);
        let is_learning = self.baseline.is_none_or(Baseline::is_learning);
        let before = Before { hold: self.hold, is_learning, is_flow_away: false };
        let (policy, conditions) = (&self.rules.policy, &self.rules.conditions);
        let (verdict, weighed) = judged_by(call, &seen, conditions, before, |subject, state| {
            explain_call(subject, &seen.signals, policy, state)
        });
        let intent = call.intent.and_then(|intent| intent.operation);
        json!({
            "schema": "portcullis.trial/1",
            "verdict": verdict.act.as_str(),
            "risk": verdict.risk,
            "band": Band::of(verdict.risk).as_str(),
            "flagged": verdict.is_flagged,
            "rules": verdict.rules,
            "facts": {
                "server": words::shown(call.server), "tool": words::shown(call.tool),
                "declared": profile.is_declared(), "operation": seen.operation.as_str(),
                "labels": profile.labels().iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(),
                "outward": seen.is_outward, "intent": intent.map(|operation| operation.as_str()),
                "destinations": seen.destinations.iter().map(|host| words::shown(host)).collect::<Vec<_>>(),
                "learning": is_learning, "degraded": seen.coverage.shortfalls(),
            },
            "signals": words::signals(&seen.signals),
            "entries": weighed.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

fn entry(weighed: &Weighed) -> Value {
    json!({
        "level": weighed.level.as_str(), "entry": escape_line(&weighed.entry, LONGEST_ENTRY),
        "act": weighed.act.as_str(), "written": weighed.is_written,
        "outcome": weighed.outcome.as_str(), "why": weighed.outcome.reason(),
    })
}

impl Judge {
    /// What would become of a call, in a session or by itself; `None` if nothing is known of the session.
    pub(crate) fn tried(
        &self,
        quarantine: &Quarantine,
        asked: &Asked<'_>,
        session: Option<&str>,
    ) -> Option<Value> {
        let bench = self.bench();
        let (server, tool) = (asked.server.as_str(), asked.tool);
        let arguments = read(asked.arguments);
        let profile = self.profile(&bench, quarantine, (server, tool), &arguments);
        let intent = asked.intent.map(declared);
        let at_ms = self.time_ms();
        let call = Call { server, tool, arguments: &arguments, intent: intent.as_ref(), at_ms };
        let hold =
            if self.switch.is_stopped() { Some(Hold::Stopped) } else { held(quarantine, server, tool) };
        let (guard, rules) = (&bench.guard, &*bench.rules);
        let Some(session) = session else {
            let flow = self.flows.empty();
            return Some(Trial { guard, rules, flow: &flow, baseline: None, hold }.of(&call, &profile));
        };
        let strand = self.flows.named(session)?;
        let agent = Arc::clone(&strand.lock().agent);
        let baseline = self.baselines.of(&agent);
        // Habits are taken before the flow, as for every call: two orders could wait for each other.
        let baseline = baseline.as_ref().map(|one| one.read().unwrap_or_else(PoisonError::into_inner));
        let inner = strand.lock();
        let baseline = baseline.as_deref();
        Some(Trial { guard, rules, flow: &inner.flow, baseline, hold }.of(&call, &profile))
    }
}

/// Why the gate does not let a tool be called, in the policy's words.
fn held(quarantine: &Quarantine, server: &str, tool: &str) -> Option<Hold> {
    let picture = quarantine.picture();
    let known = picture.server(server)?;
    let hold = match known.item(Kind::Tool, tool) {
        Some(item) => known.hold(item, quarantine.settings())?,
        None => approval::Hold::Server(known.server.hold()?),
    };
    Some(if hold == approval::Hold::Blocked { Hold::Blocked } else { Hold::Quarantined })
}
