//! The registry in a data directory: one SQLite file, written in full before anybody is told.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use super::{
    Baseline, BaselineKey, Change, Changes, Document, Item, ItemName, Key, KnownServer, Registry, Row, plan,
};
use crate::directory::private_options;
use crate::error::At;
use crate::keys::ChainKey;
use crate::log::ActivityLog;
use crate::{StoreError, registry};

/// How long a writer waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a waiting reader looks for what another process wrote.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What each version of the tables adds to the one before; the last one's number is the version we write.
const STEPS: [&str; 4] = [
    "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL);
     INSERT INTO head VALUES (1, 0);
     CREATE TABLE registry (server TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
        record TEXT NOT NULL, current TEXT NOT NULL, approved TEXT, seal BLOB NOT NULL,
        PRIMARY KEY (server, kind, name)) WITHOUT ROWID;
     CREATE INDEX by_version ON registry (version);",
    "CREATE TABLE baselines (server TEXT NOT NULL, tool TEXT NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL,
        json TEXT NOT NULL, PRIMARY KEY (server, tool, kind)) WITHOUT ROWID;",
    "CREATE TABLE documents (kind TEXT NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL, seal BLOB NOT NULL,
        PRIMARY KEY (kind, name)) WITHOUT ROWID;",
    // Rows of a kilobyte are kept whole on their page only in a table with row numbers: a third of the size, and read
    // in one go.
    "ALTER TABLE registry RENAME TO unnumbered;
     CREATE TABLE registry (server TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
        record TEXT NOT NULL, current TEXT NOT NULL, approved TEXT, seal BLOB NOT NULL,
        PRIMARY KEY (server, kind, name));
     INSERT INTO registry SELECT * FROM unnumbered;
     DROP TABLE unnumbered;
     CREATE INDEX by_version ON registry (version);",
];
const COLUMNS: &str = "server, kind, name, version, record, current, approved, seal";
/// Stands in the place of an approved definition that is the current one; it is no definition itself.
const CURRENT: &str = "";

/// Approvals beside the activity log of the same directory.
pub(crate) struct EmbeddedRegistry {
    path: PathBuf,
    key: ChainKey,
    log: Arc<ActivityLog>,
    connection: Mutex<Connection>,
    /// The latest version this process knows of.
    latest: Mutex<u64>,
    changed: Condvar,
}

impl EmbeddedRegistry {
    pub(crate) fn open(path: &Path, key: ChainKey, log: Arc<ActivityLog>) -> Result<Self, StoreError> {
        private_options().append(true).create(true).open(path).at(path)?;
        let connection = Connection::open(path).map_err(|error| named(path, error))?;
        prepare(&connection, path)?;
        let registry = EmbeddedRegistry {
            path: path.to_path_buf(),
            key,
            log,
            connection: Mutex::new(connection),
            latest: Mutex::new(0),
            changed: Condvar::new(),
        };
        registry.refresh()?;
        Ok(registry)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // INVARIANT: every change is one transaction, so a panic leaves nothing half done.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named(&self, error: rusqlite::Error) -> StoreError {
        named(&self.path, error)
    }

    fn rows(&self, condition: &str, values: impl rusqlite::Params) -> Result<Vec<Row>, StoreError> {
        rows(&self.lock(), &self.key, condition, values)
            .map_err(|error| self.named(error))?
            .into_iter()
            .collect()
    }

    fn row(&self, key: &Key) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(BY_KEY, (&key.server, &key.kind, &key.name))?.pop())
    }

    /// Learns the latest version and tells those who wait.
    fn refresh(&self) -> Result<u64, StoreError> {
        let version = version(&self.lock()).map_err(|error| self.named(error))?;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if version > *latest {
            *latest = version;
            self.changed.notify_all();
        }
        Ok(*latest)
    }

    fn store(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.named(error))?;
        let next = version(&transaction).map_err(|error| self.named(error))? + 1;
        let mut planned = Vec::new();
        for change in changes {
            let key = change.key();
            let found = rows(&transaction, &self.key, BY_KEY, (&key.server, &key.kind, &key.name));
            let found = found.map_err(|error| self.named(error))?.into_iter().next().transpose()?;
            planned.extend(plan(change, found, next)?);
        }
        if planned.is_empty() {
            return Ok(());
        }
        // INVARIANT: the record comes before the effect; it is the last thing that may fail before the write.
        for one in &planned {
            self.log.append(&one.draft())?;
        }
        for one in &planned {
            write(&transaction, &one.row, &self.key).map_err(|error| self.named(error))?;
        }
        transaction.execute("UPDATE head SET version = ?1", [next]).map_err(|error| self.named(error))?;
        transaction.commit().map_err(|error| self.named(error))
    }
}

impl Registry for EmbeddedRegistry {
    fn commit(&self, changes: &[Change]) -> Result<u64, StoreError> {
        self.store(changes)?;
        self.refresh()
    }

    fn changes_since(&self, after: u64) -> Result<Changes, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(|error| self.named(error))?;
        let latest = version(&transaction).map_err(|error| self.named(error))?;
        // All of them are read in the order they lie in.
        let condition = if after == 0 { "+version > ?1" } else { "version > ?1" };
        let found = rows(&transaction, &self.key, condition, [after]);
        let found: Result<Vec<Row>, StoreError> =
            found.map_err(|error| self.named(error))?.into_iter().collect();
        registry::changes(latest, found?)
    }

    fn wait(&self, version: u64, most: Duration) -> Result<u64, StoreError> {
        let end = Instant::now() + most;
        loop {
            let latest = self.refresh()?;
            let left = end.saturating_duration_since(Instant::now());
            if latest > version || left.is_zero() {
                return Ok(latest);
            }
            let known = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            if *known <= version {
                let _ = self.changed.wait_timeout(known, left.min(LOOK_EVERY));
            }
        }
    }

    fn item(&self, name: &ItemName) -> Result<Option<Item>, StoreError> {
        self.row(&Key::of_item(name))?.map(Row::item).transpose()
    }

    fn server(&self, name: &str) -> Result<Option<KnownServer>, StoreError> {
        self.row(&Key::of_server(name))?.map(Row::server).transpose()
    }

    fn baseline(&self, key: &BaselineKey) -> Result<Option<Baseline>, StoreError> {
        baseline(&self.lock(), key).map_err(|error| self.named(error))
    }

    fn put_baseline(&self, key: &BaselineKey, read: Option<u64>, json: &str) -> Result<u64, StoreError> {
        let mut connection = self.lock();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.named(error))?;
        let found = baseline(&transaction, key).map_err(|error| self.named(error))?;
        if found.map(|baseline| baseline.version) != read {
            return Err(key.conflict());
        }
        let version = read.unwrap_or_default() + 1;
        let put = "INSERT OR REPLACE INTO baselines VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction
            .execute(put, (&key.server, &key.tool, &key.kind, version, json))
            .and_then(|_| transaction.commit())
            .map_err(|error| self.named(error))?;
        Ok(version)
    }

    fn documents_after(&self, kind: &str, name: &str) -> Result<Vec<Document>, StoreError> {
        let found = documents(&self.lock(), kind, name).map_err(|error| self.named(error))?;
        found.into_iter().map(|(document, seal)| document.sealed(&self.key, &seal)).collect()
    }

    fn document(&self, kind: &str, name: &str) -> Result<Option<Document>, StoreError> {
        let find = "SELECT json, seal FROM documents WHERE kind = ?1 AND name = ?2";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?));
        let found = self.lock().query_row(find, (kind, name), read).optional();
        let found = found.map_err(|error| self.named(error))?;
        let document = |json| Document { kind: kind.to_owned(), name: name.to_owned(), json };
        found.map(|(json, seal)| document(json).sealed(&self.key, &seal)).transpose()
    }

    fn put_document(&self, document: &Document) -> Result<(), StoreError> {
        let put = "INSERT OR REPLACE INTO documents VALUES (?1, ?2, ?3, ?4)";
        let Document { kind, name, json } = document;
        let put = self.lock().execute(put, (kind, name, json, document.seal(&self.key)));
        put.map(drop).map_err(|error| self.named(error))
    }

    fn add_document(&self, document: &Document) -> Result<bool, StoreError> {
        let add = "INSERT OR IGNORE INTO documents VALUES (?1, ?2, ?3, ?4)";
        let Document { kind, name, json } = document;
        let added = self.lock().execute(add, (kind, name, json, document.seal(&self.key)));
        added.map(|added| added > 0).map_err(|error| self.named(error))
    }

    fn remove_document(&self, kind: &str, name: &str) -> Result<bool, StoreError> {
        let remove = "DELETE FROM documents WHERE kind = ?1 AND name = ?2";
        let removed = self.lock().execute(remove, (kind, name)).map_err(|error| self.named(error))?;
        Ok(removed > 0)
    }
}

impl BaselineKey {
    pub(crate) fn conflict(&self) -> StoreError {
        StoreError::Conflict { what: format!("the baseline {} of {}/{}", self.kind, self.server, self.tool) }
    }
}

const BY_KEY: &str = "server = ?1 AND kind = ?2 AND name = ?3";

/// Brings the tables to our version; a newer file is left as it is.
fn prepare(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let known = STEPS.len();
    let version =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let found: usize = version(connection).map_err(|error| named(path, error))?;
    if found > known {
        let (found, known) = (found as u32, known as u32);
        return Err(StoreError::Newer { path: path.to_path_buf(), found, known });
    }
    let migrate = || {
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have done it meanwhile.
        let found: usize = version(connection)?;
        for step in STEPS.iter().skip(found) {
            connection.execute_batch(step)?;
        }
        connection.pragma_update(None, "user_version", known)?;
        connection.execute_batch("COMMIT")
    };
    migrate().map_err(|error| named(path, error))
}

fn version(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT version FROM head", (), |row| row.get(0))
}

/// The rows that fit, each with the question whether its seal does.
fn rows(
    connection: &Connection,
    key: &ChainKey,
    condition: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Result<Row, StoreError>>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM registry WHERE {condition}"))?;
    let rows = statement.query_map(values, |row| {
        let key = Key { server: row.get(0)?, kind: row.get(1)?, name: row.get(2)? };
        let current: Arc<str> = row.get(5)?;
        let approved = match row.get_ref(6)?.as_str_or_null()? {
            Some(CURRENT) => Some(Arc::clone(&current)),
            other => other.map(Arc::from),
        };
        let stored = Row { key, version: row.get(3)?, record: row.get(4)?, current, approved };
        Ok((stored, row.get::<_, Vec<u8>>(7)?))
    })?;
    rows.map(|row| row.map(|(row, seal)| row.sealed(key, &seal))).collect()
}

fn write(connection: &Connection, row: &Row, key: &ChainKey) -> rusqlite::Result<usize> {
    let put = "INSERT OR REPLACE INTO registry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Key { server, kind, name } = &row.key;
    let approved = row.approved.as_deref().map(|text| if text == &*row.current { CURRENT } else { text });
    let values = (server, kind, name, row.version, &row.record, &row.current, approved, row.seal(key));
    connection.prepare_cached(put)?.execute(values)
}

fn baseline(connection: &Connection, key: &BaselineKey) -> rusqlite::Result<Option<Baseline>> {
    let find = "SELECT version, json FROM baselines WHERE server = ?1 AND tool = ?2 AND kind = ?3";
    connection
        .prepare_cached(find)?
        .query_row((&key.server, &key.tool, &key.kind), |row| {
            Ok(Baseline { version: row.get(0)?, json: row.get(1)? })
        })
        .optional()
}

fn documents(connection: &Connection, kind: &str, after: &str) -> rusqlite::Result<Vec<(Document, Vec<u8>)>> {
    let find = "SELECT name, json, seal FROM documents WHERE kind = ?1 AND name > ?2 ORDER BY name";
    let mut statement = connection.prepare_cached(find)?;
    let rows = statement.query_map([kind, after], |row| {
        Ok((Document { kind: kind.to_owned(), name: row.get(0)?, json: row.get(1)? }, row.get(2)?))
    })?;
    rows.collect()
}

/// Names what SQLite's error means for the file.
fn named(path: &Path, error: rusqlite::Error) -> StoreError {
    let path = path.to_path_buf();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path }
        }
        _ => StoreError::Registry { path, error },
    }
}
