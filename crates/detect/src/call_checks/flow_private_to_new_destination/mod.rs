#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "flow.private_to_new_destination",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "Private data goes to a destination nobody wrote to before",
    page: include_str!("README.md"),
};

/// The check.
pub struct FlowPrivateToNewDestination;

impl CallCheck for FlowPrivateToNewDestination {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let Some(outward) = context.outward() else { return Vec::new() };
        let Some(destination) = outward.new_destinations().next() else { return Vec::new() };
        let server = crate::guard::server_hash(context.call.server);
        let Some(carried) = outward.private(server).next() else { return Vec::new() };
        vec![CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 80,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(800),
            pointer: crate::escape_line(&carried.pointer, 200),
            from_call: Some(carried.hit.origin.call),
            detail: format!(
                "private data of call {} goes to {}, which is new",
                carried.hit.origin.call + 1,
                crate::escape_line(&destination.address.host, 80)
            ),
        }]
    }
}
