//! The read-only picture of all servers' definitions, with the indexes cross-server checks ask.
//!
//! Built once per scan and cheap to update: a changed server takes its own entries out of the indexes and puts
//! the new ones in; nothing else is touched.

mod copies;
mod generic;
mod names;

use crate::prelude::*;
use crate::tool::{Definition, Kind};
use alloc::collections::BTreeMap;
use copies::CopyIndex;
use names::NameIndex;

pub(crate) use copies::{Sketch, shared_words};
pub(crate) use generic::is_distinctive;
pub(crate) use names::{NameKey, key_hash, spelling, within_one_edit};

/// Which definition of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId {
    slot: u32,
    index: u32,
}

impl DefinitionId {
    /// Stands for what is in no registry.
    pub(crate) const NONE: DefinitionId = DefinitionId { slot: u32::MAX, index: u32::MAX };
}

/// One server's definitions and what the indexes hold of them.
#[derive(Default)]
struct Server {
    definitions: Vec<Definition>,
    sketches: Vec<Sketch>,
    /// Hashes of the distinctive names of its tools, sorted.
    own_names: Vec<u64>,
    /// Hashes of the last words of its tools' names and whose they are, sorted.
    last_words: Vec<(u64, u32)>,
    /// Order-free digest of all definitions: equal for two instances of one server.
    digest: u64,
}

/// All servers' definitions.
#[derive(Default)]
pub struct Registry {
    by_name: BTreeMap<Box<str>, u32>,
    servers: Vec<Option<Server>>,
    names: NameIndex,
    copies: CopyIndex,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Puts a server's definitions in, replacing what it declared before.
    pub fn insert_server(&mut self, name: &str, definitions: Vec<Definition>) {
        self.remove_server(name);
        let slot = self.servers.iter().position(Option::is_none).unwrap_or(self.servers.len());
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        let digest = definitions.iter().fold(0u64, |sum, definition| sum.wrapping_add(definition.digest));
        let (own_names, last_words) = (distinctive_names(&definitions), last_words(&definitions));
        let mut server = Server { definitions, sketches: Vec::new(), own_names, last_words, digest };
        for (index, definition) in server.definitions.iter().enumerate() {
            let id = DefinitionId { slot: number, index: u32::try_from(index).unwrap_or(u32::MAX) };
            let sketch = Sketch::of(definition.description());
            if definition.kind == Kind::Tool {
                self.names.insert(id, definition.name_key());
                self.copies.insert(id, copies::order(name, definition.name()), &sketch);
            }
            server.sketches.push(sketch);
        }
        match self.servers.get_mut(slot) {
            Some(free) => *free = Some(server),
            None => self.servers.push(Some(server)),
        }
        self.by_name.insert(name.into(), number);
    }

    /// Takes a server out.
    pub fn remove_server(&mut self, name: &str) {
        let Some(slot) = self.by_name.remove(name) else { return };
        let Some(server) = self.servers.get_mut(slot as usize).and_then(Option::take) else { return };
        for (index, definition) in server.definitions.iter().enumerate() {
            let id = DefinitionId { slot, index: u32::try_from(index).unwrap_or(u32::MAX) };
            self.names.remove(id, definition.name_key());
            if let Some(sketch) = server.sketches.get(index) {
                self.copies.remove(id, sketch);
            }
        }
    }

    /// All definitions, by server name, then in declared order.
    pub fn ids(&self) -> impl Iterator<Item = DefinitionId> + '_ {
        self.by_name.values().flat_map(|&slot| {
            let count = self.server(slot).map_or(0, |server| server.definitions.len());
            (0..u32::try_from(count).unwrap_or(u32::MAX)).map(move |index| DefinitionId { slot, index })
        })
    }

    /// The definitions of one server, in declared order.
    pub fn of_server(&self, name: &str) -> impl Iterator<Item = DefinitionId> + '_ {
        let slot = self.by_name.get(name).copied();
        let count = slot.and_then(|slot| self.server(slot)).map_or(0, |server| server.definitions.len());
        let indexes = 0..u32::try_from(count).unwrap_or(u32::MAX);
        slot.into_iter().flat_map(move |slot| indexes.clone().map(move |index| DefinitionId { slot, index }))
    }

    /// One definition.
    pub fn definition(&self, id: DefinitionId) -> Option<&Definition> {
        self.server(id.slot)?.definitions.get(id.index as usize)
    }

    fn server(&self, slot: u32) -> Option<&Server> {
        self.servers.get(slot as usize).and_then(Option::as_ref)
    }

    pub(crate) fn sketch(&self, id: DefinitionId) -> Option<&Sketch> {
        self.server(id.slot)?.sketches.get(id.index as usize)
    }

    /// Definitions of a tool with this name, on any server.
    pub(crate) fn named(&self, key: u64) -> &[DefinitionId] {
        self.names.exact(key)
    }

    /// Tools whose names are one slip of the finger away from `key`.
    pub(crate) fn almost_named(&self, key: &NameKey) -> Vec<DefinitionId> {
        self.names.near(key)
    }

    /// Tools on other servers whose description shares much with this sketch.
    pub(crate) fn described_like(&self, sketch: &Sketch) -> Vec<DefinitionId> {
        self.copies.candidates(sketch)
    }

    /// The first of `ids` by server name and declared order, whatever order servers were put in.
    pub(crate) fn first(&self, ids: impl Iterator<Item = DefinitionId>) -> Option<DefinitionId> {
        ids.min_by_key(|id| (self.definition(*id).map(Definition::server), id.index))
    }

    /// Whether another tool of the same server may be meant by this one word: `extract` for `acme_extract`.
    pub(crate) fn abbreviates_sibling(&self, id: DefinitionId, word: u64) -> bool {
        let Some(server) = self.server(id.slot) else { return false };
        let first = server.last_words.partition_point(|(other, _)| *other < word);
        let meant = server.last_words.iter().skip(first).take_while(|(other, _)| *other == word);
        meant.take(2).any(|(_, index)| *index != id.index)
    }

    pub(crate) fn same_server(&self, a: DefinitionId, b: DefinitionId) -> bool {
        a.slot == b.slot
    }

    /// Whether two servers declare exactly the same: two instances of one server.
    pub(crate) fn are_instances(&self, a: DefinitionId, b: DefinitionId) -> bool {
        match (self.server(a.slot), self.server(b.slot)) {
            (Some(a), Some(b)) => a.digest == b.digest && a.definitions.len() == b.definitions.len(),
            _ => false,
        }
    }

    /// Whether two servers share most of the names that are theirs alone: a fork, another version, or a copy of the
    /// whole. Taking a name or two does not make a fork, nor does a small server beside a large one.
    pub(crate) fn are_forks(&self, a: DefinitionId, b: DefinitionId) -> bool {
        let (Some(a), Some(b)) = (self.server(a.slot), self.server(b.slot)) else { return false };
        let (small, large) = if a.own_names.len() <= b.own_names.len() { (a, b) } else { (b, a) };
        // The hashes are as good as random, so the smallest stand for all.
        let sample = small.own_names.get(..FORK_SAMPLE).unwrap_or(&small.own_names);
        let shared = sample.iter().filter(|name| large.own_names.binary_search(name).is_ok()).count();
        let whole = shared * small.own_names.len() / sample.len().max(1);
        shared >= FEWEST_FORKED && whole * 2 > small.own_names.len() && whole * 3 >= large.own_names.len()
    }

    /// Whether `id` was known before `other`, so that a clash between them is not its fault.
    pub(crate) fn is_older(&self, id: DefinitionId, other: DefinitionId) -> bool {
        let since = |id| self.definition(id).and_then(|definition| definition.since);
        matches!((since(id), since(other)), (Some(mine), Some(theirs)) if mine < theirs)
    }
}

/// Fewer shared names are a coincidence or an attack, not a fork.
const FEWEST_FORKED: usize = 3;
/// Names compared at most, whatever the size of a server.
const FORK_SAMPLE: usize = 64;

fn tool_keys(definitions: &[Definition]) -> impl Iterator<Item = (u32, &NameKey)> {
    let tools = (0..).zip(definitions).filter(|(_, definition)| definition.kind == Kind::Tool);
    tools.map(|(index, definition)| (index, definition.name_key()))
}

fn distinctive_names(definitions: &[Definition]) -> Vec<u64> {
    let keys = tool_keys(definitions).map(|(_, key)| key);
    let mut names: Vec<u64> = keys.filter(|key| key.is_distinctive).map(|key| key.hash).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn last_words(definitions: &[Definition]) -> Vec<(u64, u32)> {
    let mut scratch = String::new();
    let mut words: Vec<(u64, u32)> = tool_keys(definitions)
        .filter_map(|(index, key)| Some((key_hash(key.text.rsplit_once('_')?.1, &mut scratch), index)))
        .collect();
    words.sort_unstable();
    words
}
