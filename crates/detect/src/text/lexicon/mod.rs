//! What words do in a sentence: the table of word classes, compiled once from `data/lexicon.txt`.
//!
//! Attacks are reworded for ever; who is addressed, what is obliged and what is to be done stay. So checks look
//! at classes of words, and one class holds the words of all languages we read.

mod build;

use crate::prelude::*;
use crate::text::fold;
use crate::text::sensitive;
use crate::text::stem::Stem;
use crate::text::token::{Shape, Token};
use aho_corasick::AhoCorasick;
use build::Builder;
use core::ops::{BitAnd, BitOr, BitOrAssign};
use hashbrown::HashTable;
use once_cell::race::OnceBox;

const SHIPPED: &str = include_str!("../../../data/lexicon.txt");

/// A set of word classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Classes(u64);

macro_rules! classes {
    ($($bit:literal $constant:ident $word:literal)*) => {
        impl Classes {
            $(pub(crate) const $constant: Classes = Classes(1 << $bit);)*

            fn named(word: &str) -> Option<Classes> {
                match word {
                    $($word => Some(Classes::$constant),)*
                    _ => None,
                }
            }
        }
    };
}

classes! {
    0 ADDRESSEE "addressee"
    1 MUST "must"
    2 NOT "not"
    3 BEFORE "before"
    4 WHEN "when"
    5 INSTEAD "instead"
    6 USE "use"
    7 CHANGE "change"
    8 READ "read"
    9 SEND "send"
    10 TELL "tell"
    11 USER "user"
    12 COVERTLY "covertly"
    13 IGNORE "ignore"
    14 PRIOR "prior"
    15 RULES "rules"
    16 TOOL "tool"
    17 PARAMETER "parameter"
    18 SECRET "secret"
    19 CONVERSATION "conversation"
    20 PRIORITY "priority"
    21 PRETEXT "pretext"
    23 DETECTS "detects"
    24 ATTACK "attack"
    25 EXAMPLE "example"
    26 REGARDLESS "regardless"
    27 SELF "self"
    28 ANSWER "answer"
    29 DATA "data"
    30 ROLE "role"
    31 DELETE "delete"
    33 PUT "put"
    34 ACTION "action"
    35 QUANTITY "quantity"
    36 MODEL "model"
    37 PERSON "person"
    38 PRETENCE "pretence"
    39 ASKED "asked"
    48 UNASKED "unasked"
    49 VOID "void"
    50 UNSEEN "unseen"
    51 PRIVATE "private"
    52 REQUEST "request"
    53 OVERT "overt"
    22 REAL "real"
    32 FOLLOW "follow"
    55 SHELL "shell"
    56 CONTROL "control"
    57 OURS "ours"
    58 ONLY "only"
    59 STANDING "standing"
    60 SIGHT "sight"
    61 WITHHOLD "withhold"
    62 HOLDINGS "holdings"
    40 HIDDEN_TAG "(tag that hides or commands)"
    41 TEMPLATE_TAG "(chat template token)"
    42 COMMENT_TAG "(comment)"
    43 SENSITIVE_PATH "(path to a secret)"
    44 ADDRESS "address"
    45 CLOSING_TAG "(closing tag)"
    54 LABEL "(label in brackets)"
    46 ROT13 "(rot13 of a telling word)"
    47 REVERSED "(a telling word backwards)"
    63 OPENS_PHRASE "(first word of a phrase)"
}

impl Classes {
    /// Whether any class of `other` is in this set.
    pub(crate) fn any(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all classes of `other` are in this set.
    #[cfg(test)]
    pub(crate) fn all(self, other: Classes) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Classes {
    type Output = Classes;
    fn bitor(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }
}

impl BitAnd for Classes {
    type Output = Classes;
    fn bitand(self, other: Classes) -> Classes {
        Classes(self.0 & other.0)
    }
}

impl BitOrAssign for Classes {
    fn bitor_assign(&mut self, other: Classes) {
        self.0 |= other.0;
    }
}

/// A word's classes and its number in the lexicon (0: unknown).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) classes: Classes,
    pub(crate) word: u16,
}

/// A run of words that has a class only together.
struct Phrase {
    words: Vec<u16>,
    classes: Classes,
}

/// Numbers of words by their stems; the stem lies in the table itself, so a look-up follows no pointer.
type Words = HashTable<(Stem, u16)>;

/// The compiled table.
pub(crate) struct Lexicon {
    words: Words,
    /// By the number of the word.
    classes: Vec<Classes>,
    /// Phrases by the number of their first word, sorted by it.
    phrases: Vec<(u16, Phrase)>,
    unspaced: AhoCorasick,
    unspaced_entries: Vec<Entry>,
}

impl Lexicon {
    /// The table this version ships, compiled on first use.
    pub(crate) fn shipped() -> &'static Self {
        static TABLE: OnceBox<Lexicon> = OnceBox::new();
        TABLE.get_or_init(|| Box::new(Builder::default().read(SHIPPED).disguise().build()))
    }

    /// The entry of one word, already folded to lower case beyond ASCII.
    pub(crate) fn word(&self, word: &str) -> Entry {
        Stem::of(word).map_or(Entry::default(), |stem| self.entry(&stem))
    }

    fn entry(&self, stem: &Stem) -> Entry {
        let Some(&(_, word)) = self.words.find(stem.hash(), |(known, _)| known == stem) else {
            return Entry::default();
        };
        Entry { classes: self.classes.get(usize::from(word)).copied().unwrap_or_default(), word }
    }

    /// The entry of an identifier, path or address.
    pub(crate) fn special(&self, chunk: &str, shape: Shape) -> Entry {
        let mut entry = match shape {
            Shape::Identifier => {
                Stem::unstemmed(chunk).map_or(Entry::default(), |hyphenated| self.entry(&hyphenated))
            }
            _ => Entry::default(),
        };
        match shape {
            Shape::Url | Shape::Email => entry.classes |= Classes::ADDRESS,
            Shape::Number if sensitive::is_host(chunk) => entry.classes |= Classes::ADDRESS,
            _ => {}
        }
        if sensitive::is_secret_variable(chunk) {
            entry.classes |= Classes::SECRET;
        }
        if sensitive::is_sensitive_path(chunk) {
            entry.classes |= Classes::SENSITIVE_PATH;
        }
        entry
    }

    /// The entry of a piece of markup.
    pub(crate) fn tag(&self, tag: &str) -> Entry {
        Entry { classes: fold::tag_classes(tag), word: 0 }
    }

    /// The words found inside a run of unspaced script, left to right.
    pub(crate) fn unspaced<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, Entry)> + 'a {
        self.unspaced.find_iter(text).map(|found| {
            let entry = self.unspaced_entries.get(found.pattern().as_usize()).copied().unwrap_or_default();
            (found.start(), found.end(), entry)
        })
    }

    /// Gives the classes of multi-word phrases to their first token.
    pub(crate) fn mark_phrases(&self, tokens: &mut [Token]) {
        for index in 0..tokens.len() {
            let Some(token) = tokens.get(index).filter(|token| token.classes.any(Classes::OPENS_PHRASE))
            else {
                continue;
            };
            let first = self.phrases.partition_point(|(word, _)| *word < token.word);
            let mut found = Classes::default();
            for (_, phrase) in self
                .phrases
                .get(first..)
                .unwrap_or_default()
                .iter()
                .take_while(|(word, _)| *word == token.word)
            {
                if follows(tokens, index, &phrase.words) {
                    found |= phrase.classes;
                }
            }
            if let Some(token) = tokens.get_mut(index) {
                token.classes |= found;
            }
        }
    }
}

fn follows(tokens: &[Token], index: usize, words: &[u16]) -> bool {
    let rest = tokens.get(index + 1..index + 1 + words.len()).unwrap_or_default();
    rest.len() == words.len() && rest.iter().zip(words).all(|(token, word)| token.word == *word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::token::tokenise;

    fn classes_of(text: &str) -> Classes {
        let lexicon = Lexicon::shipped();
        let mut tokens = Vec::new();
        tokenise(text, lexicon, &mut tokens);
        tokens.iter().fold(Classes::default(), |sum, token| sum | token.classes)
    }

    #[test]
    fn words_phrases_and_languages_have_classes() {
        assert!(
            classes_of("you must not tell")
                .all(Classes::ADDRESSEE | Classes::MUST | Classes::NOT | Classes::TELL)
        );
        assert!(classes_of("make sure").any(Classes::MUST));
        assert!(classes_of("don\u{2019}t").any(Classes::NOT));
        assert!(classes_of("不要告诉用户").all(Classes::NOT | Classes::TELL | Classes::USER));
        assert!(
            classes_of("Никогда не сообщайте пользователю").all(Classes::NOT | Classes::TELL | Classes::USER)
        );
        assert!(classes_of("ｄｏ ｎｏｔ ｔｅｌｌ").all(Classes::NOT | Classes::TELL));
        assert!(classes_of("d\u{200b}isclo\u{200d}se").any(Classes::TELL));
    }

    #[test]
    fn look_alikes_are_folded_only_in_latin_company() {
        assert!(classes_of("d\u{456}scl\u{43e}se").any(Classes::TELL));
    }
}
