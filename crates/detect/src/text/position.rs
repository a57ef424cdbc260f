//! Where a phrase stands: as an instruction, or as an example of one.
//!
//! Quotes alone excuse nothing, and neither does "for example": an attacker writes those too. A phrase is an
//! example when something that describes attacks governs it: a tool that detects, flags or blocks them.

use crate::text::lexicon::Classes as C;
use crate::text::reading::{Passage, Sentence};
use crate::text::token::{Shape, Token};

/// Where a sentence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Speaks for itself.
    Instruction,
    /// An illustration; the reason is shown to the operator.
    Example(&'static str),
}

impl Position {
    pub(crate) fn is_example(self) -> bool {
        self != Position::Instruction
    }
}

/// The position of sentence `number` of a passage.
pub(crate) fn of(passage: &Passage<'_>, tokens: &[Token], sentences: &[Sentence], number: usize) -> Position {
    if passage.is_decoded() {
        // Nobody encodes an illustration.
        return Position::Instruction;
    }
    let Some(sentence) = sentences.get(number) else { return Position::Instruction };
    if sentence.is_tagged {
        return Position::Instruction;
    }
    let words = tokens.get(sentence.tokens.clone()).unwrap_or_default();
    if describes_attacks(words) {
        return Position::Example("it stands in a description of what is detected or blocked");
    }
    let before = number.checked_sub(1).and_then(|index| sentences.get(index));
    let listed = before.is_some_and(|before| {
        let lead = tokens.get(before.tokens.clone()).unwrap_or_default();
        describes_attacks(lead) && is_list_item(passage, tokens, sentence)
    });
    if listed {
        return Position::Example("it is listed under what is detected or blocked");
    }
    Position::Instruction
}

/// "detects prompts such as '…'": a detecting verb governs attack nouns, and the phrase is quoted or introduced.
fn describes_attacks(words: &[Token]) -> bool {
    let detects = words.iter().position(|token| token.classes.any(C::DETECTS) && token.shape == Shape::Word);
    let Some(detects) = detects else { return false };
    let behind = words.get(detects..).unwrap_or_default();
    let names_attack = words.iter().any(|token| token.classes.any(C::ATTACK));
    let illustrates = behind.iter().any(|token| token.classes.any(C::EXAMPLE) || token.shape == Shape::Quote)
        || behind.iter().take(8).any(|token| token.shape == Shape::Pause);
    // A live order addressed to the model beside the illustration is an order.
    let addressed = words.iter().take(detects).any(|token| token.classes.any(C::ADDRESSEE | C::MUST));
    names_attack && illustrates && !addressed
}

fn is_list_item(passage: &Passage<'_>, tokens: &[Token], sentence: &Sentence) -> bool {
    let first = tokens.get(sentence.tokens.start);
    let opens_line = first.is_some_and(|token| token.opens_line);
    let byte = first.and_then(|token| passage.text.as_bytes().get(token.start as usize));
    opens_line && byte.is_some_and(|byte| matches!(byte, b'-' | b'*' | b'"' | b'\'' | b'`' | b'0'..=b'9'))
}
