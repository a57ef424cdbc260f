//! `suppress`, and what suppressions mean to `scan`.

use crate::world::{HOSTILE, World, run};

/// A scan that finds one hard thing, and the fingerprint of that finding.
fn found(name: &str) -> (World, String, String, String) {
    let world = World::new(name);
    let (file, list) = (world.file("games.json", format!("[{HOSTILE}]")), world.path("portcullis.suppress"));
    let report = run(&["scan", &file, "--format", "json"]).json();
    let content = report["findings"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    (world, file, list, format!("unicode.hidden@{content}"))
}

#[test]
fn the_fingerprint_to_name_is_in_the_plain_report() {
    let (_world, file, _, fingerprint) = found("suppress_shown");
    let outcome = run(&["scan", &file]);
    assert!(outcome.out.contains(&format!("= note: fingerprint {fingerprint}")), "{}", outcome.out);
}

#[test]
fn a_suppressed_finding_is_shown_as_such_and_does_not_fail() {
    let (world, file, list, fingerprint) = found("suppress_used");
    let suppress = ["suppress", &fingerprint, "--reason", "our own test server", "--suppressions", &list];
    assert_eq!(run(&suppress).code, 0);
    let outcome = run(&["scan", &file, "--suppressions", &list]);
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!(world.relative(&outcome.out), @r"
suppressed[unicode.hidden]: games/hide_dice#/description: our own test server
no findings (1 suppressed, 0 ignored by regular) in 1 definition of 1 server, rules VERSION
");
    let report = run(&["scan", &file, "--suppressions", &list, "--format", "json"]).json();
    assert_eq!((&report["totals"]["suppressed"], &report["totals"]["findings"]), (&1.into(), &0.into()));
    assert_eq!(report["suppressed"][0]["by"]["reason"], "our own test server");
    let sarif = run(&["scan", &file, "--suppressions", &list, "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
}

#[test]
fn a_changed_tool_unsuppresses_itself() {
    let (world, file, list, fingerprint) = found("suppress_changed");
    run(&["suppress", &fingerprint, "--reason", "known", "--suppressions", &list]);
    world.file("games.json", format!("[{}]", HOSTILE.replace("dice.", "dice!")));
    let outcome = run(&["scan", &file, "--suppressions", &list]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("unused suppression: unicode.hidden on *: known"), "{}", outcome.out);
}

#[test]
fn an_expired_suppression_counts_no_longer_and_is_reported() {
    let (_world, file, list, fingerprint) = found("suppress_expired");
    let with = |date| {
        run(&["suppress", &fingerprint, "--reason", "known", "--expires", date, "--suppressions", &list]).code
    };
    assert_eq!(with("2020-01-31"), 0);
    let outcome = run(&["scan", &file, "--suppressions", &list]);
    assert!(outcome.code == 1 && outcome.out.contains("expired suppression"), "{}", outcome.out);
    // The same finding named again takes the place of the entry.
    assert_eq!(with("9000-01-31"), 0);
    let outcome = run(&["scan", &file, "--suppressions", &list]);
    assert!(outcome.code == 0 && outcome.out.contains("(until 9000-01-31)"), "{}", outcome.out);
}

#[test]
fn other_checks_and_subjects_are_not_covered() {
    let (_world, file, list, fingerprint) = found("suppress_other");
    let other = fingerprint.replace("unicode.hidden", "payload.decoded");
    run(&["suppress", &other, "--reason", "known", "--suppressions", &list]);
    run(&["suppress", &fingerprint, "--reason", "known", "--subject", "mail/*", "--suppressions", &list]);
    assert_eq!(run(&["scan", &file, "--suppressions", &list]).code, 1);
    run(&["suppress", &fingerprint, "--reason", "known", "--subject", "games/*", "--suppressions", &list]);
    assert_eq!(run(&["scan", &file, "--suppressions", &list]).code, 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (world, file, list, fingerprint) = found("suppress_bad");
    let unknown = fingerprint.replace("unicode.hidden", "unicode.spoon");
    for (arguments, expected) in [
        (&["suppress", "abc", "--reason", "x"][..], "CHECK@"),
        (&["suppress", &unknown, "--reason", "x"], "no check"),
        (&["suppress", &fingerprint, "--reason", " "], "reason"),
        (&["suppress", &fingerprint, "--reason", "x", "--expires", "tomorrow"], "2030-01-31"),
        (&["scan", &file], "there is no"),
    ] {
        let outcome = run(&[arguments, &["--suppressions", &list]].concat());
        assert!(outcome.code == 2 && outcome.err.contains(expected), "{arguments:?}: {}", outcome.err);
    }
    world.file("portcullis.suppress", "{\"portcullis.suppress\":1}\nnonsense\n");
    let outcome = run(&["scan", &file, "--suppressions", &list]);
    assert!(outcome.code == 2 && outcome.err.contains("line 2"), "{}", outcome.err);
}
