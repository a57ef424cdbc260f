//! Tool names, brought to one spelling and indexed: exact, and one edit away.

use super::generic;
use super::rows::Rows;
use crate::prelude::*;
use crate::text::fold;
use alloc::borrow::Cow;
use core::hash::{BuildHasher, Hasher};
use foldhash::fast::FixedState;

/// A name in its index spelling: word tokens in lower case, joined by `_`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameKey {
    pub(crate) text: Box<str>,
    pub(crate) hash: u64,
    pub(crate) is_distinctive: bool,
}

impl NameKey {
    pub(crate) fn of(name: &str) -> Self {
        let text = spelling(name);
        let hash = hash_of(text.as_bytes());
        let is_distinctive = generic::is_distinctive(&text);
        NameKey { text: text.into(), hash, is_distinctive }
    }
}

/// A name in its index spelling.
pub(crate) fn spelling(name: &str) -> Cow<'_, str> {
    if is_spelt(name) {
        return Cow::Borrowed(name.trim_matches('_'));
    }
    let mut text = String::with_capacity(name.len() + 4);
    if name.is_ascii() {
        split_into(name, &mut text)
    } else {
        split_into(&fold::word(name), &mut text)
    }
    Cow::Owned(text)
}

/// The hash of the index spelling of `name`, without keeping the spelling.
pub(crate) fn key_hash(name: &str, scratch: &mut String) -> u64 {
    scratch.clear();
    if name.is_ascii() {
        split_into(name, scratch)
    } else {
        split_into(&fold::word(name), scratch)
    }
    hash_of(scratch.as_bytes())
}

/// `getFileInfo`, `get-file-info` and `get_file_info` are one name.
fn split_into(name: &str, text: &mut String) {
    if is_spelt(name) {
        return text.push_str(name.trim_matches('_'));
    }
    let mut was_lower = false;
    let mut was_digit = false;
    for character in name.chars().take(LONGEST_NAME) {
        if !character.is_alphanumeric() {
            if !text.is_empty() && !text.ends_with('_') {
                text.push('_');
            }
            was_lower = false;
            was_digit = false;
            continue;
        }
        let starts_word = character.is_uppercase() && was_lower || character.is_alphabetic() && was_digit;
        if starts_word && !text.ends_with('_') {
            text.push('_');
        }
        was_lower = character.is_lowercase();
        was_digit = character.is_ascii_digit();
        if character.is_ascii() {
            text.push(character.to_ascii_lowercase());
        } else {
            text.extend(character.to_lowercase());
        }
    }
    while text.ends_with('_') {
        text.pop();
    }
}

/// Most names are spelt that way already, but for underscores at their ends.
fn is_spelt(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    name.len() <= LONGEST_NAME && name.bytes().all(is_plain) && !name.contains("__")
}

/// Of longer names the beginning stands for the whole.
const LONGEST_NAME: usize = 128;

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// All tool names of a registry. Entries end with the seats of tools.
#[derive(Default)]
pub(super) struct NameIndex {
    /// By both halves of the hash of a name.
    exact: Rows<3>,
    /// By half the hash of each slip: whoever asks compares the names themselves.
    near: Rows<2>,
}

impl NameIndex {
    pub(super) fn insert(&mut self, seat: u32, key: &NameKey) {
        let [high, low] = halves(key.hash);
        self.exact.insert([high, low, seat]);
        stored_slips(key).for_each(|slip| self.near.insert([slip, seat]));
    }

    pub(super) fn remove(&mut self, seat: u32, key: &NameKey) {
        let [high, low] = halves(key.hash);
        self.exact.remove(&[high, low, seat]);
        stored_slips(key).for_each(|slip| self.near.remove(&[slip, seat]));
    }

    pub(super) fn exact(&self, hash: u64) -> impl Iterator<Item = u32> {
        self.exact.beginning(&halves(hash)).iter().map(|[_, _, seat]| *seat)
    }

    /// Names that share a half or all their letters with `key`; the caller measures the distance. Only distinctive names
    /// are among them.
    pub(super) fn near(&self, key: &NameKey) -> Vec<u32> {
        if key.text.len() < SHORTEST_NEAR {
            return Vec::new();
        }
        let of_slip = |slip: u32| self.near.beginning(&[slip]).iter().map(|[_, seat]| *seat);
        let mut seats: Vec<u32> = asked_slips(key).into_iter().flat_map(of_slip).collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.exact.bytes() + self.near.bytes()
    }
}

/// The high and the low half of a hash.
pub(super) fn halves(hash: u64) -> [u32; 2] {
    [(hash >> 32) as u32, hash as u32]
}

/// Shorter names are one edit away from too many honest ones.
const SHORTEST_NEAR: usize = 8;

/// One edit leaves one half of a name whole, or keeps its letters: three hashes find every such neighbour.
fn stored_slips(key: &NameKey) -> impl Iterator<Item = u32> {
    let letters = if key.is_distinctive { letters_of(&key.text) } else { Vec::new() };
    let half = letters.len() / 2;
    let slips = (letters.len() >= SHORTEST_NEAR).then(|| {
        [
            half_hash(&letters, half, false),
            half_hash(&letters, half, true),
            sorted_hash(&letters),
            hash_of(&look(&letters)) ^ 3,
        ]
    });
    slips.into_iter().flatten().map(slip)
}

fn asked_slips(key: &NameKey) -> Vec<u32> {
    let letters = letters_of(&key.text);
    let mut slips = vec![sorted_hash(&letters), hash_of(&look(&letters)) ^ 3];
    for length in letters.len().saturating_sub(1)..=letters.len() + 1 {
        slips.push(half_hash(&letters, length / 2, false));
        slips.push(half_hash(&letters, length / 2, true));
    }
    let mut slips: Vec<u32> = slips.into_iter().map(slip).collect();
    slips.sort_unstable();
    slips.dedup();
    slips
}

/// What is kept of the hash of a slip. The kinds of slips differ in the lowest bits.
fn slip(hash: u64) -> u32 {
    hash as u32
}

/// The letters without separators: moving a separator is no edit.
fn letters_of(key: &str) -> Vec<u8> {
    key.bytes().filter(|byte| *byte != b'_').collect()
}

/// The letters as a hurried eye sees them: `rn` is `m`, `vv` is `w`, `0` is `o`, `1` and `i` are `l`.
fn look(letters: &[u8]) -> Vec<u8> {
    let mut seen: Vec<u8> = Vec::with_capacity(letters.len());
    for &letter in letters {
        match (seen.last(), letter) {
            (Some(b'r'), b'n') => {
                seen.pop();
                seen.push(b'm');
            }
            (Some(b'v'), b'v') => {
                seen.pop();
                seen.push(b'w');
            }
            (_, b'0') => seen.push(b'o'),
            (_, b'1' | b'i') => seen.push(b'l'),
            (_, b'5') => seen.push(b's'),
            _ => seen.push(letter),
        }
    }
    seen
}

fn half_hash(letters: &[u8], half: usize, from_end: bool) -> u64 {
    let part = if from_end { letters.get(letters.len().saturating_sub(half)..) } else { letters.get(..half) };
    hash_of(part.unwrap_or_default()) ^ u64::from(from_end)
}

fn sorted_hash(letters: &[u8]) -> u64 {
    let mut sorted = letters.to_vec();
    sorted.sort_unstable();
    hash_of(&sorted) ^ 2
}

/// Whether two names in their index spelling differ by one inserted, dropped, replaced or swapped letter, separators aside; an equal
/// spelling with other separators is no slip but the same name.
pub(crate) fn within_one_edit(a: &str, b: &str) -> bool {
    let (a, b) = (letters_of(a), letters_of(b));
    if look(&a) == look(&b) {
        return true;
    }
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let head = short.iter().zip(long.iter()).take_while(|(x, y)| x == y).count();
    if head == long.len() {
        return true;
    }
    let rest = |bytes: &[u8], skip: usize| bytes.get(head + skip..).unwrap_or_default().to_vec();
    let is_swap = short.len() == long.len()
        && short.get(head) == long.get(head + 1)
        && short.get(head + 1) == long.get(head)
        && rest(short, 2) == rest(long, 2);
    is_swap
        || if short.len() == long.len() {
            rest(short, 1) == rest(long, 1)
        } else {
            rest(short, 0) == rest(long, 1)
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_meet() {
        for name in ["getFileInfo", "get-file-info", "get_file_info", "GET_FILE_INFO", "get.file/info"] {
            assert_eq!(&*NameKey::of(name).text, "get_file_info", "{name}");
        }
    }

    #[test]
    fn one_slip_is_near() {
        for (a, b) in [
            ("quillmark_publish", "quilmark_publish"),
            ("quillmark_publish", "quillmarc_publish"),
            ("quillmark_publish", "qulilmark_publish"),
        ] {
            assert!(within_one_edit(a, b), "{a} {b}");
        }
        assert!(!within_one_edit("quillmark_publish", "quillmark_polish"));
    }
}
