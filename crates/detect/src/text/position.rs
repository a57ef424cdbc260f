//! Where a phrase stands: as an instruction, or as an example of one.
//!
//! Quotes alone excuse nothing, and neither does "for example": an attacker writes those too. A phrase is an
//! example when something that describes attacks governs it: a tool that detects, flags or blocks them.

use crate::prelude::*;
use crate::text::lexicon::Classes as C;
use crate::text::reading::{Passage, Sentence};
use crate::text::token::{Shape, Token};
use core::ops::Range;

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
    let listed = is_list_item(passage, tokens, sentence) && {
        let above = sentences.get(..number).unwrap_or_default().iter().rev();
        let lead = above.take(LONGEST_LIST).find(|above| !is_list_item(passage, tokens, above));
        lead.is_some_and(|lead| describes_attacks(tokens.get(lead.tokens.clone()).unwrap_or_default()))
    };
    if listed {
        return Position::Example("it is listed under what is detected or blocked");
    }
    Position::Instruction
}

/// What stands in quotation marks and is three words or longer, as ranges of tokens.
pub(crate) fn quotations(passage: &Passage<'_>, tokens: &[Token]) -> Vec<Range<usize>> {
    let text = |token: &Token| passage.text.get(token.start as usize..token.end as usize).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if token.shape != Shape::Quote {
            continue;
        }
        let closing = closing_marks(text(token));
        let inside = tokens.get(at..).unwrap_or_default().iter().take(LONGEST_QUOTATION);
        let Some(length) =
            inside.clone().position(|next| next.shape == Shape::Quote && closing.contains(&text(next)))
        else {
            continue;
        };
        let words = inside.take(length).filter(|token| !matches!(token.shape, Shape::Pause | Shape::Quote));
        if words.count() >= 3 {
            found.push(at..at + length);
        }
        at += length + 1;
    }
    found
}

/// Longer than this, a quotation mark is taken for a stray one.
const LONGEST_QUOTATION: usize = 80;

fn closing_marks(opening: &str) -> &'static [&'static str] {
    match opening {
        "\"" => &["\""],
        "'" => &["'"],
        "`" => &["`"],
        "“" | "„" | "‟" | "”" => &["“", "”", "\""],
        "«" => &["»"],
        "»" => &["«", "»"],
        "‹" => &["›"],
        "›" => &["‹"],
        "「" => &["」"],
        "『" => &["』"],
        "《" => &["》"],
        _ => &[],
    }
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
    let addressed = words
        .iter()
        .take(detects)
        .any(|token| token.classes.any(C::ADDRESSEE | C::MUST | C::WHEN | C::BEFORE));
    names_attack && illustrates && !addressed
}

/// How far above an item the sentence that introduces the list may stand.
const LONGEST_LIST: usize = 24;

fn is_list_item(passage: &Passage<'_>, tokens: &[Token], sentence: &Sentence) -> bool {
    let first = tokens.get(sentence.tokens.start);
    let opens_line = first.is_some_and(|token| token.opens_line);
    let byte = first.and_then(|token| passage.text.as_bytes().get(token.start as usize));
    // An asterisk is no token: it stands before the first one.
    let before = first.and_then(|token| passage.text.get(..token.start as usize)).unwrap_or_default();
    let is_starred = before.trim_end_matches([' ', '\t']).ends_with('*');
    let is_marked =
        byte.is_some_and(|byte| matches!(byte, b'-' | b'*' | b'|' | b'"' | b'\'' | b'`' | b'0'..=b'9'));
    opens_line && (is_starred || is_marked)
}
