//! What `install` would do to one file: which servers change, which stay and why.

use super::finder::{Document, Found};
use super::gate::{Gate, Way};
use super::ledger::Record;
use super::names::Names;
use super::places::Level;
use super::recipe::Recipe;
use super::rewrite::{self, Rewrite, Sheet};
use super::server::{Server, Start};
use super::splice::{self, Edit};
use crate::document::Format;

/// What entries are put behind.
pub(crate) struct Front<'a> {
    /// The program clients start, with its whole path.
    pub(crate) program: &'a str,
    /// Where remote servers go.
    pub(crate) way: &'a Way,
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
    /// How each of those is started or reached, or why only its client knows, by the name it has at the gate.
    pub(crate) recipes: Vec<(String, Result<Recipe, String>)>,
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
    let mut recipes = Vec::new();
    let environment = |name: &str| std::env::var(name).ok();
    for server in document.servers.iter().filter(|server| wanted(&server.name)) {
        let fate = match standing(found, server, record, front) {
            Some(fate) => fate,
            None => {
                let recipe = Recipe::of(server, &document.root, found.client, &environment);
                match changed(found, sheet, (server, &recipe), front, names) {
                    Ok((rewrite, more)) => {
                        let name = rewrite.name.clone();
                        edits.extend(more);
                        entries.push(rewrite);
                        recipes.push((name.clone(), recipe));
                        Fate::Changed(name)
                    }
                    Err(reason) => Fate::Left(reason),
                }
            }
        };
        fates.push((server.clone(), fate));
    }
    let after = splice::apply(text, edits);
    // INVARIANT: what cannot be undone to the byte is not done.
    let undone = rewrite::undo(&after, sheet.format, &entries);
    if !undone.is_ok_and(|undone| undone.text == text && undone.left.is_empty()) {
        return Err("it cannot be changed so that the change can be undone".to_owned());
    }
    Ok(Plan { after, entries, recipes, fates })
}

/// What can be said of a server without touching it; `None` if it can go through the gate.
fn standing(found: &Found, server: &Server, record: Option<&Record>, front: &Front<'_>) -> Option<Fate> {
    let left = |reason: &str| Some(Fate::Left(reason.to_owned()));
    if is_gated(server, record, front.way.named()) {
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
    if found.level == Level::Project && matches!(server.start, Start::Remote { .. }) {
        return left("it is remote, and the gateway's token does not belong in a project's file");
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
    (server, recipe): (&Server, &Result<Recipe, String>),
    front: &Front<'_>,
    names: &mut Names,
) -> Result<(Rewrite, Vec<Edit>), String> {
    let launch = server.launch().ok_or("its start cannot be read")?.to_string();
    let Start::Remote { .. } = &server.start else {
        let name = names.name(&server.name, &launch);
        return Ok(rewrite::wrapped(sheet, server, &name, front.program)?);
    };
    // A gateway that knows the server already needs nothing that stands in the entry.
    let recipe = match front.way {
        Way::Named(_) => None,
        Way::Own(_) | Way::Look => Some(recipe.as_ref().map_err(Clone::clone)?),
    };
    let launch = recipe.map_or(launch, |recipe| recipe.launch().to_string());
    let name = names.name(&server.name, &launch);
    let pass = front.way.admit(&name, recipe, found.client.id)?;
    let (mut rewrite, edits) = rewrite::rerouted(sheet, server, &name, (found.client, &pass))?;
    rewrite.launch = launch;
    Ok((rewrite, edits))
}
