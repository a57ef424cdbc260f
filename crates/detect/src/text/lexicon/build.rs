//! Compiles the table of word classes from its source text.

use super::{Classes, Entry, Lexicon, Phrase, Words};
use crate::prelude::*;
use crate::text::decode::letters;
use crate::text::fold;
use crate::text::stem::Stem;
use crate::text::unicode::is_unspaced;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

#[derive(Default)]
pub(super) struct Builder {
    words: Words,
    classes: Vec<Classes>,
    phrases: Vec<(u16, Phrase)>,
    unspaced: Vec<(String, Entry)>,
}

/// The number of words too long to be looked up; no token has it.
const TOO_LONG: u16 = u16::MAX;

/// How many bytes of the source make one word of the table.
const BYTES_PER_WORD: usize = 16;

impl Builder {
    pub(super) fn read(mut self, source: &str) -> Self {
        // Made once: a table that grew would leave its smaller selves behind as used memory.
        self.words.reserve(source.len() / BYTES_PER_WORD, |(known, _)| known.hash());
        let mut classes = Classes::default();
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                classes = Classes::named(name).expect("the shipped lexicon names only known classes");
                continue;
            }
            for item in line.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                self.item(item, classes);
            }
        }
        self
    }

    fn item(&mut self, item: &str, classes: Classes) {
        if item.chars().any(is_unspaced) {
            let text = fold::word(item);
            match self.unspaced.iter_mut().find(|(known, _)| *known == text) {
                Some((_, entry)) => entry.classes |= classes,
                None => self.unspaced.push((text, Entry { classes, word: 0 })),
            }
            return;
        }
        let parts: Vec<String> = split_words(item);
        match parts.as_slice() {
            [] => {}
            [word] => {
                let number = self.number(word);
                self.add(number, classes);
            }
            [first, rest @ ..] => {
                let words = rest.iter().map(|word| self.number(word)).collect();
                let number = self.number(first);
                self.add(number, Classes::OPENS_PHRASE);
                self.phrases.push((number, Phrase { words, classes }));
            }
        }
    }

    /// Telling words in rot13 and backwards, so that the pass over plain words notices disguised text.
    pub(super) fn disguise(mut self) -> Self {
        for word in DISGUISED {
            let rotated: String = word.chars().map(letters::rot13).collect();
            let number = self.number(&rotated);
            self.add(number, Classes::ROT13);
            let reversed: String = word.chars().rev().collect();
            let number = self.number(&reversed);
            self.add(number, Classes::REVERSED);
        }
        self
    }

    /// The number of a word, given when it is first met.
    fn number(&mut self, word: &str) -> u16 {
        let Some(stem) = Stem::of(word) else { return TOO_LONG };
        // Number 0 is that of all unknown words.
        let next = u16::try_from(self.words.len() + 1).unwrap_or(TOO_LONG);
        let slot = self.words.entry(stem.hash(), |(known, _)| *known == stem, |(known, _)| known.hash());
        slot.or_insert((stem, next)).get().1
    }

    fn add(&mut self, number: u16, classes: Classes) {
        if number == TOO_LONG {
            return;
        }
        let least = usize::from(number) + 1;
        if self.classes.len() < least {
            self.classes.resize(least, Classes::default());
        }
        if let Some(known) = self.classes.get_mut(usize::from(number)) {
            *known |= classes;
        }
    }

    pub(super) fn build(mut self) -> Lexicon {
        self.phrases.sort_by_key(|(word, _)| *word);
        let unspaced = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            // The kind's own depth. The default of the step before it is one deeper, which in ideographs is megabytes.
            .dense_depth(2)
            .build(self.unspaced.iter().map(|(text, _)| text))
            .expect("the shipped lexicon is small enough for an automaton");
        let unspaced_entries = self.unspaced.into_iter().map(|(_, entry)| entry).collect();
        Lexicon {
            words: self.words,
            classes: self.classes,
            phrases: self.phrases,
            unspaced,
            unspaced_entries,
        }
    }
}

/// Words that give a disguised order or command away; none of them is an English word in rot13 or backwards.
const DISGUISED: [&str; 58] = [
    "ignore",
    "previous",
    "instructions",
    "instruction",
    "secret",
    "user",
    "this",
    "with",
    "from",
    "before",
    "after",
    "their",
    "file",
    "files",
    "read",
    "send",
    "tell",
    "never",
    "always",
    "must",
    "password",
    "token",
    "curl",
    "wget",
    "bash",
    "http",
    "https",
    "content",
    "contents",
    "system",
    "prompt",
    "execute",
    "without",
    "credentials",
    "silently",
    "other",
    "should",
    "which",
    "first",
    "then",
    "email",
    "forward",
    "message",
    "conversation",
    "usuario",
    "usuário",
    "todos",
    "senha",
    "contraseña",
    "archivo",
    "arquivo",
    "utilisateur",
    "fichier",
    "benutzer",
    "datei",
    "passwort",
    "envie",
    "sempre",
];

/// The words of a phrase as the tokeniser would cut them.
fn split_words(item: &str) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in item.split_whitespace() {
        let chunk = fold::word(chunk);
        match chunk.split_once('\'') {
            Some((head, tail)) => words.extend(fold::open_contraction(head, tail).map(ToOwned::to_owned)),
            None => words.push(chunk),
        }
    }
    words
}
