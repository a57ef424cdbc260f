//! One definition, read once: every unit and everything the decoding ladder found in it, as tokens and sentences.

use crate::observe::Cap;
use crate::prelude::*;
use crate::text::decode;
use crate::text::lexicon::{Classes, Lexicon};
use crate::text::token::{Shape, Token, tokenise};
use crate::tool::{Definition, Unit};
use alloc::borrow::Cow;
use core::ops::Range;

/// One text to look at: a unit as declared, or what a rung of the ladder made of it.
pub(crate) struct Passage<'d> {
    pub(crate) unit: &'d Unit,
    pub(crate) text: Cow<'d, str>,
    /// The decodings that led here, innermost first; empty for the declared text.
    pub(crate) rungs: Vec<&'static str>,
    /// The union of the classes of its words.
    pub(crate) classes: Classes,
    pub(crate) is_ascii: bool,
    tokens: Range<usize>,
    /// Which of the reading's rows of tokens they are in.
    row: usize,
    sentences: Range<usize>,
}

impl Passage<'_> {
    pub(crate) fn is_decoded(&self) -> bool {
        !self.rungs.is_empty()
    }
}

/// One sentence: its tokens, as indices into the passage's tokens, and the union of their classes.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    pub(crate) tokens: Range<usize>,
    pub(crate) classes: Classes,
    /// The sentence stands inside a block that a tag hides or marks as an order.
    pub(crate) is_tagged: bool,
}

/// Room is made for one token in so many bytes; prose has one in five or six.
const BYTES_PER_TOKEN: usize = 5;

/// A definition's texts, cut into tokens and sentences.
pub(crate) struct Reading<'d> {
    definition: &'d Definition,
    passages: Vec<Passage<'d>>,
    /// The tokens of all declared texts in one row, those of each decoded text in a row of their own: a huge text
    /// that decodes to a huge text is not moved when the second is cut.
    tokens: Vec<Vec<Token>>,
    sentences: Vec<Sentence>,
    caps: Vec<Cap>,
}

impl<'d> Reading<'d> {
    pub(crate) fn of(definition: &'d Definition, lexicon: &Lexicon) -> Self {
        let mut reading = Reading {
            definition,
            passages: Vec::with_capacity(definition.units.len()),
            tokens: vec![Vec::with_capacity(definition.text.len() / BYTES_PER_TOKEN)],
            sentences: Vec::with_capacity(definition.units.len()),
            caps: Vec::new(),
        };
        for unit in &definition.units {
            reading.add(unit, Cow::Borrowed(definition.unit_text(unit)), Vec::new(), lexicon);
        }
        decode::climb(&mut reading, lexicon);
        reading
    }

    /// Adds a text and cuts it.
    pub(crate) fn add(
        &mut self,
        unit: &'d Unit,
        text: Cow<'d, str>,
        rungs: Vec<&'static str>,
        lexicon: &Lexicon,
    ) {
        if !rungs.is_empty() {
            self.tokens.push(Vec::with_capacity(text.len() / BYTES_PER_TOKEN));
        }
        let row = if rungs.is_empty() { 0 } else { self.tokens.len() - 1 };
        let Some(tokens) = self.tokens.get_mut(row) else { return };
        let first_token = tokens.len();
        tokenise(&text, lexicon, tokens);
        let first_sentence = self.sentences.len();
        cut_sentences(tokens.get(first_token..).unwrap_or_default(), &mut self.sentences);
        let tokens = first_token..tokens.len();
        let cut = self.sentences.get(first_sentence..).unwrap_or_default();
        let classes = cut.iter().fold(Classes::default(), |sum, sentence| sum | sentence.classes);
        self.passages.push(Passage {
            unit,
            is_ascii: text.is_ascii(),
            text,
            rungs,
            classes,
            tokens,
            row,
            sentences: first_sentence..self.sentences.len(),
        });
    }

    pub(crate) fn definition(&self) -> &'d Definition {
        self.definition
    }

    pub(crate) fn passages(&self) -> &[Passage<'d>] {
        &self.passages
    }

    pub(crate) fn tokens(&self, passage: &Passage<'_>) -> &[Token] {
        self.tokens.get(passage.row).and_then(|row| row.get(passage.tokens.clone())).unwrap_or_default()
    }

    pub(crate) fn sentences(&self, passage: &Passage<'_>) -> &[Sentence] {
        self.sentences.get(passage.sentences.clone()).unwrap_or_default()
    }

    pub(crate) fn caps(&self) -> &[Cap] {
        &self.caps
    }

    pub(crate) fn note(&mut self, cap: Cap) {
        if !self.caps.contains(&cap) {
            self.caps.push(cap);
        }
    }
}

/// Sentences end at stops and before markup; a list item is a sentence of its own.
fn cut_sentences(tokens: &[Token], sentences: &mut Vec<Sentence>) {
    let mut start = 0;
    let mut classes = Classes::default();
    let mut depth = 0usize;
    let mut labelled = false;
    let mut close = |range: Range<usize>, classes: Classes, is_tagged: bool| {
        if range.len() > 1 || !classes.is_empty() {
            sentences.push(Sentence { tokens: range, classes, is_tagged });
        }
    };
    for (index, token) in tokens.iter().enumerate() {
        let framing = Classes::HIDDEN_TAG | Classes::TEMPLATE_TAG | Classes::COMMENT_TAG;
        if token.shape == Shape::Tag {
            close(start..index, classes, depth > 0 || labelled);
            (start, classes) = (index, token.classes);
            labelled = false;
            if token.classes.any(Classes::CLOSING_TAG) {
                depth = depth.saturating_sub(1);
            } else if token.classes.any(Classes::LABEL) {
                // `[IMPORTANT]` labels the sentence behind it; it opens no block that somebody would close.
                labelled = true;
            } else if token.classes.any(framing) {
                depth += 1;
            }
        } else if token.shape == Shape::Stop {
            close(start..index, classes, depth > 0 || labelled);
            (start, classes) = (index + 1, Classes::default());
            labelled = false;
        } else {
            classes |= token.classes;
        }
    }
    close(start..tokens.len(), classes, depth > 0 || labelled);
}
