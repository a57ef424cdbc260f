//! Servers that are read over every transport and in both eras, several at a time, and files that wrap one in another.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
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

/// Stands before a server: its own address, and all that is sent there.
fn overheard(url: &str) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (server, path) = url.trim_start_matches("http://").split_once('/').expect("an address with a path");
    let (server, heard) = (server.to_owned(), Arc::new(Mutex::new(Vec::new())));
    let (own, kept) = (format!("http://{address}/{path}"), Arc::clone(&heard));
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut upstream = TcpStream::connect(&server).expect("the server listens");
            let (mut answers, mut back) =
                (upstream.try_clone().expect("a handle"), client.try_clone().expect("a handle"));
            thread::spawn(move || io::copy(&mut answers, &mut back));
            let kept = Arc::clone(&kept);
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = client.read(&mut bytes) {
                    kept.lock().expect("nobody panics").extend_from_slice(&bytes[..count]);
                    if upstream.write_all(&bytes[..count]).is_err() {
                        break;
                    }
                }
            });
        }
    });
    (own, heard)
}

#[test]
fn every_request_of_either_era_carries_the_headers_somebody_gave() {
    for era in ["modern", "legacy"] {
        let fixture = Fixture::http(era);
        let (url, heard) = overheard(&fixture.url);
        let report = report(&scan(&[&url, "--header", "X-Key: open sesame"]));
        assert_eq!(report["incomplete"], json!([]), "{era}");
        let heard = String::from_utf8_lossy(&heard.lock().expect("nobody panics")).to_lowercase();
        let requests = heard.matches(" /mcp http/1.1\r\n").count();
        assert!(requests > 2, "{era}: {heard}");
        assert_eq!(heard.matches("\r\nx-key: open sesame\r\n").count(), requests, "{era}: {heard}");
    }
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
    assert!(gap.contains("--sign-in") && gap.contains("--header 'Authorization: Bearer …'"), "{gap}");
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
