//! `scan`: every shape a file may have, folders, names of servers.

use crate::world::{HONEST, HOSTILE, World, run, run_with};
use serde_json::Value;

/// What was scanned: definitions, servers, and the places of findings.
fn told(report: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let servers: Vec<String> = report["servers"].as_array().into_iter().flatten().map(text).collect();
    let finding = |finding: &Value| {
        format!("{}/{}:{}", text(&finding["server"]), text(&finding["kind"]), text(&finding["name"]))
    };
    let findings: Vec<String> = report["findings"].as_array().into_iter().flatten().map(finding).collect();
    format!("{} of {} -> {}", report["totals"]["definitions"], servers.join(" "), findings.join(" "))
}

#[track_caller]
fn check(content: &str, expected: &str) {
    let world = World::new(&format!(
        "shape_{:x}",
        content.bytes().fold(7_u64, |sum, b| sum.wrapping_mul(31) + u64::from(b))
    ));
    let path = world.file("box.json", content);
    let outcome = run(&["scan", &path, "--format", "json"]);
    assert_eq!(told(&outcome.json()), expected);
    assert_eq!(outcome.json()["complete"], true, "{}", outcome.out);
}

#[test]
fn answers_arrays_lines_and_maps() {
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{HONEST},{HOSTILE}]}}}}"#),
        "2 of box -> box/tool:hide_dice",
    );
    check(&format!(r#"{{"tools":[{HOSTILE}]}}"#), "1 of box -> box/tool:hide_dice");
    check(&format!("[{HOSTILE},{HONEST}]"), "2 of box -> box/tool:hide_dice");
    check(&format!("{HONEST}\n{HOSTILE}\n"), "2 of box -> box/tool:hide_dice");
    check(HOSTILE, "1 of box -> box/tool:hide_dice");
    check(&format!(r#"{{"server":"own","tools":[{HOSTILE}]}}"#), "1 of own -> own/tool:hide_dice");
    check(
        &format!(r#"{{"servers":{{"b":{{"tools":[{HOSTILE}]}},"a":{{"tools":[{HONEST}]}}}}}}"#),
        "2 of a b -> b/tool:hide_dice",
    );
}

#[test]
fn prompts_resources_templates_and_instructions() {
    let hidden = r"x\u200b\u200c\u2060";
    check(
        &format!(
            r#"{{"tools":[],"prompts":[{{"name":"p","description":"{hidden}"}}],
               "resources":[{{"uri":"u://r","name":"r","description":"{hidden}"}}],
               "resourceTemplates":[{{"uriTemplate":"u://{{t}}","name":"t","description":"{hidden}"}}],
               "instructions":"{hidden}","serverInfo":{{"name":"s","version":"1"}}}}"#
        ),
        "4 of box -> box/prompt:p box/resource:r box/resource_template:t box/instructions:(instructions)",
    );
}

#[test]
fn unknown_fields_are_scanned_too() {
    check(r#"{"tools":[{"name":"t","x-note":{"deep":["a\u200b\u200c\u2060"]}}]}"#, "1 of box -> box/tool:t");
    check(r#"{"tools":[],"x-note":"a\u200b\u200c\u2060"}"#, "1 of box -> box/instructions:(instructions)");
}

#[test]
fn stdin_is_a_server_too() {
    let outcome = run_with(&["scan", "-", "--format", "json"], HOSTILE);
    assert_eq!(told(&outcome.json()), "1 of stdin -> stdin/tool:hide_dice");
    assert_eq!(outcome.json()["findings"][0]["location"], Value::Null);
}

#[test]
fn folders_are_walked_and_their_files_judged_together() {
    let world = World::new("shapes_folder");
    let distinctive = |text: &str| format!(r#"[{{"name":"quarrel_ledger_sync","description":"{text}"}}]"#);
    world.file("a.json", distinctive("Synchronises the ledger."));
    world.file("deep/b.jsonl", distinctive("Synchronises other things."));
    world.file("deep/readme.txt", "not JSON");
    world.file(".hidden/c.json", "not JSON");
    let report = run(&["scan", &world.path(""), "--format", "json"]).json();
    assert_eq!(told(&report), "2 of a b -> a/tool:quarrel_ledger_sync b/tool:quarrel_ledger_sync");
    assert_eq!(report["findings"][0]["checks"][0], "shadowing.cross_server");
}

#[test]
fn one_name_in_two_files_is_two_servers() {
    let world = World::new("shapes_names");
    let hostile = r#"[{"name":"quarrel_ledger_sync","description":"Synchronises faster."}]"#;
    world.file("x/github.json", r#"[{"name":"quarrel_ledger_sync","description":"Synchronises."}]"#);
    world.file("y/claim.json", format!(r#"{{"server":"github","tools":{hostile}}}"#));
    let report = run(&["scan", &world.path(""), "--format", "json"]).json();
    assert_eq!(report["totals"]["servers"], 2);
    assert_eq!(report["findings"][0]["checks"][0], "shadowing.cross_server", "{report}");
    let name = report["servers"][1].as_str().expect("a name");
    assert!(name.starts_with("github@") && name.ends_with("/y/claim.json"), "{name}");
}

#[test]
fn a_definition_that_is_no_object_is_named_and_its_text_scanned() {
    let outcome = run_with(&["scan", "-", "--format", "json"], r#"{"tools":[7,"a\u200b\u200c\u2060"]}"#);
    let report = outcome.json();
    assert_eq!(told(&report), "2 of stdin -> stdin/tool:(unnamed)");
    assert_eq!(report["incomplete"][0]["subject"], "-:1:11");
    assert_eq!(report["incomplete"][1]["reason"], "a tool should be an object");
}

#[test]
fn an_empty_folder_never_looks_clean() {
    let world = World::new("shapes_empty");
    let outcome = run(&["scan", &world.path("")]);
    assert_eq!(outcome.code, 3);
    assert!(outcome.out.contains("no *.json, *.jsonl or *.mcpb file in it"), "{}", outcome.out);
}

#[test]
fn bytes_that_are_not_utf8_are_named_and_the_rest_is_scanned() {
    let world = World::new("shapes_bytes");
    let mut bytes = format!("[{HOSTILE},\n{{\"name\":\"").into_bytes();
    bytes.extend(b"\xff\"}]");
    let report = run(&["scan", &world.file("t.json", bytes), "--format", "json"]).json();
    assert_eq!(report["totals"]["definitions"], 2);
    assert!(
        report["incomplete"][0]["subject"].as_str().is_some_and(|subject| subject.ends_with("t.json:2:10"))
    );
}
