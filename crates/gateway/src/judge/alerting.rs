//! What of a judgement somebody should know now.

use portcullis_decide::Band;
use portcullis_decide::policy::{Act, ResultAct};
use serde_json::json;

use super::holding::Held;
use super::{Heard, Judged, Opinion, Party};
use crate::alerts::{Raised, What};
use crate::gate::Gate;

/// Where it happened.
struct Place<'a> {
    server: &'a str,
    tool: &'a str,
    party: &'a Party,
}

impl<'a> Place<'a> {
    fn of(judged: &'a Judged) -> Place<'a> {
        Place { server: judged.server.as_str(), tool: &judged.tool, party: &judged.party }
    }

    fn raised(&self, what: What, opinion: &Opinion) -> Raised {
        Raised {
            severity: Band::of(opinion.risk).max(what.usual()),
            session: self.party.session.to_string(),
            flow: self.party.flow.0,
            risk: opinion.risk,
            rules: opinion.rules.clone(),
            why: opinion.why.clone(),
            ..Raised::about(what, self.server, self.tool)
        }
    }

    /// Tells of it, and of checks that failed.
    fn tell(&self, gate: &Gate, what: Option<What>, opinion: &Opinion) {
        if let Some(what) = what {
            gate.alerts.raise(&self.raised(what, opinion));
        }
        if !opinion.failed.is_empty() {
            let rules = opinion.failed.iter().map(|check| (*check).to_owned()).collect();
            let severity = What::CheckFailed.usual();
            gate.alerts.raise(&Raised { severity, rules, ..self.raised(What::CheckFailed, opinion) });
        }
    }

    /// Tells whoever listens to what happens.
    fn happened(&self, gate: &Gate, opinion: &Opinion) {
        let told = || json!({ "session": *self.party.session, "guard": opinion.note });
        gate.happening.tell("alert", self.server, told);
    }
}

/// Tells of a call that was looked at. One that must wait is told of when it does.
pub(super) fn call(gate: &Gate, judged: &Judged) {
    let (place, opinion) = (Place::of(judged), &judged.opinion);
    if judged.verdict.act >= Act::Warn {
        place.happened(gate, opinion);
    }
    // Somebody stopped all calls, and knows.
    if gate.judge.switch.is_stopped() {
        return;
    }
    let what = match judged.verdict.act {
        _ if opinion.is_canary => Some(What::CanarySeen),
        Act::Deny => Some(What::CallDenied),
        Act::Warn | Act::Redact => Some(What::CallWarned),
        Act::Log | Act::Approve => None,
    };
    place.tell(gate, what, opinion);
}

/// Tells of a call that waits for a human, or is denied because too many do.
pub(super) fn held(gate: &Gate, judged: &Judged, held: Option<&Held>) {
    let what = if held.is_some() { What::CallHeld } else { What::CallDenied };
    let call = held.map(|held| held.id.clone());
    gate.alerts.raise(&Raised { call, ..Place::of(judged).raised(what, &judged.opinion) });
}

/// Tells of a result that was looked at.
pub(super) fn result(gate: &Gate, judged: &Judged, heard: &Heard) {
    let what = heard_as(heard, What::ResultHeld, What::ResultWarned);
    Place::of(judged).tell(gate, what, &heard.opinion);
}

/// Tells of what a server asked.
pub(super) fn question(gate: &Gate, party: &Party, (server, method): (&str, &str), heard: &Heard) {
    let place = Place { server, tool: method, party };
    if heard.verdict.act > ResultAct::Pass {
        place.happened(gate, &heard.opinion);
    }
    place.tell(gate, heard_as(heard, What::QuestionHeld, What::QuestionWarned), &heard.opinion);
}

fn heard_as(heard: &Heard, held: What, warned: What) -> Option<What> {
    match heard.verdict.act {
        _ if heard.opinion.is_canary => Some(What::CanarySeen),
        ResultAct::Hold => Some(held),
        ResultAct::Mark | ResultAct::Strip => Some(warned),
        ResultAct::Pass => None,
    }
}
