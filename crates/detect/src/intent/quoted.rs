//! Tells what a text shows in quotation marks from what it says.
//!
//! Quotation marks alone excuse nothing. What is quoted counts as shown when the sentence leads up to it, nothing
//! outside the marks presses the model to do anything, and the quotation itself moves no data and runs nothing.

use super::{Intent, Kinds, Words, rows};
use crate::prelude::*;
use crate::text::lexicon::Classes;
use crate::text::position::{Position, quotations};
use crate::text::reading::{Passage, Sentence};
use crate::text::token::{Shape, Token};
use core::cell::OnceCell;
use core::ops::Range;

/// Kinds outside a quotation that make its words an order.
const PRESSING: Kinds = Kinds::all_of(&[
    Kinds::ORDERS,
    Kinds::AGENT_ACTS,
    Kinds::YOU_ACT,
    Kinds::ADDRESSES_MODEL,
    Kinds::ENACTS,
    Kinds::STANDING,
    Kinds::TAGGED,
]);

/// Kinds that do harm whoever says them.
pub(super) const HARMFUL: Kinds = Kinds::all_of(&[
    Kinds::COMMAND,
    Kinds::ROUTES,
    Kinds::OPENS_SECRET,
    Kinds::TOUCHES_SECRET,
    Kinds::PUTS_DATA,
    Kinds::CHANGES_OTHER,
    Kinds::TEMPLATE,
]);

const REASON: &str = "it is quoted, and nothing outside the quotation asks for it";

/// Takes what a passage merely shows out of what it says. `view` looks at one sentence of the passage.
pub(super) fn set_aside<'a>(
    passage: &Passage<'_>,
    tokens: &[Token],
    sentences: &[Sentence],
    intents: &mut [Intent],
    view: impl Fn(usize) -> Option<Words<'a>>,
) {
    let quotations = quotations(passage, tokens);
    if quotations.is_empty() {
        return;
    }
    let outside: Vec<Kinds> = intents
        .iter()
        .map(|intent| match (view(intent.sentence), sentences.get(intent.sentence)) {
            (Some(words), Some(sentence)) => kinds_outside(&words, sentence, intent, &quotations),
            _ => intent.kinds,
        })
        .collect();
    if outside.iter().any(|kinds| kinds.any(PRESSING)) {
        return;
    }
    for (intent, outside) in intents.iter_mut().zip(outside) {
        let Some(sentence) = sentences.get(intent.sentence) else { continue };
        let shown = intent.kinds.without(outside);
        if !shown.any(Kinds::TELLING)
            || shown.any(HARMFUL)
            || !leads_up(passage, tokens, sentence, &quotations)
        {
            continue;
        }
        if outside.any(Kinds::TELLING) {
            intent.kinds = outside;
        } else {
            intent.position = Position::Example(REASON);
        }
    }
}

/// What the sentence does without the words in quotation marks.
fn kinds_outside(
    words: &Words<'_>,
    sentence: &Sentence,
    intent: &Intent,
    quotations: &[Range<usize>],
) -> Kinds {
    let is_quoted =
        |at: usize| quotations.iter().any(|quotation| quotation.contains(&(sentence.tokens.start + at)));
    if !(0..words.tokens.len()).any(is_quoted) {
        return intent.kinds;
    }
    let tokens: Vec<Token> = words
        .tokens
        .iter()
        .enumerate()
        .map(
            |(at, token)| {
                if is_quoted(at) { Token { classes: Classes::default(), ..*token } } else { *token }
            },
        )
        .collect();
    let classes = tokens.iter().fold(Classes::default(), |sum, token| sum | token.classes);
    let sentence = Sentence { classes, ..sentence.clone() };
    let rest = Words { tokens: &tokens, sentence: &sentence, orders: OnceCell::new(), ..*words };
    rows::kinds(&rest, &intent.mentions) | intent.kinds & Kinds::ADDED
}

/// Whether a sentence leads up to the quotation it lies in or opens: three words that do not merely announce an
/// example, or a bar of a table.
fn leads_up(
    passage: &Passage<'_>,
    tokens: &[Token],
    sentence: &Sentence,
    quotations: &[Range<usize>],
) -> bool {
    let is_bar = |token: &Token| {
        token.shape == Shape::Pause && passage.text.as_bytes().get(token.start as usize) == Some(&b'|')
    };
    let is_word = |token: &Token| token.shape == Shape::Word && !token.classes.any(Classes::EXAMPLE);
    quotations
        .iter()
        .filter(|quotation| quotation.start < sentence.tokens.end && sentence.tokens.start < quotation.end)
        .any(|quotation| {
            let before = tokens.get(..quotation.start).unwrap_or_default().iter().rev();
            let lead = before.take_while(|token| token.shape != Shape::Stop);
            lead.clone().any(is_bar) || lead.filter(|token| is_word(token)).count() >= 3
        })
}
