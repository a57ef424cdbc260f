//! Passages of results that tell the agent to do something, kept as rows of keyed word hashes.

use super::marks::OriginId;
use super::print::keyed;
use super::walk::Step;
use crate::prelude::*;
use alloc::collections::VecDeque;

/// Why a passage is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// It has the form of an order.
    Order,
    /// It follows words that are meant for the model: overrides, secrecy, tags, false authority.
    Directive,
    /// It turns to whatever machine reads it.
    Spoken,
    /// It is written in characters that cannot be seen.
    Hidden,
    /// It says that an address or account is no longer what it was.
    Changed,
}

/// One passage.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) origin: OriginId,
    pub(crate) kind: SpanKind,
    /// It orders something to be taken away.
    pub(crate) deletes: bool,
    /// It says what a value has to be.
    pub(crate) dictates: bool,
    pub(crate) words: Box<[u32]>,
}

/// A passage of a result that is not yet part of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    pub(crate) kind: SpanKind,
    pub(crate) deletes: bool,
    pub(crate) dictates: bool,
    pub(crate) words: Box<[u32]>,
}

impl Passage {
    pub(crate) fn from(self, origin: OriginId) -> Span {
        let Passage { kind, deletes, dictates, words } = self;
        Span { origin, kind, deletes, dictates, words }
    }
}

/// Passages kept of one flow; the oldest go first.
pub(super) const MOST_SPANS: usize = 256;
/// Words kept of one passage.
pub(crate) const MOST_WORDS: usize = 200;

/// The passages of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    pub(super) all: VecDeque<Span>,
    pub(super) present: WordSet,
    /// Words of all passages, so that nobody has to count them after every call.
    words: usize,
}

/// A word as it is kept.
pub(crate) fn keyed_word(hash: u64, key: u64) -> u32 {
    u32::try_from(keyed(hash, key) >> 32).unwrap_or_default().max(1)
}

/// The words of a value or a passage as they are kept.
pub(crate) fn keyed_words(steps: &[Step], key: u64) -> Vec<u32> {
    steps.iter().map(|step| keyed_word(step.hash, key)).collect()
}

impl Spans {
    /// The passages of a flow that was kept elsewhere.
    pub(super) fn of(all: VecDeque<Span>, present: WordSet) -> Spans {
        let words = all.iter().map(|span| span.words.len()).sum();
        Spans { all, present, words }
    }

    /// Keeps a passage; true if an older one had to go.
    pub(crate) fn push(&mut self, span: Span) -> bool {
        let is_full = self.all.len() >= MOST_SPANS;
        if is_full {
            self.words -= self.all.pop_front().map_or(0, |oldest| oldest.words.len());
        }
        self.words += span.words.len();
        for word in &span.words {
            self.present.insert(*word);
        }
        self.all.push_back(span);
        is_full
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The first passage in which the words of a value stand in a row.
    pub(crate) fn holding(&self, value: &[u32], is_wanted: impl Fn(&Span) -> bool) -> Option<&Span> {
        let first = *value.first()?;
        if !value.iter().all(|word| self.present.has(*word)) {
            return None;
        }
        self.all.iter().filter(|span| is_wanted(span)).find(|span| {
            span.words
                .iter()
                .enumerate()
                .filter(|(_, word)| **word == first)
                .any(|(at, _)| span.words.get(at..at + value.len()) == Some(value))
        })
    }

    /// The passage that shares most of these words, and how many.
    pub(crate) fn sharing(&self, words: &[u32], is_wanted: impl Fn(&Span) -> bool) -> Option<(&Span, usize)> {
        let shared = |span: &Span| words.iter().filter(|word| span.words.contains(word)).count();
        let wanted = self.all.iter().filter(|span| is_wanted(span));
        wanted.map(|span| (span, shared(span))).max_by_key(|(_, shared)| *shared)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words * 4 + self.all.capacity() * size_of::<Span>() + self.present.bytes()
    }
}

/// A bounded set of words.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordSet {
    slots: Vec<u32>,
    used: usize,
}

const MOST_SET_SLOTS: usize = 1 << 15;
const FEWEST_SET_SLOTS: usize = 1 << 6;

impl WordSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether the word was seen; a full set knows what it had room for.
    pub(crate) fn has(&self, word: u32) -> bool {
        let Some(mask) = self.slots.len().checked_sub(1) else { return false };
        let mut at = word as usize & mask;
        loop {
            match self.slots.get(at) {
                Some(0) | None => return false,
                Some(known) if *known == word => return true,
                Some(_) => at = (at + 1) & mask,
            }
        }
    }

    /// Takes a word in; false if the set is full.
    pub(crate) fn insert(&mut self, word: u32) -> bool {
        if self.has(word) {
            return true;
        }
        if self.used * 2 >= self.slots.len() {
            if self.slots.len() >= MOST_SET_SLOTS {
                return false;
            }
            let grown = (self.slots.len() * 2).max(FEWEST_SET_SLOTS);
            let old = core::mem::replace(&mut self.slots, vec![0; grown]);
            old.into_iter().filter(|word| *word != 0).for_each(|word| self.place(word));
        }
        self.used += 1;
        self.place(word);
        true
    }

    /// All slots there are, taken or not.
    pub(super) fn size(&self) -> usize {
        self.slots.len()
    }

    /// The words, in no order.
    pub(super) fn taken(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().copied().filter(|word| *word != 0)
    }

    /// A set of this size with these words; `None` if there cannot be such a set.
    pub(super) fn holding(size: usize, taken: &[u32]) -> Option<WordSet> {
        let is_sound = size == 0 && taken.is_empty() || size.is_power_of_two() && size <= MOST_SET_SLOTS;
        if !is_sound || taken.len() * 2 > size || taken.contains(&0) {
            return None;
        }
        let mut set = WordSet { slots: vec![0; size], used: taken.len() };
        taken.iter().for_each(|word| set.place(*word));
        Some(set)
    }

    fn place(&mut self, word: u32) {
        let mask = self.slots.len() - 1;
        let mut at = word as usize & mask;
        while self.slots.get(at).is_some_and(|taken| *taken != 0) {
            at = (at + 1) & mask;
        }
        if let Some(free) = self.slots.get_mut(at) {
            *free = word;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    #[test]
    fn a_value_is_found_where_its_words_stand_in_a_row() {
        let mut spans = Spans::default();
        let (steps, _) = walk("Send it to ann.lee@tide.example today", 100);
        let words = keyed_words(&steps, 7).into_boxed_slice();
        spans.push(Span {
            origin: OriginId(1),
            kind: SpanKind::Order,
            deletes: false,
            dictates: false,
            words,
        });
        let holds = |value: &str| {
            let (steps, _) = walk(value, 100);
            spans.holding(&keyed_words(&steps, 7), |_| true).is_some()
        };
        assert!(holds("Ann.Lee@Tide.example") && holds("tide.example"));
        assert!(!holds("lee@ann.example") && !holds(""));
    }

    #[test]
    fn the_words_of_all_passages_are_counted() {
        let mut spans = Spans::default();
        for length in 0..MOST_SPANS + 40 {
            let words = vec![7; length % 11].into_boxed_slice();
            spans.push(Span {
                origin: OriginId(1),
                kind: SpanKind::Order,
                deletes: false,
                dictates: false,
                words,
            });
            let counted: usize = spans.all.iter().map(|span| span.words.len()).sum();
            assert_eq!(spans.words, counted);
            let again = Spans::of(spans.all.clone(), spans.present.clone());
            assert_eq!(again.words, counted);
        }
    }
}
