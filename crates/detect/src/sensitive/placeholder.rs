//! Documented examples and fillers: values that have a secret's shape and open nothing.

use crate::signal::Confidence;
use memchr::memmem;

/// What is left of the confidence of a placeholder.
pub(super) const CONFIDENCE: Confidence = Confidence::new(20);

/// Words of documentation, in lower case. Each is so long that a random key shows it less than once in ten thousand.
const WORDS: [&str; 18] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "dummy",
    "sample",
    "redacted",
    "insert",
    "replace",
    "notareal",
    "goeshere",
    "your",
    "xxxx",
    "****",
    "....",
    "0000000",
    // The key in Stripe's documentation.
    "4ec39hqlyjwdarjtt1zd",
];

/// What follows decides nothing: a placeholder shows itself early.
const LOOKED_AT: usize = 256;

/// Why a value is a placeholder, if it is one.
pub(super) fn reason(value: &[u8]) -> Option<&'static str> {
    let mut lower = [0; LOOKED_AT];
    let length = value.len().min(LOOKED_AT);
    for (place, byte) in lower.iter_mut().zip(value) {
        *place = byte.to_ascii_lowercase();
    }
    let lower = lower.get(..length).unwrap_or_default();
    if WORDS.iter().any(|word| memmem::find(lower, word.as_bytes()).is_some()) {
        return Some("a documented example or a filler");
    }
    let is_counted = |byte: &&u8| byte.is_ascii_alphanumeric();
    let seen = lower.iter().filter(is_counted).fold(0u128, |seen, byte| seen | 1 << (byte & 127));
    let count = lower.iter().filter(is_counted).count();
    // Half of a short password may repeat; a key never has so few characters.
    let least = (count / 2).min(6);
    ((seen.count_ones() as usize) < least).then_some("too few different characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_known() {
        for filler in
            ["AKIAIOSFODNN7EXAMPLE", "YOUR_API_KEY", "xxxxxxxxxxxx", "abababababababab", "sk_sample_1"]
        {
            assert!(reason(filler.as_bytes()).is_some(), "{filler}");
        }
        for real in ["hV7q2Zk9Lm4X", "letmein", "9f3a7c1e5b8d2046f1a3c5e7092b4d68"] {
            assert_eq!(reason(real.as_bytes()), None, "{real}");
        }
    }
}
