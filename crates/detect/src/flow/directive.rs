//! Which passages of a result speak to the model: the intents of the definition checks, asked of the suspicious parts.

use super::order::Orders;
use super::walk::Step;
use crate::checks::Context;
use crate::intent::{Intents, Kinds};
use crate::prelude::*;
use crate::registry::{DefinitionId, Registry};
use crate::text::lexicon::Lexicon;
use crate::text::reading::Reading;
use crate::tool::Definition;
use core::ops::Range;

/// What follows such words within this many bytes is said under their authority.
const REACH: usize = 900;
/// Text kept around a hint for the closer look.
const BEFORE: usize = 160;
const AFTER: usize = 320;
/// The closer look costs more than the walk; a text beyond this is looked at only in part, and says so.
const MOST_BYTES: usize = 48 << 10;

/// Kinds of intent that turn what follows into orders of a stranger.
const SPEAKS: Kinds = Kinds::all_of(&[
    Kinds::CONCEALS,
    Kinds::OVERRIDES,
    Kinds::TAGGED,
    Kinds::TEMPLATE,
    Kinds::FAKE_TURN,
    Kinds::VOIDS,
    Kinds::RECASTS,
    Kinds::ADDRESSES_MODEL,
    Kinds::IF_ASKED,
]);

/// What the closer look found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directives {
    /// Bytes of the text that stand under a directive.
    pub(crate) passages: Vec<Range<usize>>,
    /// In words, for the operator: what the strongest of them does.
    pub(crate) manner: Vec<&'static str>,
    /// Whether all suspicious parts were looked at.
    pub(crate) is_whole: bool,
}

impl Directives {
    /// Notes in words what a passage does, once.
    pub(super) fn say(&mut self, words: &'static str) {
        if !self.manner.contains(&words) {
            self.manner.push(words);
        }
    }

    /// Takes in what another text held.
    pub(super) fn take(&mut self, other: Directives) {
        self.passages.extend(other.passages);
        other.manner.into_iter().for_each(|words| self.say(words));
        self.is_whole &= other.is_whole;
    }
}

/// The directives of a text.
pub(crate) fn directives(text: &str, steps: &[Step], orders: &Orders) -> Directives {
    let (windows, is_whole) = windows(text, steps, orders);
    let mut found = Directives { is_whole, ..Directives::default() };
    let registry = Registry::new();
    for window in windows {
        let part = text.get(window.clone()).unwrap_or_default();
        let definition = Definition::of_result(part);
        let reading = Reading::of(&definition, Lexicon::shipped());
        let context = Context::new(&definition, &reading, &registry, DefinitionId::NONE);
        // Nearly no text speaks to the model; only one that does is worth the rest.
        if !Intents::any_does(&context, SPEAKS) {
            continue;
        }
        for intent in &Intents::of(&context).all {
            let kinds = intent.kinds & SPEAKS;
            if kinds.is_empty() || intent.position.is_example() {
                continue;
            }
            let is_decoded =
                reading.passages().get(intent.passage).is_some_and(|passage| passage.is_decoded());
            // What was decoded has no place of its own; all of the window stands under it.
            let start = if is_decoded { window.start } else { window.start + intent.span.start };
            found.passages.push(start..(start + REACH).min(text.len()));
            kinds.words().into_iter().for_each(|words| found.say(words));
        }
    }
    found
}

/// The parts of a text around hints and orders, merged, and whether the bound left any out.
fn windows(text: &str, steps: &[Step], orders: &Orders) -> (Vec<Range<usize>>, bool) {
    let mut at: Vec<usize> = orders.hints.clone();
    at.extend(orders.all.iter().map(|order| order.words.start));
    at.sort_unstable();
    let mut merged: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for step in at.into_iter().filter_map(|index| steps.get(index)) {
        let from = boundary(text, (step.start as usize).saturating_sub(BEFORE));
        let to = boundary(text, (step.end as usize + AFTER).min(text.len()));
        match merged.last_mut() {
            Some(last) if from <= last.end => {
                bytes += to.saturating_sub(last.end);
                last.end = last.end.max(to);
            }
            _ => {
                bytes += to - from;
                merged.push(from..to);
            }
        }
        if bytes > MOST_BYTES {
            return (merged, false);
        }
    }
    (merged, true)
}

fn boundary(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
