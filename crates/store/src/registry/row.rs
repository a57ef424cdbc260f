//! What both back ends keep of a definition or server: its texts, under a seal that only the key of the store can make.

use std::sync::Arc;

use portcullis_detect::Kind;

use super::{Changes, Item, ItemName, KnownServer, stored};
use crate::StoreError;
use crate::keys::{ChainKey, Hash};

/// The word that stands in the place of a kind for a server itself.
const SERVER: &str = "server";
const KINDS: [Kind; 5] =
    [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate, Kind::Instructions];

/// Which row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) server: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

impl Key {
    pub(crate) fn of_item(name: &ItemName) -> Key {
        Key { server: name.server.clone(), kind: name.kind.as_str().to_owned(), name: name.name.clone() }
    }

    pub(crate) fn of_server(name: &str) -> Key {
        Key { server: name.to_owned(), kind: SERVER.to_owned(), name: String::new() }
    }

    /// What people call it.
    pub(super) fn words(&self) -> String {
        match self.kind == SERVER {
            true => format!("the server {}", self.server),
            false => format!("the {} {}/{}", self.kind, self.server, self.name),
        }
    }
}

/// One row as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) key: Key,
    pub(crate) version: u64,
    pub(crate) record: String,
    pub(crate) current: Arc<str>,
    pub(crate) approved: Option<Arc<str>>,
}

impl Row {
    /// Vouches for all of the row, so that who can write the database but has no key cannot approve anything.
    pub(crate) fn seal(&self, key: &ChainKey) -> Hash {
        let version = self.version.to_le_bytes();
        let approved = self.approved.as_deref().unwrap_or_default();
        let pieces: [&[u8]; 8] = [
            self.key.server.as_bytes(),
            self.key.kind.as_bytes(),
            self.key.name.as_bytes(),
            &version,
            self.record.as_bytes(),
            self.current.as_bytes(),
            &[u8::from(self.approved.is_some())],
            approved.as_bytes(),
        ];
        key.seal_row(&pieces)
    }

    /// The row, if its seal fits.
    pub(crate) fn sealed(self, key: &ChainKey, seal: &[u8]) -> Result<Row, StoreError> {
        if self.seal(key) == seal { Ok(self) } else { Err(self.forged()) }
    }

    fn forged(&self) -> StoreError {
        StoreError::Forged { what: self.key.words() }
    }

    pub(crate) fn item(self) -> Result<Item, StoreError> {
        let kind = KINDS.into_iter().find(|kind| kind.as_str() == self.key.kind);
        let record = stored::read_record(&self.record);
        let (Some(kind), Some(record)) = (kind, record) else { return Err(self.forged()) };
        let Key { server, name, .. } = self.key;
        Ok(Item {
            name: ItemName { server, kind, name },
            version: self.version,
            record,
            current: self.current,
            approved: self.approved,
        })
    }

    pub(crate) fn server(self) -> Result<KnownServer, StoreError> {
        match stored::read_server(&self.record).filter(|_| self.key.kind == SERVER) {
            Some(server) => Ok(KnownServer { name: self.key.server, version: self.version, server }),
            None => Err(self.forged()),
        }
    }
}

/// Rows as callers read them.
pub(crate) fn changes(version: u64, rows: Vec<Row>) -> Result<Changes, StoreError> {
    let mut changes = Changes { version, ..Changes::default() };
    for row in rows {
        match row.key.kind == SERVER {
            true => changes.servers.push(row.server()?),
            false => changes.items.push(row.item()?),
        }
    }
    changes.items.sort_by(|a, b| a.name.cmp(&b.name));
    changes.servers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(changes)
}
