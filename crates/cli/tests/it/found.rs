//! Servers that `scan` finds in files of clients: listed, left alone, or read when somebody asks.

use std::process::{Output, Stdio};

use serde_json::Value;

use crate::home::{Home, text};

const CURSOR: &str = r#"{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@acme/files@1.2.3", "/srv"]
    },
    "notes": { "command": "cmd", "args": ["/c", "npx", "-y", "notes@latest"], "env": { "NOTES_TOKEN": "n0tes-pass-w0rd" } },
    "far": { "url": "http://far.example.com/mcp?api_key=n0tes-pass-w0rd", "headers": { "Authorization": "Bearer ${env:KEY}" } },
    "off": { "command": "x", "disabled": true }
  }
}
"#;

fn scan(home: &Home, arguments: &[&str]) -> Output {
    home.world.file("project/readme", "");
    let mut command = home.command(env!("CARGO_BIN_EXE_portcullis"));
    command.arg("scan").args(arguments).current_dir(home.world.path("project"));
    command.stdin(Stdio::null()).output().expect("the binary runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn the_inventory_says_how_servers_start_and_shows_no_secret() {
    let home = Home::new("found_inventory");
    home.write(".cursor/mcp.json", CURSOR);
    home.world.file("project/.mcp.json", r#"{"mcpServers":{"db":{"command":"./db"}}}"#);
    let output = scan(&home, &["--inventory", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let list = json(&output);
    let row = |server: &Value| {
        let ids: Vec<&str> =
            server["remarks"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect();
        let (name, client, line) =
            (server["server"].as_str(), server["client"].as_str(), server["line"].as_u64());
        let pin = server["package"]["pin"].as_str().unwrap_or("-");
        format!("{name:?} {client:?} {line:?} {} {pin} [{}]", server["state"], ids.join(","))
    };
    let rows: Vec<String> = list["servers"].as_array().into_iter().flatten().map(row).collect();
    insta::assert_snapshot!(rows.join("\n").replace("Some", ""), @r#"
    ("db") ("Claude Code") (1) "used" - []
    ("files") ("Cursor") (3) "used" exact []
    ("notes") ("Cursor") (7) "used" latest [launch.shell,launch.unpinned,launch.secret_environment]
    ("far") ("Cursor") (8) "used" - [launch.plain_http,launch.secret_address]
    ("off") ("Cursor") (9) "disabled" - []
    "#);
    let plain = text(&scan(&home, &["--inventory"]).stdout);
    assert!(plain.contains("npm: @acme/files, 1.2.3 (pin: exact)"), "{plain}");
    assert!(plain.ends_with("5 servers of 2 clients, 2 worth a look\n"), "{plain}");
    assert!(!plain.contains("pass-w0rd") && !text(&output.stdout).contains("pass-w0rd"), "{plain}");
}

#[test]
fn what_was_merely_found_is_never_scanned() {
    let home = Home::new("found_never");
    home.write(".cursor/mcp.json", CURSOR);
    let output = scan(&home, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    let named = report["never_scanned"].as_array().map(Vec::len);
    assert_eq!((named, &report["complete"]), (Some(4), &Value::Bool(true)));
    let plain = text(&scan(&home, &[]).stdout);
    assert!(plain.contains("never scanned: files of Cursor (") && plain.contains("mcp.json:3:5)"), "{plain}");
    assert!(
        plain.lines().last().is_some_and(|line| line.starts_with("4 servers never scanned; ")),
        "{plain}"
    );
    assert_eq!(scan(&home, &["--fail-on", "unscanned"]).status.code(), Some(1));
}

#[test]
fn a_file_of_a_client_may_be_named() {
    let home = Home::new("found_named");
    let file = home.world.file("mcp.json", CURSOR);
    let report = json(&scan(&home, &[&file, "--format", "json"]));
    assert_eq!(report["never_scanned"].as_array().map(Vec::len), Some(4));
    let list = json(&scan(&home, &["--inventory", &file, "--format", "json"]));
    assert_eq!(list["servers"].as_array().map(Vec::len), Some(4));
    let tools = home.world.file("tools.json", r#"{"servers":{"a":{"command":"x","tools":[{"name":"b"}]}}}"#);
    let report = json(&scan(&home, &[&tools, "--format", "json"]));
    assert_eq!(report["totals"]["definitions"], 2, "what declares tools is no file of a client");
    let refused = scan(&home, &["--inventory", &tools]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("names no servers"));
}

#[test]
fn a_broken_file_is_a_gap() {
    let home = Home::new("found_broken");
    home.write(".cursor/mcp.json", "{\n  \"mcpServers\": {,}\n}");
    for arguments in [&["--inventory"][..], &[]] {
        let output = scan(&home, arguments);
        let out = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{out}");
        assert!(out.contains(".cursor/mcp.json:2:"), "{out}");
    }
}

#[test]
fn nothing_found_does_not_pass_for_clean() {
    let output = scan(&Home::new("found_nothing"), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("no client here names a server"));
}
