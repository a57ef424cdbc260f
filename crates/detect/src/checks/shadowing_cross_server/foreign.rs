//! Texts that name a tool of another server, or give orders about it.

use super::{FACTS, place, strangers};
use crate::checks::Context;
use crate::intent::{Intent, Kinds, Mention, Owner};
use crate::prelude::*;
use crate::registry::{DefinitionId, key_hash, spelling};
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::lexicon::{Classes, Lexicon};
use crate::text::token::{Shape, Token};
use crate::tool::{Definition, Role};

/// Sentences that name a distinctive tool of another server, or give orders about any tool of another server: the
/// strongest of each text.
pub(super) fn orders(context: &Context<'_>) -> Vec<Signal> {
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
        tier: if found.is_faint { Tier::Soft } else { Tier::Hard },
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
    /// A generic name that is not steered, or a word that need not be a name: worth a look, no more.
    is_faint: bool,
    is_order: bool,
    start: usize,
    end: usize,
}

impl Foreign {
    fn confidence(&self) -> u16 {
        match (self.is_faint, self.is_order) {
            (true, true) => 820,
            (true, false) => 450,
            (false, true) => 940,
            (false, false) => 860,
        }
    }
}

const ORDERS: Kinds = Kinds::all_of(&[
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

const DEMANDS: Kinds =
    Kinds::all_of(&[Kinds::ORDERS, Kinds::ADDRESSES_MODEL, Kinds::CONCEALS, Kinds::ROUTES]);

/// "use `get_commit` first" is said of siblings too; a condition on its use, or a change of what it is given, is
/// said of a tool one wants to steer.
const STEERS: Kinds = Kinds::all_of(&[
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

fn foreign_mention(context: &Context<'_>, intent: &Intent) -> Option<Foreign> {
    let is_demand = intent.kinds.any(ORDERS) && intent.kinds.any(DEMANDS);
    let is_example = intent.position.is_example();
    intent.mentions.iter().find_map(|mention| {
        let Owner::Foreign(theirs) = mention.owner else { return None };
        let name = context.registry.known(theirs)?.name_key();
        let id = context.registry.first(strangers(context, context.registry.named(name.hash)))?;
        // A name of one word may be just the word, above all where nothing calls or uses it.
        let is_one_word = !name.text.contains('_');
        let is_word = is_one_word && !mention.is_called;
        let is_bent = !is_one_word && bends(context, intent, mention, theirs);
        let is_order = (is_demand || is_bent) && !is_example;
        let is_steered = is_order && (is_bent || intent.kinds.any(STEERS));
        let is_faint = if name.is_distinctive { is_one_word && !is_order } else { is_word || !is_steered };
        let counts = !is_word || name.is_distinctive || is_order && mention.is_called;
        let (start, end) =
            if is_order { (intent.span.start, intent.span.end) } else { (mention.start, mention.end) };
        counts.then_some(Foreign { id, is_faint, is_order, start, end })
    })
}

/// Whether the sentence bends the use of a foreign tool without the form of an order: it offers itself instead, it
/// settles what the tool is given ("whenever a step involves x, the scope is …"), or it has the tool delete or send.
fn bends(context: &Context<'_>, intent: &Intent, mention: &Mention, theirs: DefinitionId) -> bool {
    let Some(passage) = context.reading.passages().get(intent.passage) else { return false };
    let Some(sentence) = context.reading.sentences(passage).get(intent.sentence) else { return false };
    let tokens = context.reading.tokens(passage).get(sentence.tokens.clone()).unwrap_or_default();
    let is_pushed = intent.kinds.any(Kinds::CALLS_OTHER) && is_harmful(context, theirs);
    let has = |classes: Classes| sentence.classes.any(classes);
    let names_own = intent.mentions.iter().any(|other| other.owner == Owner::Own);
    let is_replaced =
        (names_own || has(Classes::SELF)) && has(Classes::USE) && stands_instead(tokens, mention.at);
    let is_set = has(Classes::WHEN | Classes::BEFORE | Classes::ROLE | Classes::MODEL)
        && names_parameter(context, &passage.text, tokens, theirs);
    is_pushed || is_replaced || is_set
}

/// "instead of `x`", "`x` 대신".
fn stands_instead(tokens: &[Token], at: usize) -> bool {
    let around = tokens
        .get(at.saturating_sub(4)..at + 3)
        .unwrap_or_else(|| tokens.get(at.saturating_sub(4)..).unwrap_or_default());
    around.iter().any(|token| token.classes.any(Classes::INSTEAD))
}

/// Whether the sentence speaks of a parameter that the foreign tool has and this one has not.
fn names_parameter(context: &Context<'_>, text: &str, tokens: &[Token], theirs: DefinitionId) -> bool {
    let Some(theirs) = context.registry.whole(theirs) else { return false };
    let mut scratch = String::new();
    let mut hashes = |definition: &Definition| -> Vec<u64> {
        let names = definition.units_with(Role::PropertyName);
        names.map(|unit| key_hash(definition.unit_text(unit), &mut scratch)).collect()
    };
    let (mine, other) = (hashes(context.definition), hashes(&theirs));
    tokens.iter().filter(|token| matches!(token.shape, Shape::Word | Shape::Identifier)).any(|token| {
        let word = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        let hash = key_hash(word, &mut scratch);
        other.contains(&hash) && !mine.contains(&hash)
    })
}

/// Whether the tool's name says that it deletes or sends.
fn is_harmful(context: &Context<'_>, tool: DefinitionId) -> bool {
    let classes = |word: &str| Lexicon::shipped().word(word).classes;
    let is_harm = |word: &str| classes(word).any(Classes::DELETE | Classes::SEND);
    context.registry.known(tool).is_some_and(|known| spelling(known.name()).split('_').any(is_harm))
}
