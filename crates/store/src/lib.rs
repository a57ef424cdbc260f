//! Durable state: the activity log, the chain that holds it together, and the index that answers questions about it.
//!
//! The map: [`record`](Record) is what is recorded, `masking` what of a value may be; `frame` and `segment` are its
//! bytes, `appender` writes them, `recovery` finds the end again, `keeper` works behind, `follower` signs
//! checkpoints and feeds `index`; [`verify`] tells whether it is still what was written, `retention` what may go.

mod age;
mod appender;
mod checkpoint;
mod directory;
mod error;
mod export;
#[cfg(test)]
mod faults;
mod follower;
mod frame;
mod index;
mod keeper;
mod keys;
mod log;
mod masking;
mod medium;
mod reader;
mod record;
mod recovery;
mod retention;
#[cfg(test)]
mod scratch;
mod segment;
mod store;
mod verify;

pub use age::Encrypted;
pub use checkpoint::Checkpoint;
pub use error::StoreError;
pub use export::{CSV_HEADER, csv_line, json_line, time_text};
pub use index::{Entry, Filter, Summary};
pub use log::{ActivityLog, Level, Options};
pub use reader::{ActivityReader, Page};
pub use record::{Body, Draft, Facts, Kind, Mark, Record, Status, StoredValue};
pub use retention::Retention;
pub use store::{Store, open};
pub use verify::{BadRecord, Verdict, verify};
