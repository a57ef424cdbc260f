//! One pass over a text: words as hashes, with what stands between them.
//!
//! A word is a run of letters and digits in lower case, so that case, blanks, quotes and separators of a copy do not
//! matter: `ann.lee@x.example` is three words in a row wherever it stands.

use super::part::{Part, Vocabulary};
use crate::prelude::*;
use crate::text::eight::{TOPS, every, within};

/// What stands in front of a word, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap(u16);

impl Gap {
    pub(crate) const SPACE: Gap = Gap(1);
    pub(crate) const LINE: Gap = Gap(1 << 1);
    pub(crate) const PARAGRAPH: Gap = Gap(1 << 2);
    pub(crate) const STOP: Gap = Gap(1 << 3);
    pub(crate) const COLON: Gap = Gap(1 << 4);
    pub(crate) const COMMA: Gap = Gap(1 << 5);
    pub(crate) const QUOTE: Gap = Gap(1 << 6);
    pub(crate) const BRACKET: Gap = Gap(1 << 7);
    pub(crate) const TAG: Gap = Gap(1 << 8);
    pub(crate) const BULLET: Gap = Gap(1 << 9);
    pub(crate) const AT: Gap = Gap(1 << 10);
    /// A stop with a blank behind it: a sentence ended.
    pub(crate) const ENDED: Gap = Gap(1 << 11);
    /// Joins parts of one value: `.`, `-`, `_`, `/`, `+`, `%`.
    pub(crate) const JOINT: Gap = Gap(1 << 12);
    /// A quotation mark beside punctuation of JSON: a value ended.
    pub(crate) const VALUE: Gap = Gap(1 << 13);

    pub(crate) fn any(self, other: Gap) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn or(self, other: Gap) -> Gap {
        Gap(self.0 | other.0)
    }

    /// One more sign behind those that stand there already.
    fn and(self, seen: Gap) -> Gap {
        let punctuates = Gap::COMMA.or(Gap::COLON).or(Gap::BRACKET);
        let ends_value =
            seen.any(Gap::QUOTE) & self.any(punctuates) | seen.any(punctuates) & self.any(Gap::QUOTE);
        let value = if ends_value { Gap::VALUE } else { Gap::default() };
        self.or(seen).or(value)
    }
}

/// What ends a chunk: an address, a number, an id never contains it.
pub(crate) const CHUNK_END: Gap =
    Gap::SPACE.or(Gap::LINE).or(Gap::COMMA).or(Gap::QUOTE).or(Gap::BRACKET).or(Gap::TAG);

/// One word of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The hash of its lower-case letters; not keyed, never stored.
    pub(crate) hash: u64,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// What stands in front of it.
    pub(crate) gap: Gap,
    pub(crate) has_digit: bool,
    pub(crate) has_letter: bool,
    pub(crate) is_upper: bool,
    /// A name with a colon behind it: `sender: …`, `"sender": …`.
    pub(crate) is_key: bool,
    pub(crate) is_everyday: bool,
    /// It begins with an ASCII letter or digit.
    pub(crate) is_ascii: bool,
    /// What the word does in an order, by itself.
    pub(crate) part: Part,
}

impl Step {
    pub(crate) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Dates, times and prices are made of numbers up to this long.
const SHORT_NUMBER: usize = 4;

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash of a word written in lower case.
pub(crate) const fn hash_word(word: &str) -> u64 {
    hash_bytes(word.as_bytes())
}

/// The same for its bytes.
pub(super) const fn hash_bytes(word: &[u8]) -> u64 {
    let mut hash = OFFSET;
    let mut rest = word;
    while let [byte, tail @ ..] = rest {
        hash = (hash ^ *byte as u64).wrapping_mul(PRIME);
        rest = tail;
    }
    hash
}

/// The words of a text, at most `most` of them, and whether that was all.
pub(crate) fn walk(text: &str, most: usize) -> (Vec<Step>, bool) {
    let bytes = text.as_bytes();
    let vocabulary = Vocabulary::shipped();
    let mut steps: Vec<Step> = Vec::with_capacity((bytes.len() / 6 + 4).min(most));
    let mut at = 0;
    let mut gap = Gap::LINE.or(Gap::PARAGRAPH).or(Gap::SPACE);
    while let Some(&byte) = bytes.get(at) {
        if byte == b' ' {
            gap = gap.or(Gap::SPACE);
            at += 1;
            continue;
        }
        let seen = sign(byte);
        if seen == Gap::default() {
            at += between(bytes, at, byte, &mut gap);
            continue;
        }
        if seen != LETTER {
            gap = gap.and(seen);
            at += 1;
            continue;
        }
        if byte >= 0xE3
            && let Some(seen) = wide_sign(bytes, at)
        {
            gap = gap.or(seen);
            at += 3;
            continue;
        }
        if is_key(gap)
            && let Some(last) = steps.last_mut()
        {
            last.is_key = true;
        }
        if steps.len() >= most {
            return (steps, false);
        }
        let step = word(bytes, at, gap, vocabulary);
        at = step.end as usize;
        steps.push(step);
        gap = Gap::default();
    }
    (steps, true)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether the byte begins a character of a script without blanks: kana, Chinese characters, Hangul.
fn leads_unspaced(byte: u8) -> bool {
    (0xE3..=0xED).contains(&byte)
}

/// The punctuation of scripts without blanks, three bytes wide.
fn wide_sign(bytes: &[u8], at: usize) -> Option<Gap> {
    let sign = match bytes.get(at..at + 3)? {
        [0xE3, 0x80, 0x82] | [0xEF, 0xBC, 0x81 | 0x9F | 0x9B] => Gap::STOP.or(Gap::ENDED),
        [0xE3, 0x80, 0x81] | [0xEF, 0xBC, 0x8C] => Gap::COMMA.or(Gap::SPACE),
        [0xEF, 0xBC, 0x9A] => Gap::COLON.or(Gap::SPACE),
        [0xE3, 0x80, 0x8C..=0x91] => Gap::QUOTE,
        [0xEF, 0xBC, 0x88 | 0x89] => Gap::BRACKET,
        [0xE3, 0x80, 0x80] => Gap::SPACE,
        _ => return None,
    };
    Some(sign)
}

/// `name: value` and `"name": value`, not `https://` and not `10:30`.
fn is_key(gap: Gap) -> bool {
    gap.any(Gap::COLON)
        && gap.any(Gap::SPACE.or(Gap::LINE).or(Gap::QUOTE))
        && !gap.any(Gap::STOP.or(Gap::JOINT))
}

fn word(bytes: &[u8], start: usize, gap: Gap, vocabulary: &Vocabulary) -> Step {
    let mut letters = Letters::ascii(bytes, start);
    let is_ascii = letters.end > start;
    // Nearly all words are ASCII to their end.
    if bytes.get(letters.end).is_some_and(|byte| !byte.is_ascii()) {
        letters.go_on(bytes, start);
    }
    let Letters { hash, end, has_digit, has_letter } = letters;
    let part = vocabulary.part(hash);
    let length = end - start;
    let is_short = length <= if has_digit { SHORT_NUMBER } else { 2 };
    Step {
        hash,
        start: position(start),
        end: position(end),
        gap,
        has_digit,
        has_letter,
        is_upper: bytes.get(start).is_some_and(u8::is_ascii_uppercase),
        is_key: false,
        is_ascii,
        is_everyday: is_short | (part.any(Part::EVERYDAY) & !has_digit),
        part,
    }
}

/// The letters and digits of a word.
struct Letters {
    hash: u64,
    end: usize,
    has_digit: bool,
    has_letter: bool,
}

impl Letters {
    /// Those in ASCII, eight at once: a branch for each of them would be foretold wrongly at the end of every word.
    fn ascii(bytes: &[u8], start: usize) -> Letters {
        let mut letters = Letters { hash: OFFSET, end: start, has_digit: false, has_letter: false };
        if let Some(eight) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
            let count = letters.take(u64::from_le_bytes(*eight));
            if count < 8 {
                return letters;
            }
        }
        for &byte in bytes.get(letters.end..).unwrap_or_default() {
            if !byte.is_ascii_alphanumeric() {
                break;
            }
            letters.has_digit |= byte <= b'9';
            letters.has_letter |= byte > b'9';
            // Digits have this bit, capitals get it.
            letters.hash = (letters.hash ^ u64::from(byte | 0x20)).wrapping_mul(PRIME);
            letters.end += 1;
        }
        letters
    }

    /// The letters and digits that eight bytes begin with, and how many they are.
    fn take(&mut self, eight: u64) -> usize {
        let is_ascii = !eight & TOPS;
        let low = eight & !TOPS;
        let letters = within(low | every(0x20), b'a', b'z') & is_ascii;
        let digits = within(low, b'0', b'9') & is_ascii;
        let ends = !(letters | digits) & TOPS;
        let count = ends.trailing_zeros() as usize / 8;
        // All that stands below the first byte that ends the word.
        let inside = ends.wrapping_sub(1) & !ends;
        self.has_digit = digits & inside != 0;
        self.has_letter = letters & inside != 0;
        let mut hashes = [OFFSET; 9];
        let lower = (eight | every(0x20)).to_le_bytes();
        for (byte, hash) in lower.iter().zip(hashes.iter_mut().skip(1)) {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(PRIME);
            *hash = self.hash;
        }
        self.hash = hashes.get(count).copied().unwrap_or(self.hash);
        self.end += count;
        count
    }

    /// What follows beyond ASCII.
    #[cold]
    fn go_on(&mut self, bytes: &[u8], start: usize) {
        let is_unspaced = bytes.get(start).is_some_and(|byte| leads_unspaced(*byte));
        for &byte in bytes.get(self.end..).unwrap_or_default() {
            // Numbers and names stand in Chinese and Japanese without a blank; a word ends where the script does.
            let changes = if is_unspaced { byte.is_ascii() } else { leads_unspaced(byte) };
            if !is_word(byte) || changes || byte >= 0xE3 && wide_sign(bytes, self.end).is_some() {
                break;
            }
            let is_digit = byte.is_ascii_digit();
            self.has_digit |= is_digit;
            self.has_letter |= !is_digit;
            self.hash = (self.hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(PRIME);
            self.end += 1;
        }
    }
}

/// A stop ends a sentence before a blank; before a closing quotation mark only if no small letter goes on behind it.
fn ends_sentence(bytes: &[u8], at: usize, next: u8) -> bool {
    if !matches!(next, b'"' | b'\'') {
        return next.is_ascii_whitespace() || next == b'\\';
    }
    let behind =
        bytes.get(at..).unwrap_or_default().iter().copied().skip_while(|byte| matches!(byte, b'"' | b'\''));
    let mut behind = behind.take(2);
    let goes_on = behind.next() == Some(b' ') && behind.next().is_some_and(|byte| byte.is_ascii_lowercase());
    !goes_on
}

/// No gap: the byte belongs to a word.
const LETTER: Gap = Gap(1 << 15);

/// What a byte between words stands for, if it always stands for the same; nothing if its neighbours decide.
const fn always(byte: u8) -> Gap {
    match byte {
        b'\n' | b'\r' | b'\\' | b'.' | b'!' | b'?' | b';' | b'-' => Gap(0),
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => LETTER,
        b' ' | b'\t' => Gap::SPACE,
        b':' => Gap::COLON,
        b',' | b'|' | b'=' | b'&' => Gap::COMMA,
        b'"' | b'\'' | b'`' => Gap::QUOTE,
        b'{' | b'}' | b'[' | b']' | b'(' | b')' => Gap::BRACKET,
        b'<' | b'>' => Gap::TAG,
        b'*' | b'#' => Gap::BULLET,
        b'@' => Gap::AT,
        _ => Gap::JOINT,
    }
}

static SIGNS: [Gap; 256] = {
    let mut table = [Gap(0); 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "checked while compiling")]
        {
            table[byte] = always(byte as u8);
        }
        byte += 1;
    }
    table
};

fn sign(byte: u8) -> Gap {
    SIGNS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Takes a sign into the gap whose neighbours say what it is; an escape that was never resolved counts as what it stands
/// for.
fn between(bytes: &[u8], at: usize, byte: u8, gap: &mut Gap) -> usize {
    let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
    let (seen, width) = match byte {
        b'\n' | b'\r' => (Gap::LINE, 1),
        b'\\' if matches!(next, b'n' | b'r') => (Gap::LINE, 2),
        b'\\' if matches!(next, b't' | b'"' | b'\'') => (Gap::SPACE, 2),
        b'.' | b'!' | b'?' | b';' if ends_sentence(bytes, at + 1, next) => (Gap::STOP.or(Gap::ENDED), 1),
        b'-' if gap.any(Gap::LINE) && next == b' ' => (Gap::BULLET, 1),
        b'!' | b'?' | b';' => (Gap::STOP, 1),
        _ => (Gap::JOINT, 1),
    };
    let is_second_line = seen == Gap::LINE && gap.any(Gap::LINE) && byte != b'\r';
    *gap = gap.or(seen);
    if is_second_line {
        *gap = gap.or(Gap::PARAGRAPH);
    }
    width
}

pub(crate) fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Whether a sentence begins with this word.
pub(crate) fn opens_sentence(step: &Step) -> bool {
    let always = Gap::ENDED.or(Gap::PARAGRAPH).or(Gap::TAG).or(Gap::VALUE);
    let new_line = step.gap.any(Gap::LINE)
        && (step.is_upper || step.is_key || step.gap.any(Gap::BULLET) || !step.has_letter);
    step.gap.any(always) || new_line || step.gap.any(Gap::COLON) && step.gap.any(Gap::SPACE.or(Gap::LINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let (steps, _) = walk(text, 1000);
        steps.iter().map(|step| &text[step.start as usize..step.end as usize]).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(words("Ann.Lee@x.example, 'ok'"), ["Ann", "Lee", "x", "example", "ok"]);
        assert_eq!(words(r"one\ntwo"), ["one", "two"]);
    }

    #[test]
    fn keys_and_sentences_are_told_apart() {
        let (steps, _) = walk("sender: Ann\nbody: Pay now. See https://a.example at 10:30", 1000);
        let keys: Vec<bool> = steps.iter().map(|step| step.is_key).collect();
        assert_eq!(keys.iter().filter(|is_key| **is_key).count(), 2);
        let openers: Vec<usize> = (0..steps.len()).filter(|at| opens_sentence(&steps[*at])).collect();
        assert_eq!(openers, [0, 1, 2, 3, 5]);
        let (steps, _) = walk("Mail 'how are you?' to ann@tide.example", 100);
        assert!(!opens_sentence(&steps[4]), "a question inside quotation marks ends no sentence");
    }

    #[test]
    fn numbers_and_signs_split_scripts_without_blanks() {
        assert_eq!(words("捐款请改汇6217，户名王某。好"), ["捐款请改汇", "6217", "户名王某", "好"]);
    }

    #[test]
    fn the_hash_is_that_of_the_lower_case_word() {
        // Words are read eight bytes at once where so many are left, and begin and end anywhere among them.
        for length in 1..20 {
            let word: String = "Zebra7Quilt0Xylophone".chars().take(length).collect();
            for behind in ["", " ", "! and more", "é", "[a", "`b", "/c", ":d", "@e", "{f"] {
                let (steps, _) = walk(&format!("{word}{behind}"), 10);
                let whole = if behind == "é" { format!("{word}é") } else { word.clone() };
                assert_eq!(steps[0].hash, hash_word(&whole.to_ascii_lowercase()), "{word}{behind}");
                assert_eq!(steps[0].len(), whole.len(), "{word}{behind}");
                assert_eq!((steps[0].has_digit, steps[0].has_letter), (length > 5, true), "{word}{behind}");
            }
        }
        assert!(walk("0123456789", 10).0.iter().all(|step| step.has_digit && !step.has_letter));
    }
}
