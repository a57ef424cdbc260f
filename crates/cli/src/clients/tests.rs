//! Properties of what is done to a document: only what was meant changes, and it can be undone to the byte.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::file::Content;
use super::finder::{Document, Found};
use super::gate::Way;
use super::names::Names;
use super::places::Level;
use super::plan::{Fate, Front, Plan, plan};
use super::rewrite::undo;
use super::server::{self, Start};
use super::table::by_id;
use crate::document::{self, Format};

const PROGRAM: &str = "/opt/portcullis";

/// A client's user file with this text, as the finder hands it over.
fn found(client: &str, text: &str) -> Found {
    let client = by_id(client).expect("a known client");
    let kept = &client.files[0];
    let root = document::parse(text, kept.format).expect("the document can be read");
    let servers = server::all(&root, client, kept);
    let content = Content { path: "/home/a/file".into(), text: text.to_owned() };
    let read = Ok(Document { content, root, servers });
    Found { client, kept, path: "/home/a/file".into(), level: Level::User, read }
}

fn planned(client: &str, text: &str) -> Plan {
    let found = found(client, text);
    let document = found.read.as_ref().expect("it was read");
    let front = Front { program: PROGRAM, way: &Way::Look };
    plan(&found, document, None, &|_| true, (&front, &mut Names::default())).expect("it can be undone")
}

/// A small generator of choices: the same seed writes the same document.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn space(&mut self) -> &'static str {
        ["", " ", "\n  ", "\r\n\t", " /* c, \" */ ", "// x, \"y\": {\n", "", ""][self.roll(8) as usize]
    }
}

/// A value written as carelessly as a person would: comments, odd space, commas at the end, escapes.
fn careless(value: &Value, dice: &mut Dice) -> String {
    let parts: Vec<String> = match value {
        Value::Object(members) => {
            let text = |(name, value): (&String, &Value)| {
                let (a, b) = (dice.space(), dice.space());
                format!("{}{a}:{b}{}", json!(name), careless(value, dice))
            };
            members.iter().map(text).collect()
        }
        Value::Array(values) => values.iter().map(|value| careless(value, dice)).collect(),
        other => return other.to_string(),
    };
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    let mut out = open.to_string();
    for (index, part) in parts.iter().enumerate() {
        out += dice.space();
        out += part;
        out += dice.space();
        if index + 1 < parts.len() || dice.roll(3) == 0 {
            out.push(',');
        }
    }
    out + dice.space() + &close.to_string()
}

fn entry() -> impl Strategy<Value = Value> {
    let word = "[ -~\u{e4}\u{4e2d}]{0,6}";
    let arguments = prop::option::of(prop::collection::vec(word, 0..4));
    let environment = prop::option::of(prop::collection::btree_map("[A-Z]{1,4}", word, 0..3));
    (word, arguments, environment, any::<bool>()).prop_map(|(command, arguments, environment, is_odd)| {
        let mut entry = Map::from_iter([("command".to_owned(), json!(command))]);
        entry.extend(arguments.map(|arguments| ("args".to_owned(), json!(arguments))));
        entry.extend(environment.map(|environment| ("env".to_owned(), json!(environment))));
        if is_odd {
            entry.extend([
                ("a".to_owned(), json!([{}, [null, 1.5]])),
                ("z".to_owned(), json!({ "command": 1 })),
            ]);
        }
        Value::Object(entry)
    })
}

/// What an entry is to become.
fn expected(entry: &Value, name: &str) -> Value {
    let mut entry = entry.clone();
    let own = entry["args"].as_array().cloned().unwrap_or_default();
    let relay = ["wrap", "--name", name, "--"].map(Value::from);
    entry["args"] = relay.into_iter().chain([entry["command"].clone()]).chain(own).collect();
    entry["command"] = PROGRAM.into();
    entry
}

proptest! {
    #[test]
    fn only_the_start_of_servers_changes_and_it_can_be_undone(
        entries in prop::collection::btree_map("[ -~\u{e4}]{0,8}", entry(), 0..4),
        seed: u64,
    ) {
        let servers: Map<String, Value> = entries.into_iter().collect();
        let whole = json!({ "a": [1, "x"], "mcpServers": servers, "z": { "mcpServers": {} } });
        let mut dice = Dice(seed);
        let mark = if dice.roll(4) == 0 { "\u{feff}" } else { "" };
        let text = format!("{mark}{}{}{}", dice.space(), careless(&whole, &mut dice), dice.space());

        let plan = planned("cursor", &text);
        let mut wanted = whole.clone();
        for (server, fate) in &plan.fates {
            let Fate::Changed(name) = fate else { panic!("{} was left", server.name) };
            wanted["mcpServers"][&server.name] = expected(&whole["mcpServers"][&server.name], name);
        }
        prop_assert_eq!(document::parse(&plan.after, Format::Json).expect("still JSON").plain(), wanted);

        prop_assert!(planned("cursor", &plan.after).entries.is_empty(), "once is enough");
        // Somebody else writes into the file: what is ours still comes out whole.
        let (later, before) = (format!("{}\n// later", plan.after), format!("{text}\n// later"));
        let undone = undo(&later, Format::Json, &plan.entries).expect("still JSON");
        prop_assert!(undone.left.is_empty());
        prop_assert_eq!(undone.text, before);
    }
}

#[test]
fn every_way_to_write_toml_can_be_changed_and_undone() {
    for text in [
        "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"-y\", 'x']\n",
        "# c\r\n[mcp_servers.a] # d\r\n\tcommand = \"npx\" # e\r\n\r\n[mcp_servers.a.env]\r\nA = \"b\"\r\n",
        "mcp_servers.a.command = 'npx'\nmodel = \"x\"\n",
        "[mcp_servers]\na = { command = \"npx\", env = { A = \"b\" } }\nb.command = \"uvx\"",
        "\u{feff}[mcp_servers.\"a b\"]\nargs = [\n  \"-y\", # why\n  \"x\",\n]\ncommand = \"\"\"\nnpx\"\"\"",
        "[mcp_servers.a]\ncommand = \"npx\"",
    ] {
        let plan = planned("codex", text);
        let is_changed = |(_, fate): &(_, Fate)| matches!(fate, Fate::Changed(_));
        assert!(!plan.fates.is_empty() && plan.fates.iter().all(is_changed), "{text}");
        let again = found("codex", &plan.after);
        let servers = again.read.expect("still TOML").servers;
        assert!(servers.iter().all(|server| server.start == Start::Gated), "{}", plan.after);
        let undone = undo(&plan.after, Format::Toml, &plan.entries).expect("still TOML");
        assert_eq!(undone.text, text);
    }
}

#[test]
fn starts_are_read_in_every_spelling() {
    let check = |client: &str, text: &str, expected: &[&str]| {
        let servers = found(client, text).read.expect("it was read").servers;
        let line = |server: &server::Server| {
            let start = match &server.start {
                Start::Command { command, arguments, environment, .. } => {
                    format!("{command} {} {}", arguments.join(" "), environment.join(","))
                }
                Start::Remote { transport, url, headers, .. } => {
                    format!("{} {url} {}", transport.as_str(), headers.join(","))
                }
                Start::Gated => "gated".to_owned(),
                Start::Unknown(reason) => (*reason).to_owned(),
            };
            let disabled = if server.is_disabled { " disabled" } else { "" };
            format!("{} {} {}{disabled}", server.at, server.name, start.trim())
        };
        assert_eq!(servers.iter().map(line).collect::<Vec<_>>(), expected, "{client}");
    };
    check(
        "claude-code",
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"}},\n \"projects\": {\"/p\": {\"mcpServers\": {\"b\": {\"type\": \"http\", \"url\": \"https://b\", \"headers\": {\"K\": \"v\"}}}}}}",
        &["1:17 a x", "2:37 b http https://b K"],
    );
    check(
        "opencode",
        r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y"], "environment": {"K": "v"}, "enabled": false}, "servers": {"b": {"command": ["x"]}}}}"#,
        &["1:117 b x", "1:10 a npx -y K disabled"],
    );
    check(
        "zed",
        r#"{"context_servers": {"a": {"command": {"path": "x", "args": ["y"], "env": {"K": "v"}}}, "b": {"settings": {}}}}"#,
        &["1:22 a x y K", "1:89 b it has neither a command nor an address"],
    );
    check(
        "gemini",
        r#"{"mcpServers": {"a": {"url": "https://a"}, "b": {"httpUrl": "https://b"}, "c": {"url": "https://c", "type": "http"}}}"#,
        &["1:17 a sse https://a", "1:44 b http https://b", "1:75 c http https://c"],
    );
    check(
        "continue",
        "mcpServers:\n  - name: a\n    command: npx\n    args: [-y]\n    env: {K: v}\n  - name: b\n    type: sse\n    url: https://b\n",
        &["2:5 a npx -y K", "6:5 b sse https://b"],
    );
    check(
        "cursor",
        r#"{"mcpServers": {"a": {"command": 1}, "b": {"command": "x", "args": [1]}, "c": {"command": "/x/portcullis", "args": ["wrap"]}, "d": 7}}"#,
        &[
            "1:17 a its command cannot be read",
            "1:38 b its command cannot be read",
            "1:74 c gated",
            "1:127 d it has neither a command nor an address",
        ],
    );
}
