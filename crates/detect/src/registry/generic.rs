//! Which tool names are generic: shared by honest servers that have nothing to do with one another.

use crate::prelude::*;
use core::hash::{BuildHasher, Hasher};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use once_cell::race::OnceBox;

/// Names seen on two or more unrelated servers; made by `cargo xtask generic-names`.
const NAMES: &str = include_str!("../../data/generic-names.txt");
/// Words of tool names seen on many unrelated servers; made by `cargo xtask generic-names`.
const TOKENS: &str = include_str!("../../data/generic-tokens.txt");
/// Common verbs and nouns of tool names that the harvest may miss; kept by hand.
const WORDS: &str = include_str!("../../data/common-words.txt");

struct Generic {
    names: HashTable<&'static str>,
    words: HashTable<&'static str>,
}

fn table() -> &'static Generic {
    static TABLE: OnceBox<Generic> = OnceBox::new();
    TABLE.get_or_init(|| Box::new(Generic { names: lines(&[NAMES]), words: lines(&[TOKENS, WORDS]) }))
}

fn lines(sources: &[&'static str]) -> HashTable<&'static str> {
    let mut table = HashTable::new();
    for source in sources {
        for word in source.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
            table.insert_unique(hash(word), word, |other| hash(other));
        }
    }
    table
}

fn hash(text: &str) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Whether a name (in its index spelling) belongs to one server alone: it is not in the table of generic names,
/// and not built of common words only.
pub(crate) fn is_distinctive(key: &str) -> bool {
    let table = table();
    if table.names.find(hash(key), |known| *known == key).is_some() {
        return false;
    }
    let is_common = |word: &str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        word.len() < 3
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || table.words.find(hash(word), |known| *known == word).is_some()
            || table.words.find(hash(singular), |known| *known == singular).is_some()
    };
    !key.split('_').all(is_common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_make_generic_names() {
        for name in ["search", "get_file", "list_issues", "send_message", "create_user"] {
            assert!(!is_distinctive(name), "{name}");
        }
        for name in ["quillmark_publish_draft", "codacy_get_pattern", "zephyrdesk_sync"] {
            assert!(is_distinctive(name), "{name}");
        }
    }
}
