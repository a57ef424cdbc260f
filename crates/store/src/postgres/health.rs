//! What an operator should know about a database, besides whether the chains hold.

use std::path::Path;

use super::address::Address;
use super::batch::read;
use super::opening::directory;
use super::reader::{PostgresReader, query};
use super::thread::Thread;
use crate::StoreError;
use crate::keys::ChainKey;

/// What `doctor` says about a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Where it is; no password is in it.
    pub place: String,
    /// The version of PostgreSQL.
    pub server: String,
    /// Whether the connection is encrypted and the server verified.
    pub is_encrypted: bool,
    /// Chains and the number of their last record.
    pub writers: Vec<(String, u64)>,
    /// Rows of the registry; `None` if they cannot be checked because the key is not here.
    pub registry: Option<u64>,
    /// What should be changed.
    pub warnings: Vec<String>,
}

/// Looks at the database an address names; the key is looked for in `data`.
pub fn health(address: &str, data: &Path) -> Result<Health, StoreError> {
    let address = Address::parse(address)?;
    let (place, is_encrypted) = (address.name.clone(), address.is_encrypted);
    let key = ChainKey::load(&directory(data).keys())?;
    let reader = PostgresReader { thread: Thread::start(address)? };
    reader.thread.ask(move |asker| async move {
        let settings = "SELECT current_setting('server_version'), current_setting('fsync'),
            current_setting('full_page_writes')";
        let settings = query(&asker, settings, &[]).await?;
        let setting = |column: usize| settings.first().map_or_else(String::new, |row| row.get(column));
        let mut warnings = Vec::new();
        for (column, name) in [(1, "fsync"), (2, "full_page_writes")] {
            if setting(column) != "on" {
                warnings
                    .push(format!("{name} is off on the server: records may be lost when it loses power"));
            }
        }
        let writers = query(&asker, "SELECT writer, seq FROM writers ORDER BY writer", &[]).await?;
        let writers = writers.iter().map(|row| (row.get(0), read(row.get(1)))).collect();
        let registry = match &key {
            None => None,
            Some(key) => {
                let text = format!("SELECT {} FROM registry", super::commit::COLUMNS);
                let rows = query(&asker, &text, &[]).await?;
                rows.iter().try_for_each(|row| super::commit::row(row, key).map(|_| ()))?;
                Some(rows.len() as u64)
            }
        };
        Ok(Health { place, server: setting(0), is_encrypted, writers, registry, warnings })
    })
}
