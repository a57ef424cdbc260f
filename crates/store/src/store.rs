//! Back ends by address: what a gateway needs of its store, whichever holds it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StoreError;
use crate::directory::Directory;
use crate::index::{Filter, Summary};
use crate::log::{ActivityLog, Options};
use crate::postgres::{self, Appending};
use crate::reader::{ActivityReader, Page};
use crate::reading::{Chain, one_chain};
use crate::record::{Draft, Record};
use crate::registry::{EmbeddedRegistry, Registry};

/// Where activity is recorded and read back.
pub trait Store: Send + Sync {
    /// Records something and returns its number; only then may it be done.
    fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError>;
    /// Hands a record over to whoever writes it, and does not wait; `None` if the store writes on its caller's thread, who
    /// then asks it to [`append`](Store::append). Only when it has arrived may what it records be done.
    fn begin(&self, _draft: &Draft<'_>) -> Option<Appending> {
        None
    }
    /// The newest records before `before` that fit.
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError>;
    /// One record with its body.
    fn record(&self, seq: u64) -> Result<Record, StoreError>;
    /// Counts over the days that touch this time, by these of [`DIMENSIONS`](crate::DIMENSIONS).
    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError>;
    /// Whether all is as it was written, chain by chain.
    fn verify(&self) -> Result<Vec<Chain>, StoreError>;
    /// Returns when everything recorded can be asked for and is under a checkpoint.
    fn flush(&self) -> Result<(), StoreError>;
    /// Removes the bodies of these records for good; the chain stays whole.
    fn redact(&self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError>;
    /// Applies the retention now, as of `now_us`; it also runs by itself.
    fn retain(&self, now_us: i64) -> Result<(), StoreError>;
    /// What was approved, kept beside the activity.
    fn registry(&self) -> &dyn Registry;
}

/// Opens the store an address names: `sqlite:/var/lib/portcullis`, or `postgres://user@host/database`, whose keys are
/// then in the data directory `data`.
pub fn open(address: &str, data: &Path, options: &Options) -> Result<Box<dyn Store>, StoreError> {
    if postgres::is_address(address) {
        return Ok(Box::new(postgres::open(address, data, options)?));
    }
    Ok(Box::new(Embedded::open(directory_of(address)?, options)?))
}

/// The data directory an address names.
pub(crate) fn directory_of(address: &str) -> Result<PathBuf, StoreError> {
    match address.split_once(':') {
        Some(("sqlite", path)) if !path.is_empty() => Ok(PathBuf::from(path)),
        Some((scheme, _)) => {
            let known = "sqlite:DIRECTORY and postgres://user@host/database are what it knows";
            Err(StoreError::Address(format!("this version cannot store in `{scheme}:`; {known}")))
        }
        None => Err(StoreError::Address("a store is named like sqlite:DIRECTORY".into())),
    }
}

/// The store in a data directory of this machine.
struct Embedded {
    registry: EmbeddedRegistry,
    log: Arc<ActivityLog>,
    root: PathBuf,
}

impl Embedded {
    fn open(root: PathBuf, options: &Options) -> Result<Embedded, StoreError> {
        let log = Arc::new(ActivityLog::open(&root, options)?);
        let directory = Directory::new(&root);
        let registry = EmbeddedRegistry::open(&directory.registry(), directory.key()?, Arc::clone(&log))?;
        Ok(Embedded { registry, log, root })
    }

    /// A reader is not shared between threads: each question opens its own.
    fn reader(&self) -> Result<ActivityReader, StoreError> {
        ActivityReader::open(&self.root)
    }
}

impl Store for Embedded {
    fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError> {
        self.log.append(draft)
    }

    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        self.reader()?.list(filter, before, most)
    }

    fn record(&self, seq: u64) -> Result<Record, StoreError> {
        self.reader()?.record(seq)
    }

    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        self.reader()?.summary(since_us, until_us, by)
    }

    fn verify(&self) -> Result<Vec<Chain>, StoreError> {
        one_chain(&self.root)
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.log.flush()
    }

    fn redact(&self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError> {
        self.log.redact(from, through, now_us)
    }

    fn retain(&self, now_us: i64) -> Result<(), StoreError> {
        self.log.retain(now_us)
    }

    fn registry(&self) -> &dyn Registry {
        &self.registry
    }
}
