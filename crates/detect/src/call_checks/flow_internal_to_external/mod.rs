#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::Trace;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "flow.internal_to_external",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "Data of an internal tool leaves through an external one",
    page: include_str!("README.md"),
};

/// The check.
pub struct FlowInternalToExternal;

impl CallCheck for FlowInternalToExternal {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let Some(outward) = context.outward() else { return Vec::new() };
        let server = crate::guard::server_hash(context.call.server);
        let abroad = outward.private(server).find(|carried| carried.hit.origin.server != server);
        let signal = abroad.map(|carried| CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 90,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(if carried.hit.trace == Trace::Passage { 800 } else { 600 }),
            pointer: crate::escape_line(&carried.pointer, 200),
            from_call: Some(carried.hit.origin.call),
            detail: format!(
                "data that call {} read elsewhere leaves with this call",
                carried.hit.origin.call + 1
            ),
        });
        signal.into_iter().collect()
    }
}
