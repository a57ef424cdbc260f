//! `/mcp/router`: not every tool, but a search for tools and three ways to call what it found.
//!
//! The way an agent calls says what it intends. Behind it a call is one to all servers: only the tool's name and its
//! arguments are put where they belong, as they were written.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::catalogue::{Kind as Listed, Listing};
use crate::gate::Gate;
use crate::intent::{Intent, Operation};
use crate::members::Members;
use crate::review::{self, failed};
use crate::wire::{Fault, Field, Message, Splice};

/// What is said of the route to whoever opens it.
pub(crate) const INSTRUCTIONS: &str = "Search for tools with retrieve_tools, then call what it found with \
    call_tool_read, call_tool_write or call_tool_destructive, as `call_with` says.";

const SEARCH: &str = "retrieve_tools";
/// Tools that are shown, unless asked for otherwise, and at most.
const USUAL: u64 = 5;
const MOST: u64 = 50;
/// Bytes of tools in one answer: it goes into an agent's context. Tools beyond are counted, not shown.
const MOST_BYTES: usize = 256 << 10;
/// Names proposed in the place of one that nothing has.
const MOST_PROPOSED: usize = 5;

/// What becomes of a request.
pub(crate) enum Taken {
    /// It is answered with a result of these members.
    Answer(Answered, String),
    /// It is a call to one of all tools.
    Call(Box<Message>),
}

/// Which kind of result it is; the revisions ask for different things of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    List,
    Call,
}

/// Takes a request of an agent.
pub(crate) async fn take(gate: &Arc<Gate>, session: &str, message: Message) -> Result<Taken, Fault> {
    match &*message.method() {
        "tools/list" => {
            return Ok(Taken::Answer(Answered::List, format!("\"tools\":{}", definitions(gate))));
        }
        "tools/call" if review::is_called(&message) => {
            return Ok(Taken::Answer(Answered::Call, review::call(gate, session, &message).await?));
        }
        "tools/call" => {}
        method => return Err(Fault::no_method(method)),
    }
    let listing = gate.catalogue.listing(gate, Listed::Tools).await;
    let name = message.text(Field::Name).unwrap_or_default().into_owned();
    let operation = Operation::ALL.into_iter().find(|one| variant(*one) == name);
    let outcome = match operation {
        Some(operation) => match meant(&listing, operation, &message) {
            Ok(splice) => {
                return Ok(Taken::Call(Box::new(message.spliced(splice, gate.settings.limits.message)?)));
            }
            Err(why) => Err(why),
        },
        None if name == SEARCH => search(&listing, message.raw(Field::Arguments)),
        None => Err(unknown(&listing, &name)),
    };
    Ok(Taken::Answer(Answered::Call, outcome.unwrap_or_else(|why| failed(&why))))
}

/// The tool by which calls of this operation are made.
fn variant(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "call_tool_read",
        Operation::Write => "call_tool_write",
        Operation::Destructive => "call_tool_destructive",
    }
}

/// The tools an agent sees.
fn definitions(gate: &Gate) -> Value {
    let calls = Operation::ALL.map(call_definition);
    let mut all = vec![search_definition()];
    all.extend(calls);
    all.push(review::definition(gate));
    Value::Array(all)
}

fn search_definition() -> Value {
    let tool = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The name to call it by." },
            "call_with": { "type": "string", "enum": Operation::ALL.map(variant) },
            "title": { "type": "string" },
            "description": { "type": "string" },
            "inputSchema": { "type": "object", "description": "What its arguments look like." },
            "annotations": { "type": "object", "description": "What its server says of it." },
        },
        "required": ["name", "call_with", "inputSchema"],
    });
    json!({
        "name": SEARCH,
        "title": "Find tools",
        "description": "Finds tools of all servers by what they do, best first. Say in a few words what you want to do.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What you want to do, in a few words." },
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL,
                    "description": "The most tools to show.",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "tools": { "type": "array", "items": tool },
                "left_out": { "type": "integer", "description": "Tools that fit too and are not shown: ask more precisely." },
            },
            "required": ["tools", "left_out"],
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

fn call_definition(operation: Operation) -> Value {
    let (title, about) = match operation {
        Operation::Read => ("Call a tool that reads", "Calls a tool that changes nothing."),
        Operation::Write => {
            ("Call a tool that writes", "Calls a tool that makes, changes or sends something.")
        }
        Operation::Destructive => {
            ("Call a tool that destroys", "Calls a tool that deletes or overwrites something for good.")
        }
    };
    json!({
        "name": variant(operation),
        "title": title,
        "description": format!("{about} Takes a name and arguments as {SEARCH} showed them, and returns what the tool returns."),
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": format!("The tool's name as {SEARCH} showed it.") },
                "arguments": { "type": "object", "description": "The tool's own arguments." },
                "reason": { "type": "string", "description": "Why this call is made, in a sentence." },
                "data_sensitivity": {
                    "type": "string", "description": "What kind of data is in it: public, internal, private.",
                },
            },
            "required": ["name"],
            "additionalProperties": false,
        },
        "annotations": {
            "readOnlyHint": operation == Operation::Read,
            "destructiveHint": operation == Operation::Destructive,
            "openWorldHint": true,
        },
    })
}

/// What a search found, as members of a result; or what is wrong with the question.
fn search(listing: &Listing, arguments: Option<&[u8]>) -> Result<String, String> {
    let asked: Value = arguments.and_then(|raw| serde_json::from_slice(raw).ok()).unwrap_or_default();
    let query = asked["query"].as_str().filter(|query| !query.trim().is_empty());
    let query = query.ok_or("`query` is missing: say in a few words what you want to do")?;
    let limit = match &asked["limit"] {
        Value::Null => USUAL,
        limit => {
            let limit = limit.as_u64().filter(|limit| (1..=MOST).contains(limit));
            limit.ok_or_else(|| format!("`limit` is a number from 1 to {MOST}"))?
        }
    };
    let hits = listing.index().search(query, listing.len());
    let mut tools: Vec<String> = Vec::new();
    let mut length = 0;
    for hit in hits.iter().take(usize::try_from(limit).unwrap_or_default()) {
        let shown = listing.text(hit.tool).and_then(shown).unwrap_or_default();
        length += shown.len();
        if length > MOST_BYTES {
            break;
        }
        tools.push(shown);
    }
    let left_out = hits.len() - tools.len();
    let found = format!(r#"{{"tools":[{}],"left_out":{left_out}}}"#, tools.join(","));
    let text = Value::from(found.as_str());
    Ok(format!(r#""content":[{{"type":"text","text":{text}}}],"structuredContent":{found}"#))
}

/// A tool as a search shows it; what its server said stays as it was written.
fn shown(entry: &Bytes) -> Option<String> {
    let members: Members = serde_json::from_slice(entry).ok()?;
    let tool: Value = serde_json::from_slice(entry).ok()?;
    let name = members.get("name")?.get();
    let mut text = format!(r#"{{"name":{name},"call_with":"{}""#, variant(fitting(&tool)));
    for key in ["title", "description", "inputSchema", "annotations"] {
        if let Some(value) = members.get(key) {
            text.push_str(&format!(",\"{key}\":{}", value.get()));
        }
    }
    text.push('}');
    Some(text)
}

/// Verbs of tools that change nothing, and of those that take something away.
const READS: [&str; 21] = [
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "show",
    "view",
    "describe",
    "query",
    "count",
    "check",
    "lookup",
    "retrieve",
    "explain",
    "inspect",
    "status",
    "browse",
    "convert",
    "echo",
    "summarize",
];
const DESTROYS: [&str; 15] = [
    "delete",
    "remove",
    "drop",
    "destroy",
    "erase",
    "purge",
    "truncate",
    "wipe",
    "clear",
    "kill",
    "terminate",
    "revoke",
    "uninstall",
    "reset",
    "overwrite",
];

/// The operation a tool is called with: what its name says; annotations decide where the name is silent, and may only
/// raise it where it is not. What nothing is said of counts as a write.
fn fitting(tool: &Value) -> Operation {
    let hint = |key: &str| tool["annotations"][key].as_bool();
    let annotated = match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), _) => Some(Operation::Read),
        (_, Some(true)) => Some(Operation::Destructive),
        (_, Some(false)) | (Some(false), _) => Some(Operation::Write),
        (None, None) => None,
    };
    let name = tool["name"].as_str().unwrap_or_default();
    let name = name.split_once("__").map_or(name, |(_, name)| name);
    let words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_ascii_lowercase).collect();
    let has = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    let named = if has(&DESTROYS) {
        Some(Operation::Destructive)
    } else {
        words.first().filter(|word| READS.contains(&word.as_str())).map(|_| Operation::Read)
    };
    annotated.max(named).unwrap_or(Operation::Write)
}

/// The call that is meant, written into the message that asks for it; or what is wrong with it.
fn meant(listing: &Listing, operation: Operation, message: &Message) -> Result<Splice, String> {
    let raw = message.raw(Field::Arguments).unwrap_or(b"{}");
    let given: Members =
        serde_json::from_slice(raw).map_err(|_| "the arguments are an object with a `name`".to_owned())?;
    let known = ["name", "arguments", "reason", "data_sensitivity"];
    if given.0.iter().any(|(key, _)| !known.contains(&key.as_str())) {
        return Err(
            "the tool's own arguments belong in `arguments`; beside it there are only `name`, `reason` \
                    and `data_sensitivity`"
                .to_owned(),
        );
    }
    let name = given.text("name").ok_or("`name` is missing: which tool is to be called?")?;
    if listing.owner(&name).is_none() {
        return Err(unknown(listing, &name));
    }
    let arguments = given.get("arguments").map_or("{}", |raw| raw.get());
    if !arguments.starts_with('{') {
        return Err("`arguments` is an object: the tool's own arguments".to_owned());
    }
    let said = Intent::of(message).unwrap_or_default();
    let intent = Intent {
        operation: Some(operation),
        data_sensitivity: given.text("data_sensitivity").or(said.data_sensitivity),
        reason: given.text("reason").or(said.reason),
    };
    let mut splice = Splice::new();
    splice.replace(message.place(Field::Name), Value::from(name).to_string());
    // INVARIANT: the name was in them, so there are arguments to be replaced.
    splice.replace(message.place(Field::Arguments), arguments.to_owned());
    intent.write(message, &mut splice);
    Ok(splice)
}

/// That there is no such tool, and which might be meant.
fn unknown(listing: &Listing, name: &str) -> String {
    let is_known = listing.owner(name).is_some();
    if is_known {
        return format!(
            "this tool is called with call_tool_read, call_tool_write or call_tool_destructive: {SEARCH} says which"
        );
    }
    let hits = listing.index().search(name, MOST_PROPOSED);
    let near: Vec<&str> = hits.iter().filter_map(|hit| listing.name(hit.tool)).collect();
    match near.is_empty() {
        true => format!("no tool has this name; search for it with {SEARCH}"),
        false => format!("no tool has this name; the nearest are {}", near.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_annotations_say_how_a_tool_is_called() {
        for (name, annotations, expected) in [
            ("git__list_skills", json!({}), Operation::Read),
            ("git__create_issue", json!({}), Operation::Write),
            ("git__delete_branch", json!({}), Operation::Destructive),
            ("git__branch-delete", json!({ "readOnlyHint": true }), Operation::Destructive),
            ("git__get_all", json!({ "destructiveHint": true }), Operation::Destructive),
            ("git__frobnicate", json!({ "readOnlyHint": true }), Operation::Read),
            ("git__frobnicate", json!({ "readOnlyHint": false }), Operation::Write),
            ("git__frobnicate", json!({}), Operation::Write),
            ("post__get_mail", json!({ "readOnlyHint": true }), Operation::Read),
        ] {
            let tool = json!({ "name": name, "annotations": annotations });
            assert_eq!(fitting(&tool), expected, "{tool}");
        }
    }

    #[test]
    fn a_tool_is_shown_as_it_was_written() {
        let entry = Bytes::from_static(
            br#"{"x":1,"name":"s__get","inputSchema":{"maximum":1.50},"description":"\u0041"}"#,
        );
        let expected = r#"{"name":"s__get","call_with":"call_tool_read","description":"\u0041","inputSchema":{"maximum":1.50}}"#;
        assert_eq!(shown(&entry).as_deref(), Some(expected));
    }
}
