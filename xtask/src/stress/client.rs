//! A client that says exactly what it is told to, over a connection it keeps.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"stress","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A connection, and the session that was opened over it.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    host: String,
    path: String,
    pub(crate) session: Option<String>,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The result of a call that must succeed.
    pub(crate) fn result(&self) -> Result<Value> {
        let text = String::from_utf8_lossy(&self.body);
        let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(&text);
        let message: Value = serde_json::from_str(last).with_context(|| format!("HTTP {}", self.status))?;
        match message.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("{}", message["error"]["message"]),
        }
    }
}

/// Host and path of an address.
pub(crate) fn parts(url: &str) -> Result<(String, String)> {
    let rest = url.strip_prefix("http://").context("the address is http")?;
    let (host, path) = rest.split_once('/').context("the address has a path")?;
    Ok((host.to_owned(), format!("/{path}")))
}

impl Client {
    pub(crate) async fn connect(url: &str) -> Result<Client> {
        let (host, path) = parts(url)?;
        let stream = TcpStream::connect(&host).await.with_context(|| format!("cannot reach {host}"))?;
        stream.set_nodelay(true)?;
        // A small buffer: thousands of these live beside each other.
        let stream = BufReader::with_capacity(1 << 10, stream);
        Ok(Client { stream, host, path, session: None })
    }

    /// A connection with a session.
    pub(crate) async fn open(url: &str) -> Result<Client> {
        let mut client = Client::connect(url).await?;
        let answer = client.post(INITIALIZE).await?;
        answer.result().context("no session")?;
        client.post(INITIALIZED).await?;
        Ok(client)
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        self.post(&body.to_string()).await
    }

    pub(crate) async fn post(&mut self, body: &str) -> Result<Answer> {
        self.send(&format!("Content-Length: {}\r\n", body.len()), body.as_bytes()).await?;
        self.answer().await
    }

    /// Sends the head of a POST, and this much of its body.
    pub(crate) async fn send(&mut self, length: &str, body: &[u8]) -> Result<()> {
        let head = self.head("POST", length);
        self.stream.get_mut().write_all(head.as_bytes()).await?;
        Ok(self.stream.get_mut().write_all(body).await?)
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.get_mut().write_all(bytes).await?)
    }

    /// Opens the stream of the session; its events stay unread.
    pub(crate) async fn listen(&mut self) -> Result<()> {
        let head = self.head("GET", "");
        self.stream.get_mut().write_all(head.as_bytes()).await?;
        let (status, _) = self.read_head().await?;
        if status == 200 { Ok(()) } else { bail!("the stream was refused with {status}") }
    }

    /// Waits until the other side closes, or says something.
    pub(crate) async fn closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).await.is_ok() || rest.is_empty()
    }

    pub(crate) fn head(&self, method: &str, more: &str) -> String {
        let session = self.session.as_deref().map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        format!(
            "{method} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{}{more}\r\n",
            self.path,
            self.host,
            session.unwrap_or_default(),
        )
    }

    /// Status and headers, in small letters.
    async fn read_head(&mut self) -> Result<(u16, String)> {
        let mut head = String::new();
        loop {
            let before = head.len();
            if self.stream.read_line(&mut head).await? == 0 {
                bail!("the gateway closed the connection");
            }
            if head.len() - before <= 2 {
                break;
            }
        }
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("a status")?;
        let session = head.lines().find_map(|line| {
            line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"))
        });
        if let Some((_, id)) = session {
            self.session = Some(id.to_owned());
        }
        Ok((status, head.to_ascii_lowercase()))
    }

    /// Status and headers as they came, of an answer without a body.
    pub(crate) async fn whole_head(&mut self) -> Result<String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            ensure!(self.stream.read_line(&mut head).await? > 0, "the gateway closed the connection");
        }
        Ok(head)
    }

    /// Waits until an answer begins.
    pub(crate) async fn first_byte(&mut self) -> Result<()> {
        ensure!(!self.stream.fill_buf().await?.is_empty(), "the gateway closed the connection");
        Ok(())
    }

    pub(crate) async fn answer(&mut self) -> Result<Answer> {
        let (status, head) = self.read_head().await?;
        let mut body = Vec::new();
        if let Some(length) = head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
            body.resize(length.parse()?, 0);
            self.stream.read_exact(&mut body).await?;
        } else if head.contains("transfer-encoding: chunked") {
            while self.read_chunk(&mut body).await? {}
        }
        Ok(Answer { status, body })
    }

    /// Reads the head of an answer that comes in chunks.
    pub(crate) async fn begin_chunks(&mut self) -> Result<()> {
        let (_, head) = self.read_head().await?;
        head.contains("transfer-encoding: chunked").then_some(()).context("the answer comes whole")
    }

    /// Adds a chunk; whether another may follow.
    pub(crate) async fn read_chunk(&mut self, body: &mut Vec<u8>) -> Result<bool> {
        let mut size = String::new();
        self.stream.read_line(&mut size).await?;
        let size = usize::from_str_radix(size.trim(), 16).context("the size of a chunk")?;
        let begin = body.len();
        body.resize(begin + size + 2, 0);
        self.stream.read_exact(body.get_mut(begin..).context("it was made")?).await?;
        body.truncate(begin + size);
        Ok(size > 0)
    }
}
