//! What was approved: the records of tools and servers, their definitions, and baselines; only what the machine of
//! approvals made is committed.
//!
//! The map: `plan` says what a change makes of a row and what the activity log hears of it, `stored` is the text of a
//! record, `row` what both back ends keep, `embedded` the back end in a data directory, `lease` what only one of several
//! gateways may do at a time.

mod embedded;
mod lease;
mod plan;
mod row;
mod stored;

use std::sync::Arc;
use std::time::Duration;

use portcullis_decide::approval::server::{Server, ServerTransition};
use portcullis_decide::approval::{Record, Transition};
use portcullis_detect::Kind;

use crate::StoreError;
use crate::keys::{ChainKey, Hash};
pub(crate) use embedded::EmbeddedRegistry;
pub use lease::Lease;
pub(crate) use plan::{Planned, plan};
pub(crate) use row::{Key, Row, changes};

/// What a definition is called: its server, what it is, its own name (nothing for instructions).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemName {
    /// The operator's name of the server.
    pub server: String,
    /// A tool, a prompt, or something else a server declares.
    pub kind: Kind,
    /// Its own name.
    pub name: String,
}

/// A tool, prompt, template, resource or instructions as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is called.
    pub name: ItemName,
    /// The version of the registry in which it last changed; a commit names the one it was decided on.
    pub version: u64,
    /// What is known of it.
    pub record: Record,
    /// The definition that was last seen, as JSON.
    pub current: Arc<str>,
    /// The definition the standing approval is of, as JSON; as a rule the current one itself.
    pub approved: Option<Arc<str>>,
}

/// A server as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownServer {
    /// The operator's name of it.
    pub name: String,
    /// The version of the registry in which it last changed.
    pub version: u64,
    /// What is known of it.
    pub server: Server,
}

/// What changed after some version, or everything if that was 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The version all of this leads to.
    pub version: u64,
    /// Definitions, in the order of their names.
    pub items: Vec<Item>,
    /// Servers, in the order of their names.
    pub servers: Vec<KnownServer>,
}

/// A change to commit. `read` is the version that was decided on, `None` for what was never stored.
#[derive(Clone, Debug)]
pub enum Change {
    /// To a tool, prompt, template, resource or instructions.
    Item {
        /// Which.
        name: ItemName,
        /// The version that was decided on.
        read: Option<u64>,
        /// What the machine made of it.
        transition: Box<Transition>,
        /// What was seen, as JSON; may be left out if that is what is stored.
        definition: Option<Box<str>>,
    },
    /// To a server.
    Server {
        /// Which.
        name: Box<str>,
        /// The version that was decided on.
        read: Option<u64>,
        /// What the machine made of it.
        transition: ServerTransition,
    },
}

/// Which aggregate of behaviour is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BaselineKey {
    /// The operator's name of the server.
    pub server: String,
    /// The tool, or nothing for the server as a whole.
    pub tool: String,
    /// What it is an aggregate of.
    pub kind: String,
}

/// An aggregate of behaviour; what is in it is its maker's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// How often it was written.
    pub version: u64,
    /// Its content, as JSON.
    pub json: String,
}

/// A small text that is kept beside approvals: a token, a server somebody added. Nobody without the store's key can make
/// one that is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What it is.
    pub kind: String,
    /// Its own name.
    pub name: String,
    /// Its content, as JSON.
    pub json: String,
}

impl Document {
    pub(crate) fn seal(&self, key: &ChainKey) -> Hash {
        key.seal_row(&[b"document", self.kind.as_bytes(), self.name.as_bytes(), self.json.as_bytes()])
    }

    /// The document, if its seal fits.
    pub(crate) fn sealed(self, key: &ChainKey, seal: &[u8]) -> Result<Document, StoreError> {
        if self.seal(key) == seal {
            return Ok(self);
        }
        Err(StoreError::Forged { what: format!("the {} {}", self.kind, self.name) })
    }
}

/// Where approvals are kept. Several gateways may share one: whoever decided on something stale is told so.
pub trait Registry: Send + Sync {
    /// Stores changes, all or none, and returns the version they led to. Each is in the activity log before it counts.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if something is no longer what was decided on.
    fn commit(&self, changes: &[Change]) -> Result<u64, StoreError>;
    /// Everything that changed after `version`; all there is after version 0.
    fn changes_since(&self, version: u64) -> Result<Changes, StoreError>;
    /// Waits until something changed after `version`, at most so long, and returns the version there is then.
    fn wait(&self, version: u64, most: Duration) -> Result<u64, StoreError>;
    /// One definition.
    fn item(&self, name: &ItemName) -> Result<Option<Item>, StoreError>;
    /// One server.
    fn server(&self, name: &str) -> Result<Option<KnownServer>, StoreError>;
    /// One aggregate.
    fn baseline(&self, key: &BaselineKey) -> Result<Option<Baseline>, StoreError>;
    /// Stores an aggregate and returns its version; `read` is the version it was made from, `None` for a new one.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if it is no longer what was read.
    fn put_baseline(&self, key: &BaselineKey, read: Option<u64>, json: &str) -> Result<u64, StoreError>;
    /// All documents of a kind, in the order of their names.
    fn documents(&self, kind: &str) -> Result<Vec<Document>, StoreError> {
        self.documents_after(kind, "")
    }
    /// Those whose names come after this one, byte by byte.
    fn documents_after(&self, kind: &str, name: &str) -> Result<Vec<Document>, StoreError>;
    /// One document.
    fn document(&self, kind: &str, name: &str) -> Result<Option<Document>, StoreError>;
    /// Keeps a document, in the place of the one that has its name.
    fn put_document(&self, document: &Document) -> Result<(), StoreError>;
    /// Keeps a document unless there is one of its name, and says whether there was none: of several nodes that try, one
    /// succeeds.
    fn add_document(&self, document: &Document) -> Result<bool, StoreError>;
    /// Removes a document, and says whether there was one.
    fn remove_document(&self, kind: &str, name: &str) -> Result<bool, StoreError>;
    /// Takes a lease for so long, unless another holder has it, and returns the lease that stands: the one that was
    /// wanted, or the other's. Time is the store's own, so that no two gateways need the same clock. A store that only one
    /// gateway can open has nobody else to give it to.
    fn hold_lease(&self, wanted: &Lease, time: Duration) -> Result<Lease, StoreError> {
        let _ = time;
        Ok(wanted.clone())
    }
    /// Makes leases last so long from now, and returns those that still are their holders'.
    fn renew_leases(&self, held: &[Lease], time: Duration) -> Result<Vec<Lease>, StoreError> {
        let _ = time;
        Ok(held.to_vec())
    }
    /// Gives a lease back before its time; one that is another holder's by now stays as it is.
    fn leave_lease(&self, held: &Lease) -> Result<(), StoreError> {
        let _ = held;
        Ok(())
    }
    /// The leases that last, in the order of their names.
    fn leases(&self) -> Result<Vec<Lease>, StoreError> {
        Ok(Vec::new())
    }
}
