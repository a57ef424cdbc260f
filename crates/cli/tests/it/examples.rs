//! The shipped examples: every check shows itself, and honest servers stay clean.

use std::collections::BTreeSet;

use crate::world::run;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

#[test]
fn the_examples_show_every_check_and_leave_honest_servers_alone() {
    let outcome = run(&["scan", EXAMPLES, "--format", "json"]);
    assert_eq!(outcome.code, 1);
    let report = outcome.json();
    assert_eq!(report["complete"], true);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().expect("findings");
    let seen: BTreeSet<String> = findings
        .iter()
        .flat_map(|finding| finding["checks"].as_array().into_iter().flatten().map(text))
        .collect();
    let all: BTreeSet<String> =
        report["checks"].as_array().expect("checks").iter().map(|check| text(&check["id"])).collect();
    assert_eq!(seen, all);
    let guilty: BTreeSet<String> = findings.iter().map(|finding| text(&finding["server"])).collect();
    for honest in ["weather", "ledger", "mail", "guard", "dice"] {
        assert!(report["servers"].as_array().expect("servers").contains(&honest.into()), "{honest} is there");
        assert!(!guilty.contains(honest), "{honest} is clean");
    }
}
