//! `explain`: pages from the binary, and a hand for misspellings.

use crate::world::run;

#[test]
fn a_page_is_the_checks_own() {
    let outcome = run(&["explain", "unicode.hidden"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.out.starts_with('#') && outcome.out.ends_with('\n'), "{}", outcome.out);
}

#[test]
fn the_list_names_every_check_once() {
    let outcome = run(&["explain", "--list"]);
    let ids: Vec<&str> = outcome.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let distinct: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len());
    // Checks on definitions and checks on calls.
    assert!(["directive.covert", "flow.instruction_to_action"].iter().all(|id| distinct.contains(id)));
    assert_eq!(outcome.code, 0);
}

#[test]
fn a_misspelt_id_gets_a_suggestion() {
    let outcome = run(&["explain", "unicode.hiden"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    insta::assert_snapshot!(outcome.err, @"error: no check is called `unicode.hiden`; did you mean `unicode.hidden`?");
    insta::assert_snapshot!(run(&["explain", "weather\u{1b}[2J"]).err, @"error: no check is called `weatherU+001B[2J`; `portcullis explain --list` names all checks");
}
