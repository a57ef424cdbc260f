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

/// What the decoders of runs make of one text, without climbing further.
pub(crate) fn once(text: &str) -> Vec<Decoded> {
    let mut found = Vec::new();
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
