//! Wallet phrases (BIP-39): 12 to 24 words of a fixed list, the last of which carries a checksum.
//!
//! A phrase has no mark to trigger on, but at least 47 bytes of lower-case words of three to eight letters, which ordinary
//! text seldom has: words are looked up only where two lanes of a block hold nothing else. The list is the standard's
//! English one.

use super::signs::{Signs, places};
use crate::prelude::*;
use once_cell::race::OnceBox;
use sha2::{Digest, Sha256};

/// The row hits are given to.
pub(super) const ROW: &str = "wallet_phrase";
/// The checksum is 4 to 8 bits, but twelve words in a row are all of the list.
pub(super) const CONFIDENCE: u16 = 950;

const LIST: &str = include_str!("../../data/bip39-english.txt");
/// Twelve words of three letters and eleven separators hold two such lanes of a block wherever they begin.
const LANE: usize = 16;
const FEWEST: usize = 12;
const MOST: usize = 24;
/// A phrase and the words of the list that may stand around it by chance.
const LONGEST_RUN: usize = MOST + 8;

/// Looks for phrases, block by block.
#[derive(Default)]
pub(super) struct Phrases {
    /// What was read as words of the list is not read again.
    done: usize,
    /// Whether the last lane of the block before may be of a phrase.
    was_plain: bool,
    /// The words around a place, kept for their room.
    words: Vec<Word>,
}

impl Phrases {
    /// Calls `found(start, end)` for every phrase whose second lane is in the block.
    #[inline(always)]
    pub(super) fn look(&mut self, bytes: &[u8], signs: &Signs, mut found: impl FnMut(usize, usize)) {
        const FIRST_BITS: u64 = 0x0001_0001_0001_0001;
        let mut other = signs.no_short_words();
        for half in [8, 4, 2, 1] {
            other |= other >> half;
        }
        let plain = !other & FIRST_BITS;
        let after_plain = plain << LANE | u64::from(self.was_plain);
        self.was_plain = plain >> 48 != 0;
        for place in places(plain & after_plain) {
            // INVARIANT: a lane stands before this one, in this block or the one before.
            let at = (signs.at + place).saturating_sub(LANE);
            if at < self.done {
                continue;
            }
            let lanes = bytes.get(at..at + 2 * LANE).unwrap_or_default();
            let Some(gap) = gap_among_words(lanes, signs.gaps_around(place)) else { continue };
            run_around(bytes, at + gap, &mut self.words);
            if let Some((start, end)) = checked(&self.words) {
                found(start, end);
            }
            self.done = self.words.last().map_or(self.done, |word| word.2);
        }
    }
}

fn is_gap(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\n') | (byte == b',')
}

/// The first gap, if all words between two gaps are of the list.
fn gap_among_words(lanes: &[u8], gaps: u32) -> Option<usize> {
    let mut gaps = places(u64::from(gaps));
    let first = gaps.next()?;
    let mut last = first;
    let list = List::get();
    for gap in gaps {
        let length = gap - last - 1;
        if length > 0 {
            (3..=8).contains(&length).then_some(())?;
            list.number_of(packed_before(lanes, gap, length)?)?;
        }
        last = gap;
    }
    Some(first)
}

/// The word of one to eight letters that ends at `end`, as one number.
fn packed_before(lanes: &[u8], end: usize, length: usize) -> Option<u64> {
    match lanes.get(..end)?.last_chunk() {
        Some(&letters) => Some(u64::from_be_bytes(letters) & u64::MAX >> (64 - 8 * length)),
        None => lanes.get(end - length..end).map(packed),
    }
}

/// A word of the list: its number, where it begins and ends.
type Word = (u16, usize, usize);

/// The words of the list around a gap, as far as they go.
fn run_around(bytes: &[u8], gap: usize, words: &mut Vec<Word>) {
    words.clear();
    let mut start = gap;
    while let Some(word) = word_before(bytes, start).filter(|_| words.len() < MOST) {
        start = word.1;
        words.push(word);
    }
    words.reverse();
    let mut last = words.last().copied();
    while let Some(word) = last.and_then(|word| word_after(bytes, word.2)) {
        last = Some(word);
        // A longer run is a word list; its end is kept, so that it is passed over.
        if words.len() > LONGEST_RUN {
            words.pop();
        }
        words.push(word);
    }
}

/// The longest run of words of a legal count whose checksum holds.
fn checked(words: &[Word]) -> Option<(usize, usize)> {
    if !(FEWEST..=LONGEST_RUN).contains(&words.len()) {
        return None;
    }
    for count in [24, 21, 18, 15, FEWEST] {
        for run in words.windows(count) {
            let numbers: Vec<u16> = run.iter().map(|word| word.0).collect();
            let is_repeated = numbers.iter().all(|number| numbers.first() == Some(number));
            if !is_repeated && checksum_holds(&numbers) {
                return Some((run.first()?.1, run.last()?.2));
            }
        }
    }
    None
}

/// 11 bits per word; one bit in 33 is the start of the SHA-256 of the others.
fn checksum_holds(numbers: &[u16]) -> bool {
    let mut bytes = Vec::with_capacity(40);
    let (mut held, mut bits) = (0u32, 0);
    for &number in numbers {
        held = held << 11 | u32::from(number);
        bits += 11;
        while bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
        held &= (1 << bits) - 1;
    }
    let entropy = numbers.len() * 11 * 32 / 33 / 8;
    let sum_bits = numbers.len() / 3;
    // The last bits stand left in the byte that follows the entropy, whether that byte is full or not.
    let last = bytes.get(entropy).map_or((held << (8 - bits)) as u8, |&byte| byte);
    let digest = Sha256::digest(bytes.get(..entropy).unwrap_or_default());
    digest.first().is_some_and(|first| (first ^ last) >> (8 - sum_bits) == 0)
}

/// The word of the list that ends before the separators that end at `end`.
fn word_before(bytes: &[u8], end: usize) -> Option<Word> {
    let before = bytes.get(..end)?;
    let gap = before.iter().rev().take(3).take_while(|byte| is_gap(**byte)).count();
    let stop = if bytes.get(end).is_some_and(|&byte| is_gap(byte)) { end } else { end.checked_sub(gap)? };
    let length = bytes.get(..stop)?.iter().rev().take(9).take_while(|byte| byte.is_ascii_lowercase()).count();
    let start = stop.checked_sub(length)?;
    Some((number_of(bytes.get(start..stop)?)?, start, stop))
}

/// The word of the list that begins after the separators at `from`.
fn word_after(bytes: &[u8], from: usize) -> Option<Word> {
    let rest = bytes.get(from..)?;
    let gap = rest.iter().take(3).take_while(|byte| is_gap(**byte)).count();
    if gap == 0 {
        return None;
    }
    let length = rest.iter().skip(gap).take(9).take_while(|byte| byte.is_ascii_lowercase()).count();
    let start = from + gap;
    Some((number_of(bytes.get(start..start + length)?)?, start, start + length))
}

/// The words of the list, each as one number, and their places in it.
struct List {
    slots: Vec<(u64, u16)>,
    /// One bit for every hash of a word: most other words are told by it, and it is small enough to stay at hand.
    filter: Vec<u64>,
}

const SLOT_BITS: u32 = 13;
/// Bits of the hash that index [`List::filter`]: 4 KiB.
const FILTER_BITS: u32 = 15;
/// No word is this number.
const FREE: u64 = 0;

impl List {
    fn get() -> &'static List {
        static LIST_OF_WORDS: OnceBox<List> = OnceBox::new();
        LIST_OF_WORDS.get_or_init(|| {
            let mut slots = vec![(FREE, 0); 1 << SLOT_BITS];
            let mut filter = vec![0; 1 << (FILTER_BITS - 6)];
            for (number, word) in (0..u16::MAX).zip(LIST.lines()) {
                let packed = packed(word.as_bytes());
                let mut slot = slot_of(packed);
                while slots.get(slot).is_some_and(|&(taken, _)| taken != FREE) {
                    slot = next_slot(slot);
                }
                if let Some(free) = slots.get_mut(slot) {
                    *free = (packed, number);
                }
                if let Some(bits) = filter.get_mut(filter_slot_of(packed)) {
                    *bits |= filter_bit_of(packed);
                }
            }
            Box::new(List { slots, filter })
        })
    }

    fn number_of(&self, word: u64) -> Option<u16> {
        let bits = self.filter.get(filter_slot_of(word)).copied().unwrap_or_default();
        if bits & filter_bit_of(word) == 0 {
            return None;
        }
        let mut slot = slot_of(word);
        loop {
            let (known, number) = self.slots.get(slot).copied().filter(|&(known, _)| known != FREE)?;
            if known == word {
                return Some(number);
            }
            slot = next_slot(slot);
        }
    }
}

/// A word of at most eight letters as one number.
fn packed(word: &[u8]) -> u64 {
    word.iter().fold(0, |letters, &byte| letters << 8 | u64::from(byte))
}

fn hash_of(word: u64) -> u64 {
    word.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn slot_of(word: u64) -> usize {
    (hash_of(word) >> (64 - SLOT_BITS)) as usize
}

fn filter_slot_of(word: u64) -> usize {
    (hash_of(word) >> (64 - FILTER_BITS + 6)) as usize
}

fn filter_bit_of(word: u64) -> u64 {
    1 << (hash_of(word) >> (64 - FILTER_BITS) & 63)
}

fn next_slot(slot: usize) -> usize {
    (slot + 1) % (1 << SLOT_BITS)
}

fn number_of(word: &[u8]) -> Option<u16> {
    (3..=8).contains(&word.len()).then(|| List::get().number_of(packed(word)))?
}

/// Calls `found(start, end)` for every phrase, looked for around every gap.
#[cfg(test)]
pub(super) fn everywhere(bytes: &[u8], mut found: impl FnMut(usize, usize)) {
    let (mut done, mut words) = (0, Vec::new());
    for gap in (0..bytes.len()).filter(|&at| bytes.get(at).is_some_and(|&byte| is_gap(byte))) {
        if gap >= done {
            run_around(bytes, gap, &mut words);
            if let Some((start, end)) = checked(&words) {
                found(start, end);
            }
            done = words.last().map_or(done, |word| word.2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::signs;
    use super::*;
    use portcullis_sieve::{Machine, Stretch};

    /// A phrase of `count` words, made from bytes so that none is written down.
    fn phrase(count: usize, separator: &str) -> String {
        let entropy: Vec<u8> = (0..count * 4 / 3).map(|byte| (byte * 89 + 41) as u8).collect();
        let mut bits: Vec<bool> = Vec::new();
        let push = |bits: &mut Vec<bool>, byte: u8| bits.extend((0..8).rev().map(|bit| byte >> bit & 1 == 1));
        entropy.iter().for_each(|&byte| push(&mut bits, byte));
        push(&mut bits, Sha256::digest(&entropy)[0]);
        let words: Vec<&str> = LIST.lines().collect();
        let chosen: Vec<&str> = bits
            .chunks_exact(11)
            .take(count)
            .map(|bits| words[bits.iter().fold(0, |number, &bit| number << 1 | usize::from(bit))])
            .collect();
        chosen.join(separator)
    }

    fn find(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        let mut phrases = Phrases::default();
        signs::blocks(text.as_bytes(), &mut |_: Machine, _: &Stretch, signs: &Signs| {
            phrases.look(text.as_bytes(), signs, |start, end| all.push(text[start..end].to_owned()));
        });
        all
    }

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        assert_eq!(LIST.lines().count(), 2048);
        for count in [12, 15, 18, 21, 24] {
            for separator in [" ", "\n", ", "] {
                let words = phrase(count, separator);
                for pad in 0..80 {
                    let text = format!("{}: {words}. The rest.", "X".repeat(pad));
                    assert_eq!(find(&text), core::slice::from_ref(&words), "{count} words after {pad} bytes");
                }
            }
        }
    }

    #[test]
    fn a_wrong_checksum_and_prose_are_not() {
        let words = phrase(12, " ");
        let (head, _) = words.rsplit_once(' ').expect("has blanks");
        let others = ["zoo", "abandon", "ability", "able"].map(|last| find(&format!("{head} {last}")).len());
        assert!(others.iter().sum::<usize>() < 3, "one in sixteen holds by chance");
        assert_eq!(
            find("the quick brown fox jumps over the lazy dog and then runs away from all of the others"),
            [""; 0]
        );
        assert_eq!(find(&"abandon ".repeat(30)), [""; 0]);
    }
}
