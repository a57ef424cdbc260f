//! The index: what is needed to answer questions about the log quickly. It follows the log and can be rebuilt from it.
//!
//! Filters may be combined in any way, so no set of B-trees would serve them all. Instead the narrow columns of
//! 1,024 records at a time are one blob ([`page`]): reading all of a million records takes some 20 ms, and the newest
//! come first. The summary is answered by counters ([`counters`]).

mod counters;
mod names;
mod page;
mod query;

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::StoreError;
use crate::appender::Head;
use crate::directory::private_options;
use crate::error::At;
use crate::keys::{ChainKey, Hash};
use crate::record::Facts;
use counters::Tally;
pub(crate) use counters::{Counters, DAY_US, Days};
pub use counters::{DIMENSIONS, Summary};
use names::Names;
use page::{Columns, Row};
pub use query::{Entry, Filter};

/// The version of the tables; an index of another version is built anew.
const SCHEMA: i64 = 1;
/// How long a reader waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER, hash BLOB, voucher BLOB);
    CREATE TABLE forgotten (id INTEGER PRIMARY KEY CHECK (id = 1), through INTEGER);
    CREATE TABLE names (id INTEGER PRIMARY KEY, dimension INTEGER, text TEXT, UNIQUE (dimension, text));
    CREATE TABLE pages (number INTEGER PRIMARY KEY, columns BLOB);
    CREATE TABLE counters (day INTEGER, dimension TEXT, value TEXT, count INTEGER,
        PRIMARY KEY (day, dimension, value)) WITHOUT ROWID;
    PRAGMA user_version = 1;";

/// A record as the index takes it.
pub(crate) struct Indexed {
    pub(crate) head: Head,
    pub(crate) at_us: i64,
    pub(crate) facts: Facts,
}

/// The index as its only writer sees it.
pub(crate) struct IndexWriter {
    connection: Connection,
    key: ChainKey,
    /// The page that is not full yet.
    columns: Columns,
    names: Names,
}

impl IndexWriter {
    /// Opens the index, or makes an empty one if there is none of this version. A damaged one is put aside; the
    /// second is what was wrong with it.
    pub(crate) fn open(path: &Path, key: &ChainKey) -> Result<(IndexWriter, Option<String>), StoreError> {
        match IndexWriter::open_as_it_is(path, key) {
            Err(StoreError::IndexDamaged(what)) => {
                put_aside(path)?;
                Ok((IndexWriter::open_as_it_is(path, key)?, Some(what)))
            }
            index => Ok((index?, None)),
        }
    }

    /// Puts the damaged index aside and begins an empty one.
    pub(crate) fn begin_anew(&mut self, path: &Path) -> Result<(), StoreError> {
        // INVARIANT: the old file is closed before it is moved, or closing it would remove files of the new one.
        self.connection = Connection::open_in_memory()?;
        put_aside(path)?;
        *self = IndexWriter::open_as_it_is(path, &self.key)?;
        Ok(())
    }

    fn open_as_it_is(path: &Path, key: &ChainKey) -> Result<IndexWriter, StoreError> {
        // The database would make it readable to others.
        private_options().append(true).create(true).open(path).at(path)?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // What is forgotten is overwritten.
        connection.pragma_update(None, "secure_delete", "ON")?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != SCHEMA {
            rebuild(&connection)?;
        }
        if let Some(fault) = fault(&connection)? {
            return Err(StoreError::IndexDamaged(fault));
        }
        let mut index = IndexWriter {
            connection,
            key: key.clone(),
            columns: Columns::default(),
            names: Names::default(),
        };
        if let Some(head) = index.head()? {
            index.columns = load_columns(&index.connection, page::number(head.seq + 1))?;
        }
        Ok(index)
    }

    pub(crate) fn head(&self) -> Result<Option<Head>, StoreError> {
        Ok(head(&self.connection, &self.key)?.head())
    }

    /// Takes the next records, all or none.
    pub(crate) fn add(&mut self, records: &[Indexed]) -> Result<(), StoreError> {
        let Some(last) = records.last() else { return Ok(()) };
        let before = self.columns.clone();
        let outcome = self.add_all(records, last.head);
        if outcome.is_err() {
            // The transaction took its names back; what was remembered of them is wrong now.
            self.columns = before;
            self.names = Names::default();
        }
        outcome
    }

    fn add_all(&mut self, records: &[Indexed], last: Head) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let (mut counters, mut tally) = (Counters::default(), Tally::default());
        for record in records {
            let row = Row::new(record, &mut self.names, &transaction)?;
            if page::number(record.head.seq) != self.columns.number() {
                self.columns.store(&transaction)?;
                self.columns = Columns::at(record.head.seq);
            }
            self.columns.push(record.head.seq, &row);
            if !tally.note(record, &row) {
                counters.count(record.at_us, &record.facts, 1);
            }
        }
        self.columns.store(&transaction)?;
        counters.count_all(&tally);
        counters.store(&transaction)?;
        let voucher = self.key.vouch(last.seq, &last.hash);
        let replace = "INSERT OR REPLACE INTO head VALUES (1, ?1, ?2, ?3)";
        transaction.prepare_cached(replace)?.execute((last.seq, last.hash, voucher))?;
        Ok(transaction.commit()?)
    }

    /// Forgets records up to `through`; `gone` are those that are counted.
    pub(crate) fn forget(&mut self, through: u64, gone: &[Indexed]) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let mut counters = Counters::default();
        // After a crash the same segment may be dropped twice; it is taken off the counters once.
        let done = "SELECT through FROM forgotten";
        let done: u64 = transaction.query_row(done, (), |row| row.get(0)).optional()?.unwrap_or_default();
        let counted = gone.iter().filter(|record| record.head.seq > done);
        counted.for_each(|record| counters.count(record.at_us, &record.facts, -1));
        counters.store(&transaction)?;
        transaction.execute("INSERT OR REPLACE INTO forgotten VALUES (1, ?1)", [through.max(done)])?;
        // A page that is forgotten in part stays; readers know where the log begins.
        transaction.execute("DELETE FROM pages WHERE number < ?1", [page::number(through + 1)])?;
        names::forget_unused(&transaction, &page::used_names(&transaction)?)?;
        transaction.commit()?;
        self.names = Names::default();
        Ok(())
    }
}

#[cfg(test)]
impl IndexWriter {
    /// Every row of every table, to be compared.
    pub(crate) fn dump(&self) -> Vec<String> {
        let mut dump = Vec::new();
        for table in ["head", "forgotten", "names", "pages", "counters"] {
            let mut statement = self.connection.prepare(&format!("SELECT * FROM {table} ")).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query(()).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let values = (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap()));
                dump.push(format!("{table} {}", values.collect::<Vec<_>>().join(" ")));
            }
        }
        dump
    }
}

fn rebuild(connection: &Connection) -> Result<(), StoreError> {
    let tables = ["head", "forgotten", "names", "pages", "counters"];
    for table in tables {
        connection.execute(&format!("DROP TABLE IF EXISTS {table}"), ())?;
    }
    Ok(connection.execute_batch(TABLES)?)
}

fn load_columns(connection: &Connection, number: i64) -> Result<Columns, StoreError> {
    let mut statement = connection.prepare_cached("SELECT columns FROM pages WHERE number = ?1")?;
    let blob: Option<Vec<u8>> = statement.query_row([number], |row| row.get(0)).optional()?;
    match blob {
        Some(blob) => Ok(page::parse(&blob)?.columns(number)),
        None => Ok(Columns::default()),
    }
}

/// Names what is wrong with the pages of the database.
fn fault(connection: &Connection) -> Result<Option<String>, StoreError> {
    let answer: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    Ok((answer != "ok").then_some(answer))
}

/// Moves the files of the database out of the way; they may tell somebody what happened.
fn put_aside(path: &Path) -> Result<(), StoreError> {
    for ending in ["sqlite", "sqlite-wal", "sqlite-shm"] {
        let from = path.with_extension(ending);
        if from.exists() {
            fs::rename(&from, path.with_extension(format!("{ending}.damaged"))).at(&from)?;
        }
    }
    Ok(())
}

/// What the index says about the end of the log.
pub(crate) enum KnownHead {
    /// Nothing was indexed yet.
    Nothing,
    /// This was the last record.
    Vouched(Head),
    /// Somebody changed it.
    Forged,
}

impl KnownHead {
    pub(crate) fn head(&self) -> Option<Head> {
        match self {
            KnownHead::Vouched(head) => Some(*head),
            KnownHead::Nothing | KnownHead::Forged => None,
        }
    }
}

fn head(connection: &Connection, key: &ChainKey) -> Result<KnownHead, StoreError> {
    let row = connection.query_row("SELECT seq, hash, voucher FROM head", (), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?))
    });
    let Some((seq, hash, voucher)) = row.optional()? else { return Ok(KnownHead::Nothing) };
    let seq = u64::try_from(seq).unwrap_or_default();
    match Hash::try_from(hash) {
        Ok(hash) if key.vouch(seq, &hash).as_slice() == voucher => Ok(KnownHead::Vouched(Head { seq, hash })),
        _ => Ok(KnownHead::Forged),
    }
}

/// The index as readers see it; it never makes the writer wait.
pub(crate) struct IndexReader {
    connection: Connection,
    key: ChainKey,
}

impl IndexReader {
    /// `None` if there is no index of this version.
    pub(crate) fn open(path: &Path, key: &ChainKey) -> Result<Option<IndexReader>, StoreError> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok((version == SCHEMA).then(|| IndexReader { connection, key: key.clone() }))
    }

    pub(crate) fn head(&self) -> Result<KnownHead, StoreError> {
        head(&self.connection, &self.key)
    }

    /// What is wrong with the file, if anything is.
    pub(crate) fn fault(&self) -> Result<Option<String>, StoreError> {
        fault(&self.connection)
    }
}
