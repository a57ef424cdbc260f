//! Durable state: the activity log with its chain and index, and the registry of approvals.
//!
//! The map: [`record`](Record) is what is recorded, `masking` what of a value may be; `frame`, `json` and `segment` are
//! its bytes, `appender` writes them, `recovery` finds the end again, `keeper` works behind, `follower` signs
//! checkpoints and feeds `index` with what `fresh` hands over; [`verify`] tells whether it is still what was written,
//! `retention` what may go. `registry` keeps what was approved. `postgres` does all of it in a database that gateways
//! share, `flow_store` shares their flows; `store` and `reading` choose by address.

mod age;
mod appender;
mod checkpoint;
mod directory;
mod error;
mod export;
#[cfg(test)]
mod faults;
mod flow_store;
mod follower;
mod frame;
mod fresh;
mod index;
mod json;
mod keeper;
mod keys;
mod log;
mod masking;
mod medium;
mod postgres;
mod reader;
mod reading;
mod record;
mod recovery;
mod registry;
mod retention;
mod salt;
#[cfg(test)]
mod scratch;
mod segment;
mod store;
mod vault;
mod verify;

pub use age::Encrypted;
pub use checkpoint::Checkpoint;
pub use error::StoreError;
pub use export::{CSV_HEADER, csv_line, json_line, time_text};
pub use flow_store::{Counter, Entry as FlowEntry, EntryId, FlowStore, FlowsAway, KEPT_WITHIN};
pub use index::{DIMENSIONS, Entry, Filter, Summary};
pub use keys::session_key;
pub use log::{ActivityLog, Level, Options};
pub use masking::masked_text;
pub use postgres::{Appending, Health, health};
pub use reader::{ActivityReader, Page};
pub use reading::{Chain, Cursor, Reading, read, read_directory};
pub use record::{Body, Draft, Facts, Kind, Mark, Record, Status, StoredValue};
pub use registry::{
    Baseline, BaselineKey, Change, Changes, Document, Item, ItemName, KnownServer, Lease, Registry,
};
pub use retention::Retention;
pub use store::{Store, open};
pub use vault::Vault;
pub use verify::{BadRecord, Verdict, verify};
