#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck, strongest_per_unit};
use crate::intent::{Intent, Kinds};
use crate::prelude::*;
use crate::signal::{Confidence, Discount, Evidence, Signal, Threat, Tier};
use crate::text::position::Position;

static FACTS: Facts = Facts {
    id: "directive.imperative",
    tier: Tier::Soft,
    owasp: "MCP06:2025 Intent Flow Subversion",
    title: "The text gives the model orders that go beyond describing the tool",
    page: include_str!("README.md"),
};

/// The check.
pub struct DirectiveImperative;

impl ToolCheck for DirectiveImperative {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        strongest_per_unit(
            context.intents().clusters().filter_map(|cluster| inspect_cluster(context, cluster)),
        )
    }
}

/// What each kind of intent weighs. Measured: a kind that honest tools hardly ever show weighs enough to be seen
/// alone; one they show now and then needs company.
const WEIGHTS: [(Kinds, u16); 32] = [
    (Kinds::OVERRIDES, 65),
    (Kinds::CONCEALS, 65),
    (Kinds::TEMPLATE, 65),
    (Kinds::OVERT, 60),
    (Kinds::SETS_PARAMETER, 60),
    (Kinds::COMMAND, 60),
    (Kinds::CHAINS_OTHERS, 40),
    (Kinds::CHANGES_OTHER, 60),
    (Kinds::FAKE_TURN, 60),
    (Kinds::NOT_FOR_USE, 60),
    (Kinds::ROUTES, 60),
    (Kinds::RECASTS, 60),
    (Kinds::VOIDS, 60),
    (Kinds::TAGGED, 55),
    (Kinds::CALLS_FOREIGN, 41),
    (Kinds::PRETENDS, 41),
    (Kinds::OPENS_SECRET, 41),
    (Kinds::DICTATES, 31),
    (Kinds::PUTS_DATA, 30),
    (Kinds::TOUCHES_SECRET, 30),
    (Kinds::TAKES_CONVERSATION, 30),
    (Kinds::UNASKED, 35),
    (Kinds::UNSEEN, 25),
    (Kinds::ADDRESSES_MODEL, 25),
    (Kinds::TOUCHES_PRIVATE, 15),
    (Kinds::TAKES_ALL, 10),
    (Kinds::CALLS_OTHER, 5),
    (Kinds::IF_ASKED, 10),
    (Kinds::ORDERS, 10),
    (Kinds::NAMES_SECRET, 5),
    (Kinds::ADDRESS, 5),
    (Kinds::PRETEXT, 3),
];

/// Of the conditions only the strongest counts: they are three readings of one clause.
const CONDITIONS: [(Kinds, u16); 3] =
    [(Kinds::CONDITIONS_SELF, 15), (Kinds::CONDITIONS_OTHER, 10), (Kinds::CONDITIONS_ACTIVITY, 5)];

/// Below this a passage says nothing worth a look.
const FAINTEST: u16 = 41;

/// The weight at which a passage is as likely honest as not.
const EVEN: u16 = 40;

/// The confidence (thousandths) of a weight: 0.50 where the odds are even, 0.80 at 60.
fn confidence(kinds: Kinds) -> Option<Confidence> {
    let condition = CONDITIONS.iter().filter(|(kind, _)| kinds.any(*kind)).map(|(_, weight)| *weight).max();
    let weight: u16 = WEIGHTS.iter().filter(|(kind, _)| kinds.any(*kind)).map(|(_, weight)| *weight).sum();
    let weight = weight + condition.unwrap_or(0);
    (weight >= FAINTEST).then(|| Confidence::new(500 + (weight - EVEN).min(30) * 15))
}

fn inspect_cluster(context: &Context<'_>, cluster: &[Intent]) -> Option<Signal> {
    let kinds = cluster.iter().fold(Kinds::default(), |sum, intent| sum | intent.kinds);
    let from = confidence(kinds)?;
    let intent = cluster.iter().max_by_key(|intent| (intent.kinds & Kinds::TELLING).count())?;
    let passage = context.reading.passages().get(intent.passage)?;
    let discount = match intent.position {
        Position::Instruction => None,
        Position::Example(reason) => Some(Discount { from, reason }),
    };
    let telling = kinds & Kinds::TELLING;
    Some(Signal {
        check: FACTS.id,
        tier: Tier::Soft,
        threat: Threat::PromptInjection,
        confidence: if discount.is_some() { from.scaled(250) } else { from },
        escalated: false,
        evidence: Evidence::new(
            &context.definition.pointer(passage.unit),
            &passage.rungs,
            &passage.text,
            intent.span.start,
            intent.span.end,
        ),
        detail: format!("the text {}", telling.words().join(", ")),
        discount,
    })
}
