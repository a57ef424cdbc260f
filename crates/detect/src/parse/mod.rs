//! Reads raw JSON into a definition: one streaming walk that keeps every string, also of unknown fields.
//!
//! A walk, not a tree: a parser that builds a map keeps only the last of two equal keys, and an attack in
//! the first would go unseen.

mod place;

use crate::prelude::*;
use crate::registry::NameKey;
use crate::tool::{Definition, Hints, Kind, Node, Role, Step, Unit};
use core::fmt;
use core::hash::{BuildHasher, Hasher};
use place::{Key, Place, is_type_word};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The most text one definition may hold; beyond it the definition is refused, not cut.
pub(crate) const LARGEST: usize = 64 << 20;

/// Why a definition could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadDefinition {
    /// What is wrong, with the line and column inside the definition where known.
    pub reason: String,
    /// Line inside the definition's JSON, 1-based, 0 when unknown.
    pub line: usize,
    /// Column inside that line, 1-based, 0 when unknown.
    pub column: usize,
}

impl fmt::Display for BadDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl core::error::Error for BadDefinition {}

impl BadDefinition {
    pub(crate) fn too_large() -> Self {
        let reason = format!("the definition is larger than {} MiB", LARGEST >> 20);
        BadDefinition { reason, line: 0, column: 0 }
    }
}

pub(crate) fn definition(server: &str, kind: Kind, json: &str) -> Result<Definition, BadDefinition> {
    if json.len() > LARGEST {
        return Err(BadDefinition::too_large());
    }
    let mut walk = Walk::new(json.len());
    let place = if kind == Kind::Instructions { Place::Server } else { Place::Top };
    let mut reader = serde_json::Deserializer::from_str(json);
    let here = Here { node: 0, place, key: Key::None };
    let outcome = Seed { walk: &mut walk, here }.deserialize(&mut reader).and_then(|()| reader.end());
    if let Err(error) = outcome {
        // The place is told apart; callers add what the definition's own place in its file is.
        let text = error.to_string();
        let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
        let reason = crate::text::show::line(reason, 200);
        return Err(BadDefinition { reason, line: error.line(), column: error.column() });
    }
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    hasher.write(json.as_bytes());
    let name: &str = match kind {
        Kind::Instructions => "(instructions)",
        _ => walk.name.as_deref().or(walk.uri.as_deref()).unwrap_or("(unnamed)"),
    };
    let key = NameKey::of(name);
    Ok(Definition {
        server: server.into(),
        kind,
        name: name.into(),
        text: walk.text,
        units: walk.units,
        nodes: walk.nodes,
        keys: walk.keys,
        hints: walk.hints,
        digest: hasher.finish(),
        since: None,
        earlier: None,
        key,
    })
}

#[derive(Clone, Copy)]
struct Here {
    node: u32,
    place: Place,
    key: Key,
}

struct Walk {
    text: String,
    keys: String,
    units: Vec<Unit>,
    nodes: Vec<Node>,
    hints: Hints,
    name: Option<Box<str>>,
    uri: Option<Box<str>>,
}

impl Walk {
    fn new(size: usize) -> Self {
        let mut nodes = Vec::with_capacity(32);
        nodes.push(Node { parent: 0, step: Step::Root });
        Walk {
            text: String::with_capacity(size / 2),
            keys: String::with_capacity(size / 4),
            units: Vec::with_capacity(24),
            nodes,
            hints: Hints::default(),
            name: None,
            uri: None,
        }
    }

    fn node(&mut self, parent: u32, step: Step) -> u32 {
        self.nodes.push(Node { parent, step });
        position(self.nodes.len() - 1)
    }

    fn key_node(&mut self, parent: u32, key: &str) -> u32 {
        let start = position(self.keys.len());
        self.keys.push_str(key);
        let end = position(self.keys.len());
        self.node(parent, Step::Key(start, end))
    }

    fn unit(&mut self, node: u32, role: Role, text: &str, is_output: bool) {
        if text.is_empty() {
            return;
        }
        let start = position(self.text.len());
        self.text.push_str(text);
        let end = position(self.text.len());
        // A line break keeps whole-buffer searches from matching across two units.
        self.text.push('\n');
        self.units.push(Unit { start, end, node, role, is_output });
    }

    fn string(&mut self, here: Here, text: &str) {
        let is_output = matches!(
            here.place,
            Place::Schema { output: true }
                | Place::Properties { output: true }
                | Place::Values { output: true }
        );
        if here.key == Key::Type && is_type_word(text) {
            return;
        }
        if here.place == Place::Top {
            match here.key {
                Key::Name => self.name = Some(text.into()),
                Key::Uri => self.uri = Some(text.into()),
                _ => {}
            }
        }
        let role = match (here.place, here.key) {
            (Place::Top, Key::Name) => Role::Name,
            (Place::Top | Place::Annotations, Key::Title) => Role::Title,
            (Place::Top, Key::Description) | (Place::Server, _) => Role::Description,
            (Place::Schema { .. }, Key::Description | Key::Title) => Role::PropertyText,
            (Place::Arguments, Key::Description | Key::Title) => Role::PropertyText,
            (Place::Arguments, Key::Name) => Role::PropertyName,
            (Place::Schema { .. }, Key::Header) => Role::Header,
            (Place::Values { .. }, _) => Role::Value,
            _ => Role::Other,
        };
        self.unit(here.node, role, text, is_output);
    }

    fn flag(&mut self, here: Here, value: bool) {
        match here.key {
            Key::ReadOnly => self.hints.read_only = Some(value),
            Key::Destructive => self.hints.destructive = Some(value),
            Key::Idempotent => self.hints.idempotent = Some(value),
            Key::OpenWorld => self.hints.open_world = Some(value),
            // `"x-mcp-header": true` marks the parameter without naming a header.
            Key::Header => self.unit(here.node, Role::Header, "x-mcp-header", false),
            _ => {}
        }
    }
}

/// A position in a buffer, which [`LARGEST`] keeps below 2^32.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

struct Seed<'w> {
    walk: &'w mut Walk,
    here: Here,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.walk.flag(self.here, value);
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.walk.string(self.here, text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Seed { walk, here } = self;
        let mut index = 0;
        loop {
            let node = walk.node(here.node, Step::Index(index));
            if items.next_element_seed(Seed { walk, here: Here { node, ..here } })?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Seed { walk, here } = self;
        while let Some(member) = members.next_key_seed(KeySeed { walk, here })? {
            members.next_value_seed(Seed { walk, here: member })?;
        }
        Ok(())
    }
}

/// Takes a key in without a copy of its own; yields where its value stands.
struct KeySeed<'w> {
    walk: &'w mut Walk,
    here: Here,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Here;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Here, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed<'_> {
    type Value = Here;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Here, E> {
        let KeySeed { walk, here } = self;
        let (place, known, is_text) = place::member(here.place, key);
        let node = walk.key_node(here.node, key);
        if is_text {
            let is_property = matches!(here.place, Place::Properties { .. });
            let role = if is_property { Role::PropertyName } else { Role::Other };
            let is_output = matches!(here.place, Place::Properties { output: true });
            walk.unit(node, role, key, is_output);
        }
        Ok(Here { node, place, key: known })
    }
}
