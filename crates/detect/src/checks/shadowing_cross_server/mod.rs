#![doc = include_str!("README.md")]

mod foreign;

use crate::checks::{Context, Facts, ToolCheck};
use crate::prelude::*;
use crate::registry::{DefinitionId, shared_words, spelling, within_one_edit};
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

/// From this likeness of their sketches (thousandths) two descriptions are one text.
const NEAR_COPY: u16 = 750;
/// From this likeness on it is worth comparing the words themselves: one word exchanged in a short text costs a
/// third of its shingles.
const RELATED: u16 = 400;
/// From this share of common words (thousandths) two related descriptions are one text.
const SAME_WORDS: u16 = 900;

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
        signals.extend(foreign::orders(context));
        signals
    }
}

/// Tools of other servers that this one may be judged against.
fn strangers<'a>(
    context: &'a Context<'_>,
    ids: impl Iterator<Item = DefinitionId> + 'a,
) -> impl Iterator<Item = DefinitionId> + 'a {
    let registry = context.registry;
    ids.filter(move |&id| {
        !registry.same_server(id, context.id)
            && !registry.are_instances(id, context.id)
            && !registry.is_older(context.id, id)
    })
}

fn place(context: &Context<'_>, id: DefinitionId) -> String {
    let name = context.registry.known(id).map_or("", |known| known.name());
    format!("{}/{}", show::line(context.registry.server_name(id), 60), show::line(name, 60))
}

/// A signal that this tool takes the place of `other`. Between forks of one server it is soft: whoever has both
/// should choose, but a copy of the whole is not a tool that waits for one other tool's calls.
fn on_unit(
    context: &Context<'_>,
    role: Role,
    other: DefinitionId,
    confidence: u16,
    what: &str,
) -> Option<Signal> {
    let unit = context.definition.units_with(role).next()?;
    let text = context.definition.unit_text(unit);
    // Look-alike letters have no honest reason, not even in a fork.
    let is_fork = context.definition.name().is_ascii() && context.registry.are_forks(context.id, other);
    let fork = if is_fork { "; the two servers share most of their tools" } else { "" };
    let detail = format!("{what} {}{fork}", place(context, other));
    Some(Signal {
        check: FACTS.id,
        tier: if is_fork { Tier::Soft } else { Tier::Hard },
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
    let spelt_alike = context.registry.known(other).is_some_and(|o| o.name() == context.definition.name());
    let is_disguised = !spelt_alike && !context.definition.name().is_ascii();
    if !key.is_distinctive && !is_disguised {
        return None;
    }
    let how = if is_disguised { "looks the same as" } else { "is also the name of" };
    on_unit(context, Role::Name, other, 950, &format!("the tool's name {how}"))
}

/// A distinctive name one slip away from another server's.
fn similar_name(context: &Context<'_>) -> Option<Signal> {
    let key = context.definition.name_key();
    if !key.is_distinctive {
        return None;
    }
    let near = context.registry.almost_named(key);
    let other = context.registry.first(strangers(context, near).filter(|&id| {
        context.registry.known(id).is_some_and(|other| {
            let theirs = spelling(other.name());
            *theirs != *key.text && within_one_edit(&theirs, &key.text) && !is_numbered(&theirs, &key.text)
        })
    }))?;
    on_unit(context, Role::Name, other, 900, "the tool's name is one letter away from")
}

/// `report_v1` and `report_v2`: versions, not slips.
fn is_numbered(a: &str, b: &str) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(|character| !character.is_ascii_digit()).collect() };
    letters(a) == letters(b)
}

/// Another server's description under a new name.
fn copied_description(context: &Context<'_>) -> Option<Signal> {
    let registry = context.registry;
    let sketch = registry.sketch(context.id)?;
    let candidates = registry.described_like(sketch);
    let own_name = &context.definition.name_key().text;
    let is_renamed =
        |id: DefinitionId| registry.known(id).is_some_and(|other| *spelling(other.name()) != **own_name);
    let likeness = |id: DefinitionId| registry.sketch(id).map_or(0, |other| other.likeness(sketch));
    let others: Vec<(DefinitionId, u16)> =
        strangers(context, candidates).filter(|&id| is_renamed(id)).map(|id| (id, likeness(id))).collect();
    // Comparing words costs more than comparing sketches, so only the most alike is asked for its words.
    let most = others.iter().map(|(_, likeness)| *likeness).max().filter(|most| *most >= RELATED)?;
    let least = most.min(NEAR_COPY);
    let alike = others.iter().filter(|(_, likeness)| *likeness >= least).map(|(id, _)| *id);
    let other = registry.first(alike)?;
    let has_same_words = || {
        let theirs = registry.whole(other);
        theirs.is_some_and(|o| shared_words(context.definition.description(), o.description()) >= SAME_WORDS)
    };
    if most < NEAR_COPY && !has_same_words() {
        return None;
    }
    on_unit(context, Role::Description, other, 880, "the description is a near-copy of")
}
