//! US social security numbers: `ddd-dd-dddd` in the ranges that were ever given out.

use super::Kind;
use super::context::{self, Words};
use super::number::{Number, is_filler, runs_in, runs_on};
use crate::sensitive::scan::Sink;

const WORDS: Words = Words::new(&["ssn*", "social security", "social_security", "social-security"]);
const SIZES: [u8; 3] = [3, 2, 4];
/// Printed on a specimen card and in advertisements; nobody's.
const DOCUMENTED: [&[u8]; 3] = [b"078051120", b"219099999", b"457555462"];

/// With dashes the shape says enough; with blanks or without any marks only a label does.
pub(super) fn look(bytes: &[u8], start: usize, number: &Number, sink: &mut Sink) {
    let is_dashed = number.is_grouped(&SIZES, b'-');
    let is_spaced = number.is_grouped(&SIZES, b' ');
    let is_bare = number.sizes().first() == Some(&9);
    if !is_dashed && !is_spaced && !is_bare {
        return;
    }
    let groups = if is_bare { 1 } else { SIZES.len() };
    let (digits, end) = (number.digits(groups), number.end(groups));
    if !is_given_out(digits) || runs_in(bytes, start) || runs_on(bytes, end) {
        return;
    }
    if !is_dashed && !context::before(bytes, start, &WORDS) {
        return;
    }
    let is_example = DOCUMENTED.contains(&digits) || is_filler(digits);
    sink.push_personal(Kind::Ssn, start, end, 950, is_example.then_some("a documented example"));
}

/// Area 000, 666 and 900 and above, group 00 and serial 0000 were never given out.
pub(super) fn is_given_out(digits: &[u8]) -> bool {
    match digits {
        [b'0', b'0', b'0', ..] | [b'6', b'6', b'6', ..] | [b'9', ..] => false,
        [_, _, _, b'0', b'0', ..] | [.., b'0', b'0', b'0', b'0'] => false,
        _ => digits.len() == 9,
    }
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "ssn",
    yes: &[
        "SSN 536-22-8471",
        "{\"ssn\":\"212-09-7694\"}",
        "my social security number is 401 55 3821.",
        "ssn: 401553821",
        "(536-22-8471)",
    ],
    no: &[
        "000-12-3456",
        "666-12-3456",
        "912-45-6789",
        "536-00-8471",
        "536-22-0000",
        "078-05-1120",
        "order 536-22-84712",
        "1536-22-8471",
        "part A-536-22-8471",
        "536-22-8471-9",
        "536 22 8471",
        "call 536-228-8471",
        "2024-10-1234",
        "{\"id\":401553821}",
    ],
};
