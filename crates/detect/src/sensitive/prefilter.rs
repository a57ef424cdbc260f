//! One walk over the bytes that finds every place where some row may match.
//!
//! Each literal is known by its rarest pair of neighbouring bytes; a table of all pairs says at one look whether
//! anything can stand here. Digits, `@`, `://` and the like are pairs too, so personal data costs no walk of its own.
//! Where a literal's pair stands, one bit found by the hash of four bytes tells most of the false ones.

use crate::prelude::*;

/// What may stand at a place; several bits may be set.
pub(super) mod trigger {
    /// Some literal may stand around here, known by four bytes that end with this pair.
    pub(in crate::sensitive) const LITERAL: u8 = 1;
    /// The same, known by four bytes that begin with this pair.
    pub(in crate::sensitive) const LITERAL_AHEAD: u8 = 64;
    /// A number begins at the second byte.
    pub(in crate::sensitive) const NUMBER: u8 = 2;
    /// The second byte is `@` after a character that may end a mailbox.
    pub(in crate::sensitive) const AT: u8 = 4;
    /// `:/`, as in a URL.
    pub(in crate::sensitive) const SCHEME: u8 = 8;
    /// A letter, then a digit: an IBAN, a national id or a number after an escape may stand around here.
    pub(in crate::sensitive) const CODE: u8 = 16;
    /// A colon after a hexadecimal digit or a colon: an IPv6 address may stand around here.
    pub(in crate::sensitive) const COLON: u8 = 32;
}

/// A literal to look for.
pub(super) struct Literal {
    /// Written in lower case if `any_case`.
    pub(super) text: &'static str,
    pub(super) any_case: bool,
    /// Whether a letter or digit may stand before it.
    pub(super) is_inner: bool,
    /// The row it belongs to.
    pub(super) row: u16,
}

/// Four bytes that end or begin with a literal's rarest pair.
struct Entry {
    gram: u32,
    /// How far into the literal the pair ends.
    last: u16,
    literal: u16,
}

/// The tables of pairs and of four-byte windows, and the literals behind them.
pub(super) struct Prefilter {
    /// For every pair of bytes, what it may be a sign of.
    pairs: Box<[u8]>,
    /// One bit for every hash of four bytes: whether some literal has such a window.
    grams: Box<[u64]>,
    /// Sorted by bucket.
    entries: Vec<Entry>,
    /// Where the entries of a bucket begin; one more than there are buckets.
    buckets: Vec<u16>,
    literals: Vec<Literal>,
}

/// Bits of the hash that index [`Prefilter::grams`]: 32 KiB.
const GRAM_BITS: u32 = 18;
const BUCKET_BITS: u32 = 13;

impl Prefilter {
    pub(super) fn new(literals: Vec<Literal>) -> Self {
        let mut pairs = personal_pairs();
        let mut grams = vec![0; 1 << (GRAM_BITS - 6)].into_boxed_slice();
        let mut entries = Vec::with_capacity(literals.len() * 16);
        for (index, literal) in literals.iter().enumerate() {
            let Windows { last, is_ahead, grams: windows } = Windows::of(literal);
            for gram in windows {
                let hash = hash_of(gram) >> (32 - GRAM_BITS);
                if let Some(word) = grams.get_mut(hash as usize >> 6) {
                    *word |= 1 << (hash & 63);
                }
                let pair = if is_ahead { gram & 0xffff } else { gram >> 16 };
                if let Some(triggers) = pairs.get_mut(pair as usize) {
                    *triggers |= if is_ahead { trigger::LITERAL_AHEAD } else { trigger::LITERAL };
                }
                entries.push(Entry { gram, last: short(last), literal: short(index) });
            }
        }
        entries.sort_unstable_by_key(|entry| (hash_of(entry.gram), entry.gram, entry.literal));
        let bucket_start = |bucket: usize| entries.partition_point(|entry| bucket_of(entry.gram) < bucket);
        let buckets = (0..=1 << BUCKET_BITS).map(|bucket| short(bucket_start(bucket))).collect();
        Prefilter { pairs, grams, entries, buckets, literals }
    }

    /// Calls `visit(at, triggers)` for every pair of bytes whose second is at `at` and that is a sign of something.
    pub(super) fn walk(&self, bytes: &[u8], mut visit: impl FnMut(usize, u8)) {
        let pair = |bits: u64| self.pairs.get(usize::from(bits as u16)).copied().unwrap_or(0);
        // Nothing stands before the first byte; a blank takes the place.
        let mut before = b' ';
        let mut at = 0;
        let (blocks, rest) = bytes.as_chunks::<8>();
        for block in blocks {
            let second = u64::from_le_bytes(*block);
            let first = second << 8 | u64::from(before);
            let mut found = u64::from_le_bytes([
                pair(first),
                pair(second),
                pair(first >> 16),
                pair(second >> 16),
                pair(first >> 32),
                pair(second >> 32),
                pair(first >> 48),
                pair(second >> 48),
            ]);
            while found != 0 {
                let lane = found.trailing_zeros() / 8;
                visit(at + lane as usize, (found >> (lane * 8)) as u8);
                found &= !(0xff << (lane * 8));
            }
            before = (second >> 56) as u8;
            at += 8;
        }
        for &byte in rest {
            let triggers = pair(u64::from(u16::from_le_bytes([before, byte])));
            if triggers != 0 {
                visit(at, triggers);
            }
            before = byte;
            at += 1;
        }
    }

    /// Calls `found(row, start, end)` for every literal whose rarest pair ends at `at`, as the triggers say.
    pub(super) fn literals_at(
        &self,
        bytes: &[u8],
        at: usize,
        triggers: u8,
        mut found: impl FnMut(u16, usize, usize),
    ) {
        if triggers & trigger::LITERAL != 0 {
            self.literals_of(gram_at(bytes, at, 3), bytes, at, &mut found);
        }
        if triggers & trigger::LITERAL_AHEAD != 0 {
            self.literals_of(gram_at(bytes, at, 1), bytes, at, &mut found);
        }
    }

    fn literals_of(&self, gram: u32, bytes: &[u8], at: usize, found: &mut impl FnMut(u16, usize, usize)) {
        let hash = hash_of(gram) >> (32 - GRAM_BITS);
        if self.grams.get(hash as usize >> 6).is_none_or(|word| word >> (hash & 63) & 1 == 0) {
            return;
        }
        let bucket = bucket_of(gram);
        let (Some(&begin), Some(&end)) = (self.buckets.get(bucket), self.buckets.get(bucket + 1)) else {
            return;
        };
        let entries = self.entries.get(usize::from(begin)..usize::from(end)).unwrap_or_default();
        for entry in entries.iter().filter(|entry| entry.gram == gram) {
            let Some(start) = at.checked_sub(usize::from(entry.last)) else { continue };
            let Some(literal) = self.literals.get(usize::from(entry.literal)) else { continue };
            let stop = start + literal.text.len();
            let Some(here) = bytes.get(start..stop) else { continue };
            let wanted = literal.text.as_bytes();
            if here == wanted || literal.any_case && here.eq_ignore_ascii_case(wanted) {
                found(literal.row, start, stop);
            }
        }
    }
}

fn short(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn hash_of(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

fn bucket_of(gram: u32) -> usize {
    (hash_of(gram) >> (32 - BUCKET_BITS)) as usize
}

fn personal_pairs() -> Box<[u8]> {
    let mut pairs = vec![0; 1 << 16].into_boxed_slice();
    for first in 0..=255u8 {
        let is_word = first.is_ascii_alphanumeric() || first == b'_';
        let number = if is_word { 0 } else { trigger::NUMBER };
        let code = if first.is_ascii_alphabetic() { trigger::CODE } else { 0 };
        let mut mark = |second: u8, triggers: u8| {
            if let Some(slot) = pairs.get_mut(usize::from(u16::from_le_bytes([first, second]))) {
                *slot |= triggers;
            }
        };
        (b'0'..=b'9').for_each(|digit| mark(digit, number | code));
        if is_word || !first.is_ascii() || matches!(first, b'-' | b'+' | b'.') {
            mark(b'@', trigger::AT);
        }
        if first == b':' {
            mark(b'/', trigger::SCHEME);
        }
        if first == b':' || first.is_ascii_hexdigit() {
            mark(b':', trigger::COLON);
        }
    }
    pairs
}

/// The four bytes that begin `back` bytes before `at`; blanks stand where the text does not reach.
fn gram_at(bytes: &[u8], at: usize, back: usize) -> u32 {
    let window = at.checked_sub(back).and_then(|from| bytes.get(from..)).and_then(<[u8]>::first_chunk::<4>);
    u32::from_le_bytes(window.copied().unwrap_or_else(|| {
        core::array::from_fn(|index| {
            (at + index).checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ')
        })
    }))
}

/// How a literal is known.
struct Windows {
    /// How far into the literal its rarest pair ends.
    last: usize,
    /// Whether the four bytes begin with the pair rather than end with it.
    is_ahead: bool,
    /// The four bytes, in every spelling they may have.
    grams: Vec<u32>,
}

impl Windows {
    /// In a literal of three bytes the window reaches over whatever may stand before or after it.
    fn of(literal: &Literal) -> Windows {
        let bytes = literal.text.as_bytes();
        let rarity = |pair: &[u8]| pair.iter().map(|&byte| commonness(byte)).product::<u32>();
        let rarest = bytes.windows(2).enumerate().min_by_key(|(_, pair)| rarity(pair));
        let last = rarest.map_or(0, |(offset, _)| offset + 1);
        let is_ahead = last < 3 && bytes.len() >= last + 3 || last < 2;
        let first = if is_ahead { last.checked_sub(1) } else { last.checked_sub(3) };
        let mut grams: Vec<u32> = vec![0];
        for index in 0..4_usize {
            // INVARIANT: no first place means that the window begins one byte before the literal.
            let place = first.map_or(index.checked_sub(1), |first| Some(first + index));
            let byte = place.and_then(|place| bytes.get(place));
            let spellings = spellings(byte, place.is_none() && !literal.is_inner, literal.any_case);
            let add = |gram: u32| spellings.iter().map(move |&byte| gram | u32::from(byte) << (index * 8));
            grams = grams.into_iter().flat_map(add).collect();
        }
        Windows { last, is_ahead, grams }
    }
}

/// The bytes that may stand for one of a literal, or beside it: before a prefix stands no letter or digit.
fn spellings(byte: Option<&u8>, is_front: bool, any_case: bool) -> Vec<u8> {
    match byte {
        Some(&byte) if any_case && byte.is_ascii_alphabetic() => {
            vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
        }
        Some(&byte) => vec![byte],
        None if is_front => {
            (0..=255u8).filter(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').collect()
        }
        None => (0..=255).collect(),
    }
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
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<(u16, usize, usize)> {
        let literals = vec![
            Literal { text: "AKIA", any_case: false, is_inner: false, row: 1 },
            Literal { text: "password", any_case: true, is_inner: true, row: 2 },
            Literal { text: "sk-", any_case: false, is_inner: true, row: 3 },
        ];
        let prefilter = Prefilter::new(literals);
        let mut hits = Vec::new();
        prefilter.walk(text.as_bytes(), |at, flags| {
            prefilter.literals_at(text.as_bytes(), at, flags, |row, start, end| hits.push((row, start, end)));
        });
        hits.sort_unstable();
        hits
    }

    #[test]
    fn literals_are_found_wherever_they_stand() {
        for pad in 0..20 {
            let text = format!("{}AKIA PassWord{}sk-", " ".repeat(pad), "x".repeat(pad));
            let second = pad + 13 + pad;
            assert_eq!(
                find(&text),
                [(1, pad, pad + 4), (2, pad + 5, pad + 13), (3, second, second + 3)],
                "{pad}"
            );
        }
        assert_eq!(find("akia sK-"), []);
        assert_eq!(find(""), []);
        assert_eq!(find("s"), []);
    }

    #[test]
    fn numbers_and_marks_trigger() {
        let prefilter = Prefilter::new(Vec::new());
        let mut seen = Vec::new();
        prefilter.walk(b"1 a@b :// x9 +4", |at, flags| seen.push((at, flags)));
        assert_eq!(
            seen,
            [
                (0, trigger::NUMBER),
                (3, trigger::AT),
                (7, trigger::SCHEME),
                (11, trigger::CODE),
                (14, trigger::NUMBER)
            ]
        );
    }
}
