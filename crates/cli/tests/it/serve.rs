//! `serve` before it serves: the file is checked, and its schema is written.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::world::{World, run};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

#[test]
fn a_file_that_cannot_be_used_is_said_to_be() {
    let world = World::new("serve_wrong");
    let file = world.file("portcullis.json", "{\n  // where\n  \"lisen\": \"x\"\n}");
    let outcome = run(&["serve", "--check", "--config", &file]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    let expected = "error: this file cannot be used\nportcullis.json:3:3: no key is called `lisen`; did you mean `listen`?\n";
    assert_eq!(world.relative(&outcome.err), expected);
    let missing = run(&["serve", "--check", "--config", &world.path("none.json")]);
    assert!(missing.code == 2 && missing.err.contains("cannot read"), "{}", missing.err);
}

#[test]
fn a_file_that_can_be_used_is_too() {
    let world = World::new("serve_right");
    let file = world.file("portcullis.json", r#"{ "mcpServers": { "a": { "command": "x" } } }"#);
    let outcome = run(&["serve", "--check", "--config", &file]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(world.relative(&outcome.out), "portcullis.json can be used: 1 servers\n");
    let far = run(&["serve", "--check", "--config", &file, "--listen", "0.0.0.0:1"]);
    assert!(far.code == 2 && far.err.contains("needs `auth` with tokens"), "{}", far.err);
}

#[test]
fn the_schema_is_written_for_editors() {
    let schema = run(&["serve", "--schema"]).json();
    assert_eq!(schema["properties"]["listen"]["type"], "string");
}

#[test]
fn a_client_over_stdio_is_answered_and_its_leaving_is_the_end() {
    let world = World::new("serve_stdio");
    let file = world.file("portcullis.json", r#"{ "data_dir": "data" }"#);
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["serve", "--stdio", "--config", &file]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    writeln!(stdin, "{INITIALIZE}").expect("it reads");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it answers");
    assert!(line.contains(r#""id":7"#) && line.contains("2025-11-25"), "{line}");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn the_first_line_is_where_it_listens() {
    let world = World::new("serve_listens");
    let file = world.file("portcullis.json", r#"{ "listen": "127.0.0.1:0", "data_dir": "data" }"#);
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["serve", "--config", &file]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where");
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(line.starts_with("http://127.0.0.1:") && line.ends_with("/mcp\n"), "{line}");
}
