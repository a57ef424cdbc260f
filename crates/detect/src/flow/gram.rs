//! Fingerprints of the bytes of a text, so that a stretch of it is known again wherever it was cut out.

use super::walk::Step;
use crate::prelude::*;

/// Bytes of telling words that make one fingerprint.
const GRAM: usize = 16;
/// The least fingerprint of so many in a row is kept: 20 shared bytes are always found.
const WINDOW: usize = 5;

/// All fingerprints of a text.
pub(crate) fn grams(text: &str, steps: &[Step], mut give: impl FnMut(u64)) {
    if text.len() < GRAM {
        return;
    }
    let telling = telling_bytes(text, steps);
    let (mut grams, mut block) = (Grams::of(&telling), [0; BLOCK]);
    loop {
        let made = grams.fill(&mut block);
        block.iter().take(made).for_each(|gram| give(*gram));
        if made == 0 {
            return;
        }
    }
}

/// The winnowed fingerprints of a text: the least of every window, and whether it is another than the one before.
pub(crate) fn winnowed(text: &str, steps: &[Step], mut give: impl FnMut(u64, bool)) {
    if text.len() < GRAM {
        return;
    }
    let telling = telling_bytes(text, steps);
    let (mut grams, mut block) = (Grams::of(&telling), [0; BLOCK]);
    let (mut given, mut carried, mut is_short) = (u64::MAX, 0, true);
    loop {
        let made = grams.fill(block.get_mut(carried..).unwrap_or_default());
        let filled = carried + made;
        for window in block.get(..filled).unwrap_or_default().windows(WINDOW) {
            let least = window.iter().fold(u64::MAX, |least, gram| least.min(*gram));
            give(least, least != given);
            given = least;
            is_short = false;
        }
        if made == 0 {
            break;
        }
        carried = filled.min(WINDOW - 1);
        block.copy_within(filled - carried..filled, 0);
    }
    // A text shorter than the window still leaves its only fingerprint.
    if let Some(least) = block.iter().take(carried).min().filter(|_| is_short) {
        give(*least, true);
    }
}

/// Fingerprints are made and looked at by turns, so many at once: each loop alone keeps what it needs in registers.
const BLOCK: usize = 128;

/// A fingerprint for each stretch of sixteen bytes; what leaves it runs so far behind what enters.
struct Grams<'t> {
    hash: u64,
    entering: &'t [u8],
    leaving: &'t [u8],
    is_over: bool,
}

impl<'t> Grams<'t> {
    fn of(telling: &'t [u8]) -> Grams<'t> {
        let (first, entering) = telling.split_at_checked(GRAM).unwrap_or_default();
        let hash = first.iter().fold(0u64, |hash, byte| hash.wrapping_mul(BASE).wrapping_add(value(*byte)));
        Grams { hash, entering, leaving: telling, is_over: first.is_empty() }
    }

    /// Writes the next fingerprints, and says how many.
    fn fill(&mut self, block: &mut [u64]) -> usize {
        let mut made = block.len().min(self.entering.len());
        let mut hash = self.hash;
        for ((gram, entering), leaving) in block.iter_mut().zip(self.entering).zip(self.leaving) {
            *gram = scramble(hash);
            let change = value(*entering).wrapping_sub(value(*leaving).wrapping_mul(LEAVING));
            hash = hash.wrapping_mul(BASE).wrapping_add(change);
        }
        self.hash = hash;
        self.entering = self.entering.get(made..).unwrap_or_default();
        self.leaving = self.leaving.get(made..).unwrap_or_default();
        if self.entering.is_empty()
            && !self.is_over
            && let Some(last) = block.get_mut(made)
        {
            *last = scramble(hash);
            self.is_over = true;
            made += 1;
        }
        made
    }
}

fn value(byte: u8) -> u64 {
    u64::from(byte) + 1
}

/// Nearly no word is longer; so many bytes are copied at once.
const WIDE: usize = 16;

/// The bytes of words that say something, in lower case and in one row.
fn telling_bytes(text: &str, steps: &[Step]) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut telling = vec![0; bytes.len() + WIDE];
    let mut length = 0;
    for step in steps {
        let (start, is_telling) = (step.start as usize, !step.is_everyday & !step.is_key);
        let from = bytes.get(start..).and_then(<[u8]>::first_chunk::<WIDE>).filter(|_| step.len() <= WIDE);
        let to = telling.get_mut(length..).unwrap_or_default();
        match (from, to.first_chunk_mut::<WIDE>()) {
            // What stands behind the word is written over by the next one, and so is a word that says nothing: a branch
            // would be foretold wrongly too often.
            (Some(from), Some(to)) => *to = *from,
            _ => {
                let word = bytes.get(start..step.end as usize).unwrap_or_default();
                to.iter_mut().zip(word).for_each(|(to, from)| *to = *from);
            }
        }
        length += step.len() * usize::from(is_telling);
    }
    telling.truncate(length);
    telling.make_ascii_lowercase();
    telling
}

const BASE: u64 = 0x0000_0100_0000_01b3;
const LEAVING: u64 = power(BASE, GRAM);

const fn power(base: u64, times: usize) -> u64 {
    let mut product = 1u64;
    let mut left = times;
    while left > 0 {
        product = product.wrapping_mul(base);
        left -= 1;
    }
    product
}

/// The low bits of a polynomial hash follow the text; the least of several must not.
fn scramble(hash: u64) -> u64 {
    let mixed = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    #[test]
    fn a_stretch_of_twenty_telling_bytes_is_always_found() {
        let source =
            "Quarterly forecast: zirconium shipments to Valparaiso doubled while Antofagasta stalled.";
        let (steps, _) = walk(source, 1000);
        let mut kept = Vec::new();
        winnowed(source, &steps, |hash, is_new| kept.extend(is_new.then_some(hash)));
        for start in 21..40 {
            let copy = format!("fyi {}", &source[start..start + 32].to_uppercase());
            let (steps, _) = walk(&copy, 1000);
            let mut is_found = false;
            grams(&copy, &steps, |hash| is_found |= kept.contains(&hash));
            assert!(is_found, "{copy}");
        }
    }

    #[test]
    fn the_least_of_every_window_is_given_once() {
        // Shorter than a fingerprint, than a window, than a block, and longer than several blocks.
        for letters in [3, 16, 18, 20, 21, 140, 150, 700] {
            let text: String = (0u32..letters).map(|at| char::from(b'a' + (at * at % 23) as u8)).collect();
            let (steps, _) = walk(&text, 1000);
            let mut all = Vec::new();
            grams(&text, &steps, |gram| all.push(gram));
            assert_eq!(all.len(), (text.len() + 1).saturating_sub(GRAM), "{letters}");
            let mut expected: Vec<u64> = all
                .windows(WINDOW.min(all.len().max(1)))
                .filter_map(|window| window.iter().min().copied())
                .collect();
            expected.dedup();
            let mut kept = Vec::new();
            winnowed(&text, &steps, |gram, is_new| kept.extend(is_new.then_some(gram)));
            assert_eq!(kept, expected, "{letters}");
        }
    }
}
