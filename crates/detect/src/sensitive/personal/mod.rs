//! Personal data: what names or reaches a person, confirmed by structure and checksum.
//!
//! Each kind has a file of its own with its examples. Numbers are looked at once: most are dismissed by their length
//! and the byte after them, before any kind is asked.

mod birth;
mod card;
mod checksum;
mod context;
mod email;
mod iban;
mod ip;
mod national;
mod number;
mod phone;
mod phone_words;
mod plans;
mod ssn;

use super::scan::Sink;
use super::signs::{Signs, places};
use super::{Facts, Family, Severity, Strength};
use crate::prelude::*;
use number::Number;
pub(super) use phone::calling_code_length;

/// The kinds of personal data, in the order of [`KINDS`].
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A mail address.
    Email,
    /// A telephone number, international or national.
    Phone,
    /// A network address, version 4 or 6.
    Ip,
    /// An international bank account number.
    Iban,
    /// A payment card.
    Card,
    /// A US social security number.
    Ssn,
    /// A date beside a word that says it is of a birth.
    DateOfBirth,
    /// Brazil: taxpayer, a person.
    BrCpf,
    /// Brazil: taxpayer, a company.
    BrCnpj,
    /// France: social security.
    FrNir,
    /// Germany: tax identification number.
    DeTaxId,
    /// United Kingdom: health service.
    UkNhs,
    /// United Kingdom: national insurance.
    UkNino,
    /// Netherlands: citizen service number.
    NlBsn,
    /// Poland: register of persons.
    PlPesel,
    /// Sweden: personal or coordination number.
    SePersonnummer,
    /// India: identity number.
    InAadhaar,
    /// Canada: social insurance.
    CaSin,
    /// Australia: tax file number.
    AuTfn,
    /// Spain: identity number of citizens (DNI) and foreigners (NIE).
    EsDni,
    /// Finland: personal identity code.
    FiHetu,
    /// Italy: fiscal code.
    ItCodiceFiscale,
}

const fn kind(id: &'static str, strength: Strength, severity: Severity) -> Facts<'static> {
    Facts { id, kind: id, family: Family::Personal, strength, severity }
}

/// Id, strength and severity of each kind; the type it counts as is its id.
const KINDS: [Facts<'static>; 22] = [
    kind("email", Strength::Bound, Severity::Medium),
    kind("phone", Strength::Bound, Severity::Medium),
    kind("ip", Strength::Bound, Severity::Low),
    kind("iban", Strength::Bound, Severity::High),
    kind("card", Strength::Bound, Severity::Critical),
    kind("ssn", Strength::Bound, Severity::Critical),
    kind("date_of_birth", Strength::Keyword, Severity::Medium),
    kind("br_cpf", Strength::Bound, Severity::High),
    kind("br_cnpj", Strength::Bound, Severity::Medium),
    kind("fr_nir", Strength::Bound, Severity::Critical),
    kind("de_tax_id", Strength::Keyword, Severity::High),
    kind("uk_nhs", Strength::Keyword, Severity::High),
    kind("uk_nino", Strength::Keyword, Severity::High),
    kind("nl_bsn", Strength::Keyword, Severity::Critical),
    kind("pl_pesel", Strength::Keyword, Severity::Critical),
    kind("se_personnummer", Strength::Keyword, Severity::Critical),
    kind("in_aadhaar", Strength::Keyword, Severity::Critical),
    kind("ca_sin", Strength::Keyword, Severity::Critical),
    kind("au_tfn", Strength::Keyword, Severity::High),
    kind("es_dni", Strength::Keyword, Severity::High),
    kind("fi_hetu", Strength::Bound, Severity::Critical),
    kind("it_codice_fiscale", Strength::Bound, Severity::High),
];

/// How many kinds there are.
pub(super) const COUNT: usize = KINDS.len();

/// What is known about the kind with this index.
pub(super) fn facts(index: usize) -> Facts<'static> {
    KINDS.get(index).copied().unwrap_or(KINDS[0])
}

/// The check a custom pattern may ask for by name; separators do not count.
pub(super) fn validator(name: &str) -> Option<fn(&[u8]) -> bool> {
    match name {
        "luhn" => Some(|value| checksum::luhn(&digits_of(value))),
        "ssn_group" => Some(|value| ssn::is_given_out(&digits_of(value))),
        "iban" => Some(iban::has_check),
        _ => None,
    }
}

fn digits_of(value: &[u8]) -> Vec<u8> {
    value.iter().copied().filter(u8::is_ascii_digit).collect()
}

/// Looks at all places of a block that may be of something personal.
#[inline(always)]
pub(super) fn look(bytes: &[u8], signs: &Signs, sink: &mut Sink) {
    for place in places(signs.numbers()) {
        look_at_number(bytes, signs.at + place, sink);
    }
    for place in places(signs.at_signs()) {
        email::look(bytes, signs.at + place, sink);
    }
    for place in places(signs.codes()) {
        look_at_code(bytes, signs.at + place, sink);
    }
    for place in places(signs.colons()) {
        ip::look_v6(bytes, signs.at + place, sink);
    }
}

/// Looks at the number that begins at `start`.
fn look_at_number(bytes: &[u8], start: usize, sink: &mut Sink) {
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let (before, further) = (byte(start.checked_sub(1)), byte(start.checked_sub(2)));
    // Decimals, the later parts of dates and times, the later groups of a number.
    if matches!(before, b'.' | b'-' | b'/' | b':') && further.is_ascii_digit() {
        return;
    }
    let rest = bytes.get(start..).unwrap_or_default();
    let size = rest.iter().take(21).take_while(|byte| byte.is_ascii_digit()).count();
    let end = start + size;
    let (after, next) = (byte(Some(end)), byte(Some(end + 1)));
    let is_marked = match after {
        b' ' | b'-' | b'.' | b'/' => next.is_ascii_digit() || next == b'(',
        b')' => before == b'(',
        b'(' => before == b'+',
        _ => false,
    };
    if is_marked || size >= 7 || before == b'+' {
        look_at_long_number(bytes, start, end, is_marked, sink);
    } else if size == 6 && matches!(after, b'A'..=b'Y' | b'+') {
        national::look_lettered(bytes, start, end, sink);
    } else if size <= 2 && may_be_day(after, next) {
        birth::look_in_words(bytes, start, end, sink);
    }
}

/// `2 May`, `2nd of May`, `May 2, 1990`: what stands after the day.
fn may_be_day(after: u8, next: u8) -> bool {
    match after {
        b' ' => next.is_ascii_alphabetic() || next == b'1' || next == b'2',
        b',' | b'.' => next == b' ',
        _ => matches!((after, next), (b's', b't') | (b'n', b'd') | (b'r', b'd') | (b't', b'h')),
    }
}

/// A number long enough, or in groups.
fn look_at_long_number(bytes: &[u8], start: usize, end: usize, is_marked: bool, sink: &mut Sink) {
    let (size, after) = (end - start, bytes.get(end).copied().unwrap_or(b' '));
    if is_marked && after == b'.' && is_decimal(bytes, end + 1) {
        return;
    }
    let number = Number::read(bytes, start);
    if is_marked && after == b'.' {
        // A decimal, unless more dots follow.
        if number.sizes().len() < 3 && !number.sizes().is_empty() {
            return;
        }
        ip::look_v4(bytes, start, sink);
    }
    if size <= 4 && is_marked && after != b' ' && birth::look(bytes, start, &number, sink) {
        return;
    }
    if matches!(size, 6 | 8) {
        national::look_lettered(bytes, start, end, sink);
    }
    if size == 2 && after == b' ' {
        national::look_spaced(bytes, start, sink);
    }
    ssn::look(bytes, start, &number, sink);
    card::look(bytes, start, &number, sink);
    national::look_at_number(bytes, start, &number, sink);
    phone::look(bytes, start, sink);
}

/// Whether the digits at `at`, which follow a number and a dot, are followed by no further group.
fn is_decimal(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let size = rest.iter().take(21).take_while(|byte| byte.is_ascii_digit()).count();
    !matches!(rest.get(size), Some(b' ' | b'-' | b'.' | b'/'))
}

/// Looks at a digit after a letter: the account number or code it may stand in.
fn look_at_code(bytes: &[u8], at: usize, sink: &mut Sink) {
    let byte = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let (letter, before) = (byte(1), byte(2));
    if before == b'\\' && matches!(letter, b'n' | b'r' | b't') {
        look_at_number(bytes, at, sink);
    }
    if before.is_ascii_alphabetic() && (!byte(3).is_ascii_alphanumeric() || byte(4) == b'\\') {
        iban::look(bytes, at, sink);
    }
    if letter.is_ascii_uppercase() {
        national::look_at_code(bytes, at, sink);
    }
}

/// Looks at one byte for everything, whatever it is.
#[cfg(test)]
pub(super) fn look_everywhere(bytes: &[u8], at: usize, sink: &mut Sink) {
    let byte = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    match byte(0) {
        b'0'..=b'9' if byte(1).is_ascii_alphabetic() => look_at_code(bytes, at, sink),
        b'0'..=b'9' if !byte(1).is_ascii_digit() && byte(1) != b'_' => look_at_number(bytes, at, sink),
        b'@' => email::look(bytes, at, sink),
        b':' if byte(1) == b':' || byte(1).is_ascii_hexdigit() => ip::look_v6(bytes, at, sink),
        _ => {}
    }
}

/// All examples of all kinds.
#[cfg(test)]
pub(super) fn examples() -> impl Iterator<Item = &'static str> {
    tests::all_examples().into_iter().flat_map(|examples| examples.yes.iter().chain(examples.no).copied())
}

/// Texts in which a kind must be found, and look-alikes in which it must not.
#[cfg(test)]
struct Examples {
    kind: &'static str,
    yes: &'static [&'static str],
    no: &'static [&'static str],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensitive::SensitiveData;

    pub(super) fn all_examples() -> Vec<&'static Examples> {
        let single = [
            &email::EXAMPLES,
            &phone::EXAMPLES,
            &ip::EXAMPLES,
            &iban::EXAMPLES,
            &card::EXAMPLES,
            &ssn::EXAMPLES,
            &birth::EXAMPLES,
        ];
        single.into_iter().chain(national::EXAMPLES.into_iter().flatten()).collect()
    }

    #[test]
    fn every_kind_knows_its_own_examples() {
        let data = SensitiveData::new();
        let mut wrong = Vec::new();
        for examples in all_examples() {
            assert!(examples.yes.len() >= 2 && examples.no.len() >= 2, "{}", examples.kind);
            let sure = |text: &str| {
                let hits = data.in_text(text.as_bytes());
                hits.iter().any(|hit| data.facts(hit.row).id == examples.kind && hit.doubt.is_none())
            };
            let inside = |yes: &str| {
                [yes.to_owned(), format!("so: {yes} and"), format!("{{\"text\":\"see\\n{yes}\\nend\"}}")]
            };
            let missed = examples.yes.iter().flat_map(|yes| inside(yes)).filter(|text| !sure(text));
            wrong.extend(missed.map(|text| format!("{} is missed in {text}", examples.kind)));
            let alarms = examples.no.iter().filter(|text| sure(text));
            wrong.extend(alarms.map(|text| format!("{} is found in {text}", examples.kind)));
        }
        assert_eq!(wrong, [] as [String; 0]);
    }

    #[test]
    fn every_kind_has_examples() {
        let mut with_examples: Vec<&str> = all_examples().iter().map(|examples| examples.kind).collect();
        let mut kinds: Vec<&str> = KINDS.iter().map(|facts| facts.id).collect();
        with_examples.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(with_examples, kinds);
    }
}
