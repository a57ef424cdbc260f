//! Loads definitions for a scan: files and stdin become servers with definitions, and gaps where that failed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use portcullis_decide::Incomplete;
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::{Definition, Kind};
use portcullis_report::Origin;

use super::answer::Part;
use super::files::{Text, expand};
use super::found::{Found, is_bundle};
use super::gap::{gap, stem};
use super::long::LongFiles;
use super::place::{Place, Places};
use super::shapes::{self, Problem};
use super::source;
use crate::exit::Failure;

/// The endings of files a folder is searched for.
pub(super) const ENDINGS: &[&str] = &["json", "jsonl", "ndjson", "mcpb", "dxt"];
/// What a list is worth whose other pages nobody gave.
pub(super) const GOES_ON: &str = "the list goes on (nextCursor); its other pages were not given";

/// One server as loaded.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) definitions: Vec<Definition>,
    /// What is known of each definition beyond its text, in the same order.
    pub(crate) details: Vec<Detail>,
    /// The last list that was read of it goes on.
    pub(super) has_more: bool,
    /// What it declares stands in a long file and is not held.
    pub(crate) is_long: bool,
}

impl Server {
    fn new(name: String) -> Self {
        Server { name, definitions: Vec::new(), details: Vec::new(), has_more: false, is_long: false }
    }
}

/// What is known of a definition beyond its text.
#[derive(Debug)]
pub(crate) struct Detail {
    /// Where it stands; what came from a stream has a line but no file.
    pub(crate) origin: Option<Origin>,
    pub(crate) identity: Identity,
    /// Its JSON, if the caller wants to keep it.
    pub(crate) json: Option<Box<str>>,
}

/// All that was loaded.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// Ordered by name; names are distinct.
    pub(crate) servers: Vec<Server>,
    pub(crate) gaps: Vec<Incomplete>,
    /// Servers of which only files were read, not what they declare when they run.
    pub(crate) unread: Vec<Incomplete>,
    /// What a reader of the report should know about how servers were read.
    pub(crate) notes: Vec<String>,
    /// What is too long to hold; the servers in it are among the others.
    pub(crate) long: LongFiles,
    /// Files that were read before.
    texts: BTreeMap<PathBuf, String>,
    keeps_text: bool,
    /// The rest may follow.
    is_piece: bool,
    /// What the files of bundles and source trees declare.
    pub(super) found: Vec<Found>,
}

/// A definition with its place.
pub(super) type Placed = (Kind, Box<str>, Option<Origin>);

/// One input, or a part of one, and its text.
pub(super) struct Source {
    /// The path as named, or `-`.
    pub(super) label: String,
    /// The server's name unless the text says otherwise.
    pub(super) server: String,
    pub(super) is_file: bool,
    /// It is known that every line stands for itself.
    pub(super) is_lines: bool,
    /// Where in the input the text begins.
    pub(super) first_line: usize,
    pub(super) text: String,
}

impl Source {
    pub(super) fn shapes(&self) -> shapes::Shapes<'_> {
        if self.is_lines { shapes::read_lines(&self.text) } else { shapes::read(&self.text) }
    }
}

/// Loads `paths`; `-` reads `input`.
///
/// # Errors
/// A path that does not exist. Everything else is a gap.
pub(crate) fn load(paths: &[PathBuf], input: &mut dyn Read) -> Result<Loaded, Failure> {
    Loaded::default().with(paths, input)
}

/// The same, but of JSON lines in files only so many bytes are held. What is longer is read as often as it is needed;
/// files whose `texts` are known are not read.
///
/// # Errors
/// Those of [`load`].
pub(crate) fn load_holding(
    bytes: u64,
    paths: &[PathBuf],
    texts: BTreeMap<PathBuf, String>,
    input: &mut dyn Read,
) -> Result<Loaded, Failure> {
    Loaded { long: LongFiles::beyond(bytes), texts, ..Loaded::default() }.with(paths, input)
}

/// The same as [`load`], keeping the JSON of each definition.
///
/// # Errors
/// Those of [`load`].
pub(crate) fn load_with_text(paths: &[PathBuf], input: &mut dyn Read) -> Result<Loaded, Failure> {
    Loaded { keeps_text: true, ..Loaded::default() }.with(paths, input)
}

impl Loaded {
    fn with(mut self, paths: &[PathBuf], input: &mut dyn Read) -> Result<Self, Failure> {
        let sources = self.sources(paths, input)?;
        if sources.is_empty() && self.gaps.is_empty() && self.found.is_empty() && self.long.is_empty() {
            let reason = "no *.json, *.jsonl or *.mcpb file in it";
            self.gaps.extend(paths.iter().map(|path| gap(&path.to_string_lossy(), None, reason)));
        }
        self.servers_of(&sources);
        self.add_found();
        Ok(self)
    }

    fn sources(&mut self, paths: &[PathBuf], input: &mut dyn Read) -> Result<Vec<Source>, Failure> {
        let mut sources = Vec::new();
        for path in paths {
            if path.as_os_str() == "-" {
                let mut bytes = Vec::new();
                let outcome = input.read_to_end(&mut bytes).map(|_| bytes);
                sources.extend(self.source("-", "stdin".into(), false, outcome));
                continue;
            }
            let is_tree = source::is_tree(path);
            if is_tree {
                let tree = source::tree(path)?;
                self.found_in(source::name(path), path.to_string_lossy().into_owned(), tree);
            }
            for file in expand(std::slice::from_ref(path), ENDINGS)? {
                if !is_tree && !is_bundle(&file) && self.long.takes(&file) {
                    continue;
                }
                let label = file.to_string_lossy().into_owned();
                let bytes = match self.texts.remove(&file) {
                    Some(text) => Ok(text.into_bytes()),
                    None => std::fs::read(&file),
                };
                // Most files of a source tree have to do with building it.
                if is_tree && bytes.as_ref().is_ok_and(|bytes| !source::is_answer(&file, path, bytes)) {
                    continue;
                }
                if is_bundle(&file) {
                    sources.extend(self.bundle(&label, stem(&file), bytes));
                    continue;
                }
                sources.extend(self.source(&label, stem(&file), true, bytes));
            }
        }
        Ok(sources)
    }

    pub(super) fn source(
        &mut self,
        label: &str,
        server: String,
        is_file: bool,
        bytes: std::io::Result<Vec<u8>>,
    ) -> Option<Source> {
        let text = match bytes {
            Ok(bytes) => Text::of(bytes),
            Err(error) => {
                self.gaps.push(gap(label, None, &format!("cannot read it: {error}")));
                return None;
            }
        };
        if let Some(offset) = text.bad_byte {
            let place = Places::new(&text.text).at(offset);
            self.gaps.push(gap(label, Some(place), "not UTF-8; the bad bytes were replaced"));
        }
        Some(Source { label: label.into(), server, is_file, is_lines: false, first_line: 1, text: text.text })
    }

    /// Nothing but these gaps.
    pub(super) fn lacking(gaps: Vec<Incomplete>) -> Self {
        Loaded { gaps, ..Loaded::default() }
    }

    /// What one piece of a text holds, by itself. `shared` are the names that servers of other inputs have too.
    pub(super) fn of(source: Source, shared: &BTreeSet<String>) -> Self {
        let mut loaded = Loaded { is_piece: true, ..Loaded::default() };
        loaded.servers_among(&[source], shared);
        loaded
    }

    /// Adds a server that was read while it ran; `origin` is where its start is written down. It joins no other server
    /// of its name.
    pub(crate) fn take(&mut self, name: &str, origin: Option<&Origin>, definitions: Vec<(Kind, Box<str>)>) {
        let is_free = |name: &String| self.servers.iter().all(|server| server.name != *name);
        let further = (2..).map(|number: usize| format!("{name}-{number}"));
        let Some(name) = std::iter::once(name.to_owned()).chain(further).find(is_free) else { return };
        self.add(name, definitions.into_iter().map(|(kind, json)| (kind, json, origin.cloned())).collect());
    }

    /// Adds definitions to a server, which may be new, each once: builds repeat sources.
    pub(super) fn add(&mut self, name: String, found: Vec<Placed>) {
        let label = name.clone();
        let (server, text) = (name.clone(), String::new());
        let source = Source { label, server, is_file: false, is_lines: false, first_line: 1, text };
        let known = self.servers.iter().position(|server| server.name == name);
        let mut server = match known {
            Some(place) => self.servers.swap_remove(place),
            None => Server::new(name),
        };
        let mut seen = BTreeSet::new();
        for (kind, json, origin) in found {
            if !seen.insert((kind, json.clone())) {
                continue;
            }
            let before = server.details.len();
            self.definition(&source, &mut server, &Places::new(&json), kind, &json, &json);
            server.details.iter_mut().skip(before).for_each(|detail| detail.origin = origin.clone());
        }
        self.servers.push(server);
        self.servers.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn servers_of(&mut self, sources: &[Source]) {
        let named = self.long.name(sources);
        self.servers_among(sources, &named.shared);
        let long = named.servers.into_iter().map(|name| Server { is_long: true, ..Server::new(name) });
        self.servers.extend(long);
        self.servers.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn servers_among(&mut self, sources: &[Source], shared: &BTreeSet<String>) {
        // By name, then by source: one name in two files is two servers until the operator says otherwise.
        // Were they merged, a hostile file could join the server it impersonates.
        let mut by_name: BTreeMap<String, Vec<(usize, Vec<Part<'_>>)>> = BTreeMap::new();
        let places = sources.iter().map(|source| Places::from_line(&source.text, source.first_line));
        let places: Vec<Places<'_>> = places.collect();
        for (index, source) in sources.iter().enumerate() {
            let shapes = source.shapes();
            let named = |problem: &Problem<'_>| problem_gap(source, &places[index], problem);
            self.gaps.extend(shapes.problems.iter().map(named));
            self.unread.extend(shapes.unread.iter().map(named));
            for part in shapes.parts {
                let name = part.server.clone().unwrap_or_else(|| source.server.clone());
                let claims = by_name.entry(name).or_default();
                match claims.last_mut().filter(|(claimant, _)| *claimant == index) {
                    Some((_, parts)) => parts.push(part),
                    None => claims.push((index, vec![part])),
                }
            }
        }
        for (name, claims) in by_name {
            let is_shared = claims.len() > 1 || shared.contains(&name);
            for (index, parts) in claims {
                let source = &sources[index];
                let name = if is_shared { format!("{name}@{}", source.label) } else { name.clone() };
                self.server(source, &places[index], name, &parts);
            }
        }
        self.servers.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn server(&mut self, source: &Source, places: &Places<'_>, name: String, parts: &[Part<'_>]) {
        let mut server = Server::new(name);
        for part in parts {
            for (kind, raw) in &part.definitions {
                self.definition(source, &mut server, places, *kind, raw.get(), raw.get());
            }
            if let Some((_, first)) = part.words.first() {
                let json = object(&part.words);
                self.definition(source, &mut server, places, Kind::Instructions, &json, first.get());
            }
        }
        server.has_more = parts.last().is_some_and(|part| part.has_more);
        if server.has_more && !self.is_piece {
            self.gaps.push(gap(&source.label, None, GOES_ON));
        }
        self.servers.push(server);
    }

    /// Parses `json`, which stands at `slice` of the source.
    fn definition(
        &mut self,
        source: &Source,
        server: &mut Server,
        places: &Places<'_>,
        kind: Kind,
        json: &str,
        slice: &str,
    ) {
        if !json.starts_with('{') {
            // Its strings are looked at all the same: a client may show them.
            let reason = format!("a {} should be an object", kind.as_str());
            self.gaps.push(gap(&source.label, Some(places.inside(slice, 0, 0)), &reason));
        }
        let identity = Identity::parse(&server.name, kind, json);
        match Definition::parse(&server.name, kind, json).and_then(|read| Ok((read, identity?))) {
            Ok((definition, identity)) => {
                let Place { line, column } = places.inside(slice, 0, 0);
                let origin = source.is_file.then(|| Origin { file: source.label.clone(), line, column });
                server.definitions.push(definition);
                let json = self.keeps_text.then(|| json.into());
                server.details.push(Detail { origin, identity, json });
            }
            Err(bad) => {
                let place = places.inside(slice, bad.line, bad.column);
                self.gaps.push(gap(&source.label, Some(place), &bad.reason));
            }
        }
    }
}

fn problem_gap(source: &Source, places: &Places<'_>, problem: &Problem<'_>) -> Incomplete {
    let place = places.inside(problem.slice, problem.line, problem.column);
    gap(&source.label, Some(place), &problem.reason)
}

/// The members as one JSON object.
fn object(members: &[(String, &serde_json::value::RawValue)]) -> String {
    let member = |(key, raw): &(String, &serde_json::value::RawValue)| {
        format!("{}:{}", serde_json::Value::from(key.as_str()), raw.get())
    };
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
}
