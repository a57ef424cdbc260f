//! What `install` would do to one file: which servers change, which stay and why.

use portcullis_detect::fingerprint::Transport;

use super::finder::{Document, Found};
use super::gate::Gate;
use super::ledger::Record;
use super::names::Names;
use super::places::Level;
use super::rewrite::{self, Rewrite, Sheet};
use super::server::{Server, Start};
use super::splice::{self, Edit};
use crate::document::Format;

/// What entries are put behind.
pub(crate) struct Front<'a> {
    /// The program clients start, with its whole path.
    pub(crate) program: &'a str,
    /// The gateway, if one is known.
    pub(crate) gate: Option<&'a Gate>,
}

/// What becomes of one server.
pub(crate) enum Fate {
    /// It goes through the gate from now on, under this name.
    Changed(String),
    /// It does already.
    Already,
    /// It stays as it is.
    Left(String),
}

/// What becomes of a file.
pub(crate) struct Plan {
    /// The file as it will be.
    pub(crate) after: String,
    pub(crate) entries: Vec<Rewrite>,
    /// The servers with their fates, in the file's order.
    pub(crate) fates: Vec<(Server, Fate)>,
}

/// Plans one file.
pub(crate) fn plan(
    found: &Found,
    document: &Document,
    record: Option<&Record>,
    wanted: &dyn Fn(&str) -> bool,
    (front, names): (&Front<'_>, &mut Names),
) -> Result<Plan, String> {
    let text = document.content.text.as_str();
    let sheet = Sheet { text, format: found.kept.format, root: &document.root };
    let (mut edits, mut entries, mut fates) = (Vec::new(), Vec::new(), Vec::new());
    for server in document.servers.iter().filter(|server| wanted(&server.name)) {
        let fate = match standing(found, server, record, front) {
            Some(fate) => fate,
            None => match changed(found, sheet, server, front, names) {
                Ok((rewrite, more)) => {
                    let name = rewrite.name.clone();
                    edits.extend(more);
                    entries.push(rewrite);
                    Fate::Changed(name)
                }
                Err(reason) => Fate::Left(reason.to_owned()),
            },
        };
        fates.push((server.clone(), fate));
    }
    let after = splice::apply(text, edits);
    // INVARIANT: what cannot be undone to the byte is not done.
    let undone = rewrite::undo(&after, sheet.format, &entries);
    if !undone.is_ok_and(|undone| undone.text == text && undone.left.is_empty()) {
        return Err("it cannot be changed so that the change can be undone".to_owned());
    }
    Ok(Plan { after, entries, fates })
}

/// What can be said of a server without touching it; `None` if it can go through the gate.
fn standing(found: &Found, server: &Server, record: Option<&Record>, front: &Front<'_>) -> Option<Fate> {
    let left = |reason: &str| Some(Fate::Left(reason.to_owned()));
    if is_gated(server, record, front.gate) {
        return Some(Fate::Already);
    }
    if server.is_disabled {
        return left("it is disabled");
    }
    if let Start::Unknown(reason) = server.start {
        return left(reason);
    }
    if found.level == Level::Windows {
        return left("its client runs on Windows: run portcullis install there");
    }
    if found.kept.format == Format::Yaml || server.way.is_none() {
        let what = "this kind of file cannot be changed in place; by hand, put before its command:";
        return left(&format!("{what} portcullis wrap --name NAME --"));
    }
    let Start::Remote { transport, .. } = &server.start else { return None };
    if *transport != Transport::Http {
        return left("it speaks the older HTTP with server-sent events, which the gateway does not");
    }
    if found.level == Level::Project {
        return left("it is remote, and the gateway's token does not belong in a project's file");
    }
    if front.gate.is_none() {
        let what = "it is remote: add it to portcullis.json, start portcullis serve, then install again with";
        return left(&format!("{what} --gateway-url and --token-file"));
    }
    None
}

/// Whether a server goes through the gate; of a remote one only the ledger or the gateway's address can tell.
pub(crate) fn is_gated(server: &Server, record: Option<&Record>, gate: Option<&Gate>) -> bool {
    let Start::Remote { url, .. } = &server.start else { return server.start == Start::Gated };
    let entries = record.map(|record| record.entries.as_slice()).unwrap_or_default();
    let known = entries.iter().find(|entry| Some(&entry.way) == server.way.as_ref());
    gate.is_some_and(|gate| gate.is_behind(url))
        || known.is_some_and(|entry| url.ends_with(&format!("/mcp/{}", entry.name)))
}

fn changed(
    found: &Found,
    sheet: Sheet<'_>,
    server: &Server,
    front: &Front<'_>,
    names: &mut Names,
) -> Result<(Rewrite, Vec<Edit>), &'static str> {
    let launch = server.launch().ok_or("its start cannot be read")?.to_string();
    let name = names.name(&server.name, &launch);
    match (&server.start, front.gate) {
        (Start::Remote { .. }, Some(gate)) => {
            let entry = server.way.iter().flatten().try_fold(sheet.root, |node, name| node.member(name));
            let has = |key: &&str| entry.is_some_and(|entry| entry.member(key).is_some());
            if found.client.credentials.iter().any(has) {
                return Err("the client adds a credential of its own; take that out of the entry first");
            }
            gate.knows(&name)?;
            rewrite::rerouted(sheet, server, &name, (found.client, gate))
        }
        _ => rewrite::wrapped(sheet, server, &name, front.program),
    }
}
