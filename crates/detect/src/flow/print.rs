//! What a text leaves behind: marks of its atoms, its runs of five words, and its winnowed byte fingerprints.
//!
//! All three skip words that say nothing, so a shared greeting or date is no trace. The text that is remembered is
//! thinned out; the text that is looked up is not, so every shared stretch beyond the winnowing's length is found.

use super::walk::{CHUNK_END, Gap, Step};
use crate::prelude::*;

/// Words of a run.
const RUN: usize = 5;
/// Of which at least so many say something.
const TELLING: u32 = 2;

/// What kind of trace a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trace {
    /// An address, an id, a long number.
    Atom,
    /// A number or token too long to be shared by accident.
    Code,
    /// The id, path or link under which the data can be fetched.
    Reference,
    /// Five words in a row, or a stretch of bytes.
    Passage,
}

impl Trace {
    /// The word used in every output format.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Trace::Atom => "atom",
            Trace::Code => "code",
            Trace::Reference => "reference",
            Trace::Passage => "passage",
        }
    }
}

/// Mixes a hash with the flow's key; what is stored means nothing elsewhere.
pub(crate) fn keyed(hash: u64, key: u64) -> u64 {
    let mixed = (hash ^ key).wrapping_mul(0x9fb2_1c65_1e98_df25);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ key.rotate_left(23)
}

/// A hash for words in a row.
pub(crate) fn join(hash: u64, next: u64) -> u64 {
    (hash.rotate_left(5) ^ next).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// One atom of a text: the words from `first` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atom {
    pub(crate) hash: u64,
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// It has an `@` or reads like a host: something can be sent there.
    pub(crate) is_address: bool,
    /// Letters and digits it has.
    pub(crate) length: usize,
}

/// The atoms of a text, in order.
pub(crate) fn atoms(text: &str, steps: &[Step], mut give: impl FnMut(Atom)) {
    chunks(steps, |first, end| {
        if let Some(atom) = atom(text, steps, first, end) {
            give(atom);
        }
    });
}

/// The runs of words with no blank, comma, quotation mark or bracket between them.
pub(super) fn chunks(steps: &[Step], mut give: impl FnMut(usize, usize)) {
    let mut first = 0;
    while first < steps.len() {
        let mut end = first + 1;
        while steps.get(end).is_some_and(|step| !step.gap.any(CHUNK_END)) {
            end += 1;
        }
        give(first, end);
        first = end;
    }
}

/// The domain of an address as one hash: the last two labels of its host.
pub(crate) fn domain(text: &str, words: &[Step]) -> Option<u64> {
    let at = words.iter().rposition(|step| step.gap.any(Gap::AT)).unwrap_or_default();
    let host = words.get(at..)?;
    let is_dotted = |pair: &[Step]| match pair {
        [a, b] => matches!(text.get(a.end as usize..b.start as usize), Some("." | "-")),
        _ => false,
    };
    let length = host.windows(2).take_while(|pair| is_dotted(pair)).count() + 1;
    let labels = host.get(..length)?;
    // A hyphen joins words of one label: all words behind the last dot but one belong to the domain.
    let dots = labels.windows(2).enumerate().filter_map(|(at, pair)| match pair {
        [a, b] if text.get(a.end as usize..b.start as usize) == Some(".") => Some(at + 1),
        _ => None,
    });
    let dots: Vec<usize> = dots.collect();
    let from = dots.len().checked_sub(2).and_then(|last| dots.get(last)).copied().unwrap_or_default();
    let domain = labels.get(from..)?;
    (domain.len() >= 2 && !dots.is_empty()).then(|| domain.iter().fold(3, |hash, step| join(hash, step.hash)))
}

/// Digits of the shortest number that is known again.
const FEWEST_DIGITS: usize = 9;

/// Every number of nine to fifteen digits, blanks and signs between them left out, with its last word: phones, accounts.
pub(crate) fn numbers(text: &str, steps: &[Step], mut give: impl FnMut(u64, usize)) {
    let bytes = text.as_bytes();
    let in_numbers = |step: &Step| step.len() * usize::from(!step.has_letter);
    if steps.iter().map(in_numbers).sum::<usize>() < FEWEST_DIGITS {
        return;
    }
    let (mut hash, mut digits, mut first) = (4, 0, 0);
    for at in 0..=steps.len() {
        let step = steps.get(at);
        if digits == 0 && step.is_some_and(|step| step.has_letter) {
            first = at + 1;
            continue;
        }
        let goes_on = step.is_some_and(|step| {
            !step.has_letter
                && !step.gap.any(Gap::LINE.or(Gap::COMMA).or(Gap::COLON).or(Gap::QUOTE).or(Gap::STOP))
        });
        if !goes_on {
            let words = steps.get(first..at).unwrap_or_default();
            if (FEWEST_DIGITS..=15).contains(&digits) && !opens_with_date(words) {
                give(hash, at - 1);
            }
            let is_word = step.is_some_and(|step| step.has_letter);
            (hash, digits, first) = (4, 0, at + usize::from(is_word));
        }
        let Some(step) = step.filter(|step| !step.has_letter) else { continue };
        for byte in bytes.get(step.start as usize..step.end as usize).unwrap_or_default() {
            hash = join(hash, u64::from(*byte));
            digits += 1;
        }
    }
}

/// `2024-05-15 10`, `15.05.2024 10`: day, month and year in a row.
fn opens_with_date(words: &[Step]) -> bool {
    let lengths: Vec<usize> = words.iter().take(3).map(Step::len).collect();
    matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4])
}

/// Keys whose value is an id, however short.
const ID_KEYS: [u64; 7] = [
    super::walk::hash_word("id"),
    super::walk::hash_word("ts"),
    super::walk::hash_word("sid"),
    super::walk::hash_word("ref"),
    super::walk::hash_word("key"),
    super::walk::hash_word("uid"),
    super::walk::hash_word("permission"),
];

/// Ids as results give them out: letters and digits in one, or four digits and more, or what stands under `id`; the
/// value of an argument (`is_value`) counts as it is.
pub(super) fn ids(steps: &[Step], is_value: bool, mut give: impl FnMut(u64)) {
    let mut is_named = is_value;
    chunks(steps, |first, end| {
        let words = steps.get(first..end).unwrap_or_default();
        let length: usize = words.iter().map(Step::len).sum();
        let has_digit = words.iter().any(|step| step.has_digit);
        let has_letter = words.iter().any(|step| step.has_letter);
        let is_id = has_digit && (has_letter && length >= 2 || length >= 4);
        if words.len() <= 4 && (is_id || is_named) && !(is_date(words) && !has_letter && words.len() > 2) {
            give(words.iter().fold(5, |hash, step| join(hash, step.hash)));
        }
        is_named = words.last().is_some_and(|last| last.is_key && ID_KEYS.contains(&last.hash));
    });
}

/// Whether words of one chunk are an address: no secret, whatever name it stands under.
pub(super) fn atom_range_is_address(text: &str, words: &[Step]) -> bool {
    atom(text, words, 0, words.len()).is_some_and(|atom| atom.is_address)
}

/// The scheme of a link is no part of what it names.
const SCHEMES: [u64; 2] = [super::walk::hash_word("http"), super::walk::hash_word("https")];

#[inline]
pub(super) fn atom(text: &str, steps: &[Step], first: usize, end: usize) -> Option<Atom> {
    // Most chunks are one plain word; nothing could make an atom of it, and it is asked often.
    if end == first + 1 && steps.get(first).is_none_or(|word| !word.has_digit) {
        return None;
    }
    atom_of(text, steps, first, end)
}

fn atom_of(text: &str, steps: &[Step], first: usize, end: usize) -> Option<Atom> {
    let opens_with_scheme =
        steps.get(first).is_some_and(|step| SCHEMES.contains(&step.hash)) && end > first + 1;
    let first = if opens_with_scheme { first + 1 } else { first };
    let words = steps.get(first..end)?;
    let behind = words.get(1..).unwrap_or_default();
    let has_at = behind.iter().any(|step| step.gap.any(Gap::AT));
    let is_host = !has_at && looks_like_host(text, words);
    if !(has_at && words.len() >= 3 || is_host || opens_with_scheme || is_code(words)) {
        return None;
    }
    let hash = words.iter().fold(0, |hash, step| join(hash, step.hash));
    let length = words.iter().map(Step::len).sum();
    Some(Atom { hash, first, end, is_address: has_at || is_host || opens_with_scheme, length })
}

/// Ids, account numbers, tokens: letters and digits mixed, or many digits that are no date.
fn is_code(words: &[Step]) -> bool {
    let digits = |step: &&Step| step.has_digit;
    let length: usize = words.iter().map(Step::len).sum();
    if let [word] = words {
        return word.has_digit && length >= 6;
    }
    let numbers = words.iter().filter(digits).count();
    let has_letters = words.iter().any(|step| step.has_letter);
    let longest = words.iter().filter(digits).map(Step::len).max().unwrap_or_default();
    let is_mixed = has_letters && numbers > 0 && length >= 8 && longest >= 3;
    // `2024-05-15T10:00:00` has short numbers only; a phone or card number has more of them.
    let is_long_number = !has_letters && length >= 9 && words.iter().all(|step| step.len() != 2);
    (is_mixed || is_long_number) && !is_date(words)
}

pub(super) fn is_date(words: &[Step]) -> bool {
    let first = words.first().filter(|word| !word.has_letter).map_or(3, Step::len);
    let rest = words.get(1..).unwrap_or_default();
    // The month has two digits or three letters; `8812-4471` is a code.
    let has_month = rest.first().is_some_and(|month| month.len() <= 3);
    (first == 4 || first <= 2) && has_month && rest.iter().all(|step| step.len() <= 5)
}

/// `docs.tide.example/path`: words joined by dots, the last of which is letters.
fn looks_like_host(text: &str, words: &[Step]) -> bool {
    let dotted = words.windows(2).take_while(|pair| match pair {
        [a, b] => matches!(text.get(a.end as usize..b.start as usize), Some("." | "-")),
        _ => false,
    });
    let joined = dotted.count();
    let Some(last) = words.get(joined) else { return false };
    let has_dot = words.first().is_some_and(|first| {
        text.get(first.start as usize..last.end as usize).is_some_and(|host| host.contains('.'))
    });
    joined >= 1
        && has_dot
        && !last.has_digit
        && (2..=12).contains(&last.len())
        && is_domain_like(text, words, joined)
}

/// Usual endings of file names.
pub(super) const ENDINGS: [&str; 26] = [
    "txt", "md", "pdf", "doc", "docx", "xls", "xlsx", "csv", "json", "xml", "html", "htm", "png", "jpg",
    "jpeg", "gif", "zip", "log", "py", "js", "ts", "rs", "go", "java", "yaml", "yml",
];

/// A file name is no host: its only dot stands before a usual ending.
fn is_domain_like(text: &str, words: &[Step], joined: usize) -> bool {
    let ending = words.get(joined).and_then(|last| text.get(last.start as usize..last.end as usize));
    ending.is_some_and(|ending| !ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Every run of five words, and whether it says something; keys of records are left out.
pub(crate) fn runs(steps: &[Step], mut give: impl FnMut(u64, bool)) {
    if steps.len() < RUN {
        return;
    }
    let mut words = [0; RUN];
    // One bit a word, the last word's the lowest.
    let (mut tells, mut count) = (0u32, 0);
    for step in steps.iter().filter(|step| !step.is_key) {
        let [_, second, third, fourth, last] = words;
        words = [second, third, fourth, last, step.hash];
        tells = (tells << 1 | u32::from(!step.is_everyday)) & ((1 << RUN) - 1);
        count += 1;
        if count >= RUN {
            give(words.iter().fold(1, |hash, word| join(hash, *word)), tells.count_ones() >= TELLING);
        }
    }
}

/// Values that are kept or not, as nothing foretells: they are written either way, and written over if not kept.
pub(super) struct Kept<'a, T> {
    list: &'a mut Vec<T>,
    waiting: [T; WAITING],
    count: usize,
}

const WAITING: usize = 32;

impl<'a, T: Copy + Default> Kept<'a, T> {
    pub(super) fn new(list: &'a mut Vec<T>) -> Kept<'a, T> {
        Kept { list, waiting: [T::default(); WAITING], count: 0 }
    }

    pub(super) fn offer(&mut self, value: T, is_kept: bool) {
        if let Some(free) = self.waiting.get_mut(self.count) {
            *free = value;
        }
        self.count += usize::from(is_kept);
        if self.count >= WAITING {
            self.finish();
        }
    }

    /// Puts what waits into the list.
    pub(super) fn finish(&mut self) {
        self.list.extend_from_slice(self.waiting.get(..self.count).unwrap_or_default());
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let (steps, _) = walk(text, 1000);
        let mut found = Vec::new();
        atoms(text, &steps, |atom| {
            let words = &steps[atom.first..atom.end];
            found.push(text[words[0].start as usize..words[words.len() - 1].end as usize].to_owned());
        });
        found
    }

    #[test]
    fn numbers_have_nine_digits_and_more_wherever_signs_part_them() {
        let count = |text: &str| {
            let (mut count, steps) = (0, walk(text, 1000).0);
            numbers(text, &steps, |_, _| count += 1);
            count
        };
        assert_eq!(count("12345678"), 0);
        assert_eq!(count("123456789"), 1);
        assert_eq!(count("call 0151 234-56 78 now"), 1);
        assert_eq!(count("1234, 56789"), 0);
        assert_eq!(count("a1b2c3d4e5f6g7h8i9"), 0);
    }

    #[test]
    fn atoms_are_addresses_and_codes_not_dates() {
        assert_eq!(found("Mail ann.lee@tide.example by 2024-05-15 10:30."), ["ann.lee@tide.example"]);
        assert_eq!(found("IBAN DE89370400440532013000, code 463820"), ["DE89370400440532013000", "463820"]);
        assert_eq!(found("see https://files.tide.example/a and notes.txt"), ["files.tide.example/a"]);
        assert_eq!(found("Room 12, $4.50, v1.2, 3 pm"), [""; 0]);
    }
}
