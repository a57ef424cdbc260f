//! What is done about a call that was looked at: signals, policy and the operator's conditions together.

use portcullis_conditions::{Conditions, Facts};
use portcullis_decide::policy::{CallState, Hold, Policy, Subject, Verdict, judge_call};
use portcullis_decide::risk;
use portcullis_detect::CallObservation;
use portcullis_detect::call::{Call, Operation};

/// How things stood before a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Why the tool may not be called at all.
    pub hold: Option<Hold>,
    /// Whether the agent's habits are still being learnt.
    pub is_learning: bool,
    /// Whether nobody knows all that went before it.
    pub is_flow_away: bool,
}

/// What is done about a call that was looked at; recordings are judged by it too.
pub fn verdict_on(
    call: &Call<'_>,
    seen: &CallObservation,
    policy: &Policy,
    conditions: &Conditions,
    before: Before,
) -> Verdict {
    judged_by(call, seen, conditions, before, |subject, state| {
        judge_call(subject, &seen.signals, policy, state)
    })
}

/// Judges a call that was looked at, with the operator's conditions answered.
pub(super) fn judged_by<T>(
    call: &Call<'_>,
    seen: &CallObservation,
    conditions: &Conditions,
    before: Before,
    judge: impl FnOnce(Subject<'_>, &CallState<'_>) -> T,
) -> T {
    let checks: Vec<&str> = seen.signals.iter().map(|signal| signal.check).collect();
    let intent = call.intent.and_then(|intent| intent.operation);
    let asked = conditions.ask(&Facts {
        server: call.server,
        tool: call.tool,
        operation: seen.operation.as_str(),
        arguments: call.arguments,
        checks: &checks,
        risk: risk(&seen.signals),
        destinations: &seen.destinations,
        is_outward: seen.is_outward,
        intent: intent.map(Operation::as_str),
    });
    // A condition that cannot be answered is a check that failed.
    let is_degraded = seen.coverage.is_degraded() || !asked.failed.is_empty();
    // What only reads goes on: it brings nothing out.
    let is_flow_away = before.is_flow_away && (seen.is_outward || seen.operation.acts());
    let Before { hold, is_learning, .. } = before;
    let state = CallState { hold, is_learning, conditions: &asked.holds, is_degraded, is_flow_away };
    let Call { server, tool, arguments, .. } = *call;
    judge(Subject { server, tool, arguments, operation: seen.operation }, &state)
}
