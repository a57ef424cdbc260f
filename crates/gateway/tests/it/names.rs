//! Names that are chosen to hurt: a server may have none of them, a tool may, and it hurts nobody.

use super::client::{Session, send};
use super::recorder::Recorder;
use super::world::{World, remote};
use portcullis_gateway::api::Role;
use portcullis_gateway::settings::ServerName;
use serde_json::{Value, json};
use std::path::Path;

/// The names, which the command line is tried with too.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = serde_json::from_str(include_str!("../hostile_names.json")).unwrap();
    names.extend(["x".repeat(64) + "a", "x".repeat(64) + "b", "y".repeat(5000)]);
    names
}

fn encoded(name: &str) -> String {
    name.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Asks the API; the answer, of which no character moves a cursor or hides.
async fn api(world: &World, token: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let bearer = [("authorization", token)];
    let answer = send(world.address, method, &format!("/api/v1{path}"), &bearer, body.to_owned()).await;
    assert!(answer.body.iter().all(|byte| matches!(byte, b' '..=b'~')), "{path}: {:?}", answer.body);
    (answer.status, answer.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_has_none_of_these_names() {
    let world = World::new(Vec::new()).await;
    let token = format!("Bearer {}", world.token(Role::Admin));
    // Some are names like any other once they stand in a path.
    let is_name = |name: &str| ServerName::parse(name).is_some();
    let refused: Vec<String> = hostile().into_iter().filter(|name| !is_name(name)).collect();
    assert!(refused.len() >= 60);
    for name in refused.iter().map(String::as_str).chain(["", "router", "Git", "a_b"]) {
        let body = json!({ "name": name, "command": "true" }).to_string();
        let (status, answer) = api(&world, &token, "POST", "/servers", &body).await;
        assert_eq!(status, 400, "{name:?}");
        assert!(answer["error"].as_str().unwrap().contains("small letters, digits and hyphens"), "{answer}");
        let path = format!("/servers/{}", encoded(name));
        assert_eq!(api(&world, &token, "GET", &path, "").await.0, 404, "{name:?}");
        let agent = send(world.address, "GET", &format!("/mcp/x{}", encoded(name)), &[], "").await;
        assert_eq!(agent.status, 404, "{name:?}");
    }
    assert!(world.store.registry().documents("server").unwrap().is_empty());
}

/// Every file below a folder, by its name alone.
fn files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        found.push(entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_may_be_called_anything_and_hurts_nobody() {
    let names = hostile();
    let tools: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    let recorder = Recorder::start().await;
    recorder.declare(&json!(tools).to_string());
    let world = World::new(vec![remote("r", &recorder.url)]).await;
    let token = format!("Bearer {}", world.token(Role::Admin));
    let session = Session::open(world.address, "/mcp/r").await;
    let seen = session.request("tools/list", json!({})).await;
    let seen: Vec<&str> = seen["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let (_, listed) = api(&world, &token, "GET", "/servers/r/tools", "").await;
    let listed = listed["data"]["items"].as_array().unwrap();
    assert_eq!(listed.len(), names.len());
    for item in listed {
        let name = item["name"].as_str().unwrap();
        let is_held = !item["held"].is_null();
        assert!(names.iter().any(|one| one == name) && seen.contains(&name) != is_held, "{item}");
        let invisible = ["\u{1b}", "\u{202e}", "\u{200b}", "\u{8}"];
        assert!(is_held || !invisible.iter().any(|hidden| name.contains(hidden)), "{item}");
        // The name leads to the tool, to no other, and to no other place.
        let (status, shown) =
            api(&world, &token, "GET", &format!("/servers/r/tools/{}", encoded(name)), "").await;
        assert_eq!((status, shown["data"]["name"].as_str()), (200, Some(name)), "{name:?}");
        recorder.answer(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "application/json");
        let answer = session.request("tools/call", json!({ "name": name, "arguments": {} })).await;
        assert_eq!(answer["result"]["isError"] == true, is_held, "{name:?}: {answer}");
        if !is_held {
            let got: Value = serde_json::from_slice(&recorder.last()).unwrap();
            assert_eq!(got["params"]["name"], name, "as it is");
        }
    }
    let metrics = send(world.address, "GET", "/metrics", &[], "").await.body;
    let labels = String::from_utf8(metrics.to_vec()).unwrap();
    assert!(
        names.iter().filter(|name| name.len() > 8).all(|name| !labels.contains(name.as_str())),
        "{labels}"
    );
    let mut found = Vec::new();
    files(&world.folder, &mut found);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    assert!(found.len() > 3 && found.iter().all(|name| name.chars().all(is_plain)), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_other_servers_every_name_still_leads_to_its_own() {
    let (recorder, other) = (Recorder::start().await, Recorder::start().await);
    let names = hostile();
    let tools: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    recorder.declare(&json!(tools).to_string());
    let world = World::new(vec![remote("r", &recorder.url), remote("other", &other.url)]).await;
    let session = Session::open(world.address, "/mcp").await;
    let listed = session.request("tools/list", json!({})).await;
    let mut exposed: Vec<String> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(exposed.iter().all(|name| name.chars().count() <= 64), "{exposed:?}");
    assert!(exposed.contains(&"r__other__echo".to_owned()) && exposed.contains(&"other__echo".to_owned()));
    let count = exposed.len();
    exposed.sort();
    exposed.dedup();
    assert_eq!(exposed.len(), count, "no two have one name");
    other.answer(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "application/json");
    session.request("tools/call", json!({ "name": "other__echo", "arguments": {} })).await;
    let got: Value = serde_json::from_slice(&other.last()).unwrap();
    assert_eq!(got["params"]["name"], "echo", "the prefix is the server's own name");
}
