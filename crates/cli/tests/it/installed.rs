//! What clients get after `install`: their entries used exactly as they are written, until `uninstall`.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::gate::Upstream;
use crate::home::{FIXTURES, Home, text};
use crate::relay::{Relay, SHELL};
use crate::world::{HONEST, HOSTILE};

/// Eight clients, each with the way to one of its servers.
const CLIENTS: [(&str, &[&str]); 8] = [
    ("claude-desktop", &["mcpServers", "filesystem"]),
    ("claude-code", &["mcpServers", "git"]),
    ("cursor", &["mcpServers", "git"]),
    ("windsurf", &["mcpServers", "git"]),
    ("cline", &["mcpServers", "git"]),
    ("gemini", &["mcpServers", "git"]),
    ("codex", &["mcp_servers", "my files"]),
    ("kiro", &["mcpServers", "fetch"]),
];

/// Another tool than that of the servers that are processes, which would be a copy.
const TICKETS: &str =
    r#"{"name":"count_tickets","description":"Counts tickets.","inputSchema":{"type":"object"}}"#;

/// The entry of a client's file, as the client reads it.
fn entry(written: &str, way: &[&str]) -> Value {
    let whole: Value = match serde_json::from_str(written) {
        Ok(value) => value,
        Err(_) => {
            let document: toml_edit::DocumentMut = written.parse().expect("it is TOML");
            toml(document.as_item())
        }
    };
    way.iter().fold(whole, |value, name| value[*name].clone())
}

fn toml(item: &toml_edit::Item) -> Value {
    match item.as_table_like() {
        Some(table) => table.iter().map(|(name, item)| (name.to_owned(), toml(item))).collect(),
        None => match (item.as_str(), item.as_array()) {
            (Some(text), _) => json!(text),
            (_, Some(list)) => list.iter().map(|value| json!(value.as_str())).collect(),
            _ => Value::Null,
        },
    }
}

/// Starts what an entry says, as its client does.
fn start(home: &Home, entry: &Value) -> Relay {
    let mut command = home.command(entry["command"].as_str().expect("a command"));
    command.args(entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let environment = entry["env"].as_object().into_iter().flatten();
    command.envs(environment.filter_map(|(name, value)| Some((name, value.as_str()?))));
    command.env("PORTCULLIS_DATA", home.world.path("data")).current_dir(home.world.path("home"));
    Relay::spawn(command)
}

#[test]
fn eight_clients_use_their_servers_through_the_gate_and_get_their_files_back() {
    for (client, way) in CLIENTS {
        let fixture = FIXTURES.iter().find(|fixture| fixture.client == client).expect("a known client");
        let home = Home::new(&format!("installed_{client}"));
        ["uvx", "npx"].iter().for_each(|name| home.program(name, SHELL));
        let far = Upstream::new(&[TICKETS]);
        let written = ["https://tickets.example.com/mcp", "https://far.example.com/mcp"]
            .iter()
            .fold(fixture.text.to_owned(), |text, url| text.replace(url, &far.url))
            .replace("https://old.example.com/sse", "http://127.0.0.1:9/sse")
            .replace("\"cwd\": \"/src\"", "\"cwd\": \"/\"");
        home.write(fixture.path, &written);
        let output = home.run(&["install", "--client", client, "--approve-clean"]);
        let out = text(&output.stdout);
        assert!(out.contains("clean, 0 need you") && out.contains(" approved"), "{client}: {out}");

        let mut relay = start(&home, &entry(&home.read(fixture.path), way));
        relay.open();
        assert_eq!(relay.tools(), 1, "{client}: what was approved is there");
        let answer = relay.ask("tools/call", &json!({ "name": "roll_dice", "arguments": {} }));
        assert_eq!(answer["result"]["content"][0]["text"], "four", "{client}: {answer}");
        drop(relay);

        let restored = home.done(&["uninstall", "--client", client]);
        assert!(restored.contains("restored byte for byte"), "{client}: {restored}");
        assert_eq!(home.read(fixture.path), written, "{client}");
    }
}

#[test]
fn without_an_answer_nothing_is_approved_and_the_commands_are_shown() {
    let home = Home::new("installed_asked");
    home.program("uvx", SHELL);
    home.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"dice": {"command": "uvx"}, "gone": {"command": "no-such-program"}}}"#,
    );
    let output = home.run(&["install", "--client", "cursor"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "one could not be read: {out}{err}");
    assert!(err.contains("starting 2 servers behind the gate") && err.contains("not read: gone: "), "{err}");
    assert!(out.contains("1 clean, 0 need you\n  portcullis security approve dice --all-clean\n"), "{out}");
    assert!(home.done(&["security", "list"]).contains("1 quarantined"));
    // The server is no longer in use by then: it is reviewed by what it declared.
    let approved = home.done(&["security", "approve", "dice", "--all-clean"]);
    assert!(approved.contains("approved roll_dice"), "{approved}");
}

#[test]
fn remote_servers_go_to_the_users_own_gateway_with_a_token_of_their_own() {
    let upstream = Upstream::new(&[HONEST, HOSTILE]);
    let home = Home::new("installed_remote");
    let servers = format!(
        r#"{{"mcpServers": {{"tickets": {{"url": "{}", "headers": {{"Authorization": "Bearer not-for-you"}}}}}}}}"#,
        upstream.url
    );
    home.write(".cursor/mcp.json", &servers);
    home.write(".kiro/settings/mcp.json", &servers);
    let out = home.done(&["install", "--client", "cursor", "--approve-clean"]);
    assert!(out.contains("1 clean, 1 need you\n1 approved\n  portcullis security list tickets\n"), "{out}");
    home.done(&["install", "--client", "kiro", "--no-scan"]);

    let entry = entry(&home.read(".cursor/mcp.json"), &["mcpServers", "tickets"]);
    let shown = entry["headers"]["Authorization"].as_str().expect("a header").to_owned();
    assert!(shown.starts_with("Bearer pcl_"), "{entry}");
    assert_eq!(asked(&entry), ["roll_dice"], "what was approved, and nothing else");
    let token = shown.trim_start_matches("Bearer ");
    for file in ["data/clients/ledger.json", "data/run/gateway.log"] {
        let kept = home.world.read(file);
        assert!(!kept.contains(token), "{file}: the only copy is the client's");
    }
    let tokens = home.done(&["token", "list"]);
    assert!(tokens.contains("agent  cursor: tickets") && tokens.contains("agent  kiro: tickets"), "{tokens}");

    home.done(&["uninstall", "--client", "cursor"]);
    assert_eq!(home.read(".cursor/mcp.json"), servers);
    let left = home.done(&["token", "list"]);
    assert!(!left.contains("cursor") && left.contains("kiro: tickets"), "{left}");
    assert!(home.done(&["security", "list"]).contains("tickets  manual  read"), "another client needs it");
    home.done(&["uninstall", "--client", "kiro"]);
    assert_eq!(home.done(&["token", "list"]), "");
    assert!(home.done(&["security", "list"]).contains("tickets  manual  never read"), "nobody uses it");
}

/// The names of the tools an agent sees that goes where an entry says, with what it says.
fn asked(entry: &Value) -> Vec<String> {
    let url = entry["url"].as_str().expect("an address");
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("an address with a path");
    let token = entry["headers"]["Authorization"].as_str().unwrap_or_default();
    let post = |session: &str, body: &Value| {
        let mut stream = TcpStream::connect(host).expect("the gateway listens");
        let body = body.to_string();
        write!(
            stream,
            "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\nauthorization: {token}\r\n\
             accept: application/json, text/event-stream\r\n{session}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("the gateway reads");
        let mut lines = Vec::new();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line).expect("the gateway answers") > 2 {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = String::new();
        reader.read_to_string(&mut rest).expect("the gateway answers");
        (lines, rest)
    };
    let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let (head, _) = post("", &opening);
    let session = head.into_iter().find(|line| line.starts_with("mcp-session-id")).unwrap_or_default();
    let (_, body) = post(&session, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let start = body.find('{').unwrap_or_else(|| panic!("no answer: {body}"));
    let end = body.rfind('}').map_or(body.len(), |end| end + 1);
    let answer: Value = serde_json::from_str(&body[start..end]).expect("JSON");
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
}
