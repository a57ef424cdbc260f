//! Which values of a text are secrets by the name they stand under, whatever they look like: `wpa_key`, `admin_pw`.

use super::part::{Part, part_within};
use super::print::{atom_range_is_address, chunks, is_date, join};
use super::walk::{Gap, Step};

/// Letters and digits of the shortest value that can be told apart.
const SHORTEST: usize = 6;
/// A value without a digit must be longer, and made of parts.
const SHORTEST_WORDS: usize = 12;
/// Keeps a secret's hash apart from that of an atom of the same words.
const SALT: u64 = 0x7365_6372_6574;

/// Finds values that stand under a secret's name, chunk by chunk; all values at all if the source holds secrets only.
pub(super) struct Naming {
    is_vault: bool,
    is_named: bool,
    is_beside: bool,
}

impl Naming {
    pub(super) fn new(is_vault: bool) -> Naming {
        Naming { is_vault, is_named: false, is_beside: false }
    }

    /// Whether the next chunk is no secret unless it names one itself.
    pub(super) fn is_idle(&self) -> bool {
        !(self.is_vault || self.is_named || self.is_beside)
    }

    /// The hash of the next chunk, if it is a secret.
    pub(super) fn secret(&mut self, text: &str, words: &[Step]) -> Option<u64> {
        let names_secret = words.iter().any(|step| part_within(text, step).any(Part::SECRET));
        if !names_secret && self.is_idle() {
            return None;
        }
        let is_name = words.last().is_some_and(|last| last.is_key || is_assigned(text, last));
        if is_name {
            self.is_named = names_secret;
            self.is_beside = false;
            return None;
        }
        let opens_line = words.first().is_some_and(|word| word.gap.any(Gap::LINE));
        self.is_named &= !opens_line || words.first().is_some_and(|word| word.gap.any(Gap::QUOTE));
        let is_meant = self.is_vault || self.is_named || self.is_beside;
        // "shared secret Tundra-5521": the word in front names what follows.
        self.is_beside = names_secret;
        (is_meant && is_value(text, words)).then(|| value_hash(words))
    }
}

/// The hashes of all values in a text that could be secrets.
pub(super) fn candidates(text: &str, steps: &[Step], mut give: impl FnMut(u64)) {
    chunks(steps, |first, end| {
        let words = steps.get(first..end).unwrap_or_default();
        if is_value(text, words) {
            give(value_hash(words));
        }
    });
}

fn value_hash(words: &[Step]) -> u64 {
    words.iter().fold(SALT, |hash, step| join(hash, step.hash))
}

fn is_value(text: &str, words: &[Step]) -> bool {
    let length: usize = words.iter().map(Step::len).sum();
    let has_digit = words.iter().any(|step| step.has_digit);
    let is_made = words.len() > 2 && length >= SHORTEST_WORDS;
    length >= SHORTEST && (has_digit || is_made) && !is_date(words) && !atom_range_is_address(text, words)
}

/// `wpa_key=…`, `password : …`.
fn is_assigned(text: &str, step: &Step) -> bool {
    let behind = text.as_bytes().get(step.end as usize..).unwrap_or_default();
    let sign = behind.iter().find(|byte| !matches!(byte, b' ' | b'"' | b'\''));
    sign == Some(&b'=')
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;
    use crate::prelude::*;

    fn check(text: &str, value: &str, expected: bool) {
        let (steps, _) = walk(text, 100);
        let mut found = Vec::new();
        let mut naming = Naming::new(false);
        chunks(&steps, |first, end| found.extend(naming.secret(text, &steps[first..end])));
        let (steps, _) = walk(value, 100);
        let mut is_found = false;
        candidates(value, &steps, |hash| is_found |= found.contains(&hash));
        assert_eq!(is_found, expected, "{text}");
    }

    #[test]
    fn values_are_secret_by_the_name_they_stand_under() {
        check("ssid=Moos\nadmin_pw=Granit!Turm9", "it is Granit!Turm9 now", true);
        check("{\"user\": \"ann44444\", \"password\": \"Sencha-Umbrella-3\"}", "Sencha-Umbrella-3", true);
        check("gateway 203.0.113.9, shared secret Tundra-Lark-5521", "Tundra-Lark-5521", true);
        check("order: ZX-118812\npassword: none", "ZX-118812", false);
        check("{\"password\": \"x\", \"order\": \"ZX-118812\"}", "ZX-118812", false);
    }
}
