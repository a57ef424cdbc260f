//! Wallet phrases (BIP-39): 12 to 24 words of a fixed list, the last of which carries a checksum.
//!
//! A phrase has no mark to trigger on, but at least 47 bytes of lower-case letters and single separators, so every
//! 32nd place is probed and ordinary text fails within a few bytes. The list is the standard's English one.

use crate::prelude::*;
use once_cell::race::OnceBox;
use sha2::{Digest, Sha256};

/// The row hits are given to.
pub(super) const ROW: &str = "wallet_phrase";
/// The checksum is 4 to 8 bits, but twelve words in a row are all of the list.
pub(super) const CONFIDENCE: u16 = 950;

const LIST: &str = include_str!("../../data/bip39-english.txt");
/// Twelve words of three letters and eleven separators hold such a block wherever they begin.
const STRIDE: usize = 32;
const PROBE: usize = 16;
const FEWEST: usize = 12;
const MOST: usize = 24;
/// A phrase and the words of the list that may stand around it by chance.
const LONGEST_RUN: usize = MOST + 8;

/// Calls `found(start, end)` for every phrase.
pub(super) fn look(bytes: &[u8], mut found: impl FnMut(usize, usize)) {
    let mut at = 0;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<PROBE>()) {
        // Without short cuts, so that it compiles to a few vector instructions.
        let is_plain = block.iter().fold(true, |all, &byte| all & (byte.is_ascii_lowercase() | is_gap(byte)));
        let run = if is_plain { run_around(bytes, at) } else { Vec::new() };
        if let Some((start, end)) = checked(&run) {
            found(start, end);
        }
        // What was read as words of the list is not read again.
        at = run.last().map_or(0, |word| word.2).max(at + STRIDE);
    }
}

fn is_gap(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\n') | (byte == b',')
}

/// A word of the list: its number, where it begins and ends.
type Word = (u16, usize, usize);

/// The words of the list around the first gap behind `at`, as far as they go.
fn run_around(bytes: &[u8], at: usize) -> Vec<Word> {
    let block = bytes.get(at..at + PROBE).unwrap_or_default();
    let Some(gap) = block.iter().position(|&byte| is_gap(byte)) else { return Vec::new() };
    let mut words: Vec<Word> = Vec::new();
    let mut start = at + gap;
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
    words
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

/// The words of the list and, by the hash of the first four letters, which differ in all of them, their numbers.
struct List {
    words: Vec<&'static str>,
    slots: Vec<u16>,
}

const SLOT_BITS: u32 = 13;
const NO_WORD: u16 = u16::MAX;

impl List {
    fn get() -> &'static List {
        static LIST_OF_WORDS: OnceBox<List> = OnceBox::new();
        LIST_OF_WORDS.get_or_init(|| {
            let words: Vec<&str> = LIST.lines().collect();
            let mut slots = vec![NO_WORD; 1 << SLOT_BITS];
            for (number, word) in (0..NO_WORD).zip(&words) {
                let mut slot = slot_of(word.as_bytes());
                while slots.get(slot).is_some_and(|&taken| taken != NO_WORD) {
                    slot = next_slot(slot);
                }
                if let Some(free) = slots.get_mut(slot) {
                    *free = number;
                }
            }
            Box::new(List { words, slots })
        })
    }

    fn number_of(&self, word: &[u8]) -> Option<u16> {
        let mut slot = slot_of(word);
        loop {
            let number = self.slots.get(slot).copied().filter(|&number| number != NO_WORD)?;
            if self.words.get(usize::from(number)).is_some_and(|known| known.as_bytes() == word) {
                return Some(number);
            }
            slot = next_slot(slot);
        }
    }
}

fn slot_of(word: &[u8]) -> usize {
    let letters = word.iter().take(4).fold(0, |letters, &byte| letters << 8 | u32::from(byte));
    (letters.wrapping_mul(0x9E37_79B1) >> (32 - SLOT_BITS)) as usize
}

fn next_slot(slot: usize) -> usize {
    (slot + 1) % (1 << SLOT_BITS)
}

fn number_of(word: &[u8]) -> Option<u16> {
    (3..=8).contains(&word.len()).then(|| List::get().number_of(word))?
}

#[cfg(test)]
mod tests {
    use super::*;

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
        look(text.as_bytes(), |start, end| all.push(text[start..end].to_owned()));
        all
    }

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        assert_eq!(LIST.lines().count(), 2048);
        for count in [12, 15, 18, 21, 24] {
            for separator in [" ", "\n", ", "] {
                let words = phrase(count, separator);
                for pad in 0..40 {
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
