#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::intent::Kinds;
use crate::patterns::shell;
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::lexicon::Classes;
use crate::text::reading::Passage;

static FACTS: Facts = Facts {
    id: "payload.decoded",
    tier: Tier::Hard,
    owasp: "MCP05:2025 Command Injection & Execution",
    title: "An encoded string decodes to a command or an order",
    page: include_str!("README.md"),
};

/// The check.
pub struct PayloadDecoded;

impl ToolCheck for PayloadDecoded {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let mut signals = Vec::new();
        for (index, passage) in
            context.reading.passages().iter().enumerate().filter(|(_, passage)| passage.is_decoded())
        {
            let found = command(passage)
                .or_else(|| order(context, index, passage))
                .or_else(|| prose(context, passage));
            let Some(Found { start, end, tier, threat, confidence, detail }) = found else { continue };
            let pointer = context.definition.pointer(passage.unit);
            signals.push(Signal {
                check: FACTS.id,
                tier,
                threat,
                confidence: Confidence::new(confidence),
                escalated: tier == Tier::Hard,
                evidence: Evidence::new(&pointer, &passage.rungs, &passage.text, start, end),
                detail,
                discount: None,
            });
        }
        signals
    }
}

struct Found {
    start: usize,
    end: usize,
    tier: Tier,
    threat: Threat,
    confidence: u16,
    detail: String,
}

/// A shell command in the decoded text.
fn command(passage: &Passage<'_>) -> Option<Found> {
    let (name, start, end) = shell::find(&passage.text)?;
    let detail = format!("hidden by {}: {name}", passage.rungs.join(" in "));
    Some(Found { start, end, tier: Tier::Hard, threat: Threat::MaliciousCode, confidence: 980, detail })
}

/// An order to the model in the decoded text.
fn order(context: &Context<'_>, index: usize, passage: &Passage<'_>) -> Option<Found> {
    let telling = Kinds::CONCEALS
        | Kinds::OVERRIDES
        | Kinds::TEMPLATE
        | Kinds::TOUCHES_SECRET
        | Kinds::PUTS_DATA
        | Kinds::CHANGES_OTHER
        | Kinds::CALLS_OTHER
        | Kinds::TAKES_CONVERSATION
        | Kinds::RECASTS
        | Kinds::COMMAND;
    let intents = context.intents().all.iter().filter(|intent| intent.passage == index);
    let intent =
        intents.filter(|intent| intent.kinds.any(telling)).max_by_key(|intent| intent.kinds.count())?;
    let detail =
        format!("hidden by {}: text that {}", passage.rungs.join(" in "), intent.kinds.words().join(", "));
    let (start, end) = (intent.span.start, intent.span.end);
    Some(Found { start, end, tier: Tier::Hard, threat: Threat::PromptInjection, confidence: 950, detail })
}

/// Readable prose that speaks to somebody: no honest tool hides that. Prose that does something to a person's
/// data or to an address is an order, however it is worded.
fn prose(context: &Context<'_>, passage: &Passage<'_>) -> Option<Found> {
    if passage.rungs.first() == Some(&"joined fields") {
        // Names and values side by side are a list, not prose.
        return None;
    }
    let tokens = context.reading.tokens(passage);
    let acts = Classes::USE
        | Classes::READ
        | Classes::SEND
        | Classes::CHANGE
        | Classes::TELL
        | Classes::IGNORE
        | Classes::PUT
        | Classes::DELETE;
    let aims = Classes::ADDRESS
        | Classes::SECRET
        | Classes::SENSITIVE_PATH
        | Classes::PERSON
        | Classes::USER
        | Classes::CONVERSATION
        | Classes::PRIVATE
        | Classes::RULES
        | Classes::MODEL;
    let speaks = Classes::ADDRESSEE | Classes::MUST | Classes::NOT | Classes::TOOL;
    let hides = Classes::UNSEEN | Classes::COVERTLY;
    let count = |classes: Classes| tokens.iter().filter(|token| token.classes.any(classes)).count();
    let is_hidden = !passage.rungs.iter().all(|rung| PLAIN_RUNGS.contains(rung));
    let is_order = count(acts) >= 1
        && count(aims) >= 1
        && (is_hidden || count(acts) >= 2 && count(speaks | aims) >= 2 || count(hides) >= 1);
    if tokens.len() < 5 || !is_order && (!is_hidden || count(acts) == 0 || count(speaks) == 0) {
        return None;
    }
    let (start, end) = (0, passage.text.len());
    let hidden = passage.rungs.join(" in ");
    if is_order {
        let detail = format!("hidden by {hidden}: text that tells somebody what to do");
        return Some(Found {
            start,
            end,
            tier: Tier::Hard,
            threat: Threat::PromptInjection,
            confidence: 900,
            detail,
        });
    }
    let detail = format!("hidden by {hidden}: readable prose");
    Some(Found { start, end, tier: Tier::Soft, threat: Threat::Uncategorized, confidence: 600, detail })
}

/// Rungs that honest text passes through too: escaping is not hiding.
const PLAIN_RUNGS: [&str; 5] = ["percent", "html entities", "escapes", "joined fields", "fragments joined"];
