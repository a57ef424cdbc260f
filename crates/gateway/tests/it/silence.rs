//! Servers that are there and say nothing: whoever waits is told in time, and everything else goes on.

use super::client::{INITIALIZE, Session, send};
use super::script::{Folder, eventually, lives};
use super::world::{Fixture, World, process, remote};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// How long a silent server is waited for here.
const SHORT: Duration = Duration::from_millis(400);
/// The same, and what a busy machine needs on top: far less than all who wait would take one after the other.
const IN_TIME: Duration = Duration::from_secs(8);
/// Who waits at the same time.
const MANY: usize = 40;

async fn echoes(session: &Session) -> Value {
    session.request("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await
}

/// Many sessions that are opened at once, none of which can be.
async fn all_refused(address: SocketAddr, path: &'static str) {
    let began = Instant::now();
    let mut waiting = JoinSet::new();
    for _ in 0..MANY {
        waiting.spawn(async move { send(address, "POST", path, &[], INITIALIZE).await.json() });
    }
    while let Some(answer) = waiting.join_next().await {
        let answer = answer.unwrap();
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
    assert!(began.elapsed() < IN_TIME, "{:?}", began.elapsed());
}

async fn world(servers: Vec<portcullis_gateway::settings::Server>) -> World {
    World::with(servers, |settings| {
        settings.timing.connect = SHORT;
        settings.timing.start = SHORT;
        settings.timing.answer = Duration::from_secs(2);
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_never_speaks_is_ended_and_started_less_and_less_often() {
    let folder = Folder::new();
    // The fixture needs longer to start than this test gives to the other.
    let world = World::with(
        vec![folder.server("mute", "while read -r line; do :; done"), process("p", "legacy")],
        |settings| {
            settings.timing.start = Duration::from_secs(2);
        },
    )
    .await;
    let other = Session::open(world.address, "/mcp/p").await;
    all_refused(world.address, "/mcp/mute").await;
    assert_eq!(folder.pids("pids").len(), 1, "those who waited did not start it again");
    assert!(echoes(&other).await["result"].is_object());
    eventually("it is ended", async || folder.pids("pids").iter().all(|pid| !lives(*pid))).await;
    // After a pause it is tried again.
    eventually("it is started again", async || {
        send(world.address, "POST", "/mcp/mute", &[], INITIALIZE).await;
        folder.pids("pids").len() > 1
    })
    .await;
    // Where all servers are one, the others are listed and called.
    let all = Session::open(world.address, "/mcp").await;
    let answer = all.request("tools/call", json!({"name": "p__echo", "arguments": {}})).await;
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_falls_silent_is_ended_and_the_next_call_works() {
    let folder = Folder::new();
    let world = World::with(vec![folder.server("frozen", "exec fixture")], |settings| {
        settings.timing.answer = Duration::from_millis(500);
    });
    let world = world.await;
    let session = Session::open(world.address, "/mcp/frozen").await;
    assert!(echoes(&session).await["result"].is_object());
    let first = folder.pids("pids")[0];
    assert!(
        std::process::Command::new("kill").args(["-STOP", &first.to_string()]).status().unwrap().success()
    );
    let late = echoes(&session).await;
    assert!(late["error"]["message"].as_str().unwrap().contains("in time"), "{late}");
    eventually("another takes its place", async || echoes(&session).await["result"].is_object()).await;
    eventually("the first is ended", async || !lives(first)).await;
    assert_eq!(folder.pids("pids").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_reads_nothing_does_not_hold_its_callers() {
    let folder = Folder::new();
    let script = r#"read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'; read b
        echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
        exec sleep 1000"#;
    let world = World::with(vec![folder.server("deaf", script)], |settings| {
        settings.timing.answer = Duration::from_millis(500);
    });
    let world = world.await;
    let session = Arc::new(Session::open(world.address, "/mcp/deaf").await);
    let began = Instant::now();
    let mut waiting = JoinSet::new();
    // More than its pipe and our queue hold.
    for _ in 0..100 {
        let session = Arc::clone(&session);
        let arguments = json!({"name": "echo", "arguments": {"pad": "x".repeat(10_000)}});
        waiting.spawn(async move { session.request("tools/call", arguments).await });
    }
    while let Some(answer) = waiting.join_next().await {
        assert!(answer.unwrap()["error"].is_object());
    }
    assert!(began.elapsed() < IN_TIME, "{:?}", began.elapsed());
}

/// A server that takes connections; what it does with them is decided by `is_loud`.
async fn fickle(target: &str, is_loud: Arc<AtomicBool>, greeting: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let target = target.parse::<http::Uri>().unwrap().authority().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (target, is_loud) = (target.clone(), Arc::clone(&is_loud));
            tokio::spawn(async move {
                if is_loud.load(Ordering::SeqCst) {
                    let mut inner = TcpStream::connect(target).await.unwrap();
                    let _ = copy_bidirectional(&mut stream, &mut inner).await;
                } else {
                    let _ = stream.write_all(greeting.as_bytes()).await;
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_server_that_says_nothing_is_not_waited_for_again_and_again() {
    let fixture = Fixture::http("legacy");
    // Nothing at all, or a promise of an answer that does not come.
    for greeting in ["", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"]
    {
        let is_loud = Arc::new(AtomicBool::new(false));
        let url = fickle(&fixture.url, Arc::clone(&is_loud), greeting).await;
        let world = world(vec![remote("mute", &url), remote("p", &fixture.url)]).await;
        let other = Session::open(world.address, "/mcp/p").await;
        all_refused(world.address, "/mcp/mute").await;
        assert!(echoes(&other).await["result"].is_object());
        is_loud.store(true, Ordering::SeqCst);
        eventually("it answers again", async || {
            send(world.address, "POST", "/mcp/mute", &[], INITIALIZE).await.json()["result"].is_object()
        })
        .await;
    }
}
