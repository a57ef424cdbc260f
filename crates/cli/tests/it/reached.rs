//! Servers that are read over every transport and in both eras, several at a time, and files that wrap one in another.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::live::{SERVER, report, scan};
use crate::world::World;

#[test]
fn a_server_is_read_in_every_era_and_over_every_transport() {
    let world = World::new("reached_eras");
    for (fixture, kind) in
        [(Fixture::http("modern"), "http"), (Fixture::http("legacy"), "http"), (Fixture::sse(), "sse")]
    {
        let file = json!({ "mcpServers": { "far": { "type": kind, "url": fixture.url } } });
        let file = world.file("mcp.json", file.to_string());
        let report = report(&scan(&[&file, "--run-servers", "--persona", "auditor"]));
        assert_eq!(report["incomplete"], json!([]), "{kind} {}", fixture.url);
        assert_eq!(report["servers"], json!(["far"]), "{kind}");
        assert!(report["totals"]["definitions"].as_u64() > Some(5), "{kind}: {report}");
    }
}

#[test]
fn slow_servers_are_read_at_a_time() {
    let world = World::new("reached_together");
    // Each begins only when the other has been started: one after the other, neither would ever begin.
    let meet = "import os, sys, time\nopen(sys.argv[2], 'w').close()\nwhile not os.path.exists(sys.argv[3]): time.sleep(0.01)\ndel sys.argv[2:]\n";
    let script = world.file("server.py", format!("{meet}{SERVER}"));
    let entry = |own: &str, other: &str| json!({ "command": "python3", "args": [script, "[{\"name\":\"a\"}]", world.path(own), world.path(other)] });
    let servers = json!({ "one": entry("one", "two"), "two": entry("two", "one") });
    let file = world.file("mcp.json", json!({ "mcpServers": servers }).to_string());
    let report = report(&scan(&[&file, "--run-servers"]));
    assert_eq!((&report["servers"], &report["complete"]), (&json!(["one", "two"]), &json!(true)), "{report}");
}

/// Answers every request with this status.
fn refusing(listener: &TcpListener, status: &str) {
    for stream in listener.incoming().map_while(Result::ok) {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
            line.clear();
        }
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        let _ = reader.get_mut().write_all(answer.as_bytes());
    }
}

#[test]
fn a_server_that_wants_a_credential_says_how_to_give_one() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    thread::spawn(move || refusing(&listener, "401 Unauthorized"));
    let output = scan(&[&url]);
    let gap = report(&output)["incomplete"][0].to_string();
    assert!(gap.contains("--header 'Authorization: Bearer …'"), "{gap}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn entries_of_a_registry_are_read_in_what_wraps_them() {
    let world = World::new("reached_wrapped");
    let hidden = "Rolls dice.\u{e0041}\u{e0042}\u{e0043}";
    let entry =
        |name: &str| json!({ "name": name, "description": hidden, "version": "1.0.0", "packages": [] });
    let one = json!({ "server": entry("io.example/one"), "_meta": {} });
    let list = json!({ "servers": [{ "server": entry("io.example/one") }, { "server": entry("io.example/two") }], "metadata": { "count": 2 } });
    for (file, count) in [(one, 1), (list, 2)] {
        let file = world.file("server.json", file.to_string());
        let report: Value = report(&scan(&[&file]));
        assert_eq!(report["never_scanned"].as_array().map(Vec::len), Some(count), "{report}");
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(count), "{report}");
    }
}
