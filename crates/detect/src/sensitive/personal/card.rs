//! Payment cards: an issuer's leading digits, a length it uses, groups as cards are printed, and the check digit.

use super::context::{self, Words};
use super::number::{Number, is_filler, runs_in, runs_on};
use super::{Kind, checksum};
use crate::sensitive::scan::Sink;

/// The first and last leading digits of an issuer, as many digits as its numbers are told apart by, and its lengths.
struct Issuer {
    first: u32,
    last: u32,
    lengths: core::ops::RangeInclusive<usize>,
    /// Enough for a bare number without a label: a length that few other numbers have.
    is_telling: bool,
}

const fn issuer(first: u32, last: u32, least: usize, most: usize, is_telling: bool) -> Issuer {
    Issuer { first, last, lengths: least..=most, is_telling }
}

const ISSUERS: [Issuer; 26] = [
    // Visa; 13 digits on old cards, 19 on some debit cards.
    issuer(4, 4, 16, 16, true),
    issuer(4, 4, 13, 13, false),
    issuer(4, 4, 18, 19, false),
    // Mastercard.
    issuer(51, 55, 16, 16, true),
    issuer(2221, 2720, 16, 16, true),
    // American Express.
    issuer(34, 34, 15, 15, true),
    issuer(37, 37, 15, 15, true),
    // Diners Club.
    issuer(300, 305, 14, 19, false),
    issuer(3095, 3095, 14, 19, false),
    issuer(36, 36, 14, 19, false),
    issuer(38, 39, 14, 19, false),
    // Discover.
    issuer(6011, 6011, 16, 16, true),
    issuer(644, 659, 16, 16, true),
    issuer(6011, 6011, 17, 19, false),
    issuer(644, 659, 17, 19, false),
    // UnionPay.
    issuer(62, 62, 16, 16, true),
    issuer(62, 62, 17, 19, false),
    // JCB; 15 digits on old cards.
    issuer(3528, 3589, 16, 16, true),
    issuer(35, 35, 16, 19, false),
    issuer(1800, 1800, 15, 15, false),
    issuer(2131, 2131, 15, 15, false),
    // RuPay, Elo, Mir, Troy.
    issuer(60, 60, 16, 16, false),
    issuer(2200, 2205, 16, 19, false),
    issuer(9792, 9792, 16, 16, false),
    // Maestro.
    issuer(50, 50, 12, 19, false),
    issuer(56, 69, 12, 19, false),
];

/// As printed on cards and typed from them.
const GROUPINGS: [&[u8]; 9] = [
    &[4, 4, 4, 4],
    &[4, 4, 4, 4, 3],
    &[4, 6, 5],
    &[4, 6, 4],
    &[4, 5, 6],
    &[4, 4, 4, 3],
    &[4, 4, 5],
    &[6, 13],
    &[4, 4, 4],
];

const WORDS: Words = Words::new(&[
    "card",
    "creditcard*",
    "debitcard*",
    "cardnumber*",
    "cardno*",
    "ccnum*",
    "cc",
    "ccn",
    "pan",
    "visa",
    "mastercard",
    "amex",
    "american express",
    "maestro",
    "discover",
    "diners",
    "jcb",
    "unionpay",
    "karte*",
    "kreditkarte*",
    "carte",
    "tarjeta",
    "carta di credito",
]);
/// What numbers are that only look like a card's.
const OTHER_WORDS: Words = Words::new(&[
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "order",
    "invoice",
    "tracking",
    "track",
    "reference",
    "ref",
    "transaction",
    "txn",
    "timestamp",
    "time",
    "serial",
    "sku",
    "barcode",
    "imei",
    "isbn",
    "ean",
    "session",
]);

/// Printed in the documentation of payment sandboxes; nobody can pay with them.
const DOCUMENTED: [&[u8]; 19] = [
    b"4242424242424242",
    b"4111111111111111",
    b"4012888888881881",
    b"4000056655665556",
    b"4000000000000002",
    b"4222222222222",
    b"5555555555554444",
    b"5105105105105100",
    b"5200828282828210",
    b"2223003122003222",
    b"378282246310005",
    b"371449635398431",
    b"378734493671000",
    b"6011111111111117",
    b"6011000990139424",
    b"3566002020360505",
    b"3530111333300000",
    b"30569309025904",
    b"38520000023237",
];

pub(super) fn look(bytes: &[u8], start: usize, number: &Number, sink: &mut Sink) {
    let is_card = |groups: &usize| {
        let digits = number.digits(*groups);
        ISSUERS.iter().any(|issuer| issuer.has(digits)) && checksum::luhn(digits)
    };
    let found = match number.sizes().first() {
        Some(12..=19) => Some(1).filter(is_card),
        Some(4 | 6) => groupings(number).find(is_card),
        _ => None,
    };
    let Some(groups) = found else { return };
    let (digits, end) = (number.digits(groups), number.end(groups));
    if runs_in(bytes, start) || runs_on(bytes, end) {
        return;
    }
    let is_telling = ISSUERS.iter().any(|issuer| issuer.is_telling && issuer.has(digits));
    let is_named = context::before(bytes, start, &WORDS);
    let is_other = groups == 1 && context::before(bytes, start, &OTHER_WORDS);
    if !is_named && (!is_telling || is_other) {
        return;
    }
    let body = digits.get(1..digits.len() - 1).unwrap_or_default();
    let is_example = DOCUMENTED.contains(&digits) || is_filler(body) || has_long_repeat(digits);
    let confidence = if is_named || groups > 1 { 970 } else { 900 };
    sink.push_personal(Kind::Card, start, end, confidence, is_example.then_some("a documented test card"));
}

/// Six equal digits in a row: sandboxes number their cards so, issuers hardly ever.
fn has_long_repeat(digits: &[u8]) -> bool {
    digits.windows(6).any(|run| run.windows(2).all(|pair| matches!(pair, [a, b] if a == b)))
}

impl Issuer {
    fn has(&self, digits: &[u8]) -> bool {
        let width = self.first.ilog10() as usize + 1;
        let head = digits.iter().take(width).fold(0, |head, digit| head * 10 + u32::from(digit - b'0'));
        (self.first..=self.last).contains(&head) && self.lengths.contains(&digits.len())
    }
}

/// How many groups may make a card: the first ones, sized as on one.
fn groupings(number: &Number) -> impl Iterator<Item = usize> {
    let mark = number.marks().first().copied().filter(|mark| matches!(mark, b' ' | b'-'));
    let is_printed = move |sizes: &&&[u8]| {
        let further = number.marks().get(sizes.len() - 1);
        number.sizes().starts_with(sizes)
            && number.marks().iter().take(sizes.len() - 1).all(|other| Some(*other) == mark)
            // A date or a code may follow a card; another group of four makes it something longer.
            && (further != mark.as_ref() || mark == Some(b' ') && number.sizes().get(sizes.len()) != Some(&4))
    };
    GROUPINGS.iter().filter(is_printed).map(|sizes| sizes.len())
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "card",
    yes: &[
        "card 4539578763621486 please",
        "4539 5787 6362 1486",
        "4539-5787-6362-1486, exp 04/27",
        "4539 5787 6362 1486 123",
        "{\"number\":\"5425233430109903\"}",
        "{\"card\":5425233430109903}",
        "Amex 3714 496353 98449",
        "my cc 374245455400126",
        "card number is 6759649826438453",
        "JCB 3541599998103643.",
        "Diners Club 30043277253245",
        "block card no 180016070420458",
    ],
    no: &[
        "4000 0000 0000 9995",
        "4539578763621487",
        "4111 1111 1111 1111",
        "5555555555554444",
        "0000000000000000",
        "4444444444444448",
        "{\"order_id\":4539578763621486}",
        "tracking number 4539578763621486",
        "id 30043277253245",
        "{\"n\":630427373398}",
        "1715603940123456",
        "ORD-4539578763621486",
        "4539578763621486-A",
        "45395787636214861234567",
        "0.4539578763621486",
        "4539578763621486.25",
        "9c858901-8a57-4791-81fe-453957876362",
        "GB33BUKB20201555555555",
        "4539 5787 6362 1486 4539 5787",
        "ISBN 978-0-306-40615-7",
        "/orders/4539578763621486",
    ],
};
