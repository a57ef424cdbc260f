//! `doctor` for a store in a database.

use std::path::Path;

use portcullis_detect::escape_line;
use portcullis_store::{health, read};

use super::report;
use crate::Streams;
use crate::exit::{Exit, Failure};

/// Characters of what the server says about itself.
const LONGEST_LINE: usize = 200;

pub(super) fn doctor(address: &str, data: &Path, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let health = health(address, data)?;
    let encryption = if health.is_encrypted { "encrypted, server verified" } else { "not encrypted" };
    let server = escape_line(&health.server, LONGEST_LINE);
    writeln!(streams.out, "store: {} ({encryption}), PostgreSQL {server}", health.place)?;
    writeln!(streams.out, "keys: {}", data.join("postgres").join("keys").display())?;
    for (writer, last) in &health.writers {
        writeln!(streams.out, "chain {writer}: {last} records written")?;
    }
    match health.registry {
        Some(rows) => writeln!(streams.out, "registry: {rows} rows, all sealed")?,
        None => writeln!(streams.out, "registry: not checked, chain.key is not here")?,
    }
    for warning in &health.warnings {
        writeln!(streams.out, "warning: {warning}")?;
    }
    report(&read(address, data)?.verify()?, streams)
}
