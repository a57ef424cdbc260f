//! Where several rows claim the same bytes, one is right: the one whose kind says most.
//!
//! A doubted hit gives way to any other. Then the rank decides: the operator's own pattern; a secret by its structure,
//! so that what looks like a mail address in a URL with a password belongs to the URL; account and card numbers, which
//! carry a check; national ids; mail addresses; what only its shape or the words beside it tell: phones, dates, and last
//! a value after a keyword. Between equals the surer and then the longer one stays.

use super::{Facts, Family, Hit, SensitiveData, Strength};
use crate::prelude::*;

/// Sorts the hits by place and keeps, of those that overlap, the one that says most.
pub(super) fn resolve(data: &SensitiveData, hits: &mut Vec<Hit>) {
    let weight = |hit: &Hit| {
        (hit.doubt.is_none(), rank(data.facts(hit.row), hit.strength), hit.confidence, hit.end - hit.start)
    };
    hits.sort_unstable_by_key(|hit| (hit.start, core::cmp::Reverse(hit.end), hit.row));
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        match kept.last_mut() {
            Some(last) if hit.start < last.end => {
                if weight(&hit) > weight(last) {
                    *last = hit;
                }
            }
            _ => kept.push(hit),
        }
    }
    *hits = kept;
}

fn rank(facts: Facts<'_>, strength: Strength) -> u8 {
    match (facts.family, strength, facts.kind) {
        (Family::Custom, ..) => 10,
        (Family::Secret, Strength::Bound, _) => 9,
        (Family::Personal, _, "iban") => 8,
        (Family::Personal, _, "card") => 7,
        (Family::Personal, _, "ssn") => 5,
        (Family::Personal, _, "email") => 4,
        (Family::Personal, _, "ip") => 3,
        (Family::Personal, _, "phone") => 2,
        (Family::Personal, _, "date_of_birth") => 1,
        // What is left of personal data are national ids.
        (Family::Personal, ..) => 6,
        (Family::Secret, Strength::Keyword, _) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let data = SensitiveData::new();
        let hits = data.in_text(text.as_bytes());
        let kinds: Vec<&str> = hits.iter().map(|hit| data.facts(hit.row).kind).collect();
        assert_eq!(kinds, expected, "{text}");
    }

    #[test]
    fn one_hit_for_each_place() {
        check("IBAN DE89 3704 0044 0532 0130 00", &["iban"]);
        check("NHS phone 943 476 5919", &["uk_nhs"]);
        check("mobile card 4539 5787 6362 1486", &["card"]);
        check("call 4915112345678@example.com", &["email"]);
        check("dob and phone 1990-01-02", &["date_of_birth"]);
        check("call +1 415 555 0132, mail jane@example.com", &["phone", "email"]);
    }
}
