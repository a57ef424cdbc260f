//! A server that answers with as much as it is asked for, or without end.

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

const WELCOME: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"flood","version":"1"}}}"#;
const TOOLS: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"json","inputSchema":{}},{"name":"event","inputSchema":{}},{"name":"endless line","inputSchema":{}},{"name":"endless events","inputSchema":{}}]}}"#;
const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}"#;
const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const NOTICE: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"on and on and on and on\"}}\n\n";
const BEFORE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""#;
const AFTER: &str = r#""}]}}"#;

/// Serves in the background; returns the address.
pub(crate) async fn start() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A gateway that breaks off is what some of the trials are about.
            tokio::spawn(async move { drop(serve(BufReader::new(stream)).await) });
        }
    });
    Ok(url)
}

async fn serve(mut stream: BufReader<TcpStream>) -> Result<()> {
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(Ok(0), str::parse)?];
        stream.read_exact(&mut body).await?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        answer(stream.get_mut(), &message).await?;
    }
}

async fn answer(stream: &mut TcpStream, message: &Value) -> Result<()> {
    let whole = |text: &str| format!("{JSON}Content-Length: {}\r\n\r\n{text}", text.len());
    let tool = message["params"]["name"].as_str();
    let count = message["params"]["arguments"]["count"].as_u64().unwrap_or_default();
    match (message["method"].as_str().context("a method")?, tool) {
        ("initialize", _) => stream.write_all(whole(WELCOME).as_bytes()).await?,
        ("tools/list", _) => stream.write_all(whole(TOOLS).as_bytes()).await?,
        ("tools/call", Some("json")) => {
            let length = count + (BEFORE.len() + AFTER.len()) as u64;
            let head = format!("{JSON}Content-Length: {length}\r\n\r\n{BEFORE}");
            stream.write_all(head.as_bytes()).await?;
            fill(stream, count).await?;
            stream.write_all(AFTER.as_bytes()).await?;
        }
        ("tools/call", Some("event")) => {
            stream.write_all(format!("{EVENTS}data: {BEFORE}").as_bytes()).await?;
            fill(stream, count).await?;
            stream.write_all(format!("{AFTER}\n\n").as_bytes()).await?;
            stream.shutdown().await?;
        }
        ("tools/call", Some("endless line")) => {
            stream.write_all(format!("{EVENTS}data: {BEFORE}").as_bytes()).await?;
            fill(stream, u64::MAX).await?;
        }
        ("tools/call", _) => {
            stream.write_all(EVENTS.as_bytes()).await?;
            let notices = NOTICE.repeat(500);
            loop {
                stream.write_all(notices.as_bytes()).await?;
            }
        }
        (method, _) if method.starts_with("notifications/") => {
            stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").await?;
        }
        _ => stream.write_all(whole(UNKNOWN).as_bytes()).await?,
    }
    Ok(())
}

/// So many letters.
async fn fill(stream: &mut TcpStream, count: u64) -> Result<()> {
    let piece = [b'x'; 1 << 16];
    let mut left = count;
    while left > 0 {
        let some = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        stream.write_all(piece.get(..some).unwrap_or_default()).await?;
        left -= some as u64;
    }
    Ok(())
}
