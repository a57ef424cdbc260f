//! Finds the servers of all clients on this machine. Nothing that was found is started or contacted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use portcullis_decide::Incomplete;
use portcullis_report::Origin;

use super::file::{self, Content};
use super::inventory::{entry, unread};
use super::places::{Candidate, Level, Machine};
use super::recipe::Recipe;
use super::server::{self, MOST_SERVERS, Server, Start};
use super::table::{ANY, CLIENTS, Client, Kept};
use crate::document::{self, Format, Node};

/// Words of which a file with servers holds one; most files need not be read as one to know that they are not.
const MARKS: [&str; 5] = ["mcpServers", "servers", "mcp_servers", "context_servers", "mcp"];

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

/// The files of all clients, a project's too.
pub(crate) fn everywhere(project: &Path) -> Vec<Found> {
    let clients: Vec<_> = CLIENTS.iter().collect();
    found(&Machine::here(Some(project)), &clients)
}

/// A file as one that holds servers.
///
/// # Errors
/// It holds something else, namely this, if it was read to see that.
pub(crate) fn config_file(path: &Path) -> Result<Found, Option<String>> {
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("json" | "jsonc" | "json5") => Format::Json,
        Some("toml") => Format::Toml,
        Some("yaml" | "yml") => Format::Yaml,
        _ => return Err(None),
    };
    let content = file::read(path).map_err(|_| None)?;
    let kept = ANY.files.iter().find(|kept| kept.format == format).ok_or(None)?;
    if !MARKS.iter().any(|mark| content.text.contains(mark)) {
        return Err(Some(content.text));
    }
    let document = understand(content, &ANY, kept).map_err(|(content, _)| Some(content.text))?;
    let is_start = |server: &Server| !matches!(server.start, Start::Unknown(_));
    // A list of what servers declare names servers too.
    let declares = |server: &Server| {
        let tools = entry(&document.root, server).and_then(|entry| entry.member("tools"));
        tools.is_some_and(|tools| tools.elements().iter().any(|tool| !tool.members().is_empty()))
    };
    let servers = &document.servers;
    if servers.is_empty() || !servers.iter().all(is_start) || servers.iter().any(declares) {
        return Err(Some(document.content.text));
    }
    Ok(Found { client: &ANY, kept, path: path.to_owned(), level: Level::Project, read: Ok(document) })
}

/// A server that was found, and what it takes to read it.
pub(crate) struct FoundServer {
    pub(crate) name: String,
    /// What people call its client.
    pub(crate) client: &'static str,
    pub(crate) origin: Origin,
    /// Why it is not read even if somebody asks.
    pub(crate) rests: Option<&'static str>,
    pub(crate) recipe: Result<Recipe, String>,
}

/// All servers of these files, and the files that could not be read.
pub(crate) fn found_servers(files: &[Found]) -> (Vec<FoundServer>, Vec<Incomplete>) {
    let (mut servers, mut gaps) = (Vec::new(), Vec::new());
    for found in files {
        let document = match &found.read {
            Ok(document) => document,
            Err(reason) => {
                gaps.push(unread(found, reason));
                continue;
            }
        };
        servers.extend(document.servers.iter().map(|server| one(found, document, server)));
    }
    (servers, gaps)
}

fn one(found: &Found, document: &Document, server: &Server) -> FoundServer {
    let rests = match server.start {
        _ if server.is_disabled => Some("its client does not use it"),
        Start::Gated => Some("it goes through the gate: `portcullis security list` shows what it declares"),
        _ if found.level == Level::Windows => Some("its client runs on Windows; scan it there"),
        _ => None,
    };
    let environment = |name: &str| std::env::var(name).ok();
    FoundServer {
        name: server.name.clone(),
        client: found.client.name,
        origin: Origin {
            file: found.path.display().to_string(),
            line: server.at.line,
            column: server.at.column,
        },
        rests,
        recipe: Recipe::of(server, &document.root, found.client, &environment),
    }
}

fn look(candidate: Candidate) -> Found {
    let Candidate { client, kept, path, level } = candidate;
    let content = file::read(&path).map_err(|reason| format!(": {reason}"));
    let read = content.and_then(|content| understand(content, client, kept).map_err(|(_, reason)| reason));
    Found { client, kept, path, level, read }
}

/// A file's content as a document; whoever cannot use it gets it back with the reason.
fn understand(content: Content, client: &Client, kept: &Kept) -> Result<Document, (Content, String)> {
    let root = match document::parse(&content.text, kept.format) {
        Ok(root) => root,
        Err(problem) => return Err((content, format!(":{problem}"))),
    };
    let servers = server::all(&root, client, kept);
    if servers.len() > MOST_SERVERS {
        return Err((content, format!(": it has more than {MOST_SERVERS} servers")));
    }
    Ok(Document { content, root, servers })
}
