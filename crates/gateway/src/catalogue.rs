//! What all servers offer as one: names with the server before them, in the order of the settings, the same for everybody.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use portcullis_detect::Kind as Declared;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::gate::Gate;
use crate::members::Members;
use crate::quarantine::{Seen, reading};
use crate::search::{Described, Index};
use crate::settings::ServerName;

/// Names longer than this are cut: some clients take no longer ones.
const LONGEST_NAME: usize = 64;
/// How long a list is taken to be true without news of a change.
const FRESH: Duration = Duration::from_secs(5);
/// How long one server may take; the others' lists do not wait for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Kind {
    /// The kind a method lists.
    pub(crate) fn listed_by(method: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.method() == method)
    }

    /// All of them.
    pub(crate) const ALL: [Kind; 4] = [Kind::Tools, Kind::Prompts, Kind::Resources, Kind::Templates];

    /// What the entries of such a list are.
    pub(crate) fn declared(self) -> Declared {
        match self {
            Kind::Tools => Declared::Tool,
            Kind::Prompts => Declared::Prompt,
            Kind::Resources => Declared::Resource,
            Kind::Templates => Declared::ResourceTemplate,
        }
    }

    pub(crate) fn method(self) -> &'static str {
        match self {
            Kind::Tools => "tools/list",
            Kind::Prompts => "prompts/list",
            Kind::Resources => "resources/list",
            Kind::Templates => "resources/templates/list",
        }
    }

    /// The member of the result that holds the list.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources => "resources",
            Kind::Templates => "resourceTemplates",
        }
    }

    pub(crate) fn capability(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources | Kind::Templates => "resources",
        }
    }

    /// The member that names an entry.
    fn key(self) -> &'static str {
        match self {
            Kind::Tools | Kind::Prompts => "name",
            Kind::Resources => "uri",
            Kind::Templates => "uriTemplate",
        }
    }

    fn is_prefixed(self) -> bool {
        matches!(self, Kind::Tools | Kind::Prompts)
    }
}

/// Where a name leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Which server.
    pub(crate) server: ServerName,
    /// What it is called there.
    pub(crate) name: String,
}

/// One entry of a list.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// As it is told.
    text: Bytes,
    /// What it is called here.
    name: Arc<str>,
    owner: Owner,
}

/// What one server adds to a list, and what that was made of: as long as neither changed, it is not made again.
#[derive(Debug)]
struct Part {
    declared: Arc<[Seen]>,
    /// The version of what was decided about the server.
    decided: u64,
    entries: Vec<Arc<Entry>>,
}

/// A list of everything of one kind.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<Arc<str>, usize>,
    parts: HashMap<ServerName, Arc<Part>>,
    /// Made when somebody searches, and kept as long as the list is the same.
    index: OnceLock<Index>,
}

impl Listing {
    pub(crate) fn owner(&self, name: &str) -> Option<&Owner> {
        self.by_name.get(name).and_then(|index| self.entries.get(*index)).map(|entry| &entry.owner)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// An entry as it is told.
    pub(crate) fn text(&self, entry: usize) -> Option<&Bytes> {
        self.entries.get(entry).map(|entry| &entry.text)
    }

    /// What an entry is called here.
    pub(crate) fn name(&self, entry: usize) -> Option<&str> {
        self.entries.get(entry).map(|entry| &*entry.name)
    }

    /// The entries by their words.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let tools: Vec<Value> = self.entries.iter().map(|entry| parsed(&entry.text)).collect();
            let parameters: Vec<Vec<&str>> = tools.iter().map(parameters).collect();
            let described = tools.iter().zip(&parameters).zip(&self.entries);
            Index::new(described.map(|((tool, parameters), entry)| Described {
                server: entry.owner.server.as_str(),
                name: &entry.owner.name,
                title: tool["title"].as_str().unwrap_or_default(),
                description: tool["description"].as_str().unwrap_or_default(),
                parameters,
            }))
        })
    }

    /// Whether both lists say the same.
    fn is_same(&self, other: &Listing) -> bool {
        let is_same = |(one, other): (&Arc<Entry>, &Arc<Entry>)| Arc::ptr_eq(one, other) || one == other;
        self.len() == other.len() && self.entries.iter().zip(&other.entries).all(is_same)
    }

    /// The server whose template fits an address: the one with the longest fixed beginning.
    pub(crate) fn fitting(&self, uri: &str) -> Option<&Owner> {
        let beginning = |template: &str| template.split('{').next().unwrap_or_default().len();
        let fits = |entry: &&Arc<Entry>| uri.starts_with(entry.name.split('{').next().unwrap_or_default());
        let fitting = self.entries.iter().filter(fits).max_by_key(|entry| beginning(&entry.name));
        fitting.map(|entry| &entry.owner)
    }

    /// The list as the result of a request, with these members before it and the gateway's own entries at its end.
    pub(crate) fn result(&self, kind: Kind, before: &str, own: &[Bytes]) -> Bytes {
        let mut text = format!("{{{before}\"{}\":[", kind.member()).into_bytes();
        // Each with its comma. Growing a text of many megabytes costs as much as filling it.
        let all = || self.entries.iter().map(|entry| &entry.text).chain(own);
        text.reserve(all().map(|entry| entry.len() + 1).sum::<usize>() + 2);
        for (index, entry) in all().enumerate() {
            if index > 0 {
                text.push(b',');
            }
            text.extend_from_slice(entry);
        }
        text.extend_from_slice(b"]}");
        Bytes::from(text)
    }

    /// Adds what a server has. Of two entries with one name, or one address, the first in the settings has it.
    fn add(&mut self, server: &ServerName, part: Arc<Part>) {
        self.by_name.reserve(part.entries.len());
        for entry in &part.entries {
            if let Vacant(place) = self.by_name.entry(Arc::clone(&entry.name)) {
                place.insert(self.entries.len());
                self.entries.push(Arc::clone(entry));
            }
        }
        self.parts.insert(server.clone(), part);
    }
}

impl Entry {
    /// A definition of a server as an entry; `None` if it has no name.
    fn of(kind: Kind, server: &ServerName, raw: &str) -> Option<Entry> {
        let members = serde_json::from_str::<Members>(raw).ok()?;
        let name = members.text(kind.key())?;
        let (exposed, text) = match kind.is_prefixed() {
            true => {
                let exposed = exposed(server.as_str(), &name);
                let text = members.with(kind.key(), &exposed);
                (exposed, text)
            }
            false => (name.clone(), raw.to_owned()),
        };
        let owner = Owner { server: server.clone(), name };
        Some(Entry { text: Bytes::from(text), name: exposed.into(), owner })
    }
}

/// The name of a server's tool among those of all servers.
pub(crate) fn exposed(server: &str, name: &str) -> String {
    let full = format!("{server}__{name}");
    if full.chars().count() <= LONGEST_NAME {
        return full;
    }
    let digest = HEXLOWER.encode(Sha256::digest(full.as_bytes()).get(..4).unwrap_or_default());
    let kept: String = full.chars().take(LONGEST_NAME - digest.len() - 1).collect();
    format!("{kept}_{digest}")
}

fn parsed(entry: &Bytes) -> Value {
    serde_json::from_slice(entry).unwrap_or_default()
}

/// Names and descriptions of a tool's parameters.
fn parameters(tool: &Value) -> Vec<&str> {
    let properties = tool["inputSchema"]["properties"].as_object().into_iter().flatten();
    properties
        .flat_map(|(name, about)| [name.as_str(), about["description"].as_str().unwrap_or_default()])
        .collect()
}

/// What is known of all lists.
#[derive(Default)]
pub(crate) struct Catalogue {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Each list, and since when it is known; `None` if it may be another by now.
    lists: HashMap<&'static str, (Option<Instant>, Arc<Listing>)>,
    /// How often servers said that something changed.
    changes: u64,
    /// The version of what was decided about what servers declare.
    decided: u64,
}

impl Catalogue {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A server's list changed.
    pub(crate) fn forget(&self) {
        self.known().doubt();
    }

    /// Everything of one kind that may be seen.
    pub(crate) async fn listing(&self, gate: &Arc<Gate>, kind: Kind) -> Arc<Listing> {
        read(gate).await;
        let decided = gate.quarantine.picture().version;
        let (changes, last) = {
            let mut known = self.known();
            // What was decided since may be in no news yet.
            if std::mem::replace(&mut known.decided, decided) != decided {
                known.doubt();
            }
            if let Some((Some(since), listing)) = known.lists.get(kind.method())
                && since.elapsed() < FRESH
            {
                return Arc::clone(listing);
            }
            (known.changes, known.lists.get(kind.method()).map(|(_, last)| Arc::clone(last)))
        };
        let listing = gather(gate, kind, last.as_deref());
        self.known().keep(kind, listing, changes)
    }
}

impl Known {
    /// No list is believed any more.
    fn doubt(&mut self) {
        self.changes += 1;
        self.lists.values_mut().for_each(|(since, _)| *since = None);
    }

    /// Keeps a list that was gathered after so many changes. One that says what the last said is the last: what was
    /// made of it stays.
    fn keep(&mut self, kind: Kind, listing: Listing, changes: u64) -> Arc<Listing> {
        let last = self.lists.get(kind.method()).map(|(_, last)| Arc::clone(last));
        let listing = last.filter(|last| last.is_same(&listing)).unwrap_or_else(|| Arc::new(listing));
        let since = (self.changes == changes).then(Instant::now);
        self.lists.insert(kind.method(), (since, Arc::clone(&listing)));
        listing
    }
}

/// Reads every server that has to be; one that is gone, or slow, does not take the others with it.
async fn read(gate: &Arc<Gate>) {
    let mut asking = JoinSet::new();
    for upstream in gate.servers().iter() {
        let (gate, upstream) = (Arc::clone(gate), Arc::clone(upstream));
        if gate.quarantine.server_hold(upstream.name.as_str()).is_none()
            && reading::known(&gate, &upstream).is_none()
        {
            asking.spawn(async move {
                // A server that cannot be read says so itself, and has no part in the list.
                let _ = tokio::time::timeout(PATIENCE, reading::fresh(&gate, &upstream)).await;
            });
        }
    }
    while asking.join_next().await.is_some() {}
}

/// Puts the list together; of servers that are as they were in the last one, their part of it is taken.
fn gather(gate: &Gate, kind: Kind, last: Option<&Listing>) -> Listing {
    let mut listing = Listing::default();
    for upstream in gate.servers().iter() {
        let server = &upstream.name;
        // What changes from here on is decided under a later version, and found next time.
        let (decided, declared) = (gate.quarantine.changed(server.as_str()), upstream.readings.declared());
        let is_same = |part: &&Arc<Part>| part.decided == decided && Arc::ptr_eq(&part.declared, &declared);
        let part = match last.and_then(|last| last.parts.get(server)).filter(is_same) {
            Some(part) => Arc::clone(part),
            None => {
                let shown = declared.iter().filter(|seen| {
                    seen.kind == kind.declared()
                        && gate.quarantine.shows(server.as_str(), seen.kind, &seen.name, &seen.json)
                });
                let entries =
                    shown.filter_map(|seen| Entry::of(kind, server, &seen.json)).map(Arc::new).collect();
                Arc::new(Part { decided, entries, declared })
            }
        };
        listing.add(server, part);
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(name: &str) -> ServerName {
        ServerName::parse(name).unwrap()
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        assert_eq!(exposed("git", "commit"), "git__commit");
        let long = |last: &str| exposed("server", &format!("{}{last}", "x".repeat(80)));
        assert_eq!(long("a").chars().count(), 64);
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a"), long("a"));
    }

    /// A list of one server with these definitions.
    fn listed(listing: &mut Listing, kind: Kind, name: &str, raw: &[&str]) {
        let entries =
            raw.iter().filter_map(|raw| Entry::of(kind, &server(name), raw)).map(Arc::new).collect();
        listing.add(&server(name), Arc::new(Part { declared: Arc::default(), decided: 0, entries }));
    }

    #[test]
    fn an_entry_keeps_everything_but_its_name() {
        let raw = r#"{"x-vendor":1.50,"name":"a","inputSchema":{"b":1e2}}"#;
        let mut listing = Listing::default();
        listed(&mut listing, Kind::Tools, "srv", &[raw, raw]);
        assert_eq!(listing.len(), 1);
        let told = r#"{"x-vendor":1.50,"name":"srv__a","inputSchema":{"b":1e2}}"#;
        assert_eq!(listing.text(0).unwrap(), told);
        assert_eq!(listing.owner("srv__a"), Some(&Owner { server: server("srv"), name: "a".into() }));
        let own = [Bytes::from_static(b"{}")];
        let told = r#"{"ttlMs":0,"tools":[{"x-vendor":1.50,"name":"srv__a","inputSchema":{"b":1e2}},{}]}"#;
        assert_eq!(listing.result(Kind::Tools, "\"ttlMs\":0,", &own), told);
    }

    #[test]
    fn a_list_that_says_the_same_is_the_same() {
        let listing = |name: &str| {
            let mut listing = Listing::default();
            listed(&mut listing, Kind::Tools, "srv", &[&format!(r#"{{"name":"{name}"}}"#)]);
            listing
        };
        let mut known = Known::default();
        let first = known.keep(Kind::Tools, listing("a"), 0);
        let index: *const Index = first.index();
        let again = known.keep(Kind::Tools, listing("a"), 0);
        assert!(std::ptr::eq(index, again.index()), "the index is not made again");
        let other = known.keep(Kind::Tools, listing("b"), 0);
        assert!(!std::ptr::eq(index, other.index()) && other.name(0) == Some("srv__b"));
        assert!(known.lists["tools/list"].0.is_some());
        // What changed while the list was gathered may not be in it.
        known.changes += 1;
        known.keep(Kind::Tools, listing("b"), 0);
        assert_eq!(known.lists["tools/list"].0, None);
    }

    #[test]
    fn a_template_with_the_longest_beginning_fits() {
        let mut listing = Listing::default();
        for (name, template) in [("a", "file:///{path}"), ("b", "file:///logs/{day}"), ("c", "db://{table}")]
        {
            let raw = format!(r#"{{"uriTemplate":"{template}"}}"#);
            listed(&mut listing, Kind::Templates, name, &[&raw]);
        }
        let fitting = |uri: &str| listing.fitting(uri).map(|owner| owner.server.as_str());
        assert_eq!(fitting("file:///logs/1"), Some("b"));
        assert_eq!(fitting("file:///x"), Some("a"));
        assert_eq!(fitting("http://x"), None);
    }
}
