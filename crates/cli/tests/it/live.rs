//! Servers that are started or reached and read: honest ones whole, hostile ones as far as they let us, none for longer
//! than its time.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::{HOSTILE, World};

/// A server that answers, in as little Python as that takes.
pub(crate) const SERVER: &str = r#"
import json, os, sys
if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as out: json.dump(dict(os.environ), out)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": json.loads(sys.argv[1])}
    else:
        answer["error"] = {"code": -32601, "message": "not known"}
    print(json.dumps(answer), flush=True)
"#;

pub(crate) fn scan(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["scan", "--isolated", "--format", "json"]).args(arguments);
    command.env("SOME_SECRET", "not-for-servers").stdin(Stdio::null()).output().expect("the binary runs")
}

pub(crate) fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_server_is_started_and_read_in_an_environment_of_its_own() {
    let world = World::new("live_stdio");
    let (server, seen) = (world.file("server.py", SERVER), world.path("environment.json"));
    let output = scan(&["--", "python3", &server, &format!("[{HOSTILE}]"), &seen]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let finding = &report["findings"][0];
    assert_eq!((&finding["server"], &finding["name"]), (&json!("python3"), &json!("hide_dice")));
    assert_eq!(report["complete"], true);
    let environment: Value = serde_json::from_str(&world.read("environment.json")).expect("JSON");
    assert_eq!(environment["SOME_SECRET"], Value::Null);
    let home = environment["HOME"].as_str().expect("a home");
    assert_ne!(Some(home), std::env::var("HOME").ok().as_deref());
    assert!(!Path::new(home).exists(), "the private home is gone");
}

#[test]
fn servers_of_a_file_are_read_when_somebody_asks() {
    let world = World::new("live_file");
    let server = world.file("server.py", SERVER);
    let entry = |tools: &str| json!({ "command": "python3", "args": [server, tools] });
    let servers = json!({ "good": entry("[{\"name\":\"a\"}]"), "bad": entry(&format!("[{HOSTILE}]")), "gone": { "command": "no-such-program" } });
    let file = world.file("mcp.json", json!({ "mcpServers": servers }).to_string());
    let report = report(&scan(&[&file, "--run-servers"]));
    assert_eq!(report["servers"], json!(["bad", "good"]));
    assert_eq!(report["findings"][0]["location"]["file"], json!(file), "a finding points to the start");
    let gap = report["incomplete"][0].to_string();
    assert!(gap.contains("gone") && gap.contains("cannot be started"), "{gap}");
    assert_eq!(report["never_scanned"], json!([]));
    let servers = json!({ "good": entry("[{\"name\":\"b\"}]") });
    let other = world.file("other.json", json!({ "mcpServers": servers }).to_string());
    let report = self::report(&scan(&[&file, &other, "--run-servers"]));
    assert_eq!(report["servers"], json!(["bad", "good", "good-2"]), "one server does not join another");
}

/// Runs a hostile server and checks that it is incomplete, in time.
fn check(name: &str, script: &str) -> World {
    let world = World::new(name);
    let server = world.file("server.py", script);
    let began = Instant::now();
    let output = scan(&["--server-timeout", "2", "--", "python3", &server, &world.path("pid")]);
    let report = report(&output);
    assert_eq!(
        (output.status.code(), &report["complete"]),
        (Some(3), &Value::Bool(false)),
        "{name}: {report}"
    );
    assert!(began.elapsed() < Duration::from_secs(60), "{name}: {:?}", began.elapsed());
    world
}

#[test]
fn hostile_servers_are_ended_and_incomplete() {
    check("live_hang", "import sys\nfor line in sys.stdin: pass\nwhile True: pass");
    check("live_deaf", "import time\nwhile True: time.sleep(1)");
    check("live_flood", "while True: print('{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}' * 100)");
    check("live_endless_line", "import sys\nwhile True: sys.stdout.write('x' * 65536)");
    check("live_garbage", "print('nonsense', flush=True)");
    let pages = SERVER.replace("json.loads(sys.argv[1])", "[], \"nextCursor\": \"again\"");
    check("live_pages", &pages);
}

#[test]
fn what_a_hostile_server_starts_ends_with_it() {
    let world = check(
        "live_fork",
        "import subprocess, sys, time\nchild = subprocess.Popen(['sleep', '600'])\nopen(sys.argv[1], 'w').write(str(child.pid))\nwhile True: time.sleep(1)",
    );
    let stat = format!("/proc/{}/stat", world.read("pid"));
    let deadline = Instant::now() + Duration::from_secs(20);
    // A process nobody waited for is a zombie; it runs no more.
    let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() {
        assert!(Instant::now() < deadline, "a process of the server still runs");
        thread::yield_now();
    }
}

/// Serves MCP over HTTP on the loopback; the header it saw comes out of the channel.
fn serve(listener: TcpListener, seen: mpsc::Sender<String>) {
    for stream in listener.incoming().map_while(Result::ok) {
        let seen = seen.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(stream);
            while let Some(answer) = answer(&mut reader, &seen) {
                if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        });
    }
}

fn answer(reader: &mut impl BufRead, seen: &mpsc::Sender<String>) -> Option<String> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let (name, value) = line.split_once(':').unwrap_or((line.trim(), ""));
        match name.to_ascii_lowercase().as_str() {
            "" => break,
            "content-length" => length = value.trim().parse().ok()?,
            "x-key" => drop(seen.send(value.trim().to_owned())),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    if asked.get("id").is_none() {
        return Some("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned());
    }
    let result = match asked["method"].as_str() {
        Some("initialize") => {
            json!({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}})
        }
        Some("tools/list") => json!({ "tools": [serde_json::from_str::<Value>(HOSTILE).expect("JSON")] }),
        _ => return Some("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_owned()),
    };
    let body = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }).to_string();
    Some(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ))
}

#[test]
fn a_server_is_reached_with_the_headers_it_wants() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (sender, seen) = mpsc::channel();
    thread::spawn(move || serve(listener, sender));
    let url = format!("http://{address}/mcp");
    let output = scan(&[&url, "--header", "X-Key: open sesame"]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!(report["findings"][0]["server"], json!(address.to_string()));
    assert_eq!(seen.recv().ok().as_deref(), Some("open sesame"));
}

#[test]
fn a_server_that_is_not_there_is_incomplete() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    drop(listener);
    let output = scan(&["--server-timeout", "2", &url]);
    assert_eq!(output.status.code(), Some(3), "{}", report(&output));
}
