#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck, strongest_per_unit};
use crate::intent::{Intent, Kinds};
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};

static FACTS: Facts = Facts {
    id: "directive.covert",
    tier: Tier::Hard,
    owasp: "MCP03:2025 Tool Poisoning",
    title: "A passage orders the agent to do something it should not, in a manner that hides it",
    page: include_str!("README.md"),
};

/// The check.
pub struct DirectiveCovert;

impl ToolCheck for DirectiveCovert {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        strongest_per_unit(
            context.intents().clusters().filter_map(|cluster| inspect_cluster(context, cluster)),
        )
    }
}

/// Two independent kinds of evidence in one passage that stands as an instruction.
fn inspect_cluster(context: &Context<'_>, cluster: &[Intent]) -> Option<Signal> {
    let mut live = cluster.iter().filter(|intent| !intent.position.is_example());
    let kinds = live.clone().fold(Kinds::default(), |sum, intent| sum | intent.kinds);
    let pair = PAIRS
        .iter()
        .find(|pair| kinds.any(pair.manner) && kinds.any(pair.matter) && kinds.any(pair.order()))?;
    let both = pair.manner | pair.matter;
    let first = live.find(|intent| intent.kinds.any(both))?;
    let last = live.rev().find(|intent| intent.kinds.any(both)).unwrap_or(first);
    let passage = context.reading.passages().get(first.passage)?;
    let takes = Kinds::PUTS_DATA | Kinds::TOUCHES_SECRET | Kinds::ROUTES | Kinds::TAKES_CONVERSATION;
    Some(Signal {
        check: FACTS.id,
        tier: Tier::Hard,
        threat: if kinds.any(takes) { Threat::Exfiltration } else { Threat::ToolPoisoning },
        confidence: Confidence::new(pair.confidence),
        escalated: false,
        evidence: Evidence::new(
            &context.definition.pointer(passage.unit),
            &passage.rungs,
            &passage.text,
            first.span.start,
            last.span.end,
        ),
        detail: format!("the passage {}", (kinds & both).words().join(", ")),
        discount: None,
    })
}

/// A manner and a matter that honest tools do not combine.
struct Pair {
    manner: Kinds,
    matter: Kinds,
    confidence: u16,
}

impl Pair {
    /// Concealment and override are orders by themselves; the other manners need one.
    fn order(&self) -> Kinds {
        if self.manner.any(Kinds::CONCEALS) { self.manner } else { Kinds::ORDERS }
    }
}

const MATTER: Kinds = Kinds::all_of(&[
    Kinds::TOUCHES_SECRET,
    Kinds::PUTS_DATA,
    Kinds::CHANGES_OTHER,
    Kinds::SETS_PARAMETER,
    Kinds::ROUTES,
    Kinds::COMMAND,
    Kinds::TAKES_CONVERSATION,
    Kinds::CALLS_FOREIGN,
]);

const PAIRS: [Pair; 4] = [
    Pair { manner: Kinds::all_of(&[Kinds::CONCEALS, Kinds::OVERRIDES]), matter: MATTER, confidence: 930 },
    Pair { manner: Kinds::all_of(&[Kinds::TAGGED, Kinds::TEMPLATE]), matter: MATTER, confidence: 900 },
    Pair {
        manner: Kinds::CONDITIONS_SELF,
        matter: Kinds::all_of(&[Kinds::OPENS_SECRET, Kinds::COMMAND]),
        confidence: 880,
    },
    Pair {
        manner: Kinds::CONDITIONS_OTHER,
        matter: Kinds::all_of(&[Kinds::OPENS_SECRET, Kinds::COMMAND]),
        confidence: 880,
    },
];
