//! What PostgreSQL's errors mean: it is away and may come back, or it says no.

use std::error::Error;
use std::path::PathBuf;

use tokio_postgres::error::SqlState;

use crate::StoreError;

/// Why something did not work.
pub(super) enum Trouble {
    /// Nobody answers, or not now: worth another try.
    Away(String),
    /// The partition a record belongs to is not there.
    NoPartition,
    /// An answer that will not change.
    Said(StoreError),
}

impl Trouble {
    pub(super) fn of(place: &str, error: &tokio_postgres::Error) -> Trouble {
        let Some(said) = error.as_db_error() else { return Trouble::Away(words(error)) };
        let code = said.code();
        let is_away = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            // A standby that is about to be promoted.
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ];
        if is_away.contains(code) || code.code().starts_with("08") {
            return Trouble::Away(said.message().to_owned());
        }
        if *code == SqlState::CHECK_VIOLATION && said.message().starts_with("no partition") {
            return Trouble::NoPartition;
        }
        if *code == SqlState::DISK_FULL {
            return Trouble::Said(StoreError::DiskFull { path: PathBuf::from(place) });
        }
        Trouble::Said(StoreError::Database { place: place.to_owned(), what: said.message().to_owned() })
    }

    /// What a caller is told.
    pub(super) fn told(self, place: &str) -> StoreError {
        match self {
            Trouble::Away(what) => StoreError::Unreachable { place: place.to_owned(), what },
            Trouble::NoPartition => {
                StoreError::Database { place: place.to_owned(), what: "a partition is missing".into() }
            }
            Trouble::Said(error) => error,
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Said(error)
    }
}

/// An error with its reasons; none of them holds a value that was sent.
fn words(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        text.push_str(": ");
        text.push_str(&reason.to_string());
        source = reason.source();
    }
    text
}
