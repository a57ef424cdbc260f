//! Finds the servers of all clients on this machine. Nothing that was found is started or contacted.

use std::collections::HashSet;
use std::path::PathBuf;

use super::file::{self, Content};
use super::places::{Candidate, Level, Machine};
use super::server::{self, MOST_SERVERS, Server};
use super::table::{Client, Kept};
use crate::document::{self, Node};

/// A file of a client, and what is in it.
pub(crate) struct Found {
    pub(crate) client: &'static Client,
    pub(crate) kept: &'static Kept,
    /// As it was looked for; a link is not followed here.
    pub(crate) path: PathBuf,
    pub(crate) level: Level,
    /// What it holds, or why that could not be read.
    pub(crate) read: Result<Document, String>,
}

/// A document that was understood.
pub(crate) struct Document {
    pub(crate) content: Content,
    pub(crate) root: Node,
    pub(crate) servers: Vec<Server>,
}

/// The files of some clients that are there. One that cannot be read does not keep the others from it.
pub(crate) fn found(machine: &Machine, clients: &[&'static Client]) -> Vec<Found> {
    let mut seen = HashSet::new();
    let files = clients.iter().flat_map(|client| machine.files_of(client)).map(look);
    // One file may be reached twice: by a link, or because a project is the home itself.
    let mut is_new = |found: &Found| {
        let path = found.read.as_ref().map_or(&found.path, |document| &document.content.path);
        seen.insert(path.clone())
    };
    files.filter(|found| is_new(found)).collect()
}

fn look(candidate: Candidate) -> Found {
    let Candidate { client, kept, path, level } = candidate;
    let read = file::read(&path).map_err(|reason| format!(": {reason}")).and_then(|content| {
        let root = document::parse(&content.text, kept.format).map_err(|problem| format!(":{problem}"))?;
        let servers = server::all(&root, client, kept);
        if servers.len() > MOST_SERVERS {
            return Err(format!(": it has more than {MOST_SERVERS} servers"));
        }
        Ok(Document { content, root, servers })
    });
    Found { client, kept, path, level, read }
}
