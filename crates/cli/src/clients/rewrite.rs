//! Puts the gate into an entry of a client's document, and takes it out again.

use portcullis_detect::fingerprint::Transport;
use serde::{Deserialize, Serialize};

use super::file::hash;
use super::gate::Pass;
use super::server::{Server, Spelling, Start};
use super::splice::{self, Edit};
use super::table::Client;
use crate::document::{self, Format, Member, Node};

/// An entry that was changed: enough to undo it in a file that has changed since.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Rewrite {
    /// What the gate calls the server.
    pub(crate) name: String,
    /// What its launch was recognised by.
    pub(crate) launch: String,
    /// The names on the way to the entry.
    pub(crate) way: Vec<String>,
    /// The id of the token that was made for it at this user's gateway, which also was told of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    changes: Vec<Change>,
}

/// A member that was changed or added; what stood there before may hold secrets.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Change {
    /// The names on the way from the entry to the member.
    way: Vec<String>,
    before: Option<String>,
    /// The hash of what stands there now: the text may hold a token, whose only copy is in the client's file.
    after: String,
}

/// A document that is to be changed.
#[derive(Clone, Copy)]
pub(crate) struct Sheet<'a> {
    pub(crate) text: &'a str,
    pub(crate) format: Format,
    pub(crate) root: &'a Node,
}

/// A document after something was taken out of it.
pub(crate) struct Undone {
    pub(crate) text: String,
    /// Entries that are there, but no longer as we left them.
    pub(crate) left: Vec<Rewrite>,
}

/// Why an entry could not be changed.
const ODD: &str = "it is written in a way that cannot be changed safely";

/// The changes that put our relay before a server's command.
pub(crate) fn wrapped(
    sheet: Sheet<'_>,
    server: &Server,
    name: &str,
    program: &str,
) -> Result<(Rewrite, Vec<Edit>), &'static str> {
    let Start::Command { command, spelling, .. } = &server.start else { return Err(ODD) };
    let entry = entry(sheet.root, server.way.as_deref()).ok_or(ODD)?;
    let relay = ["wrap", "--name", name, "--"];
    let mut pen = Pen::new(sheet);
    match spelling {
        Spelling::OneList => {
            let list = entry.member("command").ok_or(ODD)?;
            let more: Vec<&str> = [program].into_iter().chain(relay).collect();
            let value = splice::extended(list, sheet.text, &more, sheet.format).ok_or(ODD)?;
            pen.set(entry, &[], "command", value, "command")?;
        }
        Spelling::Apart | Spelling::Nested => {
            let (holder, way, key) = match entry.member("command") {
                Some(inner) if *spelling == Spelling::Nested => (inner, &["command"][..], "path"),
                _ => (entry, &[][..], "command"),
            };
            let more: Vec<&str> = relay.into_iter().chain([command.as_str()]).collect();
            let arguments = match holder.member("args") {
                Some(list) => splice::extended(list, sheet.text, &more, sheet.format).ok_or(ODD)?,
                None => format!("[{}]", splice::quoted_list(&more, sheet.format)),
            };
            pen.set(holder, way, key, splice::quoted(program, sheet.format), key)?;
            pen.set(holder, way, "args", arguments, key)?;
        }
    }
    pen.finished(server, name, None)
}

/// The changes that send a client to the gateway instead of a server somewhere else.
pub(crate) fn rerouted(
    sheet: Sheet<'_>,
    server: &Server,
    name: &str,
    (client, pass): (&Client, &Pass),
) -> Result<(Rewrite, Vec<Edit>), &'static str> {
    let Start::Remote { key, transport, .. } = &server.start else { return Err(ODD) };
    let entry = entry(sheet.root, server.way.as_deref()).ok_or(ODD)?;
    let mut pen = Pen::new(sheet);
    let address = splice::quoted(&pass.address, sheet.format);
    pen.set(entry, &[], key, address.clone(), key)?;
    let headers = splice::quoted_object("Authorization", &pass.authorization, sheet.format);
    pen.set(entry, &[], client.headers, headers, key)?;
    // Towards clients the gateway speaks streamable HTTP only.
    if *transport == Transport::Sse {
        match client.http_word {
            Some(word) => {
                let says = if entry.member("transport").is_some() { "transport" } else { "type" };
                pen.set(entry, &[], says, splice::quoted(word, sheet.format), key)?;
            }
            None => pen.set(entry, &[], "httpUrl", address, key)?,
        }
    }
    pen.finished(server, name, pass.token.clone())
}

/// Takes entries out of the gate wherever they are still as we left them.
pub(crate) fn undo(text: &str, format: Format, entries: &[Rewrite]) -> Result<Undone, document::Problem> {
    let root = document::parse(text, format)?;
    let sheet = Sheet { text, format, root: &root };
    let (mut edits, mut left) = (Vec::new(), Vec::new());
    for rewrite in entries {
        match entry(&root, Some(&rewrite.way)).map(|entry| undone(sheet, entry, rewrite)) {
            Some(Some(more)) => edits.extend(more),
            Some(None) => left.push(rewrite.clone()),
            // Somebody removed the server: there is nothing to undo.
            None => {}
        }
    }
    Ok(Undone { text: splice::apply(text, edits), left })
}

/// The edits that give an entry its own words back, if all of them are still ours or already its own.
fn undone(sheet: Sheet<'_>, entry: &Node, rewrite: &Rewrite) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for Change { way, before, after } in &rewrite.changes {
        let (name, holder_way) = way.split_last()?;
        let holder = descend(entry, holder_way)?;
        let written = holder.member(name).map(|node| raw(sheet, node)).unwrap_or_default();
        let is_ours = |found: &str| hash(found) == *after;
        match (written, before) {
            (found, before) if found == before.as_deref() => {}
            (Some(found), Some(before)) if is_ours(found) => {
                let span = holder.member(name)?.span.clone()?;
                edits.push(Edit { span, text: before.clone() });
            }
            (Some(found), None) if is_ours(found) => {
                edits.extend(splice::remove(holder, name, sheet.text, sheet.format)?);
            }
            _ => return None,
        }
    }
    Some(edits)
}

/// Collects the changes of one entry.
struct Pen<'a> {
    sheet: Sheet<'a>,
    changes: Vec<Change>,
    edits: Vec<Edit>,
}

impl<'a> Pen<'a> {
    fn new(sheet: Sheet<'a>) -> Pen<'a> {
        Pen { sheet, changes: Vec::new(), edits: Vec::new() }
    }

    /// Gives a member of an object a new value; a new member comes after the one called `anchor`.
    fn set(
        &mut self,
        holder: &Node,
        way: &[&str],
        name: &str,
        after: String,
        anchor: &str,
    ) -> Result<(), &'static str> {
        let Sheet { text, format, .. } = self.sheet;
        let before = match holder.find(name) {
            Some(Member { node, .. }) => {
                let span = node.span.clone().ok_or("a part of it stands in a table of its own")?;
                self.edits.push(Edit { span, text: after.clone() });
                Some(raw(self.sheet, node).ok_or(ODD)?.to_owned())
            }
            None => {
                let anchor = holder.find(anchor).ok_or(ODD)?;
                let edit = splice::insert_after(holder, anchor, (name, &after), text, format);
                self.edits.push(edit.ok_or(ODD)?);
                None
            }
        };
        let way = way.iter().chain([&name]).map(|&name| name.to_owned()).collect();
        self.changes.push(Change { way, before, after: hash(&after) });
        Ok(())
    }

    fn finished(
        self,
        server: &Server,
        name: &str,
        token: Option<String>,
    ) -> Result<(Rewrite, Vec<Edit>), &'static str> {
        let launch = server.launch().ok_or(ODD)?.to_string();
        let way = server.way.clone().ok_or(ODD)?;
        Ok((Rewrite { name: name.to_owned(), launch, way, token, changes: self.changes }, self.edits))
    }
}

fn entry<'a>(root: &'a Node, way: Option<&[String]>) -> Option<&'a Node> {
    descend(root, way?)
}

fn descend<'a>(node: &'a Node, way: &[String]) -> Option<&'a Node> {
    way.iter().try_fold(node, |node, name| node.member(name))
}

/// A value as it is written.
fn raw<'a>(sheet: Sheet<'a>, node: &Node) -> Option<&'a str> {
    sheet.text.get(node.span.clone()?)
}
