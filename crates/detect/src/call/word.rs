//! Words of tool and parameter names and what they say about a call; the table is `data/call-words.txt`.

use crate::prelude::*;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use once_cell::race::OnceBox;

const SHIPPED: &str = include_str!("../../data/call-words.txt");

/// What one word may say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word(u32);

macro_rules! words {
    ($($bit:literal $constant:ident $section:literal)*) => {
        impl Word {
            $(pub(crate) const $constant: Word = Word(1 << $bit);)*

            fn section(name: &str) -> Word {
                match name {
                    $($section => Word::$constant,)*
                    _ => Word(0),
                }
            }
        }
    };
}

words! {
    0 READ "read"
    1 WRITE "write"
    2 DELETE "delete"
    3 EXECUTE "execute"
    4 SEND "send"
    5 GENERIC "generic"
    6 NOUN "noun"
    7 NOUN_FIRST "noun-first"
    8 ENGINE "engine"
    9 REFERENCE "reference"
    10 PRIVATE "private"
    11 UNTRUSTED "untrusted"
    12 DESTINATION "destination"
    13 PAYLOAD "payload"
    14 SETTING "setting"
    15 QUANTITY "quantity"
    16 OPEN "open"
    17 PUBLISH "publish"
    18 TRACE "trace"
    19 OUTSIDE "outside"
    20 MONEY "money"
    21 HOUSE "house"
    22 SHARE "share"
    23 VERB_PARAMETER "verb-parameter"
}

impl Word {
    /// What the word is known for; nothing if it is unknown.
    pub(crate) fn of(word: &str) -> Word {
        table().get(word).copied().unwrap_or_default()
    }

    /// The same for a word of a sentence, whose ending may be inflected: "Retrieves", "Sending".
    pub(crate) fn of_inflected(word: &str) -> Word {
        let bare = word.strip_suffix("ing").unwrap_or_default();
        let doubled = bare.char_indices().last().map_or("", |(at, _)| bare.get(..at).unwrap_or_default());
        let with_e = format!("{bare}e");
        let plural = word.strip_suffix("ies").map(|stem| format!("{stem}y")).unwrap_or_default();
        let forms = [
            word,
            &plural,
            word.strip_suffix("es").unwrap_or_default(),
            word.strip_suffix('s').unwrap_or_default(),
            bare,
            &with_e,
            doubled,
        ];
        forms.into_iter().map(Word::of).find(|known| known.any(VERBS)).unwrap_or_default()
    }

    pub(crate) const fn or(self, other: Word) -> Word {
        Word(self.0 | other.0)
    }

    pub(crate) fn any(self, other: Word) -> bool {
        self.0 & other.0 != 0
    }
}

/// Words that name a deed.
pub(crate) const VERBS: Word = Word::READ.or(Word::WRITE).or(Word::DELETE).or(Word::EXECUTE);

type Table = HashMap<&'static str, Word, FixedState>;

fn table() -> &'static Table {
    static TABLE: OnceBox<Table> = OnceBox::new();
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        let mut section = Word::default();
        for line in SHIPPED.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Word::section(name);
                continue;
            }
            for word in line.split_whitespace() {
                let known = table.entry(word).or_default();
                *known = known.or(section);
            }
        }
        Box::new(table)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_table_is_known() {
        for line in SHIPPED.lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                assert_ne!(Word::section(name), Word::default(), "{name}");
            }
        }
    }

    #[test]
    fn inflected_verbs_are_their_verbs() {
        for word in ["retrieves", "sending", "running", "fetches", "copies", "creating"] {
            assert!(Word::of_inflected(word).any(VERBS), "{word}");
        }
        assert!(!Word::of_inflected("skills").any(VERBS));
    }
}
