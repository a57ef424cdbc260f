//! Encoded strings in a document: those long enough to hide something go through the decoding ladder once.

use super::signs::{Signs, places};
use super::{Hit, SensitiveData};
use crate::prelude::*;
use crate::text::decode;
use core::ops::Range;

/// The shortest run of an encoding's alphabet that is decoded: a key of 16 bytes in base64.
const SHORTEST: usize = 22;
/// Encoded bytes that are decoded of one block of a document.
const MOST_ENCODED: usize = 1 << 20;
/// Runs longer than this are decoded up to here: credentials are short.
const LONGEST: usize = 1 << 16;

/// Finds the runs that may be encoded, block by block.
#[derive(Default)]
pub(super) struct Runs {
    /// Those that may hide text: told while their bytes are at hand, since most do not.
    found: Vec<Range<usize>>,
    /// Where the last long run ended.
    done: usize,
}

impl Runs {
    /// Takes the runs that have become long enough in this block.
    #[inline(always)]
    pub(super) fn look(&mut self, bytes: &[u8], signs: &Signs) {
        let (codes, before) = signs.codes_and_before();
        let reaches_in = before.leading_ones() + codes.trailing_ones() >= SHORTEST as u32;
        // Bit *n* stays where as many bits from *n* on are set.
        let mut long = codes;
        for more in [1, 2, 4, 8, SHORTEST - 16] {
            long &= long >> more;
        }
        if !reaches_in && long == 0 {
            return;
        }
        for place in places(long | u64::from(reaches_in && codes & 1 == 1)) {
            let at = signs.at + place;
            if at >= self.done {
                let before = bytes.get(self.done..at).unwrap_or_default();
                let start = at - before.iter().rev().take_while(|&&byte| is_code(byte)).count();
                let in_block = (codes >> place).trailing_ones() as usize;
                let beyond =
                    if place + in_block < 64 { &[] } else { bytes.get(at + in_block..).unwrap_or_default() };
                let more = beyond.iter().take_while(|&&byte| is_code(byte)).count();
                self.done = at + in_block + more;
                self.take(bytes, start..self.done);
            }
        }
    }

    fn take(&mut self, bytes: &[u8], run: Range<usize>) {
        if hides_text(decoded_part(bytes, &run)) {
            self.found.push(run);
        }
    }
}

/// Looks through every encoded run; whether all of them could be looked at.
pub(super) fn look(data: &SensitiveData, bytes: &[u8], runs: &Runs, hits: &mut Vec<Hit>) -> bool {
    let mut budget = MOST_ENCODED;
    for whole in &runs.found {
        let run = decoded_part(bytes, whole);
        let Some(left) = budget.checked_sub(run.len()) else { return false };
        budget = left;
        inside(data, run, whole.start, whole.end, hits);
    }
    true
}

/// What is decoded of a run.
fn decoded_part<'b>(bytes: &'b [u8], run: &Range<usize>) -> &'b [u8] {
    bytes.get(run.start..run.end.min(run.start + LONGEST)).unwrap_or_default()
}

/// The alphabets of base64, base32, hex and percent-encoding.
fn is_code(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'%')
}

/// A cheap look at how the run begins: most ids and hashes decode to bytes that are no text.
fn hides_text(run: &[u8]) -> bool {
    let Some(head) = run.first_chunk::<8>() else { return false };
    begins_text(HEX.bits_of(head), 4)
        || begins_text(BASE64.bits_of(head), 6)
        || begins_text(BASE32.bits_of(head), 5)
        || matches!(
            head,
            [b'H', b'4', b's', ..] | [b'e', b'A' | b'F' | b'J' | b'N', ..] | [b'1', b'f', b'8', b'b', ..]
        )
        || memchr::memchr(b'%', run).is_some()
}

const HEX: Alphabet = Alphabet::new(4, &[b"0123456789abcdef", b"0123456789ABCDEF"]);
const BASE64: Alphabet = Alphabet::new(
    6,
    &[
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ],
);
const BASE32: Alphabet = Alphabet::new(5, &[b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"]);

/// What each byte stands for in an encoding.
struct Alphabet {
    digits: [u8; 256],
    /// Bits of a digit.
    width: u32,
}

impl Alphabet {
    /// No digit of any alphabet.
    const NONE: u8 = 1 << 7;

    /// The alphabet whose digits are written in one of these ways.
    const fn new(width: u32, written: &[&[u8]]) -> Alphabet {
        let mut digits = [Alphabet::NONE; 256];
        let mut ways = written;
        while let Some((way, others)) = ways.split_first() {
            let mut rest = *way;
            while let Some((&byte, further)) = rest.split_first() {
                if let Some((_, [digit, ..])) = digits.split_at_mut_checked(byte as usize) {
                    *digit = (way.len() - rest.len()) as u8;
                }
                rest = further;
            }
            ways = others;
        }
        Alphabet { digits, width }
    }

    /// The bits that eight digits stand for.
    fn bits_of(&self, head: &[u8; 8]) -> Option<u64> {
        let (mut bits, mut all) = (0, 0);
        for &byte in head {
            let digit = self.digits.get(usize::from(byte)).copied().unwrap_or(Alphabet::NONE);
            bits = bits << self.width | u64::from(digit);
            all |= digit;
        }
        (all < Alphabet::NONE).then_some(bits)
    }
}

/// Whether the last `count` bytes of the number read as text; UTF-16 has zeros between its letters.
fn begins_text(bits: Option<u64>, count: usize) -> bool {
    let Some(bits) = bits.filter(|&bits| may_be_utf8(bits << (64 - 8 * count))) else { return false };
    let bytes = bits.to_be_bytes();
    let text = bytes.get(8 - count..).unwrap_or_default();
    let is_text = |byte: &u8| (0x20..0x7f).contains(byte) || matches!(byte, b'\n' | b'\r' | b'\t' | 0);
    let is_utf8 = match core::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_utf8 && text.iter().filter(|byte| byte.is_ascii()).all(is_text)
}

/// Whether every byte that goes on a character of UTF-8 follows one that may be gone on; tells most bytes that are no text.
fn may_be_utf8(bytes: u64) -> bool {
    const TOP_BITS: u64 = 0x8080_8080_8080_8080;
    let beyond_ascii = bytes & TOP_BITS;
    let going_on = beyond_ascii & !(bytes << 1);
    going_on & !(beyond_ascii >> 8) == 0
}

/// Hits inside the decoded run, each reported at the run as a whole.
fn inside(data: &SensitiveData, run: &[u8], start: usize, end: usize, hits: &mut Vec<Hit>) {
    let Ok(run) = core::str::from_utf8(run) else { return };
    for decoded in decode::once(run) {
        let best = data.plain(decoded.text.as_bytes()).into_iter().max_by_key(|hit| hit.confidence);
        if let Some(hit) = best {
            hits.push(Hit { start, end, encoding: Some(decoded.rung), ..hit });
        }
    }
}

#[cfg(test)]
impl Runs {
    /// All long runs, found byte by byte.
    pub(super) fn everywhere(bytes: &[u8]) -> Runs {
        let mut runs = Runs::default();
        let mut at = 0;
        for run in bytes.split(|&byte| !is_code(byte)) {
            if run.len() >= SHORTEST {
                runs.take(bytes, at..at + run.len());
            }
            at += run.len() + 1;
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_values_are_found_at_their_run() {
        let data = SensitiveData::new();
        let secret = "key AKIA{cut}QX7TRMSV3BLNWD4K".replace("{cut}", "");
        let base64 = data_encoding::BASE64.encode(secret.as_bytes());
        let hex = data_encoding::HEXLOWER.encode(secret.as_bytes());
        let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for (encoded, encoding) in [(base64, "base64"), (hex, "hex"), (percent, "percent")] {
            let text = format!("{{\"blob\":\"{encoded}\"}}");
            let hits = data.in_text(text.as_bytes());
            let found: Vec<_> = hits.iter().map(|hit| (hit.start, hit.end, hit.encoding)).collect();
            assert_eq!(found, [(9, 9 + encoded.len(), Some(encoding))], "{encoding}");
        }
    }

    #[test]
    fn no_text_is_taken_for_other_bytes() {
        for text in [
            "plain text",
            "caf\u{e9} au lait",
            "\u{65e5}\u{672c}\u{8a9e}",
            "\u{1f600}\u{1f600}",
            "t\0e\0x\0t\0",
        ] {
            let text = text.repeat(3);
            for encoding in [
                data_encoding::BASE64,
                data_encoding::HEXLOWER,
                data_encoding::HEXUPPER,
                data_encoding::BASE32,
            ] {
                assert!(hides_text(encoding.encode(text.as_bytes()).as_bytes()), "{text}");
            }
        }
        assert!(!hides_text(b"b0e7153bf7c3706d85c524e440066559"));
    }

    #[test]
    fn a_bound_that_is_reached_is_told() {
        let data = SensitiveData::new();
        let run = format!("{} ", "QUJD".repeat(LONGEST / 4));
        assert!(data.scan(run.repeat(15).as_bytes()).1);
        assert!(!data.scan(run.repeat(17).as_bytes()).1);
    }
}
