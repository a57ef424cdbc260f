//! The read-only picture of all servers' definitions, with the indexes cross-server checks ask.
//!
//! Built once per scan and cheap to update: a changed server takes its own entries out of the indexes and puts
//! the new ones in; nothing else is touched. Of each definition only what others are compared with must be held; the
//! whole may be kept here too, or elsewhere and given back when a comparison asks for it.

mod copies;
mod generic;
mod known;
mod names;
mod rows;

use crate::prelude::*;
use crate::tool::{Definition, Kind};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use copies::CopyIndex;
use known::{Known, Server};
use names::NameIndex;
use rows::push;

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

/// Gives back definitions that a registry knows and does not keep.
pub trait Archive: Send + Sync {
    /// The definition of `server` that was put in with this `place`. `None` lets a comparison go undone, which is for the
    /// archive to tell.
    fn definition(&self, server: &str, place: u64) -> Option<Definition>;
}

/// All servers' definitions.
#[derive(Default)]
pub struct Registry {
    by_name: BTreeMap<Box<str>, u32>,
    servers: Vec<Option<Server>>,
    free_slots: Vec<u32>,
    /// Whose each number is that the indexes hold in the place of an id; numbers are shorter.
    seats: Vec<DefinitionId>,
    free_seats: Vec<u32>,
    names: NameIndex,
    copies: CopyIndex,
    archive: Option<Arc<dyn Archive>>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Registry::default()
    }

    /// An empty registry that asks for definitions it does not keep.
    pub fn with_archive(archive: Arc<dyn Archive>) -> Self {
        Registry { archive: Some(archive), ..Registry::default() }
    }

    /// Puts a server's definitions in and keeps them, replacing what it declared before.
    pub fn insert_server(&mut self, name: &str, definitions: Vec<Definition>) {
        self.remove_server(name);
        let slot = self.open(name);
        definitions.iter().for_each(|definition| self.add(slot, definition, 0));
        if let Some(server) = self.server_mut(slot) {
            server.definitions = definitions;
        }
    }

    /// Puts one more definition of a server in without keeping it: the archive finds it by its server and `place`.
    pub fn learn(&mut self, server: &str, definition: &Definition, place: u64) {
        let slot = match self.by_name.get(server) {
            Some(slot) => *slot,
            None => self.open(server),
        };
        self.add(slot, definition, place);
    }

    /// Takes a server out.
    pub fn remove_server(&mut self, name: &str) {
        let Some(slot) = self.by_name.remove(name) else { return };
        let Some(server) = self.servers.get_mut(slot as usize).and_then(Option::take) else { return };
        for (known, &seat) in server.known.iter().zip(&server.seats) {
            self.names.remove(seat, &known.name_key());
            self.copies.remove(seat, copies::order(name, known.name()), &known.sketch);
        }
        self.free_seats.extend(server.seats);
        self.free_slots.push(slot);
    }

    /// Makes room for a server that is not there.
    fn open(&mut self, name: &str) -> u32 {
        let next = u32::try_from(self.servers.len()).unwrap_or(u32::MAX);
        let slot = self.free_slots.pop().unwrap_or(next);
        if slot == next {
            self.servers.push(None);
        }
        if let Some(free) = self.servers.get_mut(slot as usize) {
            *free = Some(Server::new(name));
        }
        self.by_name.insert(name.into(), slot);
        slot
    }

    fn add(&mut self, slot: u32, definition: &Definition, place: u64) {
        let Some(server) = self.servers.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let id = DefinitionId { slot, index: u32::try_from(server.known.len()).unwrap_or(u32::MAX) };
        let next = u32::try_from(self.seats.len()).unwrap_or(u32::MAX);
        let seat = self.free_seats.pop().unwrap_or(next);
        match self.seats.get_mut(seat as usize) {
            Some(free) => *free = id,
            None => push(&mut self.seats, id),
        }
        let known = Known::of(definition, place);
        if definition.kind == Kind::Tool {
            self.names.insert(seat, definition.name_key());
            self.copies.insert(seat, copies::order(&server.name, definition.name()), &known.sketch);
        }
        server.add(definition, known, seat);
    }

    /// All definitions, by server name, then in declared order.
    pub fn ids(&self) -> impl Iterator<Item = DefinitionId> + '_ {
        self.by_name.values().flat_map(|&slot| {
            let count = self.server(slot).map_or(0, |server| server.known.len());
            (0..u32::try_from(count).unwrap_or(u32::MAX)).map(move |index| DefinitionId { slot, index })
        })
    }

    /// How many definitions are in it.
    pub fn len(&self) -> usize {
        self.seats.len() - self.free_seats.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The definition of a server that was put in after `before` others.
    pub fn nth_of_server(&self, name: &str, before: usize) -> Option<DefinitionId> {
        let id = DefinitionId { slot: *self.by_name.get(name)?, index: u32::try_from(before).ok()? };
        self.known(id).map(|_| id)
    }

    /// One definition, if it is kept here.
    pub fn definition(&self, id: DefinitionId) -> Option<&Definition> {
        self.server(id.slot)?.definitions.get(id.index as usize)
    }

    /// One definition, wherever it is kept.
    pub(crate) fn whole(&self, id: DefinitionId) -> Option<Cow<'_, Definition>> {
        if let Some(definition) = self.definition(id) {
            return Some(Cow::Borrowed(definition));
        }
        let (server, known) = (self.server_name(id), self.known(id)?);
        self.archive.as_ref()?.definition(server, known.place).map(Cow::Owned)
    }

    /// What is known of a definition without looking for the whole.
    pub(crate) fn known(&self, id: DefinitionId) -> Option<&Known> {
        self.server(id.slot)?.known.get(id.index as usize)
    }

    /// The operator's name of the server a definition belongs to.
    pub(crate) fn server_name(&self, id: DefinitionId) -> &str {
        self.server(id.slot).map_or("", |server| &server.name)
    }

    fn server(&self, slot: u32) -> Option<&Server> {
        self.servers.get(slot as usize).and_then(Option::as_ref)
    }

    fn server_mut(&mut self, slot: u32) -> Option<&mut Server> {
        self.servers.get_mut(slot as usize).and_then(Option::as_mut)
    }

    fn ids_of(&self, seats: impl Iterator<Item = u32>) -> impl Iterator<Item = DefinitionId> {
        seats.filter_map(|seat| self.seats.get(seat as usize).copied())
    }

    pub(crate) fn sketch(&self, id: DefinitionId) -> Option<&Sketch> {
        self.known(id).map(|known| &known.sketch)
    }

    /// Tools with this name, on any server.
    pub(crate) fn named(&self, key: u64) -> impl Iterator<Item = DefinitionId> {
        self.ids_of(self.names.exact(key))
    }

    /// Tools whose distinctive names are about one slip of the finger away from `key`.
    pub(crate) fn almost_named(&self, key: &NameKey) -> impl Iterator<Item = DefinitionId> {
        self.ids_of(self.names.near(key).into_iter())
    }

    /// Tools whose description shares much with this sketch.
    pub(crate) fn described_like(&self, sketch: &Sketch) -> impl Iterator<Item = DefinitionId> {
        self.ids_of(self.copies.candidates(sketch).into_iter())
    }

    /// The first of `ids` by server name and declared order, whatever order servers were put in.
    pub(crate) fn first(&self, ids: impl Iterator<Item = DefinitionId>) -> Option<DefinitionId> {
        ids.min_by_key(|id| (self.server_name(*id), id.index))
    }

    /// Whether another tool of the same server may be meant by this one word: `extract` for `acme_extract`.
    pub(crate) fn abbreviates_sibling(&self, id: DefinitionId, word: u64) -> bool {
        self.server(id.slot).is_some_and(|server| server.is_abbreviated(id.index, word))
    }

    pub(crate) fn same_server(&self, a: DefinitionId, b: DefinitionId) -> bool {
        a.slot == b.slot
    }

    /// Whether two servers declare exactly the same: two instances of one server.
    pub(crate) fn are_instances(&self, a: DefinitionId, b: DefinitionId) -> bool {
        matches!((self.server(a.slot), self.server(b.slot)), (Some(a), Some(b)) if a.is_instance_of(b))
    }

    /// Whether two servers share most of the names that are theirs alone.
    pub(crate) fn are_forks(&self, a: DefinitionId, b: DefinitionId) -> bool {
        matches!((self.server(a.slot), self.server(b.slot)), (Some(a), Some(b)) if a.is_fork_of(b))
    }

    /// Whether `id` was known before `other`, so that a clash between them is not its fault.
    pub(crate) fn is_older(&self, id: DefinitionId, other: DefinitionId) -> bool {
        matches!((self.known(id), self.known(other)), (Some(mine), Some(theirs)) if mine.is_older(theirs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Registry {
        /// The bytes held for what is known, as counted from what was asked of the allocator.
        fn bytes(&self) -> usize {
            let servers = self.servers.iter().flatten().map(Server::bytes).sum::<usize>();
            let seats = self.seats.capacity() * size_of::<DefinitionId>();
            servers + seats + self.names.bytes() + self.copies.bytes()
        }
    }

    /// Tools whose names are all distinctive and whose descriptions are long enough to be copied: the most that is kept.
    fn tool(number: usize) -> Definition {
        let word = |salt: usize| format!("w{:x}", (number + 1).wrapping_mul(salt) % 0xFFFF_FFFB);
        let said: Vec<String> = (1..40).map(|salt| word(salt * 0x9E37_79B1)).collect();
        let json =
            format!(r#"{{"name":"quillmark_{}_draft","description":"{}"}}"#, word(7919), said.join(" "));
        Definition::parse("quillmark", Kind::Tool, &json).expect("the tool is well-formed")
    }

    #[test]
    fn little_is_held_of_a_tool() {
        const TOOLS: usize = 20_000;
        let mut registry = Registry::new();
        (0..TOOLS).for_each(|number| registry.learn("quillmark", &tool(number), 0));
        let each = registry.bytes() / TOOLS;
        assert!(each <= 270, "{each} bytes a tool");
    }

    #[test]
    fn what_left_is_found_no_more_and_its_room_is_used_again() {
        let mut registry = Registry::new();
        let fill = |registry: &mut Registry| {
            registry.insert_server("quillmark", (0..200).map(tool).collect());
            registry.insert_server("harbour", (200..400).map(tool).collect());
        };
        fill(&mut registry);
        let (key, seats) = (tool(7).name_key().clone(), registry.seats.len());
        assert_eq!(registry.named(key.hash).count(), 1);
        registry.remove_server("quillmark");
        assert_eq!(registry.named(key.hash).count(), 0);
        assert!(registry.almost_named(&key).all(|id| registry.server_name(id) == "harbour"));
        (0..5).for_each(|_| fill(&mut registry));
        assert_eq!((registry.named(key.hash).count(), registry.seats.len()), (1, seats));
    }
}
