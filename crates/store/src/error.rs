//! The one error of this crate; every message says what the operator can do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No room: nothing was written.
    #[error("the disk that holds {} is full: free some space or lower the retention; nothing was written", path.display())]
    DiskFull {
        /// What could not be written.
        path: PathBuf,
    },
    /// The place may not be written to.
    #[error("{} cannot be written to: it is read-only or belongs to somebody else", path.display())]
    ReadOnly {
        /// What could not be written.
        path: PathBuf,
    },
    /// What is stored is not what was written.
    #[error("{} is damaged at record {seq}: {what}; `portcullis activity verify` tells more, a backup restores it", path.display())]
    Corrupt {
        /// The damaged file.
        path: PathBuf,
        /// The first record that is not as it was written.
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
    /// Somebody else writes here.
    #[error("{} is in use by process {holder}: stop it or choose another data directory", path.display())]
    Locked {
        /// The data directory.
        path: PathBuf,
        /// The process that holds it, as it wrote itself down.
        holder: String,
    },
    /// Written by a later version; nothing was touched.
    #[error("{} was written by a newer version (format {found}, this one knows {known}): upgrade; nothing was touched", path.display())]
    Newer {
        /// The data directory.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The latest format known.
        known: u32,
    },
    /// The key of the chain is gone while there are records.
    #[error("{} is gone or damaged: restore it from a backup, or move the log aside to begin a new one", path.display())]
    KeyLost {
        /// Where the key should be.
        path: PathBuf,
    },
    /// There is no data directory yet.
    #[error("{} holds no activity: nothing was recorded there yet", path.display())]
    Absent {
        /// The data directory.
        path: PathBuf,
    },
    /// No such record, or no longer.
    #[error("there is no record {seq}: it was never written, or retention has dropped it")]
    NoRecord {
        /// The number asked for.
        seq: u64,
    },
    /// A pattern of the operator's own cannot be used.
    #[error(transparent)]
    Pattern(#[from] portcullis_detect::sensitive::BadPattern),
    /// The address names no back end of this version.
    #[error("{0}")]
    Address(String),
    /// An earlier write failed in a way that leaves the file in doubt.
    #[error("writing stopped after an earlier failure ({0}): restart to recover")]
    Stopped(String),
    /// The index is not what was written; the log is untouched by that.
    #[error("the index is damaged ({0}): it is rebuilt from the log when the log is next opened for writing")]
    IndexDamaged(String),
    /// The index failed; the log is untouched by that.
    #[error("the index failed: {0}; it is rebuilt from the log when its file is removed")]
    Index(rusqlite::Error),
    /// The registry of approvals failed.
    #[error("{} failed: {error}; restore it from a backup, or remove it to approve everything anew", path.display())]
    Registry {
        /// The file of the registry.
        path: PathBuf,
        /// What SQLite said.
        error: rusqlite::Error,
    },
    /// The database did not answer in time.
    #[error(
        "{place} cannot be reached ({what}): the call was refused; it works again when the database is back"
    )]
    Unreachable {
        /// Which database; no password is in it.
        place: String,
        /// What the last try met.
        what: String,
    },
    /// The database refused.
    #[error("{place} refused: {what}")]
    Database {
        /// Which database.
        place: String,
        /// What it said.
        what: String,
    },
    /// The chains in the database are keyed with another key than ours.
    #[error("{place} is keyed with another key than {}: copy that file from a gateway that writes there", path.display())]
    OtherKey {
        /// Which database.
        place: String,
        /// Where the key should be.
        path: PathBuf,
    },
    /// Somebody else was faster; nothing was written.
    #[error("{what} changed since it was read: read it again, then decide; nothing was written")]
    Conflict {
        /// What changed.
        what: String,
    },
    /// A row of the registry was not written by a gate that has the key.
    #[error(
        "{what} was changed in the registry by somebody without the key: it is refused; restore a backup"
    )]
    Forged {
        /// Which row.
        what: String,
    },
    /// What was seen is new, and its definition is missing.
    #[error("{what} cannot be stored without its definition; nothing was written")]
    NoDefinition {
        /// What.
        what: String,
    },
    /// Anything else the file system says.
    #[error("{}: {error}", path.display())]
    Io {
        /// What was being read or written.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl StoreError {
    /// Names what the system's error means for the file at `path`.
    pub(crate) fn from_io(path: &Path, error: io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::DiskFull { path }
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                StoreError::ReadOnly { path }
            }
            _ => StoreError::Io { path, error },
        }
    }

    pub(crate) fn corrupt(path: &Path, seq: u64, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { path: path.to_path_buf(), seq, what: what.into() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        let path = || PathBuf::from("index.sqlite");
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::IndexDamaged(error.to_string())
            }
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path: path() },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { path: path() },
            _ => StoreError::Index(error),
        }
    }
}

/// Gives an I/O result its path.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::from_io(path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_become_ours() {
        let check = |code: i32, expected: &str| {
            let error = StoreError::from_io(Path::new("d/log"), io::Error::from_raw_os_error(code));
            assert!(error.to_string().contains(expected), "{error}");
        };
        check(28, "is full"); // ENOSPC
        check(122, "is full"); // EDQUOT
        check(30, "read-only"); // EROFS
        check(13, "read-only"); // EACCES
        check(5, "d/log: "); // EIO
    }

    #[test]
    fn the_databases_words_become_ours() {
        let check = |code: i32, expected: &str| {
            let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let error = StoreError::from(error);
            assert!(error.to_string().contains(expected), "{error}");
        };
        check(rusqlite::ffi::SQLITE_FULL, "is full");
        check(rusqlite::ffi::SQLITE_READONLY, "read-only");
        check(rusqlite::ffi::SQLITE_CORRUPT, "is damaged");
        check(rusqlite::ffi::SQLITE_NOTADB, "is damaged");
        check(rusqlite::ffi::SQLITE_BUSY, "the index failed");
    }
}
