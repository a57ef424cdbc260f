//! A client that sends exactly the bytes it is told to.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// What opens a session.
pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

pub(crate) const MODERN: &str = "2026-07-28";

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{:?} is no JSON", self.body))
    }

    /// The messages of a stream, or the one message.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.body).unwrap();
        if !text.contains("data: ") {
            return vec![self.json()];
        }
        text.lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

/// Sends a request and leaves the body to be read.
pub(crate) async fn begin(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", address.to_string());
    }
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    request = request.header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    sender.send_request(request.body(Full::new(body)).unwrap()).await.unwrap()
}

pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Answer {
    let response = begin(address, method, path, headers, body.into()).await;
    let status = response.status().as_u16();
    let session = response.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Answer { status, session, body }
}

/// A client of the revisions with sessions.
pub(crate) struct Session {
    pub(crate) address: SocketAddr,
    pub(crate) path: String,
    pub(crate) id: String,
    pub(crate) opened: Value,
}

impl Session {
    pub(crate) async fn open(address: SocketAddr, path: &str) -> Session {
        Session::open_at(address, path, "2025-11-25").await
    }

    pub(crate) async fn open_at(address: SocketAddr, path: &str, version: &str) -> Session {
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {"elicitation": {}, "sampling": {}},
            "clientInfo": {"name": "test", "version": "1"}}});
        let answer = send(address, "POST", path, &[], body.to_string()).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        let opened = answer.messages().pop().unwrap();
        let id = answer.session.unwrap_or_else(|| panic!("a session is opened: {opened}"));
        let session = Session { address, path: path.to_owned(), id, opened };
        let told = session.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        assert_eq!(told.status, 202);
        session
    }

    pub(crate) async fn post(&self, body: impl Into<Bytes>) -> Answer {
        send(self.address, "POST", &self.path, &[("mcp-session-id", &self.id)], body).await
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(body.to_string()).await.messages().pop().unwrap()
    }
}

/// A request of the revision without sessions.
pub(crate) async fn modern(address: SocketAddr, path: &str, method: &str, params: Value) -> Answer {
    let (headers, body) = modern_request(method, params);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    send(address, "POST", path, &headers, body).await
}

pub(crate) fn modern_request(method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Bytes) {
    let mut headers = vec![("mcp-protocol-version", MODERN.to_owned()), ("mcp-method", method.to_owned())];
    if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
        headers.push(("mcp-name", name.to_owned()));
    }
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    (headers, Bytes::from(body))
}
