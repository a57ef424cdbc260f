//! Bank account numbers: country, its length, and the remainder of 97.

use super::number::runs_in;
use super::{Kind, checksum};
use crate::sensitive::scan::Sink;

/// Countries in order and the lengths of their numbers, from the registry of ISO 13616.
const LENGTHS: [(&[u8; 2], usize); 90] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MG", 27),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
    (b"YE", 30),
];
const LONGEST: usize = 33;

/// Looks around the digit at `at`, the first after two letters.
pub(super) fn look(bytes: &[u8], at: usize, sink: &mut Sink) {
    let Some(start) = at.checked_sub(2) else { return };
    let Some(&[first, second]) = bytes.get(start..at).and_then(<[u8]>::first_chunk) else { return };
    if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) || runs_in(bytes, start) {
        return;
    }
    let Some(length) = length_in([first, second]) else { return };
    let mut number = [0; LONGEST];
    let Some((count, end)) = read(bytes, start, &mut number) else { return };
    let Some((front, body)) = number.get(..count).and_then(|number| number.split_at_checked(4)) else {
        return;
    };
    let is_iban = count == length
        && checksum::remainder(body.iter().chain(front).copied(), 97) == 1
        && body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 6;
    if is_iban {
        let is_filler = body.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
        sink.push_personal(Kind::Iban, start, end, 990, is_filler.then_some("a filler"));
    }
}

/// The length of a country's numbers, in any case.
fn length_in(country: [u8; 2]) -> Option<usize> {
    let country = country.map(|letter| letter.to_ascii_uppercase());
    let found = LENGTHS.binary_search_by_key(&country, |&(name, _)| *name).ok()?;
    LENGTHS.get(found).map(|&(_, length)| length)
}

/// Whether the letters and digits of a value have the check digits of an IBAN.
pub(super) fn has_check(value: &[u8]) -> bool {
    let mut number = [0; LONGEST];
    let mut count = 0;
    for (slot, byte) in number.iter_mut().zip(value.iter().filter(|byte| byte.is_ascii_alphanumeric())) {
        *slot = *byte;
        count += 1;
    }
    let parts = number.get(..count).and_then(|number| number.split_at_checked(4));
    parts.is_some_and(|(front, body)| checksum::remainder(body.iter().chain(front).copied(), 97) == 1)
}

/// The letters and digits of the number, whole or in groups of four, how many there are, and where it ends.
fn read(bytes: &[u8], start: usize, number: &mut [u8; LONGEST]) -> Option<(usize, usize)> {
    let mark = bytes.get(start + 4).copied().filter(|mark| matches!(mark, b' ' | b'-'));
    // In groups, a word may follow after a blank: only its country's length tells where the number ends.
    let wanted = length_in([*bytes.get(start)?, *bytes.get(start + 1)?])?;
    let (mut count, mut at) = (0, start);
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() {
            if count == wanted {
                return None;
            }
            *number.get_mut(count)? = *byte;
            count += 1;
            at += 1;
        } else if count < wanted && count % 4 == 0 && mark == Some(*byte) {
            at += 1;
        } else {
            break;
        }
    }
    Some((count, at))
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "iban",
    yes: &[
        "IBAN GB29NWBK60161331926819",
        "my iban is gb29nwbk60161331926819",
        "DE89 3704 0044 0532 0130 00 at",
        "DE89-3704-0044-0532-0130-00",
        "{\"iban\":\"FR1420041010050500013M02606\"}",
        "NL91ABNA0417164300.",
        "NO93 8601 1117 947",
    ],
    no: &[
        "GB29NWBK60161331926818",
        "GB29NWBK6016133192681",
        "XX29NWBK60161331926819",
        "GB29NWBK601613319268190",
        "AGB29NWBK60161331926819",
        "SE2024051312000000000001",
        "de305d54-75b4-431b-adb2-eb6b9e546014",
        "order DE8937040044",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_countries_are_in_order() {
        assert!(LENGTHS.is_sorted_by_key(|(name, _)| *name));
    }
}
