#![doc = include_str!("README.md")]

use crate::call::view::Leaf;
use crate::call::{CallSignal, ParameterRole, Source, source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::Origin;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.secret",
    tier: Tier::Hard,
    owasp: "MCP01:2025 Token Mismanagement & Secret Exposure",
    title: "A secret that was read earlier leaves with the call",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationSecret;

impl CallCheck for ExfiltrationSecret {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let whole = sent_away(context).or_else(|| written_down(context)).map(|(leaf, origin)| {
            let detail = format!("a secret that call {} read leaves with this call", origin.call + 1);
            (leaf.pointer.as_str(), origin, detail)
        });
        let found = whole.or_else(|| {
            let origin = in_parts(context)?;
            let detail = format!(
                "with this call the last part of a secret that call {} read has left for one destination",
                origin.call + 1
            );
            Some(("", origin, detail))
        });
        let signal = found.map(|(pointer, origin, detail)| CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 90,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(850),
            pointer: crate::escape_line(pointer, 200),
            from_call: Some(origin.call),
            detail,
        });
        signal.into_iter().collect()
    }
}

type Found<'c> = (&'c Leaf<'c>, Origin);

/// The secret goes to an address that nobody named.
fn sent_away<'c>(context: &'c CallContext<'_>) -> Option<Found<'c>> {
    context.outward()?.unexplained().next()?;
    context.arguments.leaves.iter().find_map(|leaf| Some((leaf, secret_of(context, leaf)?)))
}

/// The secret stands in a text for people on another server, among other words.
fn written_down<'c>(context: &'c CallContext<'_>) -> Option<Found<'c>> {
    let server = crate::guard::server_hash(context.call.server);
    let is_explained = context.outward().is_some_and(|outward| !outward.destinations.is_empty());
    let leaves = context.arguments.leaves.iter().filter(|_| !is_explained && context.operation().acts());
    let texts = leaves.filter(|leaf| {
        !matches!(leaf.role, ParameterRole::Destination | ParameterRole::Setting)
            && leaf.steps.len() > 4
            && !source::keeps_secrets(context.call, leaf.parameter)
    });
    let mut found = texts.filter_map(|leaf| Some((leaf, secret_of(context, leaf)?)));
    found.find(|(_, origin)| origin.server != server)
}

/// Parts of the secret went to the same destination in earlier calls, and this one brings what was missing.
fn in_parts(context: &CallContext<'_>) -> Option<Origin> {
    let outward = context.outward().filter(|_| context.operation().acts())?;
    let call = context.call;
    let since_ms = call.at_ms.saturating_sub(context.settings.limits.window_ms);
    let tool = crate::baseline::tool_hash(call.server, call.tool);
    let parts = context.secret_parts();
    let origin = *context.flow.completed_secret(parts, &outward.atoms(), tool, since_ms)?;
    (origin.server != crate::guard::server_hash(call.server)).then_some(origin)
}

fn secret_of(context: &CallContext<'_>, leaf: &Leaf<'_>) -> Option<Origin> {
    leaf.texts().find_map(|(text, steps)| context.flow.secret_in(text, steps).copied())
}
