#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::intent::{Intent, Kinds, Owner};
use crate::prelude::*;
use crate::registry::{DefinitionId, within_one_edit};
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::show;
use crate::tool::{Kind, Role};

static FACTS: Facts = Facts {
    id: "shadowing.cross_server",
    tier: Tier::Hard,
    owasp: "MCP03:2025 Tool Poisoning",
    title: "The definition copies, or speaks for, a tool of another server",
    page: include_str!("README.md"),
};

/// From this likeness (thousandths) two descriptions are one text.
const NEAR_COPY: u16 = 750;

/// The check.
pub struct ShadowingCrossServer;

impl ToolCheck for ShadowingCrossServer {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let mut signals = Vec::new();
        if context.definition.kind == Kind::Tool {
            signals.extend(same_name(context));
            signals.extend(similar_name(context));
            signals.extend(copied_description(context));
        }
        signals.extend(foreign_orders(context));
        signals
    }
}

/// Tools of other servers that this one may be judged against.
fn strangers<'a>(
    context: &'a Context<'_>,
    ids: &'a [DefinitionId],
) -> impl Iterator<Item = DefinitionId> + 'a {
    let registry = context.registry;
    ids.iter().copied().filter(move |&id| {
        !registry.same_server(id, context.id)
            && !registry.are_instances(id, context.id)
            && !registry.is_older(context.id, id)
    })
}

fn place(context: &Context<'_>, id: DefinitionId) -> String {
    context.registry.definition(id).map_or_else(String::new, |definition| {
        format!("{}/{}", show::line(definition.server(), 60), show::line(definition.name(), 60))
    })
}

fn on_unit(context: &Context<'_>, role: Role, confidence: u16, detail: String) -> Option<Signal> {
    let unit = context.definition.units_with(role).next()?;
    let text = context.definition.unit_text(unit);
    Some(Signal {
        check: FACTS.id,
        tier: Tier::Hard,
        threat: Threat::ToolPoisoning,
        confidence: Confidence::new(confidence),
        escalated: false,
        evidence: Evidence::new(&context.definition.pointer(unit), &[], text, 0, text.len()),
        detail,
        discount: None,
    })
}

/// The same distinctive name on another server.
fn same_name(context: &Context<'_>) -> Option<Signal> {
    let key = context.definition.name_key();
    let ids = context.registry.named(key.hash);
    let other = context.registry.first(strangers(context, ids))?;
    let spelt_alike =
        context.registry.definition(other).is_some_and(|o| o.name() == context.definition.name());
    let is_disguised = !spelt_alike && !context.definition.name().is_ascii();
    if !key.is_distinctive && !is_disguised {
        return None;
    }
    let how = if is_disguised { "looks the same as" } else { "is also the name of" };
    on_unit(context, Role::Name, 950, format!("the tool's name {how} {}", place(context, other)))
}

/// A distinctive name one slip away from another server's.
fn similar_name(context: &Context<'_>) -> Option<Signal> {
    let key = context.definition.name_key();
    if !key.is_distinctive {
        return None;
    }
    let near = context.registry.almost_named(key);
    let other = context.registry.first(strangers(context, &near).filter(|&id| {
        context.registry.definition(id).is_some_and(|other| {
            let theirs = other.name_key();
            let is_slip = theirs.text != key.text
                && within_one_edit(theirs, key)
                && !is_numbered(&theirs.text, &key.text);
            theirs.is_distinctive && is_slip
        })
    }))?;
    on_unit(
        context,
        Role::Name,
        900,
        format!("the tool's name is one letter away from {}", place(context, other)),
    )
}

/// `report_v1` and `report_v2`: versions, not slips.
fn is_numbered(a: &str, b: &str) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(|character| !character.is_ascii_digit()).collect() };
    letters(a) == letters(b)
}

/// Another server's description under a new name.
fn copied_description(context: &Context<'_>) -> Option<Signal> {
    let sketch = context.registry.sketch(context.id)?;
    let candidates = context.registry.described_like(sketch);
    let other = context.registry.first(strangers(context, &candidates).filter(|&id| {
        let alike = context.registry.sketch(id).is_some_and(|other| other.likeness(sketch) >= NEAR_COPY);
        let renamed = context
            .registry
            .definition(id)
            .is_some_and(|other| other.name_key() != context.definition.name_key());
        alike && renamed
    }))?;
    on_unit(
        context,
        Role::Description,
        880,
        format!("the description is a near-copy of {}", place(context, other)),
    )
}

/// Sentences that name a distinctive tool of another server, or give orders about any tool of another server: the
/// strongest of each text.
fn foreign_orders(context: &Context<'_>) -> Vec<Signal> {
    let mut strongest: Vec<(usize, Foreign)> = Vec::new();
    for intent in &context.intents().all {
        let Some(found) = foreign_mention(context, intent) else { continue };
        // Intents come text by text, so only the last one can be of the same text.
        match strongest.last_mut().filter(|(passage, _)| *passage == intent.passage) {
            Some((_, known)) if found.confidence() > known.confidence() => *known = found,
            Some(_) => {}
            None => strongest.push((intent.passage, found)),
        }
    }
    strongest.iter().filter_map(|(passage, found)| foreign_signal(context, *passage, found)).collect()
}

fn foreign_signal(context: &Context<'_>, passage: usize, found: &Foreign) -> Option<Signal> {
    let passage = context.reading.passages().get(passage)?;
    let verb = if found.is_order { "gives orders about" } else { "names" };
    let pointer = context.definition.pointer(passage.unit);
    Some(Signal {
        check: FACTS.id,
        tier: if found.is_generic { Tier::Soft } else { Tier::Hard },
        threat: Threat::ToolPoisoning,
        confidence: Confidence::new(found.confidence()),
        escalated: false,
        evidence: Evidence::new(&pointer, &passage.rungs, &passage.text, found.start, found.end),
        detail: format!("the text {verb} {}, a tool of another server", place(context, found.id)),
        discount: None,
    })
}

struct Foreign {
    id: DefinitionId,
    /// A generic name in a sentence that orders nothing: worth a look, no more.
    is_generic: bool,
    is_order: bool,
    start: usize,
    end: usize,
}

impl Foreign {
    fn confidence(&self) -> u16 {
        match (self.is_generic, self.is_order) {
            (true, true) => 820,
            (true, false) => 450,
            (false, true) => 940,
            (false, false) => 860,
        }
    }
}

fn foreign_mention(context: &Context<'_>, intent: &Intent) -> Option<Foreign> {
    let orders = Kinds::all_of(&[
        Kinds::CONDITIONS_OTHER,
        Kinds::CHANGES_OTHER,
        Kinds::CALLS_OTHER,
        Kinds::SETS_PARAMETER,
        Kinds::ROUTES,
        Kinds::CONCEALS,
        Kinds::COMMAND,
        Kinds::ADDRESSES_MODEL,
        Kinds::PUTS_DATA,
        Kinds::UNASKED,
        Kinds::PRETENDS,
    ]);
    let demands = Kinds::all_of(&[Kinds::ORDERS, Kinds::ADDRESSES_MODEL, Kinds::CONCEALS, Kinds::ROUTES]);
    let is_order = intent.kinds.any(orders) && intent.kinds.any(demands) && !intent.position.is_example();
    // "use `get_commit` first" is said of siblings too; a condition on its use, or a change of what it is given,
    // is said of a tool one wants to steer.
    let steers = Kinds::all_of(&[
        Kinds::CHANGES_OTHER,
        Kinds::SETS_PARAMETER,
        Kinds::ROUTES,
        Kinds::CONCEALS,
        Kinds::COMMAND,
        Kinds::PUTS_DATA,
        Kinds::OPENS_SECRET,
        Kinds::UNASKED,
        Kinds::PRETENDS,
        Kinds::CONDITIONS_OTHER,
        Kinds::ADDRESSES_MODEL,
    ]);
    let is_steered = is_order && intent.kinds.any(steers);
    intent.mentions.iter().find_map(|mention| {
        let Owner::Foreign(id) = mention.owner else { return None };
        let theirs = context.registry.definition(id)?;
        let ids = context.registry.named(theirs.name_key().hash);
        let id = context.registry.first(strangers(context, ids))?;
        let is_generic = !theirs.name_key().is_distinctive && !is_steered;
        // A generic name of one word is a word.
        let counts = !is_generic || is_order || theirs.name_key().text.contains('_');
        let (start, end) =
            if is_order { (intent.span.start, intent.span.end) } else { (mention.start, mention.end) };
        counts.then_some(Foreign { id, is_generic, is_order, start, end })
    })
}
