//! `doctor`: each thing that can be wrong has its line, and the exit code says whether any is.
#![cfg(unix)]

use serde_json::Value;

use crate::gate::{Running, Upstream};
use crate::home::{Home, text};
use crate::world::HONEST;

/// What doctor says, as a program reads it.
fn checks(home: &Home, code: i32) -> Vec<(String, String, String)> {
    let output = home.run(&["doctor", "--format", "json"]);
    assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (report["schema"].as_str(), report["healthy"] == (code == 0)),
        (Some("portcullis.doctor/1"), true)
    );
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let lines = report["checks"].as_array().expect("a list").iter();
    lines.map(|line| (word(line, "check"), word(line, "status"), word(line, "message"))).collect()
}

#[track_caller]
fn has(lines: &[(String, String, String)], check: &str, status: &str, part: &str) {
    let is_it =
        |(its, how, said): &&(String, String, String)| its == check && how == status && said.contains(part);
    assert!(lines.iter().any(|line| is_it(&line)), "{check} {status} {part}: {lines:#?}");
}

#[test]
fn a_new_user_is_told_what_to_do_first() {
    let home = Home::new("doctor_new");
    home.write(".cursor/mcp.json", r#"{"mcpServers": {"dice": {"command": "uvx"}}}"#);
    let lines = checks(&home, 0);
    has(&lines, "config", "ok", "the usual settings hold");
    has(&lines, "data", "warn", "is not there yet");
    has(&lines, "gateway", "ok", "none runs here now");
    has(&lines, "client", "warn", "Cursor, 0 of 1 servers through the gate");
    assert!(!std::path::Path::new(&home.world.path("data")).exists(), "a look leaves nothing behind");
    let plain = text(&home.run(&["doctor"]).stdout);
    assert!(plain.contains("\n        = help: portcullis install --client cursor\n"), "{plain}");
}

#[test]
fn a_gateway_that_runs_is_asked() {
    let home = Home::new("doctor_running");
    let upstream = Upstream::new(&[HONEST]);
    let config = serde_json::json!({ "listen": "127.0.0.1:0", "mcpServers": {
        "dice": { "url": upstream.url }, "gone": { "url": "http://127.0.0.1:9/mcp" } } });
    let file = home.world.file("portcullis.json", config.to_string());
    let gateway = Running::start(&home.world, &file);
    gateway.sees("/mcp", &[]);
    let lines = checks(&home, 1);
    has(&lines, "gateway", "ok", "takes calls at http://127.0.0.1:");
    has(&lines, "tokens", "ok", "1 admin");
    has(&lines, "server", "warn", "dice was read; 1 things wait");
    has(&lines, "server", "fail", "gone cannot be read");
    has(&lines, "lock", "ok", "writes here");
    gateway.stop();
    let lines = checks(&home, 0);
    has(&lines, "activity", "ok", "are as they were written");
    has(&lines, "clock", "ok", "not before the last record");
    has(&lines, "space", "ok", "free");
}

#[test]
fn what_does_not_work_fails() {
    let home = Home::new("doctor_broken");
    let file = home.world.file("portcullis.json", r#"{ "lisen": 1 }"#);
    let output = home.run(&["doctor", "--config", &file]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("fail  config: ") && out.contains("did you mean `listen`?"), "{out}");

    let gateway =
        Running::start(&home.world, &home.world.file("fine.json", r#"{ "listen": "127.0.0.1:0" }"#));
    gateway.stop();
    std::fs::remove_file(home.world.path("data/keys/chain.key")).expect("it is there");
    has(&checks(&home, 1), "store", "fail", "chain.key");
}
