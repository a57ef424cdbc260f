//! Tasks among all servers: the id a client sees says whose task it is.

use std::sync::Arc;

use serde_json::Value;

use crate::gate::Gate;
use crate::upstream::Upstream;
use crate::upstream::reply::Reply;
use crate::wire::{Field, Message};

/// The name of the extension in the revision without sessions.
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Whether a server of the revisions with `initialize` has tasks, by what it said of itself.
pub(crate) fn has(said: &Value) -> bool {
    said["capabilities"]["tasks"]["requests"]["tools"]["call"].is_object()
}

/// The same for a server of the revision without sessions.
pub(crate) fn has_extension(said: &Value) -> bool {
    said["capabilities"]["extensions"][EXTENSION].is_object()
}

/// What the gateway offers when some server of the revisions with `initialize` has tasks. There is no list: in a
/// conversation that several agents share it would show each the others' tasks.
pub(crate) fn capability() -> Value {
    serde_json::json!({ "cancel": {}, "requests": { "tools": { "call": {} } } })
}

/// The same in the revision without sessions.
pub(crate) fn extensions() -> Value {
    serde_json::json!({ EXTENSION: {} })
}

/// The server a task belongs to, and its id there.
pub(crate) fn owner<'a>(gate: &Gate, id: &'a str) -> Option<(Arc<Upstream>, &'a str)> {
    let (server, id) = id.split_once(':')?;
    Some((gate.upstream(server)?, id))
}

/// Whether the result of a request is or holds a task, where both revisions put the same members.
pub(crate) fn is_about(request: &Message) -> bool {
    request.has(Field::Task) || request.method().starts_with("tasks/")
}

/// Marks the ids of tasks in a message with the server they belong to.
pub(crate) fn mark(reply: &mut Reply, server: &str, is_about_tasks: bool) {
    let is_task = is_about_tasks || reply.message.text(Field::ResultType).is_some_and(|kind| kind == "task");
    let fields = match is_task {
        true => &[Field::ResultTaskId, Field::ResultTaskOwnId, Field::RelatedTaskId][..],
        false => &[Field::RelatedTaskId][..],
    };
    for field in fields {
        if let Some(id) = reply.message.text(*field) {
            let marked = Value::from(format!("{server}:{id}")).to_string();
            reply.replace(reply.message.place(*field), marked);
        }
    }
}
