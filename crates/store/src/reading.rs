//! Reading by address: what `portcullis activity` asks, whichever back end holds the record.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::index::{Entry, Filter, Summary};
use crate::postgres::{self, PostgresReader};
use crate::reader::{ActivityReader, Page};
use crate::record::Record;
use crate::verify::{Verdict, verify};

/// How far somebody has read: the last record of every chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor(pub(crate) BTreeMap<String, u64>);

/// What verifying found about one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Whose chain.
    pub writer: String,
    /// What was found; numbers are places in this chain.
    pub verdict: Verdict,
}

/// Reads activity without writing anything and without making a writer wait.
pub trait Reading {
    /// The newest records before `before` that fit.
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError>;
    /// What fits of the records after the cursor, oldest first, and where to go on; of more than `most` the newest.
    fn after(
        &self,
        filter: &Filter,
        cursor: &Cursor,
        most: usize,
    ) -> Result<(Vec<Entry>, Cursor), StoreError>;
    /// One record with its body.
    fn record(&self, number: u64) -> Result<Record, StoreError>;
    /// Hands out every record from `from` on, oldest first, until the visitor says `false`.
    fn visit(
        &self,
        from: u64,
        visit: &mut dyn FnMut(Record) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError>;
    /// Counts over the days that touch this time, by these of [`DIMENSIONS`](crate::DIMENSIONS).
    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError>;
    /// Whether all is as it was written, chain by chain.
    fn verify(&self) -> Result<Vec<Chain>, StoreError>;
}

/// Opens the store an address names for reading; `data` is the data directory, where the keys are.
pub fn read(address: &str, data: &Path) -> Result<Box<dyn Reading>, StoreError> {
    if postgres::is_address(address) {
        return Ok(Box::new(Database { reader: PostgresReader::open(address)?, data: data.to_path_buf() }));
    }
    read_directory(&crate::store::directory_of(address)?)
}

/// Opens a data directory for reading.
pub fn read_directory(root: &Path) -> Result<Box<dyn Reading>, StoreError> {
    Ok(Box::new(Folder { reader: OnceCell::new(), root: root.to_path_buf() }))
}

/// A data directory.
struct Folder {
    /// Opened by the first question: verifying must work where the index does not.
    reader: OnceCell<ActivityReader>,
    root: PathBuf,
}

impl Folder {
    fn reader(&self) -> Result<&ActivityReader, StoreError> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let opened = ActivityReader::open(&self.root)?;
        Ok(self.reader.get_or_init(|| opened))
    }
}

impl Reading for Folder {
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        self.reader()?.list(filter, before, most)
    }

    fn after(
        &self,
        filter: &Filter,
        cursor: &Cursor,
        most: usize,
    ) -> Result<(Vec<Entry>, Cursor), StoreError> {
        let seen = cursor.0.values().next().copied().unwrap_or_default();
        let newest = self
            .reader()?
            .list(&Filter::default(), None, 1)?
            .entries
            .first()
            .map_or(seen, |newest| newest.seq);
        let mut entries = self.reader()?.after(filter, seen, most)?;
        entries.retain(|entry| entry.seq <= newest);
        Ok((entries, Cursor(BTreeMap::from([(String::new(), newest)]))))
    }

    fn record(&self, number: u64) -> Result<Record, StoreError> {
        self.reader()?.record(number)
    }

    fn visit(
        &self,
        from: u64,
        visit: &mut dyn FnMut(Record) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.reader()?.visit(from, visit)
    }

    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        self.reader()?.summary(since_us, until_us, by)
    }

    fn verify(&self) -> Result<Vec<Chain>, StoreError> {
        one_chain(&self.root)
    }
}

/// The only chain of a data directory.
pub(crate) fn one_chain(root: &Path) -> Result<Vec<Chain>, StoreError> {
    let verdict = verify(root)?;
    Ok(vec![Chain { writer: crate::directory::Directory::new(root).writer()?, verdict }])
}

/// A database.
struct Database {
    reader: PostgresReader,
    data: PathBuf,
}

impl Reading for Database {
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        self.reader.list(filter, before, most)
    }

    fn after(
        &self,
        filter: &Filter,
        cursor: &Cursor,
        most: usize,
    ) -> Result<(Vec<Entry>, Cursor), StoreError> {
        self.reader.after(filter, cursor, most)
    }

    fn record(&self, number: u64) -> Result<Record, StoreError> {
        self.reader.record(number)
    }

    fn visit(
        &self,
        from: u64,
        visit: &mut dyn FnMut(Record) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.reader.visit(from, visit)
    }

    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        self.reader.summary(since_us, until_us, by)
    }

    fn verify(&self) -> Result<Vec<Chain>, StoreError> {
        self.reader.verify(&self.data)
    }
}
