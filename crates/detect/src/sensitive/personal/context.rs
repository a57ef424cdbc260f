//! Words near a number that say what it is: a label, an object key, the sentence around it.

/// How far before a value a word still speaks of it.
const BEFORE: usize = 56;
/// How far after it.
const AFTER: usize = 14;

/// Words in lower case; one that ends with `*` may go on.
pub(super) struct Words {
    words: &'static [&'static str],
    /// One bit for each hash of the two letters that some word begins with: most words of a text are none of ours
    /// at once.
    beginnings: [u64; 4],
}

impl Words {
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        let mut beginnings = [0; 4];
        let mut rest = words;
        while let Some((word, others)) = rest.split_first() {
            if let [first, second, ..] = *word.as_bytes() {
                let (word, bit) = hash_of(first, second);
                if let Some((_, [found, ..])) = beginnings.split_at_mut_checked(word) {
                    *found |= 1 << bit;
                }
            }
            rest = others;
        }
        Words { words, beginnings }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a word begins in `window`: after anything that is no letter, or at a capital after a small letter, so
    /// `home_phone` and `homePhone` both hold `phone`.
    fn are_in(&self, window: &[u8]) -> bool {
        let (mut last, mut was_letter) = (b' ', false);
        for (at, &byte) in window.iter().enumerate() {
            let is_letter = byte.is_ascii_alphabetic();
            let begins = is_letter
                && (!was_letter
                    || byte.is_ascii_uppercase() && last.is_ascii_lowercase()
                    || is_escape(window, at.wrapping_sub(1)));
            if begins && self.begin(window.get(at..).unwrap_or_default()) {
                return true;
            }
            (last, was_letter) = (byte, is_letter);
        }
        false
    }

    /// Whether `text` begins with one of the words.
    fn begin(&self, text: &[u8]) -> bool {
        let &[first, second, ..] = text else { return false };
        let (word, bit) = hash_of(first, second);
        self.beginnings.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
            && self.words.iter().any(|word| begins_with(text, word.as_bytes()))
    }
}

/// A word of [`Words::beginnings`] and a bit of it, by two letters in any case.
const fn hash_of(first: u8, second: u8) -> (usize, u32) {
    let pair = (first.to_ascii_lowercase() as u32) << 8 | second.to_ascii_lowercase() as u32;
    let hash = pair.wrapping_mul(0x9E37_79B1) >> 24;
    ((hash >> 6) as usize, hash & 63)
}

/// Whether one of the words stands shortly before `start`, in the same line, sentence or object member.
pub(super) fn before(bytes: &[u8], start: usize, words: &Words) -> bool {
    let window = bytes.get(start.saturating_sub(BEFORE)..start).unwrap_or_default();
    words.are_in(window.get(reach(window)..).unwrap_or_default())
}

/// Whether one of the words stands right after `end`, in the same line and member.
pub(super) fn after(bytes: &[u8], end: usize, words: &Words) -> bool {
    let window = bytes.get(end..).unwrap_or_default();
    let window = window.get(..AFTER).unwrap_or(window);
    let stop = window.iter().position(|byte| matches!(byte, b'\n' | b'"' | b'\\' | b',' | b'0'..=b'9'));
    words.are_in(window.get(..stop.unwrap_or(window.len())).unwrap_or_default())
}

/// Where the part of the window begins that speaks of the value after it: at the start of the object member or of
/// the line, unless that line has no words and the label stands on the line before.
fn reach(window: &[u8]) -> usize {
    let mut has_letters = false;
    for (at, &byte) in window.iter().enumerate().rev() {
        match byte {
            b'"' if has_letters && follows_comma(window.get(..at).unwrap_or_default()) => return at,
            b'\n' if has_letters => return at,
            b'n' | b'r' | b't' if is_escape(window, at) => {
                if has_letters && window.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
                    return at + 1;
                }
            }
            _ => has_letters |= byte.is_ascii_alphabetic(),
        }
    }
    0
}

fn follows_comma(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    matches!(before.strip_suffix(b"\\").unwrap_or(before).trim_ascii_end().last(), Some(b',' | b'{' | b'['))
}

/// Whether the byte at `at` is the letter of an escaped line break or tab.
fn is_escape(window: &[u8], at: usize) -> bool {
    let is_letter = matches!(window.get(at), Some(b'n' | b'r' | b't'));
    is_letter && at.checked_sub(1).and_then(|before| window.get(before)) == Some(&b'\\')
}

fn begins_with(text: &[u8], word: &[u8]) -> bool {
    // Most words fail at their first letter.
    if text.first().map(u8::to_ascii_lowercase) != word.first().copied() {
        return false;
    }
    let (stem, may_go_on) = match word.strip_suffix(b"*") {
        Some(stem) => (stem, true),
        None => (word, false),
    };
    let Some((head, rest)) = text.split_at_checked(stem.len()) else { return false };
    let ends = |rest: &[u8]| match (head.last(), rest.first()) {
        (Some(last), Some(next)) => {
            !next.is_ascii_alphabetic() || last.is_ascii_lowercase() && next.is_ascii_uppercase()
        }
        _ => true,
    };
    head.eq_ignore_ascii_case(stem) && (may_go_on || ends(rest) || rest.strip_prefix(b"s").is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        assert_eq!(
            before(text.as_bytes(), text.len(), &Words::new(&["phone*", "tel", "text me"])),
            expected,
            "{text}"
        );
    }

    #[test]
    fn words_keys_and_lines() {
        check("Phone: ", true);
        check("Phone:\n", true);
        check("Phone:\\n", true);
        check("text me at ", true);
        check("\"homePhone\": \"", true);
        check("{\"home_phones\":[\"", true);
        check("\\nphone: ", true);
        check("tell me ", false);
        check("hotel ", false);
    }

    #[test]
    fn a_word_of_another_member_or_line_says_nothing() {
        check("{\"phone\":\"none\",\"order\":\"", false);
        check("{\"phone\": null, \"order\": \"", false);
        check("{\\\"phone\\\": null, \\\"order\\\": \\\"", false);
        check("phone: none\norder: ", false);
        check("phone: none\\norder: ", false);
    }

    #[test]
    fn words_after() {
        assert!(after(b" office\n", 0, &Words::new(&["office"])));
        assert!(after(b"-Office\\,077", 0, &Words::new(&["office"])));
        assert!(!after(b"\noffice", 0, &Words::new(&["office"])));
    }
}
