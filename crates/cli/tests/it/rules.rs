//! Rules of the operator's own: tried, refused, and run by `scan`.

use crate::world::{HONEST, World, run, run_with};

const RULES: &str = r#"
version: 1
rules:
  - id: acme.internal_host
    title: An address of the inner network
    pattern: '(?i)\b[a-z]+\.corp\.acme\.example\b'
    units: [description, value]
    threat: exfiltration
    help: Ask the platform team.
    should_match:
      - Calls build.corp.acme.example.
      - name: fetch
        description: Reads WIKI.corp.acme.example
    should_not_match:
      - Calls acme.example.
"#;
const TOOL: &str = r#"{"name":"build","description":"Starts a build on build.corp.acme.example."}"#;

#[test]
fn good_rules_pass_their_examples_and_find_things() {
    let world = World::new("rules_good");
    let rules = world.file("rules.yaml", RULES);
    let outcome = run(&["rules", "test", &rules]);
    assert_eq!(
        (outcome.code, outcome.out.as_str()),
        (0, "acme.internal_host: ok, 3 of 3 examples\n"),
        "{}",
        outcome.err
    );
    let report = run_with(&["scan", "-", "--rules", &rules, "--format", "json"], &format!("[{TOOL}]")).json();
    let signal = &report["findings"][0]["signals"][0];
    assert_eq!(
        (&signal["check"], &signal["tier"], &signal["threat"]),
        (&"acme.internal_host".into(), &"soft".into(), &"exfiltration".into())
    );
    assert_eq!(report["checks"].as_array().map(Vec::len), Some(9));
    let sarif =
        run_with(&["scan", "-", "--rules", &rules, "--format", "sarif"], &format!("[{HONEST}]")).json();
    assert_eq!(
        sarif["runs"][0]["tool"]["driver"]["rules"][8]["id"], "acme.internal_host",
        "declared when silent"
    );
    let page = run(&["explain", "acme.internal_host", "--rules", &rules]);
    assert!(page.out.contains("Ask the platform team."), "{}", page.out);
}

#[test]
fn a_rule_that_fails_its_examples_is_refused() {
    let world = World::new("rules_failing");
    let rules =
        world.file("rules.yaml", RULES.replace("- Calls acme.example.", "- See old.corp.acme.example"));
    let outcome = run(&["rules", "test", &rules]);
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!(outcome.out, @r"
acme.internal_host: FAILED, 2 of 3 examples
  should_not_match 1 matches at #/description: See old.corp.acme.example
");
    let outcome = run_with(&["scan", "-", "--rules", &rules], &format!("[{TOOL}]"));
    assert!(outcome.code == 2 && outcome.err.contains("fails on its own examples"), "{}", outcome.err);
}

#[test]
fn broken_files_say_where() {
    let world = World::new("rules_broken");
    for (text, expected) in [
        (RULES.replace("version: 1", "version: 2"), "its version is 2"),
        (RULES.replace("pattern:", "patern:"), "patern"),
        (RULES.replace("[description, value]", "[text]"), "`units` may hold"),
        (RULES.replace("should_not_match", "should_nt_match"), "should_nt_match"),
        ("rules: [".to_owned(), "cannot read"),
        (format!("{RULES}  - *missing\n"), "cannot read"),
        (RULES.replace("threat:", "title: Again\n    threat:"), "`title` stands here twice"),
        (RULES.replace("version: 1", "version: 1\nmore: 2"), "3:1: `more` means nothing here"),
    ] {
        let rules = world.file("rules.yaml", &text);
        let outcome = run(&["rules", "test", &rules]);
        assert!(outcome.code == 2 && outcome.err.contains(expected), "{expected}: {}", outcome.err);
    }
}

#[test]
fn the_gateway_takes_rules_and_refuses_bad_ones() {
    let world = World::new("rules_gateway");
    world.file("rules.yaml", RULES);
    let config = world.file("portcullis.json", r#"{ "rules": ["rules.yaml"] }"#);
    let outcome = run(&["serve", "--check", "--config", &config]);
    assert!(outcome.code == 0 && !outcome.err.contains("not followed"), "{}", outcome.err);
    world.file("rules.yaml", RULES.replace("- Calls acme.example.", "- See old.corp.acme.example"));
    let outcome = run(&["serve", "--check", "--config", &config]);
    assert!(outcome.code == 2 && outcome.err.contains("fails on its own examples"), "{}", outcome.err);
}
