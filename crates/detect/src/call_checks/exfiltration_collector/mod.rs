#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext, Destination, is_everyday};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.collector",
    tier: Tier::Hard,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "Data is sent to a host that exists to catch it",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationCollector;

impl CallCheck for ExfiltrationCollector {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let Some(outward) = context.outward() else { return Vec::new() };
        let collector = outward.destinations.iter().find(|destination| {
            context.settings.is_suspicious(&destination.address.host)
                || destination.address.is_collector() && !is_own_tunnel(context, destination)
        });
        let signal = collector.map(|destination| CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 95,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(950),
            pointer: crate::escape_line(&destination.pointer, 200),
            from_call: None,
            detail: format!(
                "{} shows what it is sent to whoever set it up",
                crate::escape_line(&destination.address.host, 80)
            ),
        });
        signal.into_iter().collect()
    }
}

/// A tunnel to the developer's own machine, whose address the machine itself told, with nothing of others in it and
/// nothing secret or personal.
fn is_own_tunnel(context: &CallContext<'_>, destination: &Destination) -> bool {
    let server = crate::guard::server_hash(context.call.server);
    let carries = context.outward().is_some_and(|outward| outward.withheld(server).next().is_some());
    let address = &destination.address;
    let is_told = address.host.split_once('.').is_some() && destination.is_explained;
    let found = context.sensitive_found();
    let is_sensitive =
        found.iter().any(|found| found.is_bound_secret || found.is_personal && !is_everyday(&found.kind));
    is_told && address.is_tunnel() && !carries && !is_sensitive
}
