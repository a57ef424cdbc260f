//! Back ends by address: what a gateway needs of its store, whichever holds it.

use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::index::{Filter, Summary};
use crate::log::{ActivityLog, Options};
use crate::reader::{ActivityReader, Page};
use crate::record::{Draft, Record};
use crate::verify::{Verdict, verify};

/// Where activity is recorded and read back.
pub trait Store: Send + Sync {
    /// Records something and returns its number; only then may it be done.
    fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError>;
    /// The newest records before `before` that fit.
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError>;
    /// One record with its body.
    fn record(&self, seq: u64) -> Result<Record, StoreError>;
    /// Counts over the days that touch this time.
    fn summary(&self, since_us: i64, until_us: i64) -> Result<Summary, StoreError>;
    /// Whether all is as it was written.
    fn verify(&self) -> Result<Verdict, StoreError>;
}

/// Opens the store an address names, such as `sqlite:/var/lib/portcullis`.
pub fn open(address: &str, options: &Options) -> Result<Box<dyn Store>, StoreError> {
    let root = match address.split_once(':') {
        Some(("sqlite", path)) if !path.is_empty() => PathBuf::from(path),
        Some((scheme, _)) => {
            let text = format!("this version cannot store in `{scheme}:`; sqlite:DIRECTORY is what it knows");
            return Err(StoreError::Address(text));
        }
        None => return Err(StoreError::Address("a store is named like sqlite:DIRECTORY".into())),
    };
    Ok(Box::new(Embedded { log: ActivityLog::open(&root, options)?, root }))
}

/// The store in a data directory of this machine.
struct Embedded {
    log: ActivityLog,
    root: PathBuf,
}

impl Embedded {
    /// A reader is not shared between threads: each question opens its own.
    fn reader(&self) -> Result<ActivityReader, StoreError> {
        ActivityReader::open(Path::new(&self.root))
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

    fn summary(&self, since_us: i64, until_us: i64) -> Result<Summary, StoreError> {
        self.reader()?.summary(since_us, until_us)
    }

    fn verify(&self) -> Result<Verdict, StoreError> {
        verify(&self.root)
    }
}
