//! The book has all pages: a page nobody can reach is not read, and a link that leads nowhere is worse.

use std::collections::BTreeSet;
use std::fs;

use crate::hold;
use crate::tree::root;

#[test]
fn every_page_is_in_the_book() {
    let folder = root().join("docs");
    let mut pages = BTreeSet::new();
    for below in ["", "checks/"] {
        let entries = fs::read_dir(folder.join(below)).expect("the folder of the book");
        let names =
            entries.map(|entry| entry.expect("a readable folder").file_name().into_string().expect("UTF-8"));
        pages.extend(
            names
                .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
                .map(|name| format!("{below}{name}")),
        );
    }
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).expect("the summary of the book");
    hold("the summary and the pages of the book are the same", &violations(&summary, &pages));
}

fn violations(summary: &str, pages: &BTreeSet<String>) -> Vec<String> {
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let links: BTreeSet<String> = links.map(str::to_owned).collect();
    let missing = pages.difference(&links).map(|page| format!("docs/{page} is not in docs/SUMMARY.md"));
    let dead =
        links.difference(pages).map(|link| format!("docs/SUMMARY.md links to {link}, which is not there"));
    missing.chain(dead).collect()
}

#[test]
fn a_missing_page_and_a_dead_link_are_found() {
    let pages = BTreeSet::from(["a.md".to_owned(), "b.md".to_owned()]);
    let found = violations("- [A](a.md)\n- [C](c.md)\n", &pages);
    assert_eq!(
        found,
        ["docs/b.md is not in docs/SUMMARY.md", "docs/SUMMARY.md links to c.md, which is not there"]
    );
}
