//! Descriptions that are near-copies of one another: a bottom-k sketch of word shingles finds candidates.

use super::rows::Rows;
use crate::prelude::*;
use crate::text::unicode::is_unspaced;
use core::hash::{BuildHasher, Hasher};
use foldhash::fast::FixedState;

/// Words in one shingle.
const SHINGLE: usize = 4;
/// Hashes kept of each description.
const KEPT: usize = 12;
/// Of longer descriptions the beginning stands for the whole.
const MOST_WORDS: usize = 400;
/// Shorter descriptions say too little to be copied.
const FEWEST_WORDS: usize = 12;

/// The smallest hashes of a description's shingles, smallest first; two near-copies share most of them. Of each the lower
/// half is kept: the upper halves of what is smallest are much alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    hashes: Box<[u32]>,
}

impl Sketch {
    pub(super) fn of(description: &str) -> Self {
        let words = word_hashes(description);
        if words.len() < FEWEST_WORDS {
            return Sketch::default();
        }
        let mut hashes: Vec<u64> = Vec::with_capacity(KEPT + 1);
        for shingle in words.windows(SHINGLE) {
            let mix = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            keep_smallest(&mut hashes, shingle.iter().fold(0, mix));
        }
        Sketch { hashes: hashes.into_iter().map(|hash| hash as u32).collect() }
    }

    /// The share of hashes two sketches have in common, in thousandths.
    pub(crate) fn likeness(&self, other: &Sketch) -> u16 {
        let most = self.hashes.len().max(other.hashes.len());
        if most == 0 {
            return 0;
        }
        let shared = self.hashes.iter().filter(|hash| other.hashes.contains(hash)).count();
        u16::try_from(shared * 1000 / most).unwrap_or(1000)
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.hashes)
    }
}

/// The share of words two descriptions have in common, in thousandths of the longer one.
pub(crate) fn shared_words(a: &str, b: &str) -> u16 {
    let (mut a, mut b) = (word_hashes(a), word_hashes(b));
    a.sort_unstable();
    b.sort_unstable();
    let (most, mut shared) = (a.len().max(b.len()), 0);
    let mut rest = b.iter().peekable();
    for word in &a {
        while rest.next_if(|other| *other < word).is_some() {}
        shared += usize::from(rest.next_if_eq(&word).is_some());
    }
    u16::try_from(shared * 1000 / most.max(1)).unwrap_or(1000)
}

/// Puts a hash into its place among the smallest, each once.
fn keep_smallest(hashes: &mut Vec<u64>, hash: u64) {
    if hashes.len() == KEPT && hashes.last().is_some_and(|largest| *largest <= hash) {
        return;
    }
    if let Err(place) = hashes.binary_search(&hash) {
        hashes.insert(place, hash);
        hashes.truncate(KEPT);
    }
}

/// A hash of every word, case folded; in unspaced scripts of every character.
fn word_hashes(description: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    if description.is_ascii() {
        let words = description.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(MOST_WORDS);
        hashes.extend(words.map(|word| hash_of(word.iter().copied().map(char::from))));
        return hashes;
    }
    for word in
        description.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        if hashes.len() >= MOST_WORDS {
            break;
        }
        if word.chars().next().is_some_and(is_unspaced) {
            hashes.extend(word.chars().map(|character| hash_of(core::iter::once(character))));
        } else {
            hashes.push(hash_of(word.chars()));
        }
    }
    hashes
}

fn hash_of(characters: impl Iterator<Item = char>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    characters.for_each(|character| hasher.write_u32(u32::from(character.to_ascii_lowercase())));
    hasher.finish()
}

/// Sketch hashes of all tools of a registry.
#[derive(Default)]
pub(super) struct CopyIndex {
    /// A hash, the [`order`] of a tool that has it, and the tool's seat.
    by_hash: Rows<3>,
}

impl CopyIndex {
    pub(super) fn insert(&mut self, seat: u32, order: u32, sketch: &Sketch) {
        indexed(sketch).for_each(|hash| self.by_hash.insert([hash, order, seat]));
    }

    pub(super) fn remove(&mut self, seat: u32, order: u32, sketch: &Sketch) {
        indexed(sketch).for_each(|hash| self.by_hash.remove(&[hash, order, seat]));
    }

    /// Tools that share one of the smallest hashes; bounded, because boilerplate is shared by thousands.
    pub(super) fn candidates(&self, sketch: &Sketch) -> Vec<u32> {
        let of_hash = |hash| self.by_hash.beginning(&[hash]).iter().take(16).map(|[_, _, seat]| *seat);
        let mut seats: Vec<u32> = indexed(sketch).flat_map(of_hash).collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.by_hash.bytes()
    }
}

/// A fixed order of entries that does not depend on when a server was put in.
pub(super) fn order(server: &str, tool: &str) -> u32 {
    (hash_of(server.chars().chain(core::iter::once('/')).chain(tool.chars())) >> 32) as u32
}

/// The hashes a tool is found by: near-copies share nearly all, so a few suffice.
fn indexed(sketch: &Sketch) -> impl Iterator<Item = u32> {
    sketch.hashes.iter().take(INDEXED).copied()
}

/// How many of the kept hashes are indexed.
const INDEXED: usize = 4;
