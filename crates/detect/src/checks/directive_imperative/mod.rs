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

/// What each kind of intent weighs, about in tenths of the logarithm of the odds: fitted on attacks and honest tools,
/// then moved to stay within the false alarms we allow. A kind that honest tools hardly ever show is seen alone; one
/// they show now and then needs company.
const WEIGHTS: [(Kinds, u16); 49] = [
    (Kinds::COMMAND, 34),
    (Kinds::ENACTS, 34),
    (Kinds::MISPLACED, 34),
    (Kinds::OVERRIDES, 34),
    (Kinds::ROUTES, 34),
    (Kinds::STEERS_FOREIGN, 34),
    (Kinds::VOIDS, 34),
    (Kinds::TAKES_PRIVATE, 28),
    (Kinds::FAKE_TURN, 26),
    (Kinds::OPENS_SECRET, 26),
    (Kinds::CONCEALS, 24),
    (Kinds::OVERT, 24),
    (Kinds::PRETENDS, 24),
    (Kinds::TEMPLATE, 24),
    (Kinds::NOT_FOR_USE, 22),
    (Kinds::RECASTS, 22),
    (Kinds::SETS_PARAMETER, 21),
    (Kinds::UNASKED, 21),
    (Kinds::CHANGES_OTHER, 20),
    (Kinds::CONDITIONS_DEED, 20),
    (Kinds::RUNS_SHELL, 20),
    (Kinds::PUTS_DATA, 19),
    (Kinds::UNSEEN, 18),
    (Kinds::TAGGED, 16),
    (Kinds::DICTATES, 12),
    (Kinds::HANDS_OVER, 12),
    (Kinds::TAKES_HOLDINGS, 12),
    (Kinds::EMBEDS, 10),
    (Kinds::TAKES_CONVERSATION, 10),
    (Kinds::TOUCHES_SECRET, 10),
    (Kinds::ADDED, 8),
    (Kinds::CHAINS_OTHERS, 8),
    (Kinds::INSISTS, 8),
    (Kinds::ADDRESSES_MODEL, 7),
    (Kinds::CALLS_FOREIGN, 7),
    (Kinds::NAMES_SECRET, 7),
    (Kinds::STANDING, 7),
    (Kinds::TOUCHES_PRIVATE, 6),
    (Kinds::WITHHOLDS, 6),
    (Kinds::UNCUT, 5),
    (Kinds::WEAKENS, 5),
    (Kinds::AGENT_ACTS, 4),
    (Kinds::TAKES_ALL, 4),
    (Kinds::ADDRESS, 3),
    (Kinds::IF_ASKED, 3),
    (Kinds::ORDERS, 2),
    (Kinds::RULES_REPLY, 2),
    (Kinds::YOU_ACT, 2),
    (Kinds::CALLS_OTHER, 1),
];

/// Of the conditions only the strongest counts: they are three readings of one clause.
const CONDITIONS: [(Kinds, u16); 2] = [(Kinds::CONDITIONS_SELF, 4), (Kinds::CONDITIONS_OTHER, 2)];

/// Below this a passage says nothing worth a look.
const FAINTEST: u16 = 14;

/// The confidence (thousandths) of a weight: 0.50 for the faintest, 0.80 at 24, where one honest tool in three hundred
/// would be raised.
fn confidence(kinds: Kinds) -> Option<Confidence> {
    let condition = CONDITIONS.iter().filter(|(kind, _)| kinds.any(*kind)).map(|(_, weight)| *weight).max();
    let weight: u16 = WEIGHTS.iter().filter(|(kind, _)| kinds.any(*kind)).map(|(_, weight)| *weight).sum();
    let weight = weight + condition.unwrap_or(0);
    (weight >= FAINTEST).then(|| Confidence::new(500 + (weight - FAINTEST).min(15) * 30))
}

/// What a cluster says for itself; if that is nothing, what it merely shows, discounted.
fn inspect_cluster(context: &Context<'_>, cluster: &[Intent]) -> Option<Signal> {
    let kinds_of = |is_example: bool| {
        let counted = cluster.iter().filter(move |intent| is_example || !intent.position.is_example());
        counted.fold(Kinds::default(), |sum, intent| sum | intent.kinds)
    };
    let said = kinds_of(false);
    let (kinds, is_shown) = if confidence(said).is_some() { (said, false) } else { (kinds_of(true), true) };
    let from = confidence(kinds)?;
    let candidates = cluster.iter().filter(|intent| is_shown || !intent.position.is_example());
    let intent = candidates.max_by_key(|intent| (intent.kinds & Kinds::TELLING).count())?;
    let passage = context.reading.passages().get(intent.passage)?;
    let reason = cluster.iter().find_map(|intent| match intent.position {
        Position::Example(reason) => Some(reason),
        Position::Instruction => None,
    });
    let discount = reason.filter(|_| is_shown).map(|reason| Discount { from, reason });
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
