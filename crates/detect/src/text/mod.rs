//! Reading text: what is hidden in it, what its words do, and where they stand.

mod bytes;
pub(crate) mod decode;
pub(crate) mod eight;
pub(crate) mod fold;
mod grams;
pub(crate) mod lexicon;
pub(crate) mod position;
pub(crate) mod reading;
pub(crate) mod sensitive;
pub(crate) mod show;
pub(crate) mod stem;
pub(crate) mod token;
pub(crate) mod unicode;

use crate::prelude::*;
use stem::Stem;
use token::{Shape, Token};

/// The normal form of a text: NFKC, invisibles stripped, lower case, one space between words, contractions
/// opened, look-alikes folded in words of mixed script, English words lightly stemmed.
///
/// Normalising twice is normalising once.
pub fn normalise(text: &str) -> String {
    let mut normal = once(text);
    // Opening one form can reveal another (a full-width sign becomes an ASCII one); a few rounds settle it.
    for _ in 0..MOST_ROUNDS {
        let again = once(&normal);
        if again == normal {
            break;
        }
        normal = again;
    }
    normal
}

/// Nested forms are seldom deeper than two; the bound only keeps hostile text from buying work.
const MOST_ROUNDS: usize = 24;

fn once(text: &str) -> String {
    let lexicon = lexicon::Lexicon::shipped();
    let mut tokens: Vec<Token> = Vec::new();
    token::tokenise(text, lexicon, &mut tokens);
    let mut normal = String::with_capacity(text.len());
    let mut last = (u32::MAX, u32::MAX);
    for token in &tokens {
        let raw = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        if (token.start, token.end) == last {
            // A contraction was opened: both of its words carry the bytes of the whole.
            continue;
        }
        last = (token.start, token.end);
        push_normal(&mut normal, raw, token.shape);
    }
    normal
}

fn push_normal(normal: &mut String, raw: &str, shape: Shape) {
    let folded = fold::word(raw);
    let words: Vec<String> = match (shape, folded.split_once('\'')) {
        (Shape::Word, Some((head, tail))) => fold::open_contraction(head, tail).map(stemmed).collect(),
        (Shape::Word, None) => vec![stemmed(&folded)],
        // What hangs on the end of a path is no part of it, and a path of slashes is none.
        (Shape::Path | Shape::Url | Shape::Identifier | Shape::Number | Shape::Email, _) => folded
            .split_whitespace()
            .map(|part| {
                part.trim_end_matches(|end: char| end.is_ascii_punctuation() && end != '_').to_owned()
            })
            .filter(|part| part.chars().any(char::is_alphanumeric))
            .collect(),
        _ => folded.split_whitespace().map(ToOwned::to_owned).collect(),
    };
    for word in words.iter().filter(|word| !word.is_empty()) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
}

fn stemmed(word: &str) -> String {
    match Stem::of(word) {
        Some(stem) => String::from_utf8_lossy(stem.as_bytes()).into_owned(),
        None => word.to_owned(),
    }
}
