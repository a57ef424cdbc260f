//! What stands for data without being it: ids, handles, paths and links under which a server keeps something.
//!
//! Whoever is given the reference can fetch the data, so a reference that reaches a sending tool of another server
//! counts as the data itself.

use super::print::{ENDINGS, is_date, join};
use super::walk::{Gap, Step, hash_word};

/// Words of the longest path that is told apart.
const MOST_WORDS: usize = 24;
/// Letters and digits of the shortest reference; `id: 26` stands in every system.
const SHORTEST: usize = 6;
/// A number must be longer: orders, tickets and people are counted from one everywhere.
const SHORTEST_NUMBER: usize = 8;
/// Keeps a reference's hash apart from that of an atom of the same words.
const SALT: u64 = 0x7265_6665_7265;

/// Last words of names under which a result gives out references.
const KEYS: [u64; 17] = [
    hash_word("id"),
    hash_word("ids"),
    hash_word("file"),
    hash_word("files"),
    hash_word("filename"),
    hash_word("path"),
    hash_word("paths"),
    hash_word("uri"),
    hash_word("url"),
    hash_word("link"),
    hash_word("href"),
    hash_word("handle"),
    hash_word("ref"),
    hash_word("attachment"),
    hash_word("attachments"),
    hash_word("document"),
    hash_word("resource"),
];

/// What ends a value that may hold blanks.
const VALUE_END: Gap = Gap::LINE.or(Gap::QUOTE).or(Gap::COMMA).or(Gap::BRACKET).or(Gap::TAG);

/// The reference that begins at word `first`, a chunk that ends before `end`: named as one by the word in front of it,
/// or written like a path.
pub(super) fn given_out(text: &str, steps: &[Step], first: usize, end: usize) -> Option<u64> {
    let name = first.checked_sub(1).and_then(|before| steps.get(before));
    let is_named = steps.get(first).is_some_and(|step| step.gap.any(Gap::COLON))
        && name.is_some_and(|name| KEYS.contains(&name.hash));
    if is_named {
        let behind = steps.get(first + 1..).unwrap_or_default().iter().take(MOST_WORDS);
        let length = 1 + behind.take_while(|step| !step.gap.any(VALUE_END)).count();
        return reference(text, steps.get(first..first + length)?);
    }
    let words = steps.get(first..end)?;
    is_path(text, words).then(|| reference(text, words)).flatten()
}

/// The reference that a whole value is, if it can be one.
pub(super) fn reference(text: &str, words: &[Step]) -> Option<u64> {
    let letters: usize = words.iter().map(Step::len).sum();
    let is_told_apart = letters >= SHORTEST && words.len() <= MOST_WORDS;
    if !is_told_apart {
        return None;
    }
    let has_letter = words.iter().any(|step| step.has_letter);
    let has_digit = words.iter().any(|step| step.has_digit);
    let is_number = !has_letter && letters >= SHORTEST_NUMBER && !is_date(words);
    let is_one_piece = words.iter().skip(1).all(|step| !step.gap.any(Gap::SPACE));
    let is_id = has_letter && has_digit && words.len() <= 8 && is_one_piece;
    (is_number || is_id || is_path(text, words))
        .then(|| words.iter().fold(SALT, |hash, step| join(hash, step.hash)))
}

/// `/home/ann/plan`, `notes/plan.txt`, `plan.txt`, `drive://plans/7`; dates and fractions have slashes too.
fn is_path(text: &str, words: &[Step]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    if words.len() < 2 || !words.iter().any(|step| step.has_letter && step.len() > 2) {
        return false;
    }
    // Most values are prose: without a slash or a dot nothing is a path.
    let from = first.start.saturating_sub(1) as usize;
    let value = text.as_bytes().get(from..last.end as usize).unwrap_or_default();
    if memchr::memchr2(b'/', b'.', value).is_none() {
        return false;
    }
    let between = |pair: &[Step], wanted: u8| match pair {
        [a, b] => {
            text.as_bytes().get(a.end as usize..b.start as usize).is_some_and(|gap| gap.contains(&wanted))
        }
        _ => false,
    };
    let is_rooted = first.start.checked_sub(1).and_then(|at| text.as_bytes().get(at as usize)) == Some(&b'/');
    let slashes = words.windows(2).filter(|pair| between(pair, b'/')).count() + usize::from(is_rooted);
    let ending = text.get(last.start as usize..last.end as usize).unwrap_or_default();
    let is_file = words.last_chunk::<2>().is_some_and(|pair| between(pair, b'.'))
        && ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
    slashes >= 2 || is_file
}

#[cfg(test)]
mod tests {
    use super::super::print::chunks;
    use super::super::walk::walk;
    use super::*;
    use crate::prelude::*;

    fn check(result: &str, value: &str, expected: bool) {
        let (steps, _) = walk(result, 100);
        let mut given = Vec::new();
        chunks(&steps, |first, end| given.extend(given_out(result, &steps, first, end)));
        let (steps, _) = walk(value, 100);
        let is_found = reference(value, &steps).is_some_and(|hash| given.contains(&hash));
        assert_eq!(is_found, expected, "{result} | {value}");
    }

    #[test]
    fn ids_paths_and_links_are_references() {
        check("{\"file_id\": \"f-7Qx91b\", \"size\": 12}", "f-7Qx91b", true);
        check("path: /home/ann/tax/2023 return.pdf\nsize: 9", "/home/ann/tax/2023 return.pdf", true);
        check("plans/harbour.docx\nplans/quay.docx", "plans/quay.docx", true);
        check("uri: drive://plans/harbour/7", "drive://plans/harbour/7", true);
        check("path: /harbour/plans", "/harbour/plans", true);
    }

    #[test]
    fn short_numbers_dates_and_words_are_not() {
        check("{\"id\": 26}", "26", false);
        check("id: 12/05/2024", "12/05/2024", false);
        check("file: report", "report", false);
        check("path: the quarterly report", "the quarterly report", false);
        check("the link and/or the page", "and/or", false);
    }
}
