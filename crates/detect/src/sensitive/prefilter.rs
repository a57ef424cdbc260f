//! Finds the literals of all rows in a text.
//!
//! Each literal is known by its rarest window of four bytes, which the [sieve](portcullis_sieve) looks for; one bit found
//! by the hash of the window's last three bytes, in any case, tells most of the sieve's false places.

use super::signs;
use crate::prelude::*;
use portcullis_sieve::{BACK, Grams, Machine, Stretch, Window};

/// A literal to look for.
pub(super) struct Literal {
    /// At least three bytes; written in lower case if `any_case`.
    pub(super) text: &'static str,
    pub(super) any_case: bool,
    /// Whether a letter or digit may stand before it.
    pub(super) is_inner: bool,
    /// The row it belongs to.
    pub(super) row: u16,
}

/// How a literal is known: by the window that ends with the byte `last` of it.
struct Entry {
    hash: u32,
    last: u16,
    literal: u16,
}

/// The windows, and the literals behind them.
pub(super) struct Prefilter {
    windows: Grams,
    /// One bit for every hash of three bytes: whether some window ends so.
    filter: Box<[u64]>,
    /// Sorted by hash.
    entries: Vec<Entry>,
    /// Where the entries of a bucket begin; one more than there are buckets.
    buckets: Vec<u16>,
    literals: Vec<Literal>,
}

/// Bits of the hash that index [`Prefilter::filter`]: 4 KiB.
const FILTER_BITS: u32 = 15;
const BUCKET_BITS: u32 = 11;

impl Prefilter {
    pub(super) fn new(literals: Vec<Literal>) -> Self {
        let mut filter = vec![0; 1 << (FILTER_BITS - 6)].into_boxed_slice();
        let mut entries = Vec::with_capacity(literals.len());
        let mut windows = Vec::with_capacity(literals.len());
        for (index, literal) in literals.iter().enumerate() {
            let last = literal.rarest_window();
            windows.push(Window::new(|place, byte| literal.allows((last + place).checked_sub(3), byte)));
            let hash = hash_of(literal.text.as_bytes().get(last - 2..).unwrap_or_default());
            if let Some(word) = filter.get_mut(hash as usize >> (32 - FILTER_BITS + 6)) {
                *word |= 1 << (hash >> (32 - FILTER_BITS) & 63);
            }
            entries.push(Entry { hash, last: short(last), literal: short(index) });
        }
        entries.sort_unstable_by_key(|entry| (entry.hash, entry.literal));
        let bucket_start = |bucket: usize| entries.partition_point(|entry| bucket_of(entry.hash) < bucket);
        let buckets = (0..=1 << BUCKET_BITS).map(|bucket| short(bucket_start(bucket))).collect();
        Prefilter { windows: Grams::new(&windows, commonness), filter, entries, buckets, literals }
    }

    /// Where in the block the window of some literal may end.
    #[inline(always)]
    pub(super) fn places(&self, machine: Machine, stretch: &Stretch) -> u64 {
        let mut sure = 0;
        for place in signs::places(self.windows.look(machine, stretch)) {
            let window = stretch.get(place + BACK - 2..).unwrap_or_default();
            sure |= self.knows(hash_of(window)) << place;
        }
        sure
    }

    /// One if some window ends with three bytes of this hash, else zero.
    #[inline(always)]
    fn knows(&self, hash: u32) -> u64 {
        let word = self.filter.get(hash as usize >> (32 - FILTER_BITS + 6));
        word.map_or(0, |word| word >> (hash >> (32 - FILTER_BITS) & 63) & 1)
    }

    /// Calls `found(row, start, end)` for every literal whose window ends with the byte at `at`.
    pub(super) fn literals_at(&self, bytes: &[u8], at: usize, mut found: impl FnMut(u16, usize, usize)) {
        let hash = hash_of(at.checked_sub(2).and_then(|from| bytes.get(from..)).unwrap_or_default());
        let bucket = bucket_of(hash);
        let (Some(&begin), Some(&end)) = (self.buckets.get(bucket), self.buckets.get(bucket + 1)) else {
            return;
        };
        let entries = self.entries.get(usize::from(begin)..usize::from(end)).unwrap_or_default();
        for entry in entries.iter().filter(|entry| entry.hash == hash) {
            let Some(start) = at.checked_sub(usize::from(entry.last)) else { continue };
            let Some(literal) = self.literals.get(usize::from(entry.literal)) else { continue };
            if literal.is_at(bytes, start) {
                found(literal.row, start, start + literal.text.len());
            }
        }
    }
}

impl Literal {
    /// How far into the literal its rarest window of four bytes ends; it may begin one byte before a prefix.
    fn rarest_window(&self) -> usize {
        let front = if self.is_inner && self.text.len() > 3 { 3 } else { 2 };
        let weight = |place: Option<usize>| match place.and_then(|place| self.text.as_bytes().get(place)) {
            Some(&byte) => commonness(byte),
            // Blanks, quotes and all other marks together.
            None => 400,
        };
        let rarity =
            |last: &usize| (0..4).map(|back| u64::from(weight(last.checked_sub(back)))).product::<u64>();
        (front..self.text.len()).min_by_key(rarity).unwrap_or(2)
    }

    /// Whether `byte` may stand at a place of the literal, or right before it: before a prefix stands no word.
    fn allows(&self, place: Option<usize>, byte: u8) -> bool {
        match place.and_then(|place| self.text.as_bytes().get(place)) {
            Some(wanted) if self.any_case => byte.eq_ignore_ascii_case(wanted),
            Some(wanted) => byte == *wanted,
            None => self.is_inner || !byte.is_ascii_alphanumeric() && byte != b'_',
        }
    }

    /// Whether the literal stands at `start`.
    fn is_at(&self, bytes: &[u8], start: usize) -> bool {
        let wanted = self.text.as_bytes();
        let here = bytes.get(start..start + wanted.len());
        here.is_some_and(|here| here == wanted || self.any_case && here.eq_ignore_ascii_case(wanted))
    }
}

fn short(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The hash of the first three bytes, capitals and small letters alike.
#[inline(always)]
fn hash_of(bytes: &[u8]) -> u32 {
    let Some(&[first, second, third]) = bytes.first_chunk() else { return 0 };
    (u32::from_le_bytes([first, second, third, 0]) | 0x0020_2020).wrapping_mul(0x9E37_79B1)
}

fn bucket_of(hash: u32) -> usize {
    (hash >> (32 - BUCKET_BITS)) as usize
}

/// How common a byte is in JSON and prose, in parts of a thousand, roughly.
fn commonness(byte: u8) -> u32 {
    match byte {
        b' ' | b'"' => 90,
        b'e' | b't' | b'a' | b'i' | b'o' | b'n' | b's' | b'r' => 45,
        b'l' | b'd' | b'c' | b'u' | b'p' | b'm' | b':' | b',' | b'0' | b'1' | b'2' => 22,
        b'f' | b'h' | b'g' | b'y' | b'b' | b'w' | b'v' | b'_' | b'-' | b'.' | b'/' | b'\n' | b'3'..=b'9' => {
            11
        }
        b'k' | b'x' => 6,
        b'A'..=b'Z' => 4,
        b'j' | b'q' | b'z' => 2,
        _ => 3,
    }
}

#[cfg(test)]
impl Prefilter {
    /// Calls `found(row, start, end)` for every literal that stands at `at`.
    pub(super) fn literals_everywhere(
        &self,
        bytes: &[u8],
        at: usize,
        mut found: impl FnMut(u16, usize, usize),
    ) {
        for literal in self.literals.iter().filter(|literal| literal.is_at(bytes, at)) {
            found(literal.row, at, at + literal.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<(u16, usize, usize)> {
        let literals = vec![
            Literal { text: "AKIA", any_case: false, is_inner: false, row: 1 },
            Literal { text: "password", any_case: true, is_inner: true, row: 2 },
            Literal { text: "sk-", any_case: false, is_inner: false, row: 3 },
        ];
        let prefilter = Prefilter::new(literals);
        let mut hits = Vec::new();
        signs::blocks(text.as_bytes(), &mut |machine: Machine, stretch: &Stretch, block: &signs::Signs| {
            for place in signs::places(prefilter.places(machine, stretch)) {
                let found = |row, start, end| hits.push((row, start, end));
                prefilter.literals_at(text.as_bytes(), block.at + place, found);
            }
        });
        hits.sort_unstable();
        hits
    }

    #[test]
    fn literals_are_found_wherever_they_stand() {
        for pad in 0..80 {
            let text = format!("{}AKIA PassWord{} sk-", " ".repeat(pad), "x".repeat(pad));
            let second = pad + 14 + pad;
            assert_eq!(
                find(&text),
                [(1, pad, pad + 4), (2, pad + 5, pad + 13), (3, second, second + 3)],
                "{pad}"
            );
        }
        assert_eq!(find("akia sK-"), []);
        assert_eq!(find("sk-"), [(3, 0, 3)]);
        assert_eq!(find(""), []);
        assert_eq!(find("s"), []);
    }

    #[test]
    fn every_literal_has_three_bytes() {
        for row in super::super::rows::FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(row.literals.iter().all(|literal| literal.len() >= 3), "{}", row.id);
        }
    }
}
