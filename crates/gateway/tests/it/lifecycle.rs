//! Servers that end, hang or answer too much, and clients that leave.

use super::client::{Session, begin, modern_request};
use super::recorder::Recorder;
use super::world::{World, process, remote, script};
use bytes::Bytes;
use portcullis_store::Status;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn echoes(session: &Session) -> Value {
    session.request("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ends_is_started_again() {
    let world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let ended = session.request("tools/call", json!({"name": "exit", "arguments": {"code": 3}})).await;
    assert_eq!(ended["error"]["code"], -32603, "{ended}");
    let began = Instant::now();
    loop {
        let answer = echoes(&session).await;
        if answer["result"].is_object() {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{answer}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Some are downloaded before they start. What they speak is known once they answer, not before.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_slow_to_start_is_waited_for() {
    let servers = ["legacy", "modern", "both"]
        .map(|era| script(era, &format!("sleep 1; exec \"$0\" --stdio --era {era}")));
    let world = World::with(servers.into(), |settings| settings.timing.connect = Duration::from_millis(100));
    let world = world.await;
    for server in ["legacy", "modern", "both"] {
        let session = Session::open(world.address, &format!("/mcp/{server}")).await;
        assert!(echoes(&session).await["result"].is_object(), "{server}");
    }
}

/// Several SDKs end a server whose first message is not `initialize`.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ends_when_it_is_probed_is_not_probed_again() {
    let strict = r#"read -r first; case "$first" in *'"initialize"'*) ;; *) exit 1 ;; esac
        { printf '%s\n' "$first"; cat; } | "$0" --stdio --era legacy"#;
    let world = World::new(vec![script("strict", strict)]).await;
    let session = Session::open(world.address, "/mcp/strict").await;
    assert!(echoes(&session).await["result"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_call_times_out_and_others_go_on() {
    let world = World::with(vec![process("p", "legacy")], |settings| {
        settings.timing.answer = Duration::from_millis(300);
    });
    let world = world.await;
    let session = Session::open(world.address, "/mcp/p").await;
    let late = session.request("tools/call", json!({"name": "never", "arguments": {}})).await;
    assert!(late["error"]["message"].as_str().unwrap().contains("in time"), "{late}");
    assert!(echoes(&session).await["result"].is_object());
    let entries = world.activity(4).await;
    assert_eq!(entries.iter().filter(|entry| entry.status == Status::Failed).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_sees_only_its_own_surroundings() {
    let world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let ask = async |name: &str| {
        let answer =
            session.request("tools/call", json!({"name": "surroundings", "arguments": {"name": name}})).await;
        answer.to_string()
    };
    assert!(ask("COLOUR").await.contains("green"));
    // Our own environment is not the server's business.
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok() && ask("CARGO_MANIFEST_DIR").await.contains("null"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_is_refused_and_the_rest_goes_on() {
    let world = World::with(vec![process("p", "legacy")], |settings| {
        settings.limits.message.bytes = 100_000;
        settings.timing.answer = Duration::from_millis(500);
    });
    let world = world.await;
    let session = Session::open(world.address, "/mcp/p").await;
    let large =
        session.request("tools/call", json!({"name": "bytes", "arguments": {"count": 1_000_000}})).await;
    assert!(large["error"].is_object(), "{large:.200}");
    assert!(echoes(&session).await["result"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_cancels_the_call() {
    let world = World::new(vec![process("p", "modern")]).await;
    let (headers, body) = modern_request("tools/call", json!({"name": "never", "arguments": {}}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let call = begin(world.address, "POST", "/mcp/p", &headers, body);
    assert!(tokio::time::timeout(Duration::from_millis(1500), call).await.is_err(), "nobody answers");
    let entries = world.activity(2).await;
    assert_eq!(entries.last().map(|entry| entry.status), Some(Status::Failed), "the end is recorded");
}

/// A server need not answer what was cancelled. Were the call kept until it does, a question to somebody else could not
/// be told from one to this client.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_ends_and_others_are_asked() {
    let world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let never = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "never", "arguments": {}}});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    let cancel = async {
        // The call may not have reached the server yet.
        loop {
            session.post(cancelled.to_string()).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), async {
        tokio::select! { ended = session.post(never.to_string()) => ended, () = cancel => unreachable!() }
    });
    assert!(ended.await.expect("the call goes on").body.is_empty());
    let other = Session::open(world.address, "/mcp/p").await;
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "test_elicitation", "arguments": {"message": "who?"}}});
    let headers = [("mcp-session-id", other.id.as_str())];
    let asked = begin(world.address, "POST", "/mcp/p", &headers, ask.to_string().into()).await;
    assert_eq!(asked.headers()["content-type"], "text/event-stream", "the other is asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_sends_nonsense_is_not_passed_on() {
    let recorder = Recorder::start().await;
    let world = World::new(vec![remote("r", &recorder.url)]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    for nonsense in [r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#, "{", "[]"] {
        recorder.answer(Bytes::from_static(nonsense.as_bytes()), "application/json");
        let answer = echoes(&session).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("\"a\":2"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_stops_ends_its_streams_and_processes() {
    let mut world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let headers = [("mcp-session-id", session.id.as_str())];
    let stream = begin(world.address, "GET", "/mcp/p", &headers, Bytes::new()).await;
    assert_eq!(stream.status(), 200);
    let began = Instant::now();
    world.stop().await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let ended =
        tokio::time::timeout(Duration::from_secs(5), http_body_util::BodyExt::collect(stream.into_body()))
            .await;
    assert!(ended.is_ok(), "the stream goes on");
}
