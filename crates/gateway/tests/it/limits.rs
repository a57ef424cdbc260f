//! Clients that send too slowly or too much, or do not read: they are ended, and others do not notice.

use super::client::{Session, send};
use super::world::{World, process};
use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a request may take to arrive here.
const SHORT: Duration = Duration::from_millis(500);
/// The same on a busy machine; what is ended by nobody is ended by none of this.
const IN_TIME: Duration = Duration::from_secs(10);
const HEAD: &str = "POST /mcp/p HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

async fn slow_world() -> World {
    World::with(vec![process("p", "legacy")], |settings| settings.timing.request = SHORT).await
}

/// Everything that comes until the other side closes.
async fn until_closed(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    // Closed with something unread is closed as well.
    let _ = tokio::time::timeout(IN_TIME, read).await.expect("the connection is ended");
    String::from_utf8(answer).unwrap()
}

async fn connect(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_request_is_not_waited_for() {
    let world = slow_world().await;
    let nothing = connect(world.address, "").await;
    let half = connect(world.address, &HEAD[..40]).await;
    let headless = connect(world.address, &format!("{HEAD}Content-Length: 10\r\n\r\n{{")).await;
    assert_eq!(until_closed(nothing).await, "");
    assert_eq!(until_closed(half).await, "");
    assert!(until_closed(headless).await.starts_with("HTTP/1.1 408"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_now_and_then_is_no_request_but_a_slow_line_is() {
    let world = slow_world().await;
    let mut trickle = connect(world.address, &format!("{HEAD}Content-Length: 100000\r\n\r\n{{")).await;
    let began = Instant::now();
    let mut answer = [0; 12];
    loop {
        tokio::select! {
            read = trickle.read_exact(&mut answer) => {
                read.unwrap();
                break;
            }
            () = tokio::time::sleep(Duration::from_millis(50)) => trickle.write_all(b" ").await.unwrap(),
        }
        assert!(began.elapsed() < IN_TIME, "it is never ended");
    }
    assert_eq!(&answer, b"HTTP/1.1 408");
    // 80 KB a second take longer than the time for a request, and pass.
    let body = format!("{}{}", " ".repeat(80_000), super::client::INITIALIZE);
    let mut slow =
        connect(world.address, &format!("{HEAD}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len()))
            .await;
    let began = Instant::now();
    for piece in body.as_bytes().chunks(8000) {
        slow.write_all(piece).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(began.elapsed() > SHORT);
    assert!(until_closed(slow).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_a_request_is_refused_before_it_is_read() {
    let world = World::with(Vec::new(), |settings| settings.limits.message.bytes = 1000).await;
    for length in ["Content-Length: 100000000", "Transfer-Encoding: chunked"] {
        let head = HEAD.replace("/mcp/p", "/mcp");
        let mut stream = connect(world.address, &format!("{head}{length}\r\n\r\n")).await;
        if length.starts_with('T') {
            stream.write_all(format!("7d0\r\n{}\r\n", "x".repeat(2000)).as_bytes()).await.unwrap();
        }
        let answer = until_closed(stream).await;
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("limit of 1000 bytes"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_left() {
    let world = World::with(vec![process("p", "legacy")], |settings| settings.timing.unread = SHORT).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "bytes", "arguments": {"count": 30_000_000}}})
    .to_string();
    let head =
        format!("{HEAD}Mcp-Session-Id: {}\r\nContent-Length: {}\r\n\r\n{call}", session.id, call.len());
    let stream = connect(world.address, &head).await;
    stream.readable().await.unwrap();
    super::script::eventually("the connection is gone", async || {
        let page = send(world.address, "GET", "/metrics", &[], "").await;
        // The one that asks is the only one.
        String::from_utf8_lossy(&page.body).contains("portcullis_connections 1\n")
    })
    .await;
    drop(stream);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_fails_the_call_it_was_for() {
    let world = World::with(vec![process("p", "legacy")], |settings| settings.limits.message.bytes = 100_000);
    let world = world.await;
    let session = Session::open(world.address, "/mcp/p").await;
    let began = Instant::now();
    let answer =
        session.request("tools/call", json!({"name": "bytes", "arguments": {"count": 5_000_000}})).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("limit of 100000 bytes"), "{answer}");
    assert!(began.elapsed() < IN_TIME, "it waited for an answer that was there");
}
