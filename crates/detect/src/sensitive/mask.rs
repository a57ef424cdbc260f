//! The only way out for a sensitive value: what tells it apart, with stars for the rest.

use super::{Facts, Family, personal};
use crate::prelude::*;

/// Always as many, so that the length stays unknown.
const STARS: &str = "********";
/// Shorter secrets show nothing of their end.
const LONG_SECRET: usize = 20;
/// Shorter secrets show nothing at all.
const SHORT_SECRET: usize = 8;

/// A value that must not be printed, logged or stored; only [`masked`](Self::masked) leaves it.
///
/// ```
/// use portcullis_detect::sensitive::Sensitive;
/// let value = Sensitive::new("some value");
/// ```
///
/// It cannot be shown, not even by mistake:
///
/// ```compile_fail
/// let value = portcullis_detect::sensitive::Sensitive::new("some value");
/// println!("{value}");
/// ```
///
/// ```compile_fail
/// let value = portcullis_detect::sensitive::Sensitive::new("some value");
/// println!("{value:?}");
/// ```
///
/// ```compile_fail
/// fn store(value: impl serde::Serialize) {}
/// store(portcullis_detect::sensitive::Sensitive::new("some value"));
/// ```
pub struct Sensitive<T>(T);

impl<T: AsRef<[u8]>> Sensitive<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Sensitive(value)
    }

    /// What a reviewer needs to tell the value apart, never more than half of it; the host of a mail address is no
    /// part of the value.
    pub fn masked(&self, facts: Facts<'_>) -> String {
        let text = String::from_utf8_lossy(self.0.as_ref());
        if facts.family == Family::Personal && facts.kind == "email" {
            return email(&text);
        }
        let (head, tail) = visible(facts, &text);
        let count = text.chars().count();
        // What would show more than half shows only its end, or nothing.
        let head = if (head + tail) * 2 > count { 0 } else { head };
        let tail = if tail * 2 > count { 0 } else { tail };
        let front = text.chars().take(head);
        let back = text.chars().skip(count - tail);
        front.chain(STARS.chars()).chain(back).collect()
    }
}

/// How many characters stay at the front and at the end.
fn visible(facts: Facts<'_>, text: &str) -> (usize, usize) {
    if facts.family != Family::Personal {
        return match text.chars().count() {
            LONG_SECRET.. => (4, 4),
            SHORT_SECRET.. => (2, 0),
            _ => (0, 0),
        };
    }
    match facts.kind {
        // The issuer's first digit.
        "card" => (1, 4),
        "iban" => (2, 4),
        "ssn" => (0, 4),
        "phone" => (personal::calling_code_length(text.as_bytes()), 2),
        // The first octet or group.
        "ip" => (text.find(['.', ':']).unwrap_or(0), 0),
        "date_of_birth" => (0, 0),
        _ => (0, 2),
    }
}

/// The first letter of the mailbox, unless it is the only one, and the host.
fn email(text: &str) -> String {
    let (mailbox, host) = text.rsplit_once('@').unwrap_or((text, ""));
    let first = mailbox.chars().next().filter(|first| mailbox.len() > first.len_utf8());
    format!("{}{STARS}@{host}", first.map(String::from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::{Severity, Strength};
    use super::*;

    fn check(kind: &str, value: &str, expected: &str) {
        let family = if kind == "token" { Family::Secret } else { Family::Personal };
        let facts = Facts { id: kind, kind, family, strength: Strength::Bound, severity: Severity::Medium };
        assert_eq!(Sensitive::new(value).masked(facts), expected, "{kind} {value}");
    }

    #[test]
    fn each_kind_keeps_what_tells_it_apart() {
        check("card", "4539 5787 6362 1486", "4********1486");
        check("email", "jane.doe@example.com", "j********@example.com");
        check("email", "j@example.com", "********@example.com");
        check("phone", "+44 20 7946 0958", "+44********58");
        check("phone", "+1 415 555 0132", "+1********32");
        check("phone", "415-555-0132", "********32");
        check("iban", "DE89370400440532013000", "DE********3000");
        check("ssn", "536-22-8471", "********8471");
        check("ip", "203.0.113.24", "203********");
        check("ip", "2001:db8::8a2e:370:7334", "2001********");
        check("date_of_birth", "1990-01-02", "********");
        check("br_cpf", "529.982.247-25", "********25");
        check("token", "abcdefghijklmnopqrst", "abcd********qrst");
        check("token", "abcdefghij", "ab********");
        check("token", "abcdef", "********");
    }

    #[test]
    fn never_more_than_half() {
        for kind in ["card", "phone", "iban", "ssn", "ip", "date_of_birth", "nl_bsn", "token"] {
            for length in 0..40 {
                let value: String = "+1234.5678é".chars().cycle().take(length).collect();
                let facts = Facts {
                    id: kind,
                    kind,
                    family: if kind == "token" { Family::Custom } else { Family::Personal },
                    strength: Strength::Bound,
                    severity: Severity::Medium,
                };
                let shown =
                    Sensitive::new(&value).masked(facts).chars().filter(|shown| *shown != '*').count();
                assert!(shown * 2 <= length, "{kind} {length}: {shown}");
            }
        }
    }
}
