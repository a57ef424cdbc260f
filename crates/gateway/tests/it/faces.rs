//! Servers that show one client what was approved and another something else, before one gateway and before two that share
//! what was decided.

use super::client::{Session, modern};
use super::quarantine::{ADD, OTHER, approve, decided, names};
use super::recorder::Recorder;
use super::script::eventually;
use super::world::{World, remote};
use portcullis_gateway::quarantine::Rules;
use serde_json::{Value, json};
use std::sync::Arc;

/// What the clients of these tests call themselves.
const CLIENT: &str = "test";

/// Two gateways before one server, the second of which has never read it, and what the first has to show was approved.
async fn two() -> ([World; 2], Recorder) {
    let recorder = Recorder::start().await;
    recorder.declare(&format!("[{ADD}]"));
    let servers = || vec![remote("r", &recorder.url)];
    let first = World::with(servers(), |settings| settings.quarantine = Rules::default()).await;
    let store = Arc::clone(&first.store);
    let mut second = World::with(servers(), |settings| {
        settings.quarantine = Rules::default();
        settings.store = Arc::clone(&store);
    })
    .await;
    second.store = store;
    assert!(listed(&first).await.is_empty());
    approve(&first, "add").await;
    assert_eq!(listed(&first).await, ["add"]);
    ([first, second], recorder)
}

/// What the client is shown of the server, which hears who asks.
async fn listed(world: &World) -> Vec<String> {
    let meta = json!({ "io.modelcontextprotocol/clientInfo": { "name": CLIENT, "version": "1" } });
    let answer = modern(world.address, "/mcp/r", "tools/list", json!({ "_meta": meta })).await.json();
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

async fn call(world: &World, path: &str, tool: &str) -> Value {
    let session = Session::open(world.address, path).await;
    session.request("tools/call", json!({ "name": tool, "arguments": {} })).await
}

async fn scan(world: &World) {
    decided(world, "/servers/r/scan", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_that_is_shown_what_was_approved_lifts_no_hold_of_an_agent() {
    let (worlds, recorder) = two().await;
    recorder.show(CLIENT, Some(&format!("[{OTHER}]")));
    assert!(listed(&worlds[0]).await.is_empty());
    // The second reads the server for the first time now; the first reads it again.
    for world in [&worlds[1], &worlds[0], &worlds[1]] {
        scan(world).await;
        for (path, tool) in [("/mcp/r", "add"), ("/mcp", "r__add")] {
            let refused = call(world, path, tool).await.to_string();
            assert!(refused.contains("changed since it was approved"), "{refused}");
        }
        let all = Session::open(world.address, "/mcp").await;
        assert!(names(&all).await.is_empty());
    }

    recorder.show(CLIENT, None);
    assert_eq!(listed(&worlds[0]).await, ["add"], "the agent itself is shown what was approved");
    let all = Session::open(worlds[1].address, "/mcp").await;
    eventually("the other gateway knows", async || names(&all).await == ["r__add"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_a_change_back_for_everybody_is_believed_by_every_gateway() {
    let (worlds, recorder) = two().await;
    recorder.declare(&format!("[{OTHER}]"));
    assert!(listed(&worlds[0]).await.is_empty());
    scan(&worlds[1]).await;
    recorder.declare(&format!("[{ADD}]"));
    scan(&worlds[1]).await;
    let all = Session::open(worlds[1].address, "/mcp").await;
    assert_eq!(names(&all).await, ["r__add"], "no agent had to come again");
}
