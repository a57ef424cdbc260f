//! Rungs on letters: rot13, reversed text, leetspeak and letter-spacing, tried only where words give them away.

use super::signs::Signs;
use super::{Decoded, segment};
use crate::prelude::*;
use crate::text::bytes::Bytes;
use crate::text::lexicon::{Classes, Lexicon};
use crate::text::reading::Passage;
use crate::text::stem;
use crate::text::token::{Shape, Token};

/// The rungs of this file; none of them is climbed twice in a row.
pub(super) const RUNGS: [&str; 4] = ["rot13", "reversed", "leetspeak", "letter-spacing"];

/// Adds what the letters of a text spell another way; false if a part of it was too long to be read.
pub(super) fn decode(
    passage: &Passage<'_>,
    tokens: &[Token],
    signs: &Signs,
    lexicon: &Lexicon,
    found: &mut Vec<Decoded>,
) -> bool {
    let text: &str = &passage.text;
    let count = |class: Classes| {
        let holders = if passage.classes.any(class) { tokens } else { &[] };
        holders.iter().filter(|token| token.classes.any(class)).count()
    };
    let is_rotated_url = || ["uggc://", "uggcf://"].iter().any(|scheme| text.contains(scheme));
    if count(Classes::ROT13) >= 2 || signs.schemes && is_rotated_url() {
        found.push(Decoded { rung: "rot13", text: text.chars().map(rot13).collect() });
    }
    if count(Classes::REVERSED) >= 2 {
        found.push(Decoded { rung: "reversed", text: text.chars().rev().collect() });
    }
    if signs.leet
        && let Some(text) = unleet(text, tokens, lexicon)
    {
        found.push(Decoded { rung: "leetspeak", text });
    }
    let Some(glued) = unspaced(text, tokens, signs) else { return true };
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

fn unleet_byte(byte: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'1' | b'!' => b'i',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' => b't',
        b'8' => b'b',
        b'9' => b'g',
        _ => byte,
    }
}

/// The text with digits read as letters.
fn unleet_text(text: &str) -> String {
    // INVARIANT: ASCII becomes ASCII and all else stays, so what was UTF-8 still is.
    String::from_utf8(text.bytes().map(unleet_byte).collect()).unwrap_or_default()
}

/// The text with digits read as letters, if that makes at least two words of it mean something.
fn unleet(text: &str, tokens: &[Token], lexicon: &Lexicon) -> Option<String> {
    let means_more = |token: &&Token| {
        let width = (token.end - token.start) as usize;
        let may_be_word = matches!(token.shape, Shape::Word | Shape::Identifier) && token.word == 0;
        may_be_word
            && (3..=stem::LONGEST).contains(&width)
            && text
                .get(token.start as usize..token.end as usize)
                .is_some_and(|raw| is_leet(raw) && !lexicon.word(&unleet_text(raw)).classes.is_empty())
    };
    (tokens.iter().filter(means_more).take(2).count() == 2).then(|| unleet_text(text))
}

/// Letters and the digits or signs that stand for letters, some of both.
fn is_leet(raw: &str) -> bool {
    let seen = Bytes::all_of(raw);
    let digits = Bytes::DIGIT.or(Bytes::AT).or(Bytes::DOLLAR);
    seen.any(digits) && seen.any(Bytes::LETTER) && seen.only(digits.or(Bytes::LETTER))
}

/// The letters of runs like `i g n o r e` or `i.g.n.o.r.e`, glued; wider gaps stay gaps between words.
fn unspaced(text: &str, tokens: &[Token], signs: &Signs) -> Option<String> {
    let is_single = |token: &Token| token.end - token.start == 1 && token.shape == Shape::Word;
    // `i.g.n.o.r.e` is one chunk for the tokeniser, so the signs are asked too.
    let has_run = || {
        tokens.iter().filter(|token| is_single(token)).take(5).count() == 5
            && tokens.windows(9).any(|window| window.iter().filter(|token| is_single(token)).count() >= 5)
    };
    if !signs.spaced && !has_run() {
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
