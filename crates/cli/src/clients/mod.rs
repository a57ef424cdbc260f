//! The clients of this machine: their servers found, put behind the gate, and given back.
//!
//! The map: `table` says which clients there are and where they keep servers, `places` makes paths of it, `finder` reads
//! the files and `server` the entries in them. `plan` says what becomes of each, `rewrite` changes entries by `splice`,
//! `file` replaces files, `ledger` remembers what was done; `gate` is the running gateway, `names` what it calls servers,
//! `recipe` what it needs to use one; `own` is this user's, `import` adds servers to one, `first_look` reads them there.
//! `inventory` says what about the starts of servers is worth a look, with `package` and `secrets`.

mod arguments;
mod file;
mod finder;
mod first_look;
mod gate;
mod import;
mod install;
mod inventory;
mod ledger;
mod names;
mod own;
mod package;
mod places;
mod plan;
mod preview;
mod recipe;
mod rewrite;
mod secrets;
mod server;
mod splice;
mod table;
#[cfg(test)]
mod tests;
mod uninstall;

use std::path::Path;

pub(crate) use arguments::{InstallArguments, UninstallArguments};
pub(crate) use file::make_private_folder;
pub(crate) use finder::{Found, FoundServer, config_file, everywhere, found_servers};
pub(crate) use import::import;
pub(crate) use install::install;
pub(crate) use inventory::inventory;
pub(crate) use package::package;
use portcullis_detect::escape_line;
pub(crate) use recipe::Recipe;
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

/// How much of one file goes through the gate.
pub(crate) struct Standing {
    /// What people call the client.
    pub(crate) client: &'static str,
    /// What `--client` takes.
    pub(crate) id: &'static str,
    /// The file, as it is shown.
    pub(crate) place: String,
    /// Servers through the gate, servers that are used without it, and all; or why the file cannot be read.
    pub(crate) counts: Result<Counts, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) gated: usize,
    pub(crate) bypassing: usize,
    pub(crate) all: usize,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Standing { client, place, .. } = self;
        match &self.counts {
            Ok(Counts { gated, all, .. }) => {
                write!(f, "{client}, {gated} of {all} servers through the gate: {place}")
            }
            Err(reason) => write!(f, "{client}: {place}{reason}"),
        }
    }
}

/// Which clients are here, how many servers each has, and how many of them go through the gate.
pub(crate) fn standings(data: &Path) -> Result<Vec<Standing>, Failure> {
    let ledger = Ledger::look(data)?;
    let clients: Vec<_> = table::CLIENTS.iter().collect();
    let one = |found: &Found| {
        let counts = match &found.read {
            Ok(document) => {
                let record = ledger.record(&document.content.path);
                let is_gated = |server: &&Server| is_gated(server, record, None);
                let all = document.servers.iter();
                let is_used = |server: &&Server| !server.is_disabled && !is_gated(server);
                Ok(Counts {
                    gated: all.clone().filter(is_gated).count(),
                    bypassing: all.clone().filter(is_used).count(),
                    all: all.count(),
                })
            }
            Err(reason) => Err(reason.clone()),
        };
        let (client, id) = (found.client.name, found.client.id);
        Standing { client, id, place: shown(&found.path), counts }
    };
    let found = finder::found(&Machine::here(None), &clients);
    let is_telling = |one: &Standing| one.counts.as_ref().map_or(true, |counts| counts.all > 0);
    Ok(found.iter().map(one).filter(is_telling).collect())
}
