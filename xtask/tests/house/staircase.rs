//! Which way crates may depend: only to the left on the staircase; two stand alone, one serves us.

use crate::{hold, tree};
use std::collections::BTreeMap;

/// Each crate may depend only on crates before it.
const STAIRCASE: [&str; 10] = [
    "portcullis-sieve",
    "portcullis-detect",
    "portcullis-decide",
    "portcullis-conditions",
    "portcullis-report",
    "portcullis-dashboard",
    "portcullis-wire",
    "portcullis-store",
    "portcullis-gateway",
    "portcullis",
];

/// The test servers, the honest one and the hostile one, only speak MCP: they share no code with us.
const ALONE: [&str; 2] = ["portcullis-fixture", "portcullis-adversary"];

/// Our tools may look at everything, and nothing may look at them.
const TOOLS: &str = "xtask";

/// Our crates, and what each depends on.
type Edges = BTreeMap<String, Vec<String>>;

fn violations(edges: &Edges) -> Vec<String> {
    edges
        .iter()
        .flat_map(|(from, tos)| tos.iter().filter_map(|to| violation(edges, from, to)))
        .chain(strangers(edges))
        .collect()
}

fn strangers(edges: &Edges) -> Vec<String> {
    let is_known = |name: &str| place(name).is_some() || ALONE.contains(&name) || name == TOOLS;
    let strangers = edges.keys().filter(|name| !is_known(name));
    strangers.map(|name| format!("{name} has no place on the staircase")).collect()
}

fn violation(edges: &Edges, from: &str, to: &str) -> Option<String> {
    if !edges.contains_key(to) || from == TOOLS {
        return None;
    }
    let is_left = matches!((place(from), place(to)), (Some(from), Some(to)) if to < from);
    (!is_left).then(|| format!("{from} may not depend on {to}"))
}

fn place(name: &str) -> Option<usize> {
    STAIRCASE.iter().position(|step| *step == name)
}

fn real() -> Edges {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(tree::root()).no_deps().exec();
    let packages = metadata.expect("cargo metadata works").packages;
    let dependencies =
        |package: &cargo_metadata::Package| package.dependencies.iter().map(|d| d.name.clone()).collect();
    packages.iter().map(|package| (package.name.to_string(), dependencies(package))).collect()
}

#[test]
fn crates_depend_only_to_the_left() {
    let edges = real();
    assert!(edges.len() >= 5, "cargo metadata named {} crates", edges.len());
    hold("the staircase", &violations(&edges));
}

#[test]
fn the_rule_can_fail() {
    let check = |from: &str, to: &str, expected: &[&str]| {
        let mut edges = Edges::from([(to.to_owned(), Vec::new())]);
        edges.insert(from.to_owned(), vec![to.to_owned(), "serde".to_owned()]);
        assert_eq!(violations(&edges), expected, "{from} -> {to}");
    };
    check("portcullis-decide", "portcullis-detect", &[]);
    check("xtask", "portcullis", &[]);
    check(
        "portcullis-detect",
        "portcullis-decide",
        &["portcullis-detect may not depend on portcullis-decide"],
    );
    check("portcullis-report", "portcullis", &["portcullis-report may not depend on portcullis"]);
    check(
        "portcullis-adversary",
        "portcullis-detect",
        &["portcullis-adversary may not depend on portcullis-detect"],
    );
    check(
        "portcullis-gateway",
        "portcullis-fixture",
        &["portcullis-gateway may not depend on portcullis-fixture"],
    );
    check("portcullis", "portcullis-adversary", &["portcullis may not depend on portcullis-adversary"]);
    check("portcullis", "xtask", &["portcullis may not depend on xtask"]);
    check(
        "portcullis-extra",
        "xtask",
        &["portcullis-extra may not depend on xtask", "portcullis-extra has no place on the staircase"],
    );
}
