//! Codes that begin with letters.

use super::numeric::dni;
use crate::sensitive::personal::Kind;
use crate::sensitive::personal::context::{self, Words};
use crate::sensitive::personal::number::{is_filler, runs_in, runs_on};
use crate::sensitive::scan::Sink;

/// The code says enough.
const NO_WORDS: Words = Words::new(&[]);
const NIE_WORDS: Words = Words::new(&["dni", "nif", "nie", "extranjer*"]);
const NINO_WORDS: Words =
    Words::new(&["nino", "national insurance", "national_insurance*", "ni number", "insurance"]);

/// Looks around the digit at `at`, the first after a capital.
pub(in crate::sensitive::personal) fn look(bytes: &[u8], at: usize, sink: &mut Sink) {
    let before = bytes.get(..at).unwrap_or_default();
    let letters = before.iter().rev().take(7).take_while(|byte| byte.is_ascii_uppercase()).count();
    let start = at - letters;
    let rest = bytes.get(start..).unwrap_or_default();
    let (kind, length, words) = match letters {
        1 => (Kind::EsDni, nie(rest), &NIE_WORDS),
        2 => (Kind::UkNino, nino(rest), &NINO_WORDS),
        6 => (Kind::ItCodiceFiscale, fiscal_code(rest), &NO_WORDS),
        _ => return,
    };
    report(bytes, start, kind, length, words, sink);
}

/// Looks at the digits at `at`, before which two letters and a blank may stand: `AB 12 34 56 C`.
pub(in crate::sensitive::personal) fn look_spaced(bytes: &[u8], at: usize, sink: &mut Sink) {
    let Some(start) = at.checked_sub(3) else { return };
    let rest = bytes.get(start..).unwrap_or_default();
    report(bytes, start, Kind::UkNino, nino(rest), &NINO_WORDS, sink);
}

fn report(bytes: &[u8], start: usize, kind: Kind, length: Option<usize>, words: &Words, sink: &mut Sink) {
    let Some(end) = length.map(|length| start + length) else { return };
    if runs_in(bytes, start) || runs_on(bytes, end) {
        return;
    }
    if words.is_empty() || context::before(bytes, start, words) {
        sink.push_personal(kind, start, end, 900, None);
    }
}

/// `X1234567L`: the first letter stands for a digit.
fn nie(text: &[u8]) -> Option<usize> {
    let mut number = *text.first_chunk::<8>()?;
    let first = number.first_mut()?;
    *first = match *first {
        letter @ b'X'..=b'Z' => letter - b'X' + b'0',
        _ => return None,
    };
    let dash = usize::from(text.get(8) == Some(&b'-'));
    let is_number = number.iter().all(u8::is_ascii_digit) && !is_filler(&number);
    (is_number && text.get(8 + dash) == Some(&dni(&number))).then_some(9 + dash)
}

/// `AB123456C`, also in pairs: no check digit, but letters that are never used.
fn nino(text: &[u8]) -> Option<usize> {
    let (prefix, rest) = text.split_first_chunk::<2>()?;
    let [first, second] = *prefix;
    if !first.is_ascii_uppercase() || !second.is_ascii_uppercase() {
        return None;
    }
    let is_unused = |letter: u8| b"DFIQUV".contains(&letter);
    if is_unused(first)
        || is_unused(second)
        || second == b'O'
        || b"BGGBNKKNTNNTZZ".chunks(2).any(|no| no == prefix)
    {
        return None;
    }
    let mut digits = 0;
    for (at, byte) in (2..).zip(rest.iter().take(12)) {
        match byte {
            b'0'..=b'9' if digits < 6 => digits += 1,
            b' ' if digits % 2 == 0 => {}
            b'A'..=b'D' if digits == 6 => return Some(at + 1),
            _ => return None,
        }
    }
    None
}

/// `RSSMRA85T10A562S`: name, year, month letter, day, place, check letter.
fn fiscal_code(text: &[u8]) -> Option<usize> {
    /// What a digit or letter counts at an odd place.
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let code = text.first_chunk::<16>()?;
    let shape = b"aaaaaa00m00a000a";
    let fits = code.iter().zip(shape).all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit() || b"LMNPQRSTUV".contains(byte),
        b'm' => b"ABCDEHLMPRST".contains(byte),
        _ => byte.is_ascii_uppercase(),
    });
    let (check, body) = code.split_last()?;
    let sum: u32 = body
        .iter()
        .enumerate()
        .map(|(index, byte)| {
            let value = u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte.wrapping_sub(b'A') });
            let odd = ODD.get(value as usize).copied().unwrap_or(0);
            if index % 2 == 0 { odd } else { value }
        })
        .sum();
    (fits && u32::from(check - b'A') == sum % 26).then_some(code.len())
}

#[cfg(test)]
pub(in crate::sensitive::personal) const EXAMPLES: [super::super::Examples; 2] = {
    use crate::sensitive::personal::Examples;
    [
        Examples {
            kind: "uk_nino",
            yes: &["NINO AB123456C", "National Insurance number: JG 10 37 59 A"],
            no: &["AB123456C", "NINO BG123456C", "NINO AB123456E", "NINO AB1234567C", "NINO DA123456C"],
        },
        Examples {
            kind: "it_codice_fiscale",
            yes: &["RSSMRA85T10A562S", "codice fiscale MRTMTT91D08F205J"],
            no: &["RSSMRA85T10A562T", "RSSMRA85Z10A562S", "XRSSMRA85T10A562S"],
        },
    ]
};
