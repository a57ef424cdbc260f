//! How a request is answered: with what, how slowly, how wrongly, and what is sent or asked before.

use super::trigger::When;
use crate::fields::Fields;
use crate::node::{Node, Value};
use crate::template::{self, Target};

#[derive(Debug, Clone)]
pub(crate) struct Response {
    /// The method that is answered.
    pub(crate) to: String,
    /// The tool, prompt or resource; any if it is missing.
    pub(crate) name: Option<String>,
    pub(crate) when: When,
    pub(crate) delay_ms: u64,
    pub(crate) before: Vec<Aside>,
    pub(crate) body: Body,
    /// Bytes written at once, and the pause after them.
    pub(crate) pieces: Option<(u64, u64)>,
    /// What follows the frame for ever.
    pub(crate) endless: Option<String>,
    /// After how many bytes of the frame the connection is cut.
    pub(crate) hang_up_after: Option<u64>,
    /// Answers also what the client took back.
    pub(crate) ignores_cancel: bool,
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Result(Node),
    Error(Node),
    /// The arguments, as text.
    Echo,
    /// Whole frames, written as they are. On HTTP one is a JSON body, several are events.
    Raw(Vec<String>),
    /// No answer at all.
    Silent,
}

/// What goes out before an answer.
#[derive(Debug, Clone)]
pub(crate) enum Aside {
    Notify {
        method: String,
        params: Node,
        repeat: u64,
    },
    /// A request to the client. `is_forced`: also when it said that it cannot answer such.
    Ask {
        method: String,
        params: Node,
        key: String,
        is_forced: bool,
    },
}

/// The methods a response can be for.
const METHODS: [&str; 11] = [
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "initialize",
    "server/discover",
    "ping",
    "subscriptions/listen",
];

const FIELDS: [&str; 16] = [
    "to",
    "name",
    "when",
    "delay_ms",
    "before",
    "result",
    "text",
    "echo",
    "error",
    "raw",
    "silent",
    "pieces",
    "endless",
    "hang_up_after",
    "ignores_cancel",
    "http",
];

pub(super) fn read(fields: &Fields) -> Response {
    fields.only(&FIELDS);
    let http = fields.field("http");
    if let Some(http) = &http {
        http.only(&["status", "headers"]);
    }
    let headers = http.as_ref().and_then(|http| http.field("headers"));
    let header = |(key, field): (&str, Fields)| Some((key.to_owned(), field.as_text()?.to_owned()));
    let headers = headers.map(|headers| headers.entries().into_iter().filter_map(header).collect());
    Response {
        to: fields.word("to", "method", &METHODS).unwrap_or("tools/call").to_owned(),
        name: fields.text("name").map(str::to_owned),
        when: When::read(fields),
        delay_ms: fields.number("delay_ms").unwrap_or(0),
        before: fields.list("before").iter().filter_map(aside).collect(),
        body: body(fields),
        pieces: fields.field("pieces").map(|pieces| {
            pieces.only(&["bytes", "pause_ms"]);
            (pieces.number("bytes").unwrap_or(1).max(1), pieces.number("pause_ms").unwrap_or(0))
        }),
        endless: fields.field("endless").and_then(|field| template(&field)),
        hang_up_after: fields.number("hang_up_after"),
        ignores_cancel: fields.flag("ignores_cancel"),
        status: http.and_then(|http| http.number("status")).unwrap_or(200),
        headers: headers.unwrap_or_default(),
    }
}

fn body(fields: &Fields) -> Body {
    let kinds = ["result", "text", "echo", "error", "raw", "silent"];
    let mut named = kinds.iter().filter_map(|kind| Some((*kind, fields.field(kind)?)));
    let Some((kind, field)) = named.next() else {
        fields.wrong("one of `result`, `text`, `echo`, `error`, `raw`, `silent` says what is answered");
        return Body::Silent;
    };
    if named.next().is_some() {
        fields.wrong("only one of `result`, `text`, `echo`, `error`, `raw`, `silent`");
    }
    match kind {
        "result" => Body::Result(field.node.clone()),
        "error" => {
            field.only(&["code", "message", "data"]);
            Body::Error(field.node.clone())
        }
        "text" => {
            let text = field.as_text().unwrap_or_default();
            let content = Node::map([("type", "text".into()), ("text", text.into())]);
            Body::Result(Node::map([("content", Node::list([content]))]))
        }
        "raw" => Body::Raw(frames(fields, &field)),
        "echo" => Body::Echo,
        _ => Body::Silent,
    }
}

fn frames(fields: &Fields, field: &Fields) -> Vec<String> {
    match &field.node.value {
        Value::List(_) => fields.list("raw").iter().filter_map(template).collect(),
        _ => template(field).into_iter().collect(),
    }
}

/// A text that is written to the wire as it is.
fn template(field: &Fields) -> Option<String> {
    let text = field.as_text()?;
    if let Err(what) = template::check(text, Target::Frame) {
        field.wrong(what);
    }
    Some(text.to_owned())
}

fn aside(fields: &Fields) -> Option<Aside> {
    fields.only(&["notify", "ask", "params", "repeat", "key", "forced"]);
    let params = fields.field("params").map_or_else(|| Node::map([]), |params| params.node.clone());
    match (fields.text("notify"), fields.text("ask")) {
        (Some(method), None) => {
            let repeat = fields.number("repeat").unwrap_or(1);
            Some(Aside::Notify { method: method.to_owned(), params, repeat })
        }
        (None, Some(method)) => {
            let key = fields.text("key").unwrap_or("answer").to_owned();
            Some(Aside::Ask { method: method.to_owned(), params, key, is_forced: fields.flag("forced") })
        }
        _ => {
            fields.wrong("either `notify` or `ask` names a method");
            None
        }
    }
}
