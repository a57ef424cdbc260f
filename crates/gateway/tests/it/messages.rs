//! What is no message, or comes from a place it should not, is refused with the right word.

use super::client::{MODERN, Session, modern, send};
use super::recorder::Recorder;
use super::world::{World, remote};
use portcullis_gateway::settings::Access;
use portcullis_gateway::wire;
use serde_json::json;

async fn with_recorder() -> (World, Recorder) {
    let recorder = Recorder::start().await;
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.limits.message = wire::Limits { bytes: 10_000, depth: 64 };
    });
    (world.await, recorder)
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_messages_are_refused() {
    let (world, recorder) = with_recorder().await;
    let session = Session::open(world.address, "/mcp/r").await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}1{}}}"#,
        "{\"a\":".repeat(70),
        "}".repeat(70)
    );
    let large =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":"{}"}}}}"#, "x".repeat(20_000));
    let before = recorder.last();
    for (body, status, code) in [
        ("{", 400, -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, 400, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400, -32600),
        (&deep, 400, -32600),
        (&large, 413, -32600),
    ] {
        let answer = session.post(body.to_owned()).await;
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].as_i64()),
            (status, Some(code)),
            "{body:.80}"
        );
    }
    assert_eq!(recorder.last(), before, "nothing of it reached the server");
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_pass_only_where_they_belong() {
    let (world, recorder) = with_recorder().await;
    recorder.answer(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "application/json");
    recorder.answer(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, "application/json");
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let opened = send(world.address, "POST", "/mcp/r", &[], body).await;
    // The recorder always agrees on a later revision, which has no batches.
    let headers = [("mcp-session-id", opened.session.as_deref().unwrap())];
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]"#;
    assert_eq!(send(world.address, "POST", "/mcp/r", &headers, batch).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_turned_away() {
    let recorder = Recorder::start().await;
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.access = Access::Tokens(vec!["let-me-in".into()]);
    });
    let world = world.await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let bearer = ("authorization", "Bearer let-me-in");
    for (headers, path, status) in [
        (vec![("host", "evil.example.com"), bearer], "/mcp/r", 403),
        (vec![("origin", "http://evil.example.com"), bearer], "/mcp/r", 403),
        (vec![], "/mcp/r", 401),
        (vec![("authorization", "Bearer other")], "/mcp/r", 401),
        (vec![bearer], "/mcp/unknown", 404),
        (vec![bearer], "/elsewhere", 404),
        (vec![bearer], "/mcp/r", 400),
        (vec![bearer, ("mcp-session-id", "forged")], "/mcp/r", 404),
    ] {
        assert_eq!(
            send(world.address, "POST", path, &headers, body).await.status,
            status,
            "{headers:?} {path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_credential_stays_here() {
    let recorder = Recorder::start().await;
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.access = Access::Tokens(vec!["let-me-in".into()]);
    });
    let world = world.await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}});
    let headers = [
        ("authorization", "Bearer let-me-in"),
        ("cookie", "a=let-me-in"),
        ("x-api-key", "let-me-in"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/list"),
        ("mcp-param-colour", "green"),
    ];
    assert_eq!(send(world.address, "POST", "/mcp/r", &headers, body.to_string()).await.status, 200);
    let seen = recorder.headers();
    assert!(seen.contains("green") && !seen.contains("let-me-in"), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_body_agree_or_nothing_passes() {
    let (world, _recorder) = with_recorder().await;
    let answer = modern(world.address, "/mcp/r", "tools/list", json!({})).await;
    assert_eq!(answer.json()["result"]["cacheScope"], "private", "what was judged for one is kept for one");
    let answer = modern(world.address, "/mcp/r", "initialize", json!({})).await;
    assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (404, Some(-32601)));
}
