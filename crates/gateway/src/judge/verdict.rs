//! What is done about a call that was looked at: signals, policy and the operator's conditions together.

use portcullis_conditions::{Conditions, Facts};
use portcullis_decide::policy::{CallState, Hold, Policy, Subject, Verdict, judge_call};
use portcullis_decide::risk;
use portcullis_detect::CallObservation;
use portcullis_detect::call::{Call, Operation};

/// What is done about a call that was looked at; recordings are judged by it too.
pub fn verdict_on(
    call: &Call<'_>,
    seen: &CallObservation,
    policy: &Policy,
    conditions: &Conditions,
    hold: Option<Hold>,
    is_learning: bool,
) -> Verdict {
    judged_by(call, seen, conditions, hold, is_learning, |subject, state| {
        judge_call(subject, &seen.signals, policy, state)
    })
}

/// Judges a call that was looked at, with the operator's conditions answered.
pub(super) fn judged_by<T>(
    call: &Call<'_>,
    seen: &CallObservation,
    conditions: &Conditions,
    hold: Option<Hold>,
    is_learning: bool,
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
    let state = CallState { hold, is_learning, conditions: &asked.holds, is_degraded };
    let Call { server, tool, arguments, .. } = *call;
    judge(Subject { server, tool, arguments, operation: seen.operation }, &state)
}
