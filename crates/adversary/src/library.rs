//! All scenarios there are: those built in, and those of the user's folders; twins made from their attacks.

use crate::fields::{Fields, Mistakes};
use crate::mistake::{self, Mistake, Place};
use crate::node::{Node, Value};
use crate::scenario::{self, Scenario};
use crate::yaml;
use std::path::{Path, PathBuf};

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
    pub(crate) fn load(folders: &[PathBuf]) -> Result<Library, Vec<Mistake>> {
        let mut texts: Vec<(String, String)> =
            EMBEDDED.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut mistakes = Vec::new();
        for folder in folders {
            if let Err(error) = collect(folder, 0, &mut texts) {
                let place = Place::new(&folder.display().to_string(), 0, "");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointer;

    /// What is wrong with files, in words.
    fn mistakes(files: &[(&str, &str)]) -> Vec<String> {
        let texts: Vec<_> =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        read(&texts).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    const ATTACK: &str = "format: 1\nid: a\ntitle: A\ncategory: rug_pull\nreference: r\nideal: hidden\n\
                          server: {name: s}\ntools: [{name: t, description: bad}]\nexpect: {}\n";

    fn check(more: &str, expected: &[&str]) {
        assert_eq!(mistakes(&[("a.yaml", &format!("{ATTACK}{more}"))]), expected, "{more}");
    }

    #[test]
    fn every_built_in_scenario_is_without_mistakes() {
        let scenarios = Library::load(&[]).map_err(|mistakes| mistakes[0].to_string()).unwrap().scenarios;
        for (scenario, (name, _)) in scenarios.iter().zip(EMBEDDED) {
            assert_eq!(*name, format!("{}/{}.yaml", scenario.category, scenario.id));
        }
    }

    #[test]
    fn a_twin_differs_only_where_it_says() {
        let library = Library::load(&[]).unwrap_or_else(|_| unreachable!("checked above"));
        for (name, text) in EMBEDDED {
            let own = yaml::read(name, text).unwrap();
            let Some(attack) = own.get("twin_of").and_then(Node::text) else { continue };
            let twin = library.find(own.get("id").and_then(Node::text).unwrap()).unwrap();
            let attack = library.find(attack).unwrap();
            let mut said: Vec<&str> = own
                .get("set")
                .map(Node::entries)
                .unwrap_or_default()
                .iter()
                .map(|(at, _)| at.as_str())
                .collect();
            said.extend(own.get("remove").map(Node::items).unwrap_or_default().iter().filter_map(Node::text));
            let is_said = |at: &str| {
                let section = at.split('/').nth(1).unwrap_or_default();
                let is_appended =
                    said.iter().any(|said| said.strip_suffix('-').is_some_and(|list| at.starts_with(list)));
                own.get(section).is_some()
                    || !INHERITED.contains(&section)
                    || is_appended
                    || said.iter().any(|said| at.starts_with(said))
            };
            let found = pointer::differences(&attack.document, &twin.document);
            assert_eq!(found.iter().find(|at| !is_said(at)), None, "{name}");
            assert!(
                found.iter().any(|at| INHERITED.contains(&at.split('/').nth(1).unwrap_or_default())),
                "{name}"
            );
        }
    }

    #[test]
    fn names_what_is_wrong_and_where() {
        check("", &[]);
        check("colour: red\n", &["a.yaml:10: colour: no field is called `colour`"]);
        check("eras: [stone]\n", &["a.yaml:10: eras/0: no era is called `stone`; known: legacy, modern"]);
        check("today: hiden\n", &["a.yaml:10: today: no outcome is called `hiden`; did you mean `hidden`?"]);
        check("today: passed\n", &["a.yaml:1: `shortfall` says why `today` is not `ideal`"]);
        check(
            "breaks: [json, utf9]\n",
            &["a.yaml:10: breaks/1: no rule is called `utf9`; did you mean `utf8`?"],
        );
        check(
            "versions:\n  - {when: {call_cuont: 1}, set: {/tools/1/name: x}}\n",
            &[
                "a.yaml:11: versions/0/set//tools/1/name: nothing can be set there: there is no 1 on the way",
                "a.yaml:11: versions/0/when/call_cuont: no field is called `call_cuont`; did you mean `call_count`?",
            ],
        );
        check(
            "versions: [{when: {time: soon}}]\n",
            &["a.yaml:10: versions/0/when/time: should be a time such as 90s, 30m, 24h or 7d"],
        );
        check(
            "responses: [{text: a, echo: true}, {to: tools/cal, text: a}]\n",
            &[
                "a.yaml:10: responses/0: only one of `result`, `text`, `echo`, `error`, `raw`, `silent`",
                "a.yaml:10: responses/1/to: no method is called `tools/cal`; did you mean `tools/call`?",
            ],
        );
        check(
            "agent: [{call: u}, {cal: t}]\n",
            &[
                "a.yaml:10: agent/1/cal: no field is called `cal`; did you mean `call`?",
                "a.yaml:10: agent/0/call: no tool is called `u`; did you mean `t`?",
            ],
        );
        check(
            "peers: [{server: {name: p}, tolls: []}]\n",
            &["a.yaml:10: peers/0/tolls: no field is called `tolls`; did you mean `tools`?"],
        );
    }

    #[test]
    fn twins_belong_to_attacks() {
        let twin = |of: &str, more: &str| format!("format: 1\nid: b\ntitle: B\ntwin_of: {of}\n{more}");
        let with = |text: &str| mistakes(&[("a.yaml", ATTACK), ("b.yaml", text)]);
        assert_eq!(with(&twin("a", "set: {/tools/0/description: good}\n")), [""; 0]);
        assert_eq!(
            with(&twin("a", "set: {/tools/7/description: x}\n")),
            ["b.yaml:5: set//tools/7/description: nothing can be set there: there is no 7 on the way"]
        );
        assert_eq!(
            with(&twin("a", "ideal: hidden\n")),
            ["b.yaml:1: a twin is harmless: its `ideal` is `passed`"]
        );
        // What a twin has from its attack has no line in the twin's file.
        assert_eq!(
            with(&twin("a", "agent: []\nset: {/tools/0/name: 1}\n")),
            ["b.yaml:6: tools/0/name: should be text; put it in quotes"]
        );
        assert!(
            with(&twin("aa", ""))[0].starts_with("b.yaml:1: no scenario is called `aa`; did you mean `a`?")
        );
        assert_eq!(
            mistakes(&[("a.yaml", ATTACK), ("c.yaml", ATTACK)]),
            ["c.yaml:1: another scenario is called `a` too"]
        );
    }
}
