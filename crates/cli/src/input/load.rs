//! Loads definitions for a scan: files and stdin become servers with definitions, and gaps where that failed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use portcullis_decide::Incomplete;
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::{Definition, Kind};
use portcullis_report::Origin;

use super::answer::Part;
use super::bundle::Bundle;
use super::files::{Text, expand};
use super::gap::{gap, stem};
use super::place::{Place, Places};
use super::shapes::{self, Problem};
use super::source::{self, Tree};
use crate::exit::Failure;

/// The endings of files a folder is searched for.
pub(super) const ENDINGS: &[&str] = &["json", "jsonl", "ndjson", "mcpb", "dxt"];
/// The endings of bundles.
const BUNDLES: [&str; 3] = ["mcpb", "dxt", "zip"];
/// What definitions from files of a server are worth.
const NOT_RUN: &str =
    "its definitions were found in its files; it was not run, so what it declares then was not read";

/// One server as loaded.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) definitions: Vec<Definition>,
    /// What is known of each definition beyond its text, in the same order.
    pub(crate) details: Vec<Detail>,
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
    keeps_text: bool,
    /// What the files of bundles and source trees declare.
    found: Vec<Found>,
}

/// What the files of one server declare.
#[derive(Debug)]
struct Found {
    server: String,
    /// The bundle or the folder, as named.
    label: String,
    definitions: Vec<Placed>,
}

/// A definition with its place.
type Placed = (Kind, Box<str>, Option<Origin>);

/// One input, or a part of one, and its text.
pub(super) struct Source {
    /// The path as named, or `-`.
    pub(super) label: String,
    /// The server's name unless the text says otherwise.
    pub(super) server: String,
    pub(super) is_file: bool,
    /// Where in the input the text begins.
    pub(super) first_line: usize,
    pub(super) text: String,
}

/// Loads `paths`; `-` reads `input`.
///
/// # Errors
/// A path that does not exist. Everything else is a gap.
pub(crate) fn load(paths: &[PathBuf], input: &mut dyn Read) -> Result<Loaded, Failure> {
    Loaded::default().with(paths, input)
}

/// The same, keeping the JSON of each definition.
///
/// # Errors
/// Those of [`load`].
pub(crate) fn load_with_text(paths: &[PathBuf], input: &mut dyn Read) -> Result<Loaded, Failure> {
    Loaded { keeps_text: true, ..Loaded::default() }.with(paths, input)
}

impl Loaded {
    fn with(mut self, paths: &[PathBuf], input: &mut dyn Read) -> Result<Self, Failure> {
        let sources = self.sources(paths, input)?;
        if sources.is_empty() && self.gaps.is_empty() && self.found.is_empty() {
            let reason = "no *.json, *.jsonl or *.mcpb file in it";
            self.gaps.extend(paths.iter().map(|path| gap(&path.to_string_lossy(), None, reason)));
        }
        self.servers_of(&sources);
        for found in std::mem::take(&mut self.found) {
            let name = self.name_of(&found);
            self.unread.push(Incomplete { subject: name.clone(), reason: NOT_RUN.to_owned() });
            self.add(name, found.definitions);
        }
        Ok(self)
    }

    /// The server that files belong to: they join their own manifest, and no other server of that name, as below.
    fn name_of(&self, Found { server, label, .. }: &Found) -> String {
        let apart = format!("{server}@{label}");
        let names = [server, &format!("{apart}/manifest.json")];
        let is_own = |known: &&Server| {
            let is_inside = |origin: &Origin| Path::new(&origin.file).starts_with(label);
            names.contains(&&known.name)
                && known.details.iter().all(|detail| detail.origin.as_ref().is_some_and(is_inside))
        };
        match self.servers.iter().find(is_own) {
            Some(own) => own.name.clone(),
            None if self.servers.iter().any(|known| known.name == *server) => apart,
            None => server.clone(),
        }
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
                let label = file.to_string_lossy().into_owned();
                let bytes = std::fs::read(&file);
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

    fn source(
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
        Some(Source { label: label.into(), server, is_file, first_line: 1, text: text.text })
    }

    /// The manifest of a bundle; what its source declares is kept for later.
    fn bundle(&mut self, label: &str, server: String, bytes: std::io::Result<Vec<u8>>) -> Option<Source> {
        let bytes = bytes.map_err(|error| format!("cannot read it: {error}"));
        let bundle = bytes.as_deref().map_err(Clone::clone).and_then(Bundle::open);
        let mut bundle = bundle.map_err(|reason| self.gaps.push(gap(label, None, &reason))).ok()?;
        let manifest = bundle.file("manifest.json").map_err(std::io::Error::other);
        let mut tree = Tree::default();
        let names: Vec<String> =
            bundle.names().filter(|name| source::is_source(name)).map(str::to_owned).collect();
        for name in names {
            let inside = format!("{label}/{name}");
            match bundle.file(&name) {
                Ok(bytes) => tree.file(&inside, bytes),
                Err(reason) => tree.gaps.push(gap(&inside, None, &reason)),
            }
        }
        self.found_in(server.clone(), label.to_owned(), tree);
        self.source(&format!("{label}/manifest.json"), server, true, manifest)
    }

    fn found_in(&mut self, server: String, label: String, tree: Tree) {
        self.gaps.extend(tree.gaps);
        let definitions = tree.definitions.into_iter().map(|(kind, json, origin)| (kind, json, Some(origin)));
        self.found.push(Found { server, label, definitions: definitions.collect() });
    }

    /// What one text holds, by itself.
    pub(super) fn of(source: Source) -> Self {
        let mut loaded = Loaded::default();
        loaded.servers_of(&[source]);
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
    fn add(&mut self, name: String, found: Vec<Placed>) {
        let label = name.clone();
        let source =
            Source { label, server: name.clone(), is_file: false, first_line: 1, text: String::new() };
        let known = self.servers.iter().position(|server| server.name == name);
        let mut server = match known {
            Some(place) => self.servers.swap_remove(place),
            None => Server { name, definitions: Vec::new(), details: Vec::new() },
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
        // By name, then by source: one name in two files is two servers until the operator says otherwise.
        // Were they merged, a hostile file could join the server it impersonates.
        let mut by_name: BTreeMap<String, Vec<(usize, Vec<Part<'_>>)>> = BTreeMap::new();
        let places = sources.iter().map(|source| Places::from_line(&source.text, source.first_line));
        let places: Vec<Places<'_>> = places.collect();
        for (index, source) in sources.iter().enumerate() {
            let shapes = shapes::read(&source.text);
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
            let is_shared = claims.len() > 1;
            for (index, parts) in claims {
                let source = &sources[index];
                let name = if is_shared { format!("{name}@{}", source.label) } else { name.clone() };
                self.server(source, &places[index], name, &parts);
            }
        }
        self.servers.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn server(&mut self, source: &Source, places: &Places<'_>, name: String, parts: &[Part<'_>]) {
        let mut server = Server { name, definitions: Vec::new(), details: Vec::new() };
        for part in parts {
            for (kind, raw) in &part.definitions {
                self.definition(source, &mut server, places, *kind, raw.get(), raw.get());
            }
            if let Some((_, first)) = part.words.first() {
                let json = object(&part.words);
                self.definition(source, &mut server, places, Kind::Instructions, &json, first.get());
            }
        }
        if parts.last().is_some_and(|part| part.has_more) {
            let reason = "the list goes on (nextCursor); its other pages were not given";
            self.gaps.push(gap(&source.label, None, reason));
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

/// Whether a file is a bundle, by its ending.
pub(super) fn is_bundle(file: &Path) -> bool {
    file.extension().is_some_and(|end| BUNDLES.iter().any(|bundle| end == *bundle))
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
