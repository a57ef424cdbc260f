//! Names that are chosen to hurt, in front of the real binary: nothing of them reaches a terminal, a log or a file name.

use crate::gate::{Running, Upstream};
use crate::world::{World, run};
use portcullis_detect::escape_line;
use serde_json::{Value, json};
use std::process::Command;

/// The names the gateway is tried with too.
fn hostile() -> Vec<String> {
    serde_json::from_str(include_str!("../../../gateway/tests/hostile_names.json")).expect("it is JSON")
}

/// Every line is as it would be if it were escaped: nothing in it moves a cursor, hides, or turns the text around.
#[track_caller]
fn assert_visible(what: &str, text: &str) {
    for line in text.lines() {
        assert_eq!(line, escape_line(line, usize::MAX), "{what}");
    }
}

/// What the real binary writes, to both of its outputs.
fn told(world: &World, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(arguments).args(["--data", &world.path("data")]);
    let output = command.output().expect("the binary runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("it writes UTF-8");
    assert_visible(&format!("{arguments:?}"), &text);
    (output.status.code().unwrap_or_default(), text)
}

#[test]
fn a_reviewer_reads_hostile_names_safely() {
    let world = World::new("names_tools");
    let names = hostile();
    let tools: Vec<String> = names
        .iter()
        .map(|name| {
            json!({ "name": name, "description": name, "inputSchema": { "type": "object" } }).to_string()
        })
        .collect();
    let upstream = Upstream::new(&tools.iter().map(String::as_str).collect::<Vec<_>>());
    let file = json!({ "listen": "127.0.0.1:0", "mcpServers": { "r": { "url": upstream.url } },
        "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } } });
    let file = world.file("portcullis.json", file.to_string());
    let gateway = Running::start(&world, &file);
    gateway.tools("/mcp/r");
    for name in &names {
        gateway.ask("/mcp/r", "tools/call", &json!({ "name": name, "arguments": { "path": name } }));
    }
    let there = ["--config", file.as_str()];
    let told_there = |arguments: &[&str]| told(&world, &[arguments, &there].concat());
    let (_, listed) = told_there(&["security", "list", "r"]);
    assert!(listed.lines().count() > names.len(), "a line for each: {listed}");
    assert!(listed.contains("U+001B[31mred") && listed.contains("U+202Egnp.exe"), "{listed}");
    let (_, json) = told_there(&["security", "list", "r", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let read: Vec<&str> =
        json["items"].as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect();
    assert!(names.iter().all(|name| read.contains(&name.as_str())), "exact for programs");
    told_there(&["security", "report", "r"]);
    told_there(&["security", "report", "r", "--sarif"]);
    // A word of a command line has no NUL in it.
    for name in names.iter().filter(|name| !name.contains('\0') && !name.starts_with('-')) {
        let (code, shown) = told_there(&["security", "inspect", "r", name]);
        assert_eq!(code, 0, "{shown}");
        let (code, refused) = told_there(&["security", "inspect", name, "x"]);
        assert_eq!(code, 2, "{refused}");
    }
    told(&world, &["activity", "list", "--limit", "500"]);
    let (_, lines) = told(&world, &["activity", "list", "--limit", "500", "--format", "json"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "a record a line");
    told(&world, &["activity", "summary"]);
    gateway.stop();
    assert_visible("the log", &world.read("gateway.log"));
}

#[test]
fn a_file_cannot_name_a_server_so() {
    let world = World::new("names_servers");
    let is_plain = |name: &&String| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    for name in hostile().iter().filter(|name| !is_plain(name)) {
        for server in [json!({ "command": "true" }), json!({ "command": 1, name: name })] {
            let file = world.file("portcullis.json", json!({ "mcpServers": { name: server } }).to_string());
            let outcome = run(&["security", "list", "--config", &file, "--data", &world.path("data")]);
            assert_eq!(outcome.code, 2, "{name:?}");
            assert_visible("the error", &outcome.err);
        }
    }
    let entries = std::fs::read_dir(world.path("")).expect("the test's folder");
    let made: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    assert!(made.iter().all(|name| ["portcullis.json", "data"].contains(&name.as_str())), "{made:?}");
}
