#![doc = include_str!("README.md")]

use crate::call::view::Leaf;
use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::{Origin, Privacy, Trace, walk};
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "flow.solicited_data",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "A server asks for data through its results, and gets another server's",
    page: include_str!("README.md"),
};

/// The check.
pub struct FlowSolicitedData;

impl CallCheck for FlowSolicitedData {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let server = crate::guard::server_hash(context.call.server);
        // Nearly no server asks for anything, nor speaks of its own tools; then nothing was asked for.
        let may_be_asked = context.flow.asked(server);
        if !may_be_asked && (!context.flow.names_anything() || context.operation().acts()) {
            return Vec::new();
        }
        let names_tool = is_named(context, server, context.call.tool);
        let given = context.arguments.leaves.iter().find_map(|leaf| {
            let is_answer = may_be_asked && leaf.pointer.contains("nputResponses");
            // A tool that stores is meant to be given things; one that looks things up is not.
            let may_be_named =
                !context.operation().acts() && (names_tool || is_named(context, server, leaf.parameter));
            let is_asked = is_answer || may_be_named;
            let origin = is_asked.then(|| foreign(context, leaf, server, is_answer)).flatten()?;
            Some((leaf, origin.call))
        });
        let signal = given.map(|(leaf, call)| CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 85,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(800),
            pointer: crate::escape_line(&leaf.pointer, 200),
            from_call: Some(call),
            detail: format!(
                "the server asked for this in a result, and it is what call {} read elsewhere",
                call + 1
            ),
        });
        signal.into_iter().collect()
    }
}

/// Whether an earlier result of the server spoke of the name.
fn is_named(context: &CallContext<'_>, server: u64, name: &str) -> bool {
    context.flow.is_named(server, &walk(name, 8).0)
}

/// Where data of another server in a leaf came from: secrets and passages always, short values only in an answer.
fn foreign(context: &CallContext<'_>, leaf: &Leaf<'_>, server: u64, is_answer: bool) -> Option<Origin> {
    for (text, steps) in leaf.texts() {
        if let Some(origin) = context.flow.secret_in(text, steps).filter(|origin| origin.server != server) {
            return Some(*origin);
        }
        let hits = context.flow.hits(text, steps);
        let telling = hits.into_iter().find(|hit| {
            hit.origin.server != server
                && hit.origin.privacy != Privacy::Public
                && (is_answer
                    || hit.trace == Trace::Passage
                    || leaf.steps.iter().any(|step| step.has_digit && step.len() > 8))
        });
        if let Some(hit) = telling {
            return Some(hit.origin);
        }
    }
    None
}
