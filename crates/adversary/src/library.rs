//! All scenarios there are: those built in, and those of the user's folders; twins made from their attacks.

use crate::fields::{Fields, Mistakes};
use crate::mistake::{self, Mistake, Place};
use crate::node::{Node, Value};
use crate::scenario::{self, Scenario};
use crate::yaml;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// What a twin has from its attack unless it says otherwise.
const INHERITED: [&str; 14] = [
    "category",
    "reference",
    "language",
    "eras",
    "transports",
    "server",
    "tools",
    "prompts",
    "resources",
    "resource_templates",
    "versions",
    "responses",
    "peers",
    "agent",
];

/// Scenarios in the order of their files.
pub(crate) struct Library {
    pub(crate) scenarios: Vec<Scenario>,
}

/// A file that was read: its name and its document.
struct File {
    name: String,
    document: Node,
}

impl Library {
    /// The built-in scenarios and those in the folders, or everything that is wrong with them.
    pub(crate) fn load(folders: &[impl AsRef<Path>]) -> Result<Library, Vec<Mistake>> {
        let mut texts: Vec<(String, String)> =
            EMBEDDED.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut mistakes = Vec::new();
        for folder in folders {
            if let Err(error) = collect(folder.as_ref(), 0, &mut texts) {
                let place = Place::new(&folder.as_ref().display().to_string(), 0, "");
                mistakes.push(Mistake::new(place, format!("cannot be read: {error}")));
            }
        }
        match read(&texts) {
            Ok(scenarios) if mistakes.is_empty() => Ok(Library { scenarios }),
            Ok(_) => Err(mistakes),
            Err(more) => Err([mistakes, more].concat()),
        }
    }

    /// The scenario of that id, or which one may have been meant.
    pub(crate) fn find(&self, id: &str) -> Result<&Scenario, String> {
        let ids: Vec<&str> = self.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
        let found = self.scenarios.iter().find(|scenario| scenario.id == id);
        found.ok_or_else(|| mistake::unknown("scenario", id, &ids))
    }
}

/// The YAML files of a folder and of the folders in it, by name.
fn collect(folder: &Path, depth: usize, texts: &mut Vec<(String, String)>) -> std::io::Result<()> {
    if depth > 8 {
        return Err(std::io::Error::other("folders lie too deep in each other"));
    }
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, depth + 1, texts)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            texts.push((path.display().to_string(), std::fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

fn read(texts: &[(String, String)]) -> Result<Vec<Scenario>, Vec<Mistake>> {
    let mistakes = Mistakes::default();
    let mut files = Vec::new();
    for (name, text) in texts {
        match yaml::read(name, text) {
            Ok(document) => files.push(File { name: name.clone(), document }),
            Err(mistake) => mistakes.borrow_mut().push(mistake),
        }
    }
    let mut scenarios: Vec<Scenario> = Vec::new();
    for file in &files {
        let place = Place::new(&file.name, 1, "");
        let own = Fields::new(&file.document, place.clone(), &mistakes);
        let whole = whole(&own, &files);
        let scenario = scenario::read(&Fields::new(&whole, place, &mistakes));
        if scenarios.iter().any(|known| known.id == scenario.id) {
            own.wrong(format!("another scenario is called `{}` too", scenario.id.escape_debug()));
        }
        scenarios.push(scenario);
    }
    let mistakes = mistakes.into_inner();
    if mistakes.is_empty() { Ok(scenarios) } else { Err(mistakes) }
}

/// The document of a file; that of a twin with what it has from its attack.
fn whole(own: &Fields, files: &[File]) -> Node {
    let Some(attack_id) = own.node.get("twin_of").and_then(Node::text) else { return own.node.clone() };
    let id = |file: &&File| file.document.get("id").and_then(Node::text) == Some(attack_id);
    let Some(attack) = files.iter().find(id) else {
        let ids: Vec<&str> = files.iter().filter_map(|file| file.document.get("id")?.text()).collect();
        own.unknown("scenario", attack_id, &ids);
        return own.node.clone();
    };
    if attack.document.get("twin_of").is_some() {
        own.wrong("a twin has an attack, not another twin");
    }
    let mut whole = Node { line: own.node.line, value: Value::Map(Vec::new()) };
    for (key, node) in attack.document.entries().iter().filter(|(key, _)| INHERITED.contains(&key.as_str())) {
        whole.put(key, without_lines(node));
    }
    for (key, node) in own.node.entries() {
        whole.put(key, node.clone());
    }
    scenario::apply(own, &mut whole);
    whole
}

/// What stands in another file has no line in this one.
fn without_lines(node: &Node) -> Node {
    let value = match &node.value {
        Value::List(items) => Value::List(items.iter().map(without_lines).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, node)| (key.clone(), without_lines(node))).collect())
        }
        other => other.clone(),
    };
    value.into()
}
