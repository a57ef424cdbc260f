//! The decoding ladder: what base64, hex, escapes, rot13 and their like hide is read as text again.
//!
//! For each text and each rung all that the rung yields becomes one further text, so the number of texts is
//! bounded by rungs and depth, not by how many blobs an attacker writes. Depth and bytes are capped; a cap
//! that is reached is recorded.

mod blocks;
pub(crate) mod letters;
mod runs;
mod segment;
mod signs;

use crate::observe::Cap;
use crate::prelude::*;
use crate::text::lexicon::Lexicon;
use crate::text::reading::Reading;
use crate::tool::Role;
use alloc::borrow::Cow;
use signs::Signs;

/// Encodings inside encodings are followed this deep.
const DEEPEST: usize = 3;
/// Decoded texts per definition.
const MOST_TEXTS: usize = 256;
/// Decoded bytes per definition: this, and four times its own text.
const BASE_BYTES: usize = 1 << 20;

/// What one rung made of a text.
pub(crate) struct Decoded {
    pub(crate) rung: &'static str,
    pub(crate) text: String,
}

/// Adds to `reading` what the ladder finds in its texts.
pub(crate) fn climb(reading: &mut Reading<'_>, lexicon: &Lexicon) {
    let budget = BASE_BYTES + 4 * reading.definition().text.len();
    let mut spent = 0;
    let mut at = 0;
    join_siblings(reading, lexicon);
    while at < reading.passages().len() {
        let (found, is_whole) = rungs(reading, at, lexicon);
        if !is_whole {
            reading.note(Cap::DecodedBytes);
        }
        let Some(passage) = reading.passages().get(at) else { break };
        let (unit, path) = (passage.unit, passage.rungs.clone());
        at += 1;
        for Decoded { rung, text } in found {
            if path.len() >= DEEPEST {
                reading.note(Cap::DecodingDepth);
                break;
            }
            spent += text.len();
            if spent > budget {
                reading.note(Cap::DecodedBytes);
                return;
            }
            if at > MOST_TEXTS + reading.definition().units.len() {
                reading.note(Cap::DecodedTexts);
                return;
            }
            let mut rungs = Vec::with_capacity(path.len() + 1);
            rungs.push(rung);
            rungs.extend_from_slice(&path);
            reading.add(unit, Cow::Owned(text), rungs, lexicon);
        }
    }
}

/// The shortest run of an alphabet worth decoding. What a shorter text may hold are escapes and fragments, which stand for
/// no more bytes than they are written with.
pub(crate) const SHORTEST_RUN: usize = runs::SHORTEST;
/// The shortest text that any rung makes something of: three signs of escapes, and more than two letters beside them.
const SHORTEST: usize = 6;

/// What the decoders of runs make of one text, without climbing further.
pub(crate) fn once(text: &str) -> Vec<Decoded> {
    let mut found = Vec::new();
    if text.len() < SHORTEST {
        return found;
    }
    runs::decode(text, &Signs::of(text), &mut found);
    found
}

/// Everything the rungs make of one text, and whether they got through all of it.
fn rungs(reading: &Reading<'_>, at: usize, lexicon: &Lexicon) -> (Vec<Decoded>, bool) {
    let mut found = Vec::new();
    let Some(passage) = reading.passages().get(at) else { return (found, true) };
    let text: &str = &passage.text;
    if text.len() < runs::SHORTEST {
        return (found, true);
    }
    let signs = Signs::of(text);
    runs::decode(text, &signs, &mut found);
    let is_whole = passage.rungs.first().is_some_and(|rung| letters::RUNGS.contains(rung))
        || letters::decode(passage, reading.tokens(passage), &signs, lexicon, &mut found);
    (found, is_whole)
}

/// Values that stand side by side (enum members, defaults) may be pieces of one text: they are joined once.
fn join_siblings(reading: &mut Reading<'_>, lexicon: &Lexicon) {
    let definition = reading.definition();
    for role in [Role::Value, Role::PropertyName] {
        let Some(first) = definition.units_with(role).next() else { continue };
        let pieces: Vec<&str> = definition.units_with(role).map(|unit| definition.unit_text(unit)).collect();
        if let Some(text) = runs::join_encoded(&pieces) {
            reading.add(first, Cow::Owned(text), vec!["joined fields"], lexicon);
        }
        if let Some(text) = runs::join_commands(&pieces) {
            reading.add(first, Cow::Owned(text), vec!["joined fields"], lexicon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the rungs make of every text of so many of these signs.
    fn every(length: usize, look: &mut impl FnMut(&str, &[Decoded])) {
        const SIGNS: &[u8] = b"%&\\+;0x4nA\"~";
        let mut text = vec![0; length];
        for number in 0..SIGNS.len().pow(length as u32) {
            let mut rest = number;
            for place in &mut text {
                *place = SIGNS[rest % SIGNS.len()];
                rest /= SIGNS.len();
            }
            let (text, mut found) = (core::str::from_utf8(&text).expect("ASCII"), Vec::new());
            runs::decode(text, &Signs::of(text), &mut found);
            look(text, &found);
        }
    }

    #[test]
    fn texts_too_short_for_any_rung_decode_to_nothing() {
        for length in 0..SHORTEST {
            every(length, &mut |text, found| assert!(found.is_empty(), "{text}"));
        }
    }

    #[test]
    fn texts_without_a_run_decode_to_nothing_longer() {
        let check = |text: &str| {
            let mut found = Vec::new();
            runs::decode(text, &Signs::of(text), &mut found);
            assert!(found.iter().all(|decoded| decoded.text.trim().len() <= text.len()), "{text}");
            !found.is_empty()
        };
        let texts = [
            r"\nabcd\\",
            "%41abc%%%",
            "&lt;abcd&&",
            "Ab1c+D2ef",
            r"\x41\x42c\d",
            "%ff%fe%fdab",
            "&#65;&a&bcd",
        ];
        assert!(texts.map(check).into_iter().filter(|is_decoded| *is_decoded).count() >= 2);
        for length in 0..5 {
            every(length, &mut |text, found| assert!(found.iter().all(|one| one.text.len() <= text.len())));
        }
    }
}
