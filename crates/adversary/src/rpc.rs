//! JSON-RPC: messages that came, with their ids as they were spelt, and frames that go.

use crate::node::{self, Node};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
pub(crate) const INVALID_PARAMS: i32 = -32602;
pub(crate) const HEADER_MISMATCH: i32 = -32020;
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";
const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A request, a notification, or an answer to a request of ours.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// As it was spelt.
    pub(crate) id: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) params: Value,
    /// The result or the error of an answer.
    pub(crate) outcome: Value,
}

#[derive(Deserialize)]
struct Written {
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
}

impl Message {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Message, String> {
        let written: Written =
            serde_json::from_slice(bytes).map_err(|error| format!("no JSON-RPC: {error}"))?;
        Ok(Message {
            id: written.id.map(|id| id.get().to_owned()),
            method: written.method,
            params: written.params.unwrap_or_default(),
            outcome: written.result.or(written.error).unwrap_or_default(),
        })
    }

    /// The revision a stateless request names.
    pub(crate) fn revision(&self) -> Option<&str> {
        self.params["_meta"][META_VERSION].as_str()
    }

    /// What a stateless request says of its client.
    pub(crate) fn client(&self) -> Client {
        let meta = &self.params["_meta"];
        Client::new(&meta[META_CLIENT], &meta[META_CAPABILITIES])
    }

    /// What `initialize` says of its client.
    pub(crate) fn introduced(&self) -> Client {
        Client::new(&self.params["clientInfo"], &self.params["capabilities"])
    }

    /// The tool, prompt or resource a request is about.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.params["name"].as_str().or_else(|| self.params["uri"].as_str())
    }
}

/// Who asks, and what it can be asked in turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) capabilities: Value,
}

impl Client {
    fn new(info: &Value, capabilities: &Value) -> Client {
        Client {
            name: info["name"].as_str().unwrap_or_default().to_owned(),
            capabilities: capabilities.clone(),
        }
    }

    /// Whether the client said that it can answer such a request.
    pub(crate) fn can_answer(&self, method: &str) -> bool {
        let capability = method.split('/').next().unwrap_or_default();
        !self.capabilities[capability].is_null()
    }
}

pub(crate) fn response(id: &str, result: &Node) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, result.json()).into_bytes()
}

pub(crate) fn failure(id: Option<&str>, code: i32, message: &str) -> Vec<u8> {
    let message = Node::from(message).json();
    let id = id.unwrap_or("null");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#).into_bytes()
}

pub(crate) fn error(id: &str, error: &Node) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, error.json()).into_bytes()
}

pub(crate) fn notification(method: &str, params: &Node) -> Vec<u8> {
    let method = Node::from(method).json();
    format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{}}}"#, params.json()).into_bytes()
}

pub(crate) fn request(id: u64, method: &str, params: &Node) -> Vec<u8> {
    let method = Node::from(method).json();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{}}}"#, params.json()).into_bytes()
}

/// The first word on a subscription.
pub(crate) fn acknowledgement(id: &str) -> Vec<u8> {
    let mut params = subscribed(Some(id));
    let yes = node::Value::Bool(true);
    params.put("notifications", Node::map([("toolsListChanged", yes.into())]));
    notification("notifications/subscriptions/acknowledged", &params)
}

/// The word that lists have changed.
pub(crate) fn news(subscription: Option<&str>) -> Vec<u8> {
    notification("notifications/tools/list_changed", &subscribed(subscription))
}

fn subscribed(subscription: Option<&str>) -> Node {
    let id = |id: &str| Node::from(node::Value::Spelt(id.to_owned()));
    match subscription {
        Some(subscription) => Node::map([("_meta", Node::map([(META_SUBSCRIPTION, id(subscription))]))]),
        None => Node::map([]),
    }
}
