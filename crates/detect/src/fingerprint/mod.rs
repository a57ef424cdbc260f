//! Who a definition is: one SHA-256 over all its parts, and one for each part.
//!
//! A part is hashed as it is written down: a count of its values, then each value's canonical JSON with its length
//! before it. No two different definitions share that text, so no two share a fingerprint unless SHA-256 breaks.
//! What does not change the JSON value (white space, key order, escapes, `1.0` for `1`) does not change it either.
//!
//! Decided for documents that stricter readers refuse: of two equal keys both count, and their order counts; numbers
//! count with all their digits. Half a surrogate pair and numbers beyond a double are refused, as the scan does.

mod launch;
mod volatile;

use crate::json::Json;
use crate::parse::BadDefinition;
use crate::prelude::*;
use crate::tool::Kind;
use core::fmt;
use sha2::{Digest, Sha256};

pub use launch::{Launch, Transport};
pub use volatile::{Volatile, VolatileKind};

/// Stands before everything else that is hashed; another way of hashing gets another number.
const SCHEME: &str = "portcullis.fingerprint/1";

/// A SHA-256. Equality is its only meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Takes the bytes of a hash, as a store kept them.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Fingerprint(bytes)
    }

    /// The bytes of the hash, for a store to keep.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits, lower case as we write them.
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(Fingerprint)
    }

    fn of_pieces(pieces: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for piece in pieces {
            hash.update((piece.len() as u64).to_be_bytes());
            hash.update(piece);
        }
        Fingerprint(hash.finalize().into())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A part of a definition that has a hash of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The operator's name of the server.
    Server,
    /// `name`.
    Name,
    /// `title`.
    Title,
    /// `description`; `instructions` of a server's own text.
    Description,
    /// `inputSchema`.
    InputSchema,
    /// `outputSchema`.
    OutputSchema,
    /// `annotations`.
    Annotations,
    /// All other fields together.
    Other,
}

impl Part {
    /// All parts, in the order they are hashed.
    pub const ALL: [Part; 8] = [
        Part::Server,
        Part::Name,
        Part::Title,
        Part::Description,
        Part::InputSchema,
        Part::OutputSchema,
        Part::Annotations,
        Part::Other,
    ];

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Server => "server",
            Part::Name => "name",
            Part::Title => "title",
            Part::Description => "description",
            Part::InputSchema => "input_schema",
            Part::OutputSchema => "output_schema",
            Part::Annotations => "annotations",
            Part::Other => "other",
        }
    }

    /// The part a field of a definition belongs to.
    pub fn of_field(kind: Kind, field: &str) -> Part {
        match (kind, field) {
            (Kind::Instructions, "instructions") => Part::Description,
            (Kind::Instructions, _) => Part::Other,
            (_, "name") => Part::Name,
            (_, "title") => Part::Title,
            (_, "description") => Part::Description,
            (_, "inputSchema") => Part::InputSchema,
            (_, "outputSchema") => Part::OutputSchema,
            (_, "annotations") => Part::Annotations,
            _ => Part::Other,
        }
    }
}

/// The fingerprint of a definition and of each of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    fingerprint: Fingerprint,
    parts: [Fingerprint; Part::ALL.len()],
}

impl Identity {
    /// The identity of a definition from its raw JSON, as [`Definition::parse`](crate::Definition::parse) takes it.
    ///
    /// # Errors
    /// Those of [`Json::parse`].
    pub fn parse(server: &str, kind: Kind, json: &str) -> Result<Self, BadDefinition> {
        Ok(Identity::of(server, kind, &Json::parse(json)?))
    }

    /// The identity of a definition that was read already.
    pub fn of(server: &str, kind: Kind, definition: &Json) -> Self {
        let parts = Part::ALL.map(|part| match part {
            Part::Server => server.as_bytes().to_vec(),
            part => written(kind, part, definition),
        });
        let mut pieces = vec![SCHEME.as_bytes(), kind.as_str().as_bytes()];
        pieces.extend(parts.iter().map(Vec::as_slice));
        Identity {
            fingerprint: Fingerprint::of_pieces(&pieces),
            parts: parts.map(|part| Fingerprint::of_pieces(&[&part])),
        }
    }

    /// The fingerprint of the whole.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The hash of each part, in order.
    pub fn parts(&self) -> impl Iterator<Item = (Part, Fingerprint)> {
        Part::ALL.into_iter().zip(self.parts)
    }

    /// The parts in which two definitions differ.
    pub fn differs_in(&self, other: &Identity) -> Vec<Part> {
        self.parts().zip(other.parts()).filter(|(a, b)| a != b).map(|((part, _), _)| part).collect()
    }

    /// Whether the other is this one under another name: a tool that was renamed.
    pub fn is_renamed_as(&self, other: &Identity) -> bool {
        self.differs_in(other) == [Part::Name]
    }
}

/// A part as it is hashed: how many values it has (a field may be there twice, or not at all), then each of them.
fn written(kind: Kind, part: Part, definition: &Json) -> Vec<u8> {
    if !matches!(definition, Json::Object(_)) {
        // No definition by the book, but somebody may show it: all of it is "other".
        let whole = (part == Part::Other).then_some(definition);
        return list(whole.into_iter());
    }
    let own = definition.members().iter().filter(|(key, _)| Part::of_field(kind, key) == part);
    if part == Part::Other {
        return list(core::iter::once(&Json::Object(own.cloned().collect())));
    }
    list(own.map(|(_, value)| value))
}

fn list<'a>(values: impl Iterator<Item = &'a Json>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut count: u64 = 0;
    for value in values {
        count += 1;
        let canonical = value.canonical();
        for text in [canonical.text(), canonical.exact()] {
            bytes.extend((text.len() as u64).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
    }
    // INVARIANT: the count stands at a fixed place and every text has its length, so the bytes read back in one way.
    bytes.extend(count.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests;
