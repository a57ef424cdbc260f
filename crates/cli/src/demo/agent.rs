//! The scripted agent: a client of the stateless revision, one request a connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::exit::Failure;

const REVISION: &str = "2026-07-28";
/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most that is read of an answer.
const LONGEST: u64 = 1 << 20;

pub(super) struct Agent<'a> {
    /// Where the gateway is reached.
    pub(super) url: &'a str,
}

/// What a call came to.
pub(super) struct Came {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Agent<'_> {
    /// The names of all tools it is shown, but for the gateway's own.
    pub(super) fn tools(&self) -> Result<Vec<String>, Failure> {
        let mut names = self.listed("")?;
        names.retain(|name| name.contains("__"));
        Ok(names)
    }

    /// The names of the tools of one server, on its own path.
    pub(super) fn tools_of(&self, server: &str) -> Result<Vec<String>, Failure> {
        self.listed(&format!("/{server}"))
    }

    fn listed(&self, path: &str) -> Result<Vec<String>, Failure> {
        let result = self.ask(path, "tools/list", json!({}))?;
        let names = result["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }

    pub(super) fn call(&self, tool: &str, arguments: Value) -> Result<Came, Failure> {
        let result = self.ask("", "tools/call", json!({ "name": tool, "arguments": arguments }))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        Ok(Came { text, is_error: result["isError"] == true })
    }

    fn ask(&self, below: &str, method: &str, mut params: Value) -> Result<Value, Failure> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { "name": "demo", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let rest = self.url.strip_prefix("http://").unwrap_or(self.url);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        // An answer to HTTP/1.0 comes in one piece and ends with the connection.
        let request = format!(
            "POST /{path}{below} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {REVISION}\r\n\
             Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(LONGEST).read_to_end(&mut answer)?;
        result(&String::from_utf8_lossy(&answer))
    }
}

/// The result in an answer, whole or as the last event.
fn result(answer: &str) -> Result<Value, Failure> {
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let mut events = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = events.next_back().unwrap_or(body);
    let message: Value = serde_json::from_str(last.trim()).unwrap_or_default();
    match (message.get("result"), message["error"]["message"].as_str()) {
        (Some(result), _) => Ok(result.clone()),
        (None, Some(error)) => Ok(json!({ "isError": true, "content": [{ "text": error }] })),
        (None, None) => Err(Failure::Usage(format!("the gateway of the demo answers with {answer}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_answers_of_either_kind() {
        let whole = "HTTP/1.0 200 OK\r\nA: b\r\n\r\n{\"id\":1,\"result\":{\"a\":1}}";
        assert_eq!(result(whole).unwrap()["a"], 1);
        let events =
            "HTTP/1.0 200 OK\r\n\r\ndata: {\"method\":\"x\"}\n\ndata: {\"id\":1,\"result\":{\"a\":2}}\n\n";
        assert_eq!(result(events).unwrap()["a"], 2);
        let error = "HTTP/1.0 400 No\r\n\r\n{\"id\":1,\"error\":{\"message\":\"no\"}}";
        assert_eq!(result(error).unwrap()["content"][0]["text"], "no");
        assert!(result("HTTP/1.0 502 No\r\n\r\n<html>").is_err());
    }
}
