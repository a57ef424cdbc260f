//! `import`: other scanners' findings beside ours.

use crate::world::{HONEST, HOSTILE, World, run};
use serde_json::json;

#[test]
fn findings_of_cisco_stand_beside_ours() {
    let world = World::new("import_cisco");
    let doubted = r#"{"name":"draw_card","description":"Draws a card."}"#;
    let file = world.file("games.json", format!("[{HONEST},{HOSTILE},{doubted}]"));
    let told = |name: &str, count: u32| {
        json!({"tool_name": name, "is_safe": count == 0, "findings": {"yara_analyzer": {
            "severity": if count == 0 { "SAFE" } else { "HIGH" }, "threat_names": ["INJECTION"],
            "threat_summary": "Found\u{1b}[2J", "total_findings": count}}})
    };
    let raw = json!({"scan_results": [told("roll_dice", 0), told("hide_dice", 1), told("draw_card", 1), told("gone", 1)]});
    let raw = world.file("raw.json", raw.to_string());
    let outcome = run(&["import", "--cisco", &raw, &file]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    insta::assert_snapshot!(world.relative(&outcome.out), @r"
both: games/hide_dice
  portcullis: high unicode.hidden
  cisco yara: high INJECTION: FoundU+001B[2J
only theirs: games/draw_card
  cisco yara: high INJECTION: FoundU+001B[2J
not ours to judge: gone
  cisco yara: high INJECTION: FoundU+001B[2J
3 definitions: both raise 1, only we 0, only they 1, neither 1 (66 % agreement); 1 on what we were not given, rules VERSION
");
    let report = run(&["import", "--cisco", &raw, &file, "--format", "json"]).json();
    assert_eq!(
        report["totals"],
        json!({"definitions": 3, "both": 1, "only_ours": 0, "only_theirs": 1, "neither": 1, "unmatched": 1})
    );
}

#[test]
fn sarif_finds_its_definitions_by_name_and_by_line() {
    let world = World::new("import_sarif");
    let file = world.file("games.json", format!("[\n{HONEST},\n{HOSTILE}\n]"));
    let ours = world.path("ours.sarif");
    run(&["scan", &file, "--format", "sarif", "--output", &ours]);
    let report = run(&["import", "--sarif", &ours, &file, "--format", "json"]).json();
    assert_eq!(
        (&report["totals"]["both"], &report["totals"]["only_theirs"]),
        (&1.into(), &0.into()),
        "{report}"
    );
    let by_line = json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Other"}}, "results": [
        {"ruleId": "X1", "level": "error", "message": {"text": "bad"}, "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": "games.json"}, "region": {"startLine": 2}}}]}]}]});
    let by_line = world.file("other.sarif", by_line.to_string());
    let report = run(&["import", "--sarif", &by_line, &file, "--format", "json"]).json();
    assert_eq!(report["raised"][0]["name"], "roll_dice", "{report}");
    assert_eq!(report["raised"][0]["theirs"][0]["rule"], "X1");
}

#[test]
fn what_cannot_be_read_is_refused() {
    let world = World::new("import_bad");
    let tools = world.file("tools.json", format!("{{\"tools\":[{HONEST}]}}"));
    for (arguments, expected) in [
        (&["import", "--cisco", tools.as_str()][..], "no results of mcp-scanner"),
        (&["import", "--sarif", &tools], "it is no SARIF"),
        (&["import", "--cisco", "no/such/file"], "no/such/file"),
        (&["import", &tools], "--cisco"),
    ] {
        let outcome = run(arguments);
        assert!(outcome.code == 2 && outcome.err.contains(expected), "{arguments:?}: {}", outcome.err);
    }
}
