//! The honest answers: what MCP wants a server to say of what it declares.

use crate::node::{Node, Value};
use crate::rpc::{self, INVALID_PARAMS, LEGACY, METHOD_NOT_FOUND, Message};
use crate::scenario::{Era, Server};

/// A result, or a JSON-RPC error.
pub(crate) type Answer = Result<Node, (i32, String)>;

/// Answers a request from what is declared now.
pub(crate) fn answer(server: &Server, declared: &Node, era: Era, message: &Message, method: &str) -> Answer {
    match method {
        "initialize" => Ok(welcome(server, declared, message)),
        "server/discover" if era == Era::Modern => Ok(discovery(server, declared)),
        "ping" | "logging/setLevel" if era == Era::Legacy => Ok(Node::map([])),
        "tools/list" => Ok(list(declared, "tools", "tools")),
        "prompts/list" => Ok(list(declared, "prompts", "prompts")),
        "resources/list" => Ok(list(declared, "resources", "resources")),
        "resources/templates/list" => Ok(list(declared, "resource_templates", "resourceTemplates")),
        "tools/call" => defined(declared, "tools", "name", message).map(|_| text_result("Done.")),
        "prompts/get" => defined(declared, "prompts", "name", message).map(prompt),
        "resources/read" => defined(declared, "resources", "uri", message).map(resource),
        other => Err((METHOD_NOT_FOUND, format!("no method {other}"))),
    }
}

/// The fields every result of the stateless revision has, unless the scenario gave its own.
pub(crate) fn dress(mut result: Node, declared: &Node, method: &str) -> Node {
    let mut put = |key: &str, node: Node| {
        if result.get(key).is_none() {
            result.put(key, node);
        }
    };
    put("resultType", "complete".into());
    if method.ends_with("/list") || ["server/discover", "resources/read"].contains(&method) {
        put("ttlMs", 0.into());
        put("cacheScope", "private".into());
    }
    put("_meta", Node::map([(rpc::META_SERVER, info(declared))]));
    result
}

pub(crate) fn text_result(text: &str) -> Node {
    Node::map([("content", Node::list([Node::map([("type", "text".into()), ("text", text.into())])]))])
}

fn welcome(server: &Server, declared: &Node, message: &Message) -> Node {
    let wanted = message.params["protocolVersion"].as_str().unwrap_or_default();
    let known = LEGACY.iter().find(|known| **known == wanted).or(LEGACY.last());
    let mut result = Node::map([
        ("protocolVersion", known.copied().unwrap_or_default().into()),
        ("capabilities", capabilities(server, declared)),
        ("serverInfo", info(declared)),
    ]);
    instruct(&mut result, declared);
    result
}

fn discovery(server: &Server, declared: &Node) -> Node {
    let mut result = Node::map([
        ("supportedVersions", Node::list([rpc::MODERN.into()])),
        ("capabilities", capabilities(server, declared)),
    ]);
    instruct(&mut result, declared);
    result
}

fn instruct(result: &mut Node, declared: &Node) {
    if let Some(instructions) = declared.get("server").and_then(|server| server.get("instructions")) {
        result.put("instructions", instructions.clone());
    }
}

/// `server` without what is no part of `serverInfo`.
pub(crate) fn info(declared: &Node) -> Node {
    let mut info = Node::map([]);
    let fields = declared.get("server").map(Node::entries).unwrap_or_default();
    for (key, node) in fields.iter().filter(|(key, _)| key != "instructions") {
        info.put(key, node.clone());
    }
    info
}

fn capabilities(server: &Server, declared: &Node) -> Node {
    let changes: Node = Value::Bool(!server.versions.is_empty()).into();
    let mut capabilities = Node::map([]);
    if declared.get("tools").is_some() {
        capabilities.put("tools", Node::map([("listChanged", changes.clone())]));
    }
    if declared.get("prompts").is_some() {
        capabilities.put("prompts", Node::map([("listChanged", changes)]));
    }
    if declared.get("resources").or_else(|| declared.get("resource_templates")).is_some() {
        capabilities.put("resources", Node::map([]));
    }
    capabilities
}

fn list(declared: &Node, part: &str, name: &str) -> Node {
    Node::map([(name, declared.get(part).cloned().unwrap_or_else(|| Node::list([])))])
}

/// The definition a request names.
fn defined<'a>(
    declared: &'a Node,
    part: &str,
    key: &str,
    message: &Message,
) -> Result<&'a Node, (i32, String)> {
    let name = message.subject().unwrap_or_default();
    let all = declared.get(part).map(Node::items).unwrap_or_default();
    let found = all.iter().find(|definition| definition.get(key).and_then(Node::text) == Some(name));
    found.ok_or_else(|| (INVALID_PARAMS, format!("nothing in {part} is called {name}")))
}

fn prompt(definition: &Node) -> Node {
    let text = definition.get("description").cloned().unwrap_or_else(|| "".into());
    let content = Node::map([("type", "text".into()), ("text", text)]);
    Node::map([("messages", Node::list([Node::map([("role", "user".into()), ("content", content)])]))])
}

fn resource(definition: &Node) -> Node {
    let uri = definition.get("uri").cloned().unwrap_or_else(|| "".into());
    Node::map([("contents", Node::list([Node::map([("uri", uri), ("text", "Nothing to see.".into())])]))])
}
