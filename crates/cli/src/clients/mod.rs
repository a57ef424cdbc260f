//! The clients of this machine: their servers found, put behind the gate, and given back.
//!
//! The map: `table` says which clients there are and where they keep servers, `places` makes paths of it, `finder` reads
//! the files and `server` the entries in them. `plan` says what becomes of each, `rewrite` changes entries by `splice`,
//! `file` replaces files, `ledger` remembers what was done; `gate` is the running gateway, `names` what it calls servers.

mod arguments;
mod file;
mod finder;
mod gate;
mod install;
mod ledger;
mod names;
mod places;
mod plan;
mod preview;
mod rewrite;
mod server;
mod splice;
mod table;
#[cfg(test)]
mod tests;
mod uninstall;

use std::io::Write;
use std::path::Path;

pub(crate) use arguments::{InstallArguments, UninstallArguments};
pub(crate) use install::install;
use portcullis_detect::escape_line;
pub(crate) use uninstall::uninstall;

use crate::exit::Failure;
use ledger::Ledger;
use places::Machine;
use plan::is_gated;
use server::Server;

/// Characters shown of a name: a project's file may hold any.
const LONGEST_NAME: usize = 120;
/// Characters shown of a path.
const LONGEST_PATH: usize = 1_000;

/// A path as it is shown.
fn shown(path: &Path) -> String {
    escape_line(&path.display().to_string(), LONGEST_PATH)
}

/// Says which clients are here, how many servers each has, and how many of them go through the gate.
pub(crate) fn summary(data: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let ledger = Ledger::look(data)?;
    let clients: Vec<_> = table::CLIENTS.iter().collect();
    for found in finder::found(&Machine::here(None), &clients) {
        let place = shown(&found.path);
        match &found.read {
            Ok(document) if document.servers.is_empty() => {}
            Ok(document) => {
                let record = ledger.record(&document.content.path);
                let is_gated = |server: &&Server| is_gated(server, record, None);
                let gated = document.servers.iter().filter(is_gated).count();
                let all = document.servers.len();
                writeln!(
                    out,
                    "client: {}, {gated} of {all} servers through the gate: {place}",
                    found.client.name
                )?;
            }
            Err(reason) => writeln!(out, "warning: {}: {place}{reason}", found.client.name)?,
        }
    }
    Ok(())
}
