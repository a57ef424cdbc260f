//! Sessions: sealed ids, their end, and the records of what passed in them.

use super::client::{Session, send};
use super::world::{Fixture, World, process, remote};
use portcullis_store::Status;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn any_node_serves_any_session() {
    let fixture = Fixture::http("legacy");
    let one = World::new(vec![remote("f", &fixture.url)]).await;
    let other = World::new(vec![remote("f", &fixture.url)]).await;
    let session = Session::open(one.address, "/mcp/f").await;
    let moved = Session { address: other.address, ..session };
    let answer = moved.request("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await;
    assert!(answer["result"]["content"].is_array(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_ended_is_over() {
    let fixture = Fixture::http("legacy");
    let world = World::new(vec![remote("f", &fixture.url), process("p", "legacy")]).await;
    for path in ["/mcp/f", "/mcp/p"] {
        let session = Session::open(world.address, path).await;
        let headers = [("mcp-session-id", session.id.as_str())];
        assert_eq!(send(world.address, "DELETE", path, &headers, "").await.status, 200);
        let answer = session.post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
        assert_eq!(answer.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_belongs_to_its_path() {
    let fixture = Fixture::http("legacy");
    let world = World::new(vec![remote("f", &fixture.url), remote("g", &fixture.url)]).await;
    let session = Session::open(world.address, "/mcp/f").await;
    let elsewhere = Session { path: "/mcp/g".into(), ..session };
    assert_eq!(elsewhere.post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_recorded_before_and_after() {
    let fixture = Fixture::http("both");
    let world = World::new(vec![remote("f", &fixture.url), process("p", "legacy")]).await;
    for path in ["/mcp/f", "/mcp/p"] {
        let session = Session::open(world.address, path).await;
        session
            .request(
                "tools/call",
                json!({"name": "echo", "arguments": {"mail": "jane.doe@corporate.example.org"}}),
            )
            .await;
    }
    let entries = world.activity(4).await;
    let seen: Vec<_> =
        entries.iter().map(|entry| (entry.server.as_str(), entry.tool.as_str(), entry.status)).collect();
    let expected = [
        ("f", "echo", Status::Sent),
        ("f", "echo", Status::Answered),
        ("p", "echo", Status::Sent),
        ("p", "echo", Status::Answered),
    ];
    assert_eq!(seen, expected);
}
