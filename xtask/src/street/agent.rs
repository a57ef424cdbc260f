//! The scripted agent: it speaks either era of MCP over HTTP, answers what servers ask as it was told, and keeps
//! everything it hears.

use super::http::{self, Answer};
use super::scenario::Era;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value, json};

const LEGACY: &str = "2025-11-25";
pub(super) const MODERN: &str = "2026-07-28";
/// The most pages of a list that are asked for.
const MOST_PAGES: usize = 100;
/// How often a call is sent again because more is asked.
const MOST_ROUNDS: usize = 8;

/// An agent, and what it knows.
pub(super) struct Agent {
    /// Where the gateway listens.
    url: String,
    era: Era,
    name: String,
    session: Option<String>,
    last_id: u64,
    /// Whether it says that it can be asked anything.
    can_be_asked: bool,
    /// How questions of servers are answered.
    answer: Value,
    /// The methods of what servers asked.
    asked: Vec<String>,
    /// Every message that came, one a line.
    heard: String,
    /// What tools want mirrored in headers: the tool, the argument, the header.
    mirrored: Vec<(String, String, String)>,
}

/// What a request came to.
pub(super) type Came = Result<Value, Value>;

/// Whoever acts as the agent of a play.
pub(super) trait Actor {
    /// Comes anew, under this name; what the gateway says of itself.
    fn open(&mut self, name: &str) -> Result<Came>;
    /// Asks, and answers whatever is asked meanwhile.
    fn ask(&mut self, method: &str, params: Value) -> Result<Came>;
    /// Calls a tool, with what the agent says it wants.
    fn call(&mut self, tool: &str, arguments: &Value, intent: &Value) -> Result<Came>;
    /// Calls a tool and takes it back at once.
    fn call_and_cancel(&mut self, tool: &str, arguments: &Value) -> Result<Came>;
    /// All items of a list, page by page.
    fn list(&mut self, kind: &str) -> Result<Came>;
    /// How questions of servers are answered from now on.
    fn answer_with(&mut self, answer: Value) -> Result<()>;
    /// The methods of what servers asked, and every text that came.
    fn heard(&mut self) -> (Vec<String>, String);
}

impl Agent {
    /// A client of this name that has not said anything yet.
    pub(super) fn new(url: String, era: Era, can_be_asked: bool) -> Agent {
        Agent {
            url,
            era,
            name: String::new(),
            can_be_asked,
            session: None,
            last_id: 0,
            answer: json!({ "action": "decline" }),
            asked: Vec::new(),
            heard: String::new(),
            mirrored: Vec::new(),
        }
    }

    /// Remembers what is mirrored in headers.
    fn learn(&mut self, tools: &[Value]) {
        for tool in tools {
            let properties = tool["inputSchema"]["properties"].as_object();
            for (argument, schema) in properties.into_iter().flatten() {
                if let (Some(name), Some(header)) = (tool["name"].as_str(), schema["x-mcp-header"].as_str()) {
                    self.mirrored.push((name.to_owned(), argument.clone(), header.to_owned()));
                }
            }
        }
    }

    fn message(&mut self, method: &str, mut params: Value) -> Value {
        // Ids have gaps, so that one somebody makes up is nobody's.
        self.last_id += 10;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": self.name, "version": "1" });
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities();
        }
        json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params })
    }

    fn headers(&self, message: &Value) -> Vec<(String, String)> {
        let mut headers = vec![("Accept".to_owned(), "application/json, text/event-stream".to_owned())];
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        if let Some(session) = &self.session {
            add("Mcp-Session-Id", session);
            add("MCP-Protocol-Version", LEGACY);
        }
        if self.era == Era::Modern {
            let params = &message["params"];
            add("MCP-Protocol-Version", MODERN);
            add("Mcp-Method", message["method"].as_str().unwrap_or_default());
            let named = params["name"].as_str().or_else(|| params["uri"].as_str());
            if let Some(name) = named {
                add("Mcp-Name", name);
            }
            for (tool, argument, header) in &self.mirrored {
                if let (true, Some(value)) =
                    (named == Some(tool), params["arguments"][argument.as_str()].as_str())
                {
                    add(&format!("Mcp-Param-{header}"), value);
                }
            }
        }
        headers
    }

    fn ask_once(&mut self, method: &str, params: Value) -> Result<Came> {
        let message = self.message(method, params);
        let headers = self.headers(&message);
        let answer = http::send("POST", &self.url, &headers, Some(&message.to_string()))?;
        if let Some(session) = answer.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        self.hear(answer, &message["id"])
    }

    /// Sends a notification or an answer; nothing comes back.
    fn tell(&mut self, message: &Value) -> Result<()> {
        let headers = self.headers(message);
        http::send("POST", &self.url, &headers, Some(&message.to_string())).map(drop)
    }

    fn hear(&mut self, mut answer: Answer, id: &Value) -> Result<Came> {
        if !answer.is_events() {
            let status = answer.status;
            let text = answer.text()?;
            self.keep(&text);
            let message: Value = serde_json::from_str(&text)
                .map_err(|_| anyhow!("HTTP {status} with {}", text.escape_debug()))?;
            return came(&message, id).context("the answer to another request");
        }
        while let Some(data) = answer.event()? {
            self.keep(&data);
            let message: Value = serde_json::from_str(&data)?;
            match came(&message, id) {
                Some(came) => return Ok(came),
                None => self.reply(&message)?,
            }
        }
        bail!("the stream ended without an answer")
    }

    /// A text as it came, and as it is read: what is escaped in JSON is found as well.
    fn keep(&mut self, text: &str) {
        self.heard.push_str(text);
        self.heard.push('\n');
        if let Ok(value) = serde_json::from_str(text) {
            keep_texts(&value, &mut self.heard);
        }
    }

    /// Answers a request of the server.
    fn reply(&mut self, request: &Value) -> Result<()> {
        let (Some(method), false) = (request["method"].as_str(), request["id"].is_null()) else {
            return Ok(());
        };
        self.asked.push(method.to_owned());
        let result = self.response(method);
        self.tell(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    }

    /// The same in the stateless era, where the questions are in a result.
    fn responses(&mut self, requests: &Value) -> Value {
        let mut all = Map::new();
        for (key, request) in requests.as_object().into_iter().flatten() {
            let method = request["method"].as_str().unwrap_or_default();
            self.asked.push(method.to_owned());
            all.insert(key.clone(), self.response(method));
        }
        Value::Object(all)
    }

    fn capabilities(&self) -> Value {
        match self.can_be_asked {
            true => json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} }),
            false => json!({}),
        }
    }

    fn response(&self, method: &str) -> Value {
        match method {
            "sampling/createMessage" => {
                json!({ "role": "assistant", "model": "street",
                    "content": { "type": "text", "text": "I am only a script." } })
            }
            "roots/list" => json!({ "roots": [{ "uri": "file:///home/jroe/street" }] }),
            "ping" => json!({}),
            _ => self.answer.clone(),
        }
    }
}

impl Actor for Agent {
    fn open(&mut self, name: &str) -> Result<Came> {
        self.name = name.to_owned();
        self.session = None;
        if self.era == Era::Modern {
            return self.ask("server/discover", json!({}));
        }
        let info = json!({ "name": self.name, "version": "1" });
        let params =
            json!({ "protocolVersion": LEGACY, "capabilities": self.capabilities(), "clientInfo": info });
        let opened = self.ask("initialize", params)?;
        let Ok(result) = &opened else { return Ok(opened) };
        if result["protocolVersion"] != LEGACY {
            // A client leaves that does not speak the revision the server chose.
            return Ok(Err(json!({ "message": "another revision was offered" })));
        }
        self.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(opened)
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Came> {
        let mut params = params;
        for _ in 0..MOST_ROUNDS {
            let came = self.ask_once(method, params.clone())?;
            let Ok(result) = &came else { return Ok(came) };
            if self.era == Era::Legacy || result["resultType"] != "input_required" {
                return Ok(came);
            }
            params["inputResponses"] = self.responses(&result["inputRequests"]);
            params["requestState"] = result["requestState"].clone();
        }
        bail!("{method} never ends asking")
    }

    fn call(&mut self, tool: &str, arguments: &Value, intent: &Value) -> Result<Came> {
        let mut params = json!({ "name": tool, "arguments": arguments });
        params["_meta"] = json!({ "progressToken": "street" });
        if intent.is_object() {
            params["_meta"]["portcullis/intent"] = intent.clone();
        }
        let came = self.ask("tools/call", params)?;
        Ok(came.and_then(|result| match result["content"].is_array() {
            true => Ok(result),
            // As clients do that check what they get.
            false => Err(json!({ "message": "the result of a call has no content" })),
        }))
    }

    fn call_and_cancel(&mut self, tool: &str, arguments: &Value) -> Result<Came> {
        let message = self.message("tools/call", json!({ "name": tool, "arguments": arguments }));
        let url = self.url.clone();
        let headers = self.headers(&message);
        let sending = message.to_string();
        let waiting = std::thread::spawn(move || http::send("POST", &url, &headers, Some(&sending)));
        let params = json!({ "requestId": message["id"], "reason": "taken back" });
        self.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))?;
        let answer = waiting.join().map_err(|_| anyhow!("the call broke off"))??;
        self.hear(answer, &message["id"])
    }

    fn list(&mut self, kind: &str) -> Result<Came> {
        let (method, member) = match kind {
            "resource_templates" => ("resources/templates/list", "resourceTemplates"),
            "prompts" => ("prompts/list", "prompts"),
            "resources" => ("resources/list", "resources"),
            _ => ("tools/list", "tools"),
        };
        let (mut items, mut params) = (Vec::new(), json!({}));
        for _ in 0..MOST_PAGES {
            let page = match self.ask(method, params)? {
                Ok(page) => page,
                Err(error) => return Ok(Err(error)),
            };
            items.extend(page[member].as_array().cloned().unwrap_or_default());
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            params = json!({ "cursor": cursor });
        }
        self.learn(&items);
        Ok(Ok(Value::Array(items)))
    }

    fn answer_with(&mut self, answer: Value) -> Result<()> {
        self.answer = answer;
        Ok(())
    }

    fn heard(&mut self) -> (Vec<String>, String) {
        (std::mem::take(&mut self.asked), std::mem::take(&mut self.heard))
    }
}

/// The answer to this request, if it is one.
fn came(message: &Value, id: &Value) -> Option<Came> {
    // What cannot be told apart has no id.
    if message["id"] != *id && !(message["id"].is_null() && message["error"].is_object()) {
        return None;
    }
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => Some(Ok(result.clone())),
        (_, Some(error)) => Some(Err(error.clone())),
        (None, None) => None,
    }
}

pub(super) fn keep_texts(value: &Value, heard: &mut String) {
    match value {
        Value::String(text) => {
            heard.push_str(text);
            heard.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| keep_texts(item, heard)),
        Value::Object(members) => members.iter().for_each(|(key, item)| {
            heard.push_str(key);
            heard.push('\n');
            keep_texts(item, heard);
        }),
        _ => {}
    }
}
