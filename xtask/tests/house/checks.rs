//! A check is a folder: source, page, and its place in the list agree, and the page has its sections and examples.

use crate::{hold, tree};
use std::collections::BTreeSet;
use tree::File;

/// Where checks live; the second comes with the checks on calls.
const HOMES: [&str; 2] = ["crates/detect/src/checks/", "crates/detect/src/call_checks/"];

/// The sections of a page, in this order, after its opening sentence.
const SECTIONS: [&str; 6] =
    ["Why it matters", "What it looks at", "What it does not catch", "Flagged", "Clean", "What to do"];

/// The least number of examples of each kind.
const LEAST_EXAMPLES: usize = 2;

/// Every folder has both files, is a module and is in the running order, and the list names no other.
fn folders(home: &str, files: &[File]) -> Vec<String> {
    let paths: BTreeSet<&str> = files.iter().filter_map(|file| file.path.strip_prefix(home)).collect();
    let list = files.iter().find(|file| file.path.strip_prefix(home) == Some("mod.rs"));
    let list = list.map(|file| file.text.as_str()).unwrap_or_default();
    let listed = modules(list);
    let folders: BTreeSet<String> =
        paths.iter().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder.to_owned()).collect();
    let mut violations = Vec::new();
    for folder in &folders {
        for file in ["mod.rs", "README.md"] {
            if !paths.contains(format!("{folder}/{file}").as_str()) {
                violations.push(format!("{home}{folder} has no {file}"));
            }
        }
        if !(listed.contains(folder) && list.contains(&format!("({folder}::"))) {
            violations.push(format!("{home}mod.rs does not list {folder}"));
        }
    }
    let is_there = |name: &String| folders.contains(name) || paths.contains(format!("{name}.rs").as_str());
    let missing = listed.iter().filter(|name| !is_there(name));
    violations.extend(missing.map(|name| format!("{home}mod.rs lists {name}, which is not there")));
    violations
}

/// The modules a file declares: `mod name;`.
fn modules(text: &str) -> BTreeSet<String> {
    let declared = text.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    declared.map(str::to_owned).collect()
}

/// What is wrong with a page.
fn page(text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let headings: Vec<&str> =
        text.lines().filter_map(|line| Some(line.strip_prefix("## ")?.trim())).collect();
    if headings != SECTIONS {
        violations.push(format!("its sections are {headings:?}, not {SECTIONS:?}"));
    }
    let mut paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.starts_with("# "));
    if !paragraphs.next().is_some_and(|first| first.trim_end().ends_with('.') && !first.starts_with('#')) {
        violations.push("it does not open with a sentence".to_owned());
    }
    for kind in ["flagged", "clean"] {
        let (inside, elsewhere) = examples(text, kind);
        if inside < LEAST_EXAMPLES {
            violations.push(format!("it has {inside} {kind} examples, {LEAST_EXAMPLES} are the least"));
        }
        if elsewhere > 0 {
            violations.push(format!("{elsewhere} {kind} examples stand under another heading"));
        }
    }
    violations
}

/// How many examples of a kind stand in the section of that name, and how many elsewhere.
fn examples(text: &str, kind: &str) -> (usize, usize) {
    let fence = format!("```json {kind}");
    let (mut section, mut inside, mut elsewhere) = (String::new(), 0, 0);
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim().to_lowercase();
        } else if line.trim_end() == fence {
            *(if section == kind { &mut inside } else { &mut elsewhere }) += 1;
        }
    }
    (inside, elsewhere)
}

fn pages(home: &str, files: &[File]) -> Vec<String> {
    let is_page = |file: &&File| file.path.starts_with(home) && file.path.ends_with("/README.md");
    let pages = files.iter().filter(is_page);
    pages
        .flat_map(|file| page(&file.text).into_iter().map(|wrong| format!("{}: {wrong}", file.path)))
        .collect()
}

#[test]
fn checks_are_whole_folders() {
    let files = tree::files();
    let pages_found =
        files.iter().filter(|f| f.path.starts_with(HOMES[0]) && f.path.ends_with("/README.md")).count();
    assert!(pages_found >= 8, "{pages_found} pages of checks were found");
    for home in HOMES {
        hold("folders of checks", &folders(home, &files));
        hold("pages of checks", &pages(home, &files));
    }
}

#[test]
fn the_skeleton_of_a_new_check_is_a_page() {
    hold("the skeleton", &page(include_str!("../../data/new-check/README.md.template")));
}

#[test]
fn the_rule_on_folders_can_fail() {
    let check = |paths: &[&str], list: &str, expected: &[&str]| {
        let mut files: Vec<File> = paths.iter().map(|path| tree::made_up(&format!("c/{path}"), "")).collect();
        files.push(tree::made_up("c/mod.rs", list));
        assert_eq!(folders("c/", &files), expected);
    };
    let whole = "pub mod a;\nvec![Box::new(a::A)]";
    check(&["a/mod.rs", "a/README.md"], whole, &[]);
    check(&["a/mod.rs", "a/README.md", "b.rs"], &format!("mod b;\n{whole}"), &[]);
    check(&["a/mod.rs"], whole, &["c/a has no README.md"]);
    check(&["a/README.md"], whole, &["c/a has no mod.rs"]);
    check(&["a/mod.rs", "a/README.md"], "mod a;", &["c/mod.rs does not list a"]);
    check(&["a/mod.rs", "a/README.md"], "// mod a;\n(a::A)", &["c/mod.rs does not list a"]);
    check(&[], "mod a;", &["c/mod.rs lists a, which is not there"]);
}

#[test]
fn the_rule_on_pages_can_fail() {
    let good = include_str!("../../data/new-check/README.md.template");
    let check = |text: &str, expected: usize| assert_eq!(page(text).len(), expected, "{:?}", page(text));
    check(&format!("# a.b\n\n{good}"), 0);
    check(&good.replace("## Why it matters", "## Why"), 1);
    check(
        &good.replace("## Flagged", "## X").replace("## Clean", "## Flagged").replace("## X", "## Clean"),
        5,
    );
    check(&good.replacen("```json flagged", "```json", 1), 1);
    check(&good.replacen("```json clean", "```json", 1), 1);
    check(&good.replace("flags.", "flags"), 1);
    check(
        &good
            .replace("## What to do", "```json clean\n{}\n```\n\n## What to do")
            .replace("## What to do", "## What to do\n\n```json clean"),
        1,
    );
}
