//! What a registry keeps of a definition so that others can be compared with it, and of the server it belongs to.

use super::Sketch;
use super::names::{NameKey, halves, key_hash};
use super::rows::{Rows, push};
use crate::prelude::*;
use crate::tool::{Definition, Kind};

/// What others are compared with: little enough to hold it of a million tools.
pub(crate) struct Known {
    name: Box<str>,
    pub(super) sketch: Sketch,
    /// When it became known, counted from 1; 0 if nobody knows.
    since: u64,
    /// Where whoever put it in finds the whole again.
    pub(super) place: u64,
}

impl Known {
    pub(super) fn of(definition: &Definition, place: u64) -> Self {
        let is_tool = definition.kind == Kind::Tool;
        Known {
            name: definition.name.clone(),
            // Only tools are compared by what they say.
            sketch: if is_tool { Sketch::of(definition.description()) } else { Sketch::default() },
            since: definition.since.map_or(0, |since| since.saturating_add(1)),
            place,
        }
    }

    /// The declared name. May be hostile: escape before printing.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name in its index spelling.
    pub(crate) fn name_key(&self) -> NameKey {
        NameKey::of(&self.name)
    }

    pub(super) fn is_older(&self, other: &Known) -> bool {
        self.since != 0 && self.since < other.since
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.name.len() + self.sketch.bytes()
    }
}

/// Fewer shared names are a coincidence or an attack, not a fork.
const FEWEST_FORKED: usize = 3;
/// Names compared at most, whatever the size of a server.
const FORK_SAMPLE: usize = 64;

/// One server, and what is known of its definitions.
pub(super) struct Server {
    pub(super) name: Box<str>,
    /// In declared order.
    pub(super) known: Vec<Known>,
    /// Where each of them is found in the indexes.
    pub(super) seats: Vec<u32>,
    /// The whole definitions, in the same order; none if they are kept elsewhere.
    pub(super) definitions: Vec<Definition>,
    /// Hashes of the distinctive names of its tools.
    own_names: Rows<2>,
    /// Half the hashes of the last words of its tools' names, and whose they are.
    last_words: Rows<2>,
    /// Order-free digest of all definitions: equal for two instances of one server.
    digest: u64,
}

impl Server {
    pub(super) fn new(name: &str) -> Self {
        Server {
            name: name.into(),
            known: Vec::new(),
            seats: Vec::new(),
            definitions: Vec::new(),
            own_names: Rows::default(),
            last_words: Rows::default(),
            digest: 0,
        }
    }

    pub(super) fn add(&mut self, definition: &Definition, known: Known, seat: u32) {
        let index = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.digest = self.digest.wrapping_add(definition.digest);
        push(&mut self.known, known);
        push(&mut self.seats, seat);
        if definition.kind != Kind::Tool {
            return;
        }
        let key = definition.name_key();
        if key.is_distinctive {
            self.own_names.insert(halves(key.hash));
        }
        if let Some(word) = last_word(key) {
            let [_, low] = halves(word);
            self.last_words.insert([low, index]);
        }
    }

    /// Whether a tool other than that of this index may be meant by one word: `extract` for `acme_extract`.
    pub(super) fn is_abbreviated(&self, index: u32, word: u64) -> bool {
        let [_, low] = halves(word);
        let ends_so = |index: u32| {
            self.known.get(index as usize).is_some_and(|known| last_word(&known.name_key()) == Some(word))
        };
        let others = self.last_words.beginning(&[low]).iter().map(|[_, other]| *other);
        others.filter(|other| *other != index).any(ends_so)
    }

    /// Whether both declare exactly the same: two instances of one server.
    pub(super) fn is_instance_of(&self, other: &Server) -> bool {
        self.digest == other.digest && self.known.len() == other.known.len()
    }

    /// Whether both share most of the names that are theirs alone: a fork, another version, or a copy of the whole.
    /// Taking a name or two does not make a fork, nor does a small server beside a large one.
    pub(super) fn is_fork_of(&self, other: &Server) -> bool {
        let (small, large) =
            if self.own_names.len() <= other.own_names.len() { (self, other) } else { (other, self) };
        // The hashes are as good as random, so the smallest stand for all.
        let sample = small.own_names.len().min(FORK_SAMPLE);
        let is_shared = |name: &&[u32; 2]| !large.own_names.beginning(*name).is_empty();
        let shared = small.own_names.iter().take(sample).filter(is_shared).count();
        let whole = shared * small.own_names.len() / sample.max(1);
        shared >= FEWEST_FORKED && whole * 2 > small.own_names.len() && whole * 3 >= large.own_names.len()
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let lists = self.known.capacity() * size_of::<Known>() + self.seats.capacity() * size_of::<u32>();
        let texts: usize = self.known.iter().map(Known::bytes).sum();
        size_of::<Server>() + lists + texts + self.own_names.bytes() + self.last_words.bytes()
    }
}

/// The hash of the last word of a name of several.
fn last_word(key: &NameKey) -> Option<u64> {
    Some(key_hash(key.text.rsplit_once('_')?.1, &mut String::new()))
}
