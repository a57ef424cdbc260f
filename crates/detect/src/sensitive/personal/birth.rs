//! Dates of birth: a date, and a word that says whose life it begins.

use super::context::{self, Words};
use super::number::{Number, runs_in};
use super::{Kind, checksum};
use crate::sensitive::scan::Sink;

const WORDS: Words = Words::new(&[
    "dob",
    "d.o.b",
    "birth*",
    "dateofbirth",
    "born",
    "geboren*",
    "geb",
    "geburt*",
    "naissance",
    "né le",
    "née le",
    "nacimiento",
    "nacid*",
    "nascita",
    "nascimento",
    "nascid*",
    "nato il",
    "nata il",
    "geboorte*",
    "urodz*",
    "fødselsdato",
    "födelsedatum",
]);
const MONTHS: [&[u8]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
/// Nobody alive was born earlier.
const EARLIEST: u32 = 1900;
const LATEST: u32 = 2030;

/// `1990-01-02`, `02.01.1990`, `1/2/1990` and the like. Says whether it is a date at all, which nothing else is then.
pub(super) fn look(bytes: &[u8], start: usize, number: &Number, sink: &mut Sink) -> bool {
    let mark = number.marks().first().copied().unwrap_or(b' ');
    let is_date = match number.sizes() {
        [4, 1 | 2, 1 | 2, ..] => is_year(number.digits(1)),
        [1 | 2, 1 | 2, 4, ..] => {
            let digits = number.digits(3);
            is_year(digits.get(digits.len() - 4..).unwrap_or_default())
        }
        _ => false,
    };
    let is_marked = mark != b' ' && number.marks().get(1) == Some(&mark);
    let is_year_first = number.sizes().first() == Some(&4);
    let parts_fit = || {
        let mut rest = number.digits(3).get(if is_year_first { 4 } else { 0 }..).unwrap_or_default();
        number.sizes().iter().take(3).filter(|size| **size < 4).all(|&size| {
            let (part, further) = rest.split_at_checked(usize::from(size)).unwrap_or_default();
            rest = further;
            (1..=31).contains(&part.iter().fold(0, |value, digit| value * 10 + checksum::value(*digit)))
        })
    };
    let is_date = is_date && is_marked && parts_fit();
    if is_date && !runs_in(bytes, start) && context::before(bytes, start, &WORDS) {
        sink.push_personal(Kind::DateOfBirth, start, number.end(3), 900, None);
    }
    is_date
}

/// `2 January 1990` and `January 2, 1990`, seen at the day's digits, which end at `end`.
pub(super) fn look_in_words(bytes: &[u8], start: usize, end: usize, sink: &mut Sink) {
    let after = bytes.get(end..).unwrap_or_default();
    let suffix = [&b"st"[..], b"nd", b"rd", b"th", b"."].into_iter().find(|suffix| after.starts_with(suffix));
    let after_day = end + suffix.map_or(0, |suffix| suffix.len());
    let found = month_then_year(bytes, after_day)
        .map(|stop| (start, stop))
        .or_else(|| Some((month_before(bytes, start)?, year_after(bytes, after_day)?)));
    let Some((from, to)) = found else { return };
    if context::before(bytes, from, &WORDS) {
        sink.push_personal(Kind::DateOfBirth, from, to, 900, None);
    }
}

fn month_then_year(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b" ")?;
    let rest = rest.strip_prefix(b"of ").unwrap_or(rest);
    let name = rest.iter().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    is_month(rest.get(..name)?).then_some(())?;
    year_after(bytes, bytes.len() - rest.len() + name)
}

fn month_before(bytes: &[u8], day: usize) -> Option<usize> {
    let before = bytes.get(..day)?.strip_suffix(b" ")?;
    let name = before.iter().rev().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let start = before.len() - name;
    is_month(before.get(start..)?).then_some(start)
}

fn is_month(name: &[u8]) -> bool {
    let head = name.get(..3).unwrap_or_default();
    MONTHS.iter().any(|month| head.eq_ignore_ascii_case(month))
}

/// The end of a year that stands at `at` after a blank or a comma.
fn year_after(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let blank = rest.iter().take(2).take_while(|byte| matches!(byte, b' ' | b',')).count();
    let year = rest.get(blank..blank + 4)?;
    let stops = !rest.get(blank + 4).is_some_and(u8::is_ascii_alphanumeric);
    (blank > 0 && stops && is_year(year)).then_some(at + blank + 4)
}

fn is_year(digits: &[u8]) -> bool {
    let year = digits.iter().fold(0, |year, digit| year * 10 + u32::from(digit.wrapping_sub(b'0')));
    digits.iter().all(u8::is_ascii_digit) && (EARLIEST..=LATEST).contains(&year)
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "date_of_birth",
    yes: &[
        "{\"dob\":\"1990-01-02\"}",
        "date_of_birth: 02/01/1990",
        "geboren am 2.1.1990",
        "She was born on 12 March 1990 in",
        "Born: March 12, 1990",
        "dateOfBirth\":\"1990-01-02T00:00:00Z\"",
        "née le 02/01/1990",
    ],
    no: &[
        "1990-01-02",
        "due on 02/01/1990",
        "born in 1990",
        "dob: 1790-01-02",
        "dob: 1990-45-02",
        "{\"dob\":null,\"created\":\"1990-01-02\"}",
    ],
};
