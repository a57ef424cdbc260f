//! Rungs on letters: rot13, reversed text, leetspeak and letter-spacing, tried only where words give them away.

use super::{Decoded, segment};
use crate::prelude::*;
use crate::text::lexicon::{Classes, Lexicon};
use crate::text::token::{Shape, Token};

/// The rungs of this file; none of them is climbed twice in a row.
pub(super) const RUNGS: [&str; 4] = ["rot13", "reversed", "leetspeak", "letter-spacing"];

/// Adds what the letters of `text` spell another way; false if a part of it was too long to be read.
pub(super) fn decode(text: &str, tokens: &[Token], lexicon: &Lexicon, found: &mut Vec<Decoded>) -> bool {
    let count = |class: Classes| tokens.iter().filter(|token| token.classes.any(class)).count();
    if count(Classes::ROT13) >= 2 || text.contains("uggc://") || text.contains("uggcf://") {
        found.push(Decoded { rung: "rot13", text: text.chars().map(rot13).collect() });
    }
    if count(Classes::REVERSED) >= 2 {
        found.push(Decoded { rung: "reversed", text: text.chars().rev().collect() });
    }
    if let Some(text) = unleet(text, tokens, lexicon) {
        found.push(Decoded { rung: "leetspeak", text });
    }
    let Some(glued) = unspaced(text, tokens) else { return true };
    let (text, is_cut_short) = segment::words(&glued, lexicon);
    found.push(Decoded { rung: "letter-spacing", text });
    !is_cut_short
}

/// The letter thirteen places on.
pub(crate) fn rot13(character: char) -> char {
    let rotate = |base: u8, character: char| {
        let letter = u8::try_from(u32::from(character)).unwrap_or(base) - base;
        char::from(base + (letter + 13) % 26)
    };
    match character {
        'a'..='z' => rotate(b'a', character),
        'A'..='Z' => rotate(b'A', character),
        _ => character,
    }
}

fn unleet_char(character: char) -> char {
    match character {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        _ => character,
    }
}

/// The text with digits read as letters, if that makes at least two words of it mean something.
fn unleet(text: &str, tokens: &[Token], lexicon: &Lexicon) -> Option<String> {
    if !text.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b'$')) {
        return None;
    }
    let mut revealed = 0;
    for token in tokens.iter().filter(|token| matches!(token.shape, Shape::Word | Shape::Identifier)) {
        if token.word != 0 || token.end - token.start < 3 {
            continue;
        }
        let raw = text.get(token.start as usize..token.end as usize)?;
        let digits = raw.bytes().filter(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b'$')).count();
        let letters = raw.bytes().filter(u8::is_ascii_alphabetic).count();
        if digits == 0 || letters == 0 || digits + letters < raw.len() {
            continue;
        }
        let plain: String = raw.chars().map(unleet_char).collect();
        revealed += usize::from(!lexicon.word(&plain).classes.is_empty());
    }
    (revealed >= 2).then(|| text.chars().map(unleet_char).collect())
}

/// The letters of runs like `i g n o r e` or `i.g.n.o.r.e`, glued; wider gaps stay gaps between words.
fn unspaced(text: &str, tokens: &[Token]) -> Option<String> {
    let is_single = |token: &Token| token.end - token.start == 1 && token.shape == Shape::Word;
    let has_run = tokens.iter().filter(|token| is_single(token)).count() >= 5
        && tokens.windows(9).any(|window| window.iter().filter(|token| is_single(token)).count() >= 5);
    if !has_run && !has_glued_run(text) {
        return None;
    }
    let mut glued = String::new();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let (run, next) = letter_run(&characters, at);
        if run.len() >= 4 {
            glued.push_str(&run);
            glued.push(' ');
            at = next;
        } else {
            at += 1;
        }
    }
    (glued.len() >= 8).then_some(glued)
}

/// `i.g.n.o.r.e` is one chunk for the tokeniser: look for single letters between equal separators.
fn has_glued_run(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_gap = |byte: &u8| matches!(byte, b'.' | b'-' | b'_' | b'*' | b'|' | b' ');
    let is_piece = |byte: &u8| byte.is_ascii_graphic() && !is_gap(byte);
    bytes.windows(7).any(|window| match window {
        // The gaps first: most text fails on them at once.
        [a, x, b, y, c, z, d] => {
            is_gap(x) && is_gap(y) && is_gap(z) && [a, b, c, d].into_iter().all(is_piece)
        }
        _ => false,
    })
}

/// A run of single characters that starts at `at`, glued, and where it ends.
fn letter_run(characters: &[char], at: usize) -> (String, usize) {
    let mut run = String::new();
    let get = |index: usize| characters.get(index).copied();
    let Some(separator) = get(at + 1).filter(|c| matches!(c, ' ' | '.' | '-' | '_' | '*' | '|')) else {
        return (run, at + 1);
    };
    let is_piece = |c: char| !c.is_whitespace() && c != separator;
    if at > 0 && get(at - 1).is_some_and(is_piece) {
        return (run, at + 1);
    }
    let mut index = at;
    while let Some(character) = get(index).filter(|c| is_piece(*c)) {
        run.push(character);
        match (get(index + 1), get(index + 2)) {
            (Some(gap), Some(next)) if gap == separator && is_piece(next) => index += 2,
            // A blank, or two separators, mark the gap between words.
            (Some(gap), Some(_)) if gap.is_whitespace() || gap == separator => {
                let skip = (1..4).find(|offset| get(index + offset).is_some_and(is_piece)).unwrap_or(4);
                if skip == 4 || get(index + skip + 1).is_some_and(|after| after != separator) {
                    index += 1;
                    break;
                }
                run.push(' ');
                index += skip;
            }
            _ => {
                index += 1;
                break;
            }
        }
    }
    (run, index.max(at + 1))
}
