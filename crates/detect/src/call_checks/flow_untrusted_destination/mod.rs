#![doc = include_str!("README.md")]

use crate::call::{CallSignal, ParameterRole, Source, source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::{Origin, atoms, numbers};
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "flow.untrusted_destination",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "The destination was brought by content that others wrote",
    page: include_str!("README.md"),
};

/// The check.
pub struct FlowUntrustedDestination;

impl CallCheck for FlowUntrustedDestination {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        // Following a link to read what is there is what links are for.
        if !context.operation().acts() {
            return Vec::new();
        }
        brought(context).or_else(|| brought_account(context)).into_iter().collect()
    }
}

fn signal(pointer: &str, origin: &Origin, what: &str) -> CallSignal {
    CallSignal {
        check: FACTS.id,
        source: Source::Flow,
        severity: 70,
        threat: Threat::Exfiltration,
        confidence: Confidence::new(700),
        pointer: crate::escape_line(pointer, 200),
        from_call: Some(origin.call),
        detail: format!("{what} is new and came with the result of call {}", origin.call + 1),
    }
}

fn brought(context: &CallContext<'_>) -> Option<CallSignal> {
    let (destination, origin) = context.outward()?.new_destinations().find_map(|destination| {
        let origin = context.flow.origin_of(destination.atom)?;
        origin.is_untrusted.then_some((destination, origin))
    })?;
    let host = crate::escape_line(&destination.address.host, 80);
    Some(signal(&destination.pointer, origin, &host))
}

/// Money goes to an account that only a text of others names.
fn brought_account(context: &CallContext<'_>) -> Option<CallSignal> {
    let leaves = context.arguments.leaves.iter().filter(|_| source::moves_money(context.call));
    leaves.filter(|leaf| leaf.role == ParameterRole::Destination).find_map(|leaf| {
        let mut found = None;
        let mut look = |hash: u64| {
            let origin = context.flow.origin_of(hash).filter(|origin| origin.is_open);
            let is_alone = |origin: &&Origin| !context.flow.is_vouched_apart(hash, origin.server);
            found = found.or(origin.filter(is_alone));
        };
        atoms(leaf.text, &leaf.steps, |atom| {
            if !atom.is_address {
                look(atom.hash);
            }
        });
        numbers(leaf.text, &leaf.steps, |number, _| look(number));
        found.map(|origin| signal(&leaf.pointer, origin, "the account"))
    })
}
