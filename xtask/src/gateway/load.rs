//! The load: calls to the echo tool over connections that stay open, as fast as they are answered.

use super::Way;
use anyhow::{Context, Result, bail};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Not measured: connections are made and code becomes warm.
const WARM_UP: Duration = Duration::from_millis(300);

/// How long each call took, in nanoseconds.
pub(crate) type Times = Vec<u64>;

/// Calls over so many connections for so long.
pub(crate) async fn run(way: &Way, connections: usize, time: Duration) -> Result<Times> {
    let tasks: Vec<_> =
        (0..connections).map(|_| tokio::spawn(one(way.url.clone(), way.tool, time))).collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(times)
}

/// The calls of one connection.
async fn one(url: String, tool: &str, time: Duration) -> Result<Times> {
    let mut connection = Connection::open(&url, tool).await?;
    let begin = Instant::now() + WARM_UP;
    let mut times = Vec::new();
    loop {
        let sent = Instant::now();
        connection.call().await?;
        if sent > begin + time {
            return Ok(times);
        }
        if sent > begin {
            times.push(u64::try_from(sent.elapsed().as_nanos())?);
        }
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const ARGUMENTS: &str =
    r#"{"path":"src/main.rs","lines":[1,2,3],"query":"a question of ordinary length, as agents ask"}"#;

/// A connection with a session of its own, in which the same thing is said again and again. Sessions, because that is
/// what every proxy understands.
struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    async fn open(url: &str, tool: &str) -> Result<Connection> {
        let rest = url.strip_prefix("http://").context("the address is http")?;
        let (host, path) = rest.split_once('/').context("the address has a path")?;
        let stream = TcpStream::connect(host).await.with_context(|| format!("cannot reach {host}"))?;
        stream.set_nodelay(true)?;
        let mut connection = Connection { stream, request: Vec::new(), answer: Vec::new() };
        let post = |session: &str, body: &str| {
            let about = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";
            let length = body.len();
            format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\n{about}\r\n{session}Content-Length: {length}\r\n\r\n{body}")
                .into_bytes()
        };
        connection.request = post("", INITIALIZE);
        connection.call().await?;
        let head = String::from_utf8_lossy(&connection.answer).into_owned();
        let id = head.lines().find_map(|line| {
            line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"))
        });
        let id = id.map(|(_, id)| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let session = format!("{id}MCP-Protocol-Version: 2025-11-25\r\n");
        connection.request = post(&session, INITIALIZED);
        connection.call().await?;
        let params = format!(r#"{{"name":"{tool}","arguments":{ARGUMENTS}}}"#);
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        connection.request = post(&session, &call);
        Ok(connection)
    }

    async fn call(&mut self) -> Result<()> {
        self.stream.write_all(&self.request).await?;
        self.answer.clear();
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some(head) = end_of_head(&self.answer)
                && is_whole(&self.answer, head)?
            {
                return Ok(());
            }
        }
    }
}

fn end_of_head(answer: &[u8]) -> Option<usize> {
    answer.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// Whether the body has come to its end; an error if the call failed.
fn is_whole(answer: &[u8], head: usize) -> Result<bool> {
    let (head, body) = answer.split_at(head);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if !(head.starts_with("http/1.1 200") || head.starts_with("http/1.1 202")) {
        bail!("a call was answered with {}", head.lines().next().unwrap_or_default());
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    match length {
        Some(length) => Ok(body.len() >= length.parse::<usize>()?),
        None => Ok(body.ends_with(b"0\r\n\r\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_when_an_answer_is_whole() {
        let check = |answer: &str, expected: Option<bool>| {
            let found =
                end_of_head(answer.as_bytes()).and_then(|head| is_whole(answer.as_bytes(), head).ok());
            assert_eq!(found, expected, "{answer}");
        };
        check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", Some(true));
        check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", Some(false));
        check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", Some(true));
        check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", Some(false));
        check("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", None);
        check("HTTP/1.1 200 OK\r\n", None);
    }
}
