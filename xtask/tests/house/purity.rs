//! The pure crates: what they may depend on at any depth, and that only one file of theirs names std.

use crate::{hold, tree};
use cargo_metadata::{DependencyKind, Metadata, TargetKind};
use std::collections::{BTreeMap, BTreeSet};
use tree::File;

const PURE: [&str; 2] = ["portcullis-detect", "portcullis-decide"];

/// The one hatch to std.
const HATCH: &str = "crates/detect/src/isolate.rs";

/// Everything the pure crates may reach, and why. Macros run in the compiler, not with us, and are not followed.
const ALLOWED: [(&str, &str); 51] = [
    ("adler2", "the checksum of zlib, for miniz_oxide"),
    ("aho-corasick", "one pass over a text for all keywords"),
    ("block-buffer", "blocks of sha2"),
    ("cfg-if", "chooses code for sha2"),
    ("cmov", "moves that take the same time whatever they move, for ctutils"),
    ("const-oid", "constants; the database client's hashes switch it on in digest"),
    ("cpufeatures", "finds the hash instructions of the machine, for sha2"),
    ("crypto-common", "traits of sha2"),
    ("ctutils", "comparing in constant time; the store's scrypt switches it on in digest"),
    ("data-encoding", "base64, base32 and hex on the decoding ladder"),
    ("digest", "traits of sha2"),
    ("foldhash", "the hash of the registry's look-ups"),
    ("hashbrown", "look-ups in the registry; never iterated"),
    ("hybrid-array", "arrays of sha2"),
    ("icu_collections", "tables of icu_normalizer"),
    ("icu_locale_core", "tables of icu_normalizer"),
    ("icu_normalizer", "NFKC"),
    ("icu_normalizer_data", "tables of icu_normalizer"),
    ("icu_properties", "tables of icu_normalizer"),
    ("icu_properties_data", "tables of icu_normalizer"),
    ("icu_provider", "tables of icu_normalizer"),
    ("itoa", "numbers as text, for serde_json"),
    ("libm", "logarithms for entropy, without std"),
    ("litemap", "tables of icu_normalizer"),
    ("memchr", "the fastest search for a byte"),
    ("miniz_oxide", "gzip and zlib on the decoding ladder"),
    ("once_cell", "tables built on first use, without std"),
    ("portcullis-sieve", "ours: vector instructions behind a safe face"),
    ("potential_utf", "tables of icu_normalizer"),
    ("regex-automata", "patterns of credentials"),
    ("regex-syntax", "reads the patterns for regex-automata"),
    ("serde", "streaming over a definition's JSON"),
    ("serde_core", "the traits behind serde"),
    ("serde_json", "reads a definition's JSON"),
    ("sha2", "fingerprints; checksums of wallet keys and phrases"),
    ("smallvec", "buffers of icu_normalizer"),
    ("stable_deref_trait", "a marker for yoke"),
    ("tinystr", "tables of icu_normalizer"),
    ("tinyvec", "buffers of unicode-normalization"),
    ("typenum", "lengths of hybrid-array"),
    ("unicode-normalization", "needed by unicode-security"),
    ("unicode-script", "the script of a letter"),
    ("unicode-security", "the table of confusable letters"),
    ("utf8_iter", "text for icu_normalizer"),
    ("utf_types", "text for icu_normalizer"),
    ("writeable", "text for icu_normalizer"),
    ("yoke", "tables of icu_normalizer"),
    ("zerofrom", "tables of icu_normalizer"),
    ("zerotrie", "tables of icu_normalizer"),
    ("zerovec", "tables of icu_normalizer"),
    ("zmij", "numbers as text, for serde_json"),
];

/// A crate by name, the crates it needs at run time, and whether it runs only in the compiler.
#[derive(Default)]
struct Graph {
    needs: BTreeMap<String, BTreeSet<String>>,
    macros: BTreeSet<String>,
}

impl Graph {
    fn of(metadata: &Metadata) -> Graph {
        let name = |id: &cargo_metadata::PackageId| metadata[id].name.to_string();
        let mut graph = Graph::default();
        for package in &metadata.packages {
            if package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro)) {
                graph.macros.insert(package.name.to_string());
            }
        }
        for node in &metadata.resolve.as_ref().expect("metadata was asked to resolve").nodes {
            let is_normal = |dep: &&cargo_metadata::NodeDep| {
                dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
            };
            let needed = node.deps.iter().filter(is_normal).map(|dep| name(&dep.pkg));
            graph.needs.entry(name(&node.id)).or_default().extend(needed);
        }
        graph
    }

    /// Every crate `roots` reach, without themselves.
    fn reach(&self, roots: &[&str]) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&str> = roots.to_vec();
        while let Some(from) = waiting.pop() {
            for to in self.needs.get(from).into_iter().flatten().filter(|to| !self.macros.contains(*to)) {
                if !roots.contains(&to.as_str()) && reached.insert(to.clone()) {
                    waiting.push(to);
                }
            }
        }
        reached
    }
}

/// What is reached and not on the list; what is on the list and no longer reached.
fn disagreements(reached: &BTreeSet<String>, allowed: &[(&str, &str)]) -> Vec<String> {
    let is_allowed = |name: &String| allowed.iter().any(|(allowed, _)| allowed == name);
    let extra =
        reached.iter().filter(|name| !is_allowed(name)).map(|name| format!("{name} is not on the list"));
    let gone = allowed.iter().filter(|(name, _)| !reached.contains(*name));
    extra.chain(gone.map(|(name, _)| format!("{name} is on the list but no longer needed"))).collect()
}

#[test]
fn the_pure_crates_reach_only_what_is_listed() {
    // One platform is enough, and all it takes without a network: the pure crates have no others.
    let platform = ["--filter-platform", "x86_64-unknown-linux-gnu"].map(str::to_owned).to_vec();
    let metadata =
        cargo_metadata::MetadataCommand::new().current_dir(tree::root()).other_options(platform).exec();
    let reached = Graph::of(&metadata.expect("cargo metadata works")).reach(&PURE);
    assert!(reached.contains("memchr"), "the graph was not read");
    hold("dependencies of the pure crates", &disagreements(&reached, &ALLOWED));
}

#[test]
fn the_list_of_dependencies_can_fail() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let graph = Graph {
        needs: BTreeMap::from([
            ("root".to_owned(), set(&["good", "derive"])),
            ("good".to_owned(), set(&["deep"])),
            ("derive".to_owned(), set(&["syn"])),
        ]),
        macros: set(&["derive"]),
    };
    let reached = graph.reach(&["root"]);
    assert_eq!(reached, set(&["good", "deep"]));
    assert_eq!(disagreements(&reached, &[("good", "")]), ["deep is not on the list"]);
    let gone = disagreements(&reached, &[("good", ""), ("deep", ""), ("old", "")]);
    assert_eq!(gone, ["old is on the list but no longer needed"]);
}

/// The pure crates declare no_std, and only the hatch names std.
fn names_of_std(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        if file.path.ends_with("src/lib.rs") && !file.text.lines().any(|line| line == "#![no_std]") {
            violations.push(format!("{} does not say #![no_std]", file.path));
        }
        let names_it = code(&file.text).any(|(_, line)| line.contains("extern crate std"));
        if names_it != (file.path == HATCH) {
            violations.push(format!("{}: only {HATCH} says `extern crate std`", file.path));
        }
        let uses = code(&file.text).filter(|(_, line)| file.path != HATCH && uses_std(line));
        violations.extend(uses.map(|(number, _)| format!("{}:{number} names std", file.path)));
    }
    violations
}

/// The numbered lines of code: no comments, and nothing that is compiled for tests only.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_over = false;
    let mut is_for_tests = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.split("//").next().unwrap_or_default().trim();
        if std::mem::take(&mut is_for_tests) {
            is_over |= line.starts_with("mod ") && line.ends_with('{');
            return None;
        }
        is_for_tests = line == "#[cfg(test)]";
        (!is_over && !is_for_tests).then_some((index + 1, line))
    })
}

fn uses_std(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices("std").any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + 3..]);
        !before.ends_with(is_name)
            && (after.starts_with("::") || before.ends_with("use ") && !after.starts_with(is_name))
    })
}

#[test]
fn only_one_file_of_the_pure_crates_names_std() {
    let mut files = tree::below("crates/detect/src/");
    files.extend(tree::below("crates/decide/src/"));
    assert!(files.iter().any(|file| file.path == HATCH));
    hold("no std in the pure crates", &names_of_std(&files));
}

#[test]
fn the_rule_on_std_can_fail() {
    let check = |path: &str, text: &str, expected: usize| {
        assert_eq!(names_of_std(&[tree::made_up(path, text)]).len(), expected, "{path}: {text}");
    };
    check("crates/decide/src/lib.rs", "#![no_std]\nuse core::fmt;", 0);
    check("crates/decide/src/lib.rs", "use core::fmt;", 1);
    check("crates/decide/src/x.rs", "use std::fs;", 1);
    check("crates/decide/src/x.rs", "use std;", 1);
    check("crates/decide/src/x.rs", "fn f() { ::std::process::exit(1) }", 1);
    check("crates/decide/src/x.rs", "extern crate std;", 1);
    check("crates/decide/src/x.rs", "/// like std::fs\n#[cfg(feature = \"std\")]\nuse not_std::x;", 0);
    check("crates/decide/src/x.rs", "#[cfg(test)]\nmod tests {\n use std::fs;\n}", 0);
    check("crates/decide/src/x.rs", "#[cfg(test)]\nuse std::fs;\nuse std::io;", 1);
    check(HATCH, "extern crate std;\nstd::panic::catch_unwind(f)", 0);
    check(HATCH, "fn nothing() {}", 1);
}
