//! A small raw client: it writes frames and reads bytes over both transports, and knows both eras.

use crate::adversary;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// A server process that ends with the test.
pub(crate) struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Serves over HTTP; the address everything is at.
    pub(crate) fn start(arguments: &[&str]) -> (Server, String) {
        let mut command = adversary(arguments);
        command.args(["--http", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        (Server(child), address)
    }
}

/// The way to a server.
pub(crate) enum Link {
    Pipe { _server: Server, stdin: ChildStdin, stdout: BufReader<ChildStdout> },
    Http { address: String, path: String, session: Option<String> },
}

/// What one request led to.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The response's HTTP status and headers; empty over a pipe.
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    /// Every frame, the answer and what came before it.
    pub(crate) frames: Vec<Vec<u8>>,
}

impl Heard {
    /// The answer: the last frame, as JSON.
    pub(crate) fn answer(&self) -> Value {
        self.frames.last().and_then(|frame| serde_json::from_slice(frame).ok()).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        self.answer()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A client on a link.
pub(crate) struct Client {
    pub(crate) link: Link,
    pub(crate) era: Era,
    pub(crate) name: String,
    pub(crate) capabilities: Value,
    /// What the client answers to a form.
    pub(crate) content: Value,
    last_id: u64,
}

impl Client {
    pub(crate) fn over_stdio(arguments: &[&str], era: Era) -> Client {
        let mut command = adversary(arguments);
        command.arg("--stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Client::new(Link::Pipe { _server: Server(child), stdin, stdout }, era)
    }

    pub(crate) fn over_http(address: &str, path: &str, era: Era) -> Client {
        Client::new(Link::Http { address: address.to_owned(), path: path.to_owned(), session: None }, era)
    }

    fn new(link: Link, era: Era) -> Client {
        let capabilities = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
        Client { link, era, name: "test".to_owned(), capabilities, content: json!({}), last_id: 0 }
    }

    /// Introduces itself, as its era wants it.
    pub(crate) fn greet(&mut self) -> Heard {
        if self.era == Era::Modern {
            return self.ask("server/discover", json!({}));
        }
        let info = json!({ "name": self.name, "version": "1" });
        let params =
            json!({ "protocolVersion": LEGACY, "capabilities": self.capabilities, "clientInfo": info });
        let heard = self.ask("initialize", params);
        if let (Link::Http { session, .. }, Some(id)) = (&mut self.link, heard.header("mcp-session-id")) {
            *session = Some(id.to_owned());
        }
        self.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        heard
    }

    /// Asks, and answers whatever is asked meanwhile. Ids have gaps, so that a forged one is nobody's.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Heard {
        self.last_id += 10;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": self.name, "version": "1" });
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.send_and_hear(&message)
    }

    pub(crate) fn last_id(&self) -> u64 {
        self.last_id
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Heard {
        self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } }),
        )
    }

    /// The descriptions of the tools that are listed now.
    pub(crate) fn descriptions(&mut self) -> Vec<String> {
        let answer = self.ask("tools/list", json!({})).answer();
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["description"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Sends a notification or an answer.
    pub(crate) fn tell(&mut self, message: &Value) {
        match &mut self.link {
            Link::Pipe { stdin, .. } => writeln!(stdin, "{message}").unwrap(),
            Link::Http { .. } => drop(read_head(&mut self.post(message))),
        }
    }

    /// Sends a request and gives the raw stream of its response, over HTTP.
    pub(crate) fn post(&self, message: &Value) -> BufReader<TcpStream> {
        let Link::Http { address, path, session } = &self.link else { unreachable!("only over HTTP") };
        let body = message.to_string();
        let mut stream = TcpStream::connect(address).unwrap();
        let mut head =
            format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n", body.len());
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        if let Some(session) = session {
            head += &format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {LEGACY}\r\n");
        }
        if self.era == Era::Modern {
            let params = &message["params"];
            head += &format!(
                "MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {}\r\n",
                message["method"].as_str().unwrap()
            );
            if let Some(name) = params["name"].as_str().or_else(|| params["uri"].as_str()) {
                let encoded = data_encoding::BASE64.encode(name.as_bytes());
                head += &format!("Mcp-Name: =?base64?{encoded}?=\r\n");
            }
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        BufReader::new(stream)
    }

    fn send_and_hear(&mut self, message: &Value) -> Heard {
        if matches!(self.link, Link::Pipe { .. }) {
            self.tell(message);
            return self.hear_pipe(&message["id"]);
        }
        let mut reader = self.post(message);
        self.hear_http(&mut reader)
    }

    /// Frames up to the first that is no notification and no request, or that cannot be read.
    fn hear_pipe(&mut self, id: &Value) -> Heard {
        let mut heard = Heard::default();
        loop {
            let Link::Pipe { stdout, .. } = &mut self.link else { unreachable!("only over a pipe") };
            let mut line = Vec::new();
            stdout.read_until(b'\n', &mut line).unwrap();
            line.pop_if(|last| *last == b'\n');
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            heard.frames.push(line);
            if message["method"].is_null() || message["id"] == *id {
                return heard;
            }
            self.reply(&message);
        }
    }

    fn hear_http(&mut self, reader: &mut BufReader<TcpStream>) -> Heard {
        let (status, headers) = read_head(reader);
        let mut heard = Heard { status: Some(status), headers, frames: Vec::new() };
        if heard.header("content-type") != Some("text/event-stream") {
            let length = heard.header("content-length").map(|length| length.parse().unwrap());
            let mut body = Vec::new();
            reader.take(length.unwrap_or(u64::MAX)).read_to_end(&mut body).unwrap();
            heard.frames.push(body);
            return heard;
        }
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).unwrap() > 0 {
            line.pop_if(|last| *last == b'\n');
            if let Some(data) = std::mem::take(&mut line).strip_prefix(b"data: ") {
                heard.frames.push(data.to_vec());
                let message: Value = serde_json::from_slice(data).unwrap_or_default();
                self.reply(&message);
            }
        }
        heard
    }

    /// Answers a request of the server as an obliging user would.
    fn reply(&mut self, request: &Value) {
        if request["method"].is_null() || request["id"].is_null() {
            return;
        }
        let result = self.obliging(&request["method"]);
        self.tell(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    pub(crate) fn obliging(&self, method: &Value) -> Value {
        match method.as_str() {
            Some("sampling/createMessage") => {
                json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "said" } })
            }
            Some("roots/list") => json!({ "roots": [{ "uri": "file:///home/jroe" }] }),
            _ => json!({ "action": "accept", "content": self.content }),
        }
    }
}

/// The status and the headers of a response, names in small letters.
pub(crate) fn read_head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { return (status, headers) };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
}
