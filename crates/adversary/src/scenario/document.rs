//! From the document of a file to a scenario, with every mistake in it noted.

use super::conduct;
use super::response;
use super::steps;
use super::trigger::When;
use super::{CATEGORIES, FORMAT, OUTCOMES, PROMISES, Scenario, Server, Version};
use crate::fields::Fields;
use crate::node::{Node, Value};
use crate::pointer;
use crate::template::{self, Target};

/// The parts that say what a server declares.
pub(crate) const DECLARED: [&str; 5] = ["server", "tools", "prompts", "resources", "resource_templates"];

/// Every field a scenario can have; `set` and `remove` belong to twins.
const FIELDS: [&str; 26] = [
    "format",
    "id",
    "title",
    "category",
    "row",
    "reference",
    "language",
    "twin_of",
    "set",
    "remove",
    "ideal",
    "today",
    "shortfall",
    "breaks",
    "eras",
    "transports",
    "server",
    "tools",
    "prompts",
    "resources",
    "resource_templates",
    "versions",
    "responses",
    "peers",
    "agent",
    "expect",
];

/// Reads a scenario. What is wrong is noted in the mistakes of `fields`; the scenario is then not to be used.
pub(crate) fn read(fields: &Fields) -> Scenario {
    fields.only(&FIELDS);
    if fields.number("format") != Some(FORMAT) {
        fields.wrong(format!("`format: {FORMAT}` says which version of the format this is"));
    }
    let id = fields.needed_text("id");
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        fields.wrong("`id` should be small letters, digits and hyphens");
    }
    let twin_of = fields.text("twin_of").map(str::to_owned);
    let ideal = match (fields.word("ideal", "outcome", &OUTCOMES), &twin_of) {
        (Some(ideal), _) => ideal,
        (None, Some(_)) => "passed",
        (None, None) => {
            fields.wrong("`ideal` says what a perfect gate does");
            "hidden"
        }
    };
    let scenario = Scenario {
        id: id.to_owned(),
        title: fields.needed_text("title").to_owned(),
        category: fields.word("category", "category", &CATEGORIES).unwrap_or(CATEGORIES[0]),
        row: fields.word("row", "row", &PROMISES.map(|promise| promise.name)),
        reference: fields.text("reference").unwrap_or_default().to_owned(),
        ideal,
        today: fields.word("today", "outcome", &OUTCOMES).unwrap_or(ideal),
        shortfall: fields.text("shortfall").map(str::to_owned),
        breaks: conduct::breaks(fields),
        eras: conduct::eras(fields),
        transports: conduct::transports(fields),
        document: fields.node.clone(),
        server: server(fields),
        peers: fields.list("peers").iter().map(peer).collect(),
        twin_of,
    };
    check(fields, &scenario);
    scenario
}

fn check(fields: &Fields, scenario: &Scenario) {
    if scenario.ideal != scenario.today && scenario.shortfall.is_none() {
        fields.wrong("`shortfall` says why `today` is not `ideal`");
    }
    if scenario.twin_of.is_some() && scenario.ideal != "passed" {
        fields.wrong("a twin is harmless: its `ideal` is `passed`");
    }
    if scenario.twin_of.is_none() {
        for needed in ["category", "reference", "expect"] {
            if fields.field(needed).is_none() {
                fields.wrong(format!("`{needed}` is missing"));
            }
        }
    }
    steps::check(fields, scenario);
}

/// Peers are small servers of their own.
fn peer(fields: &Fields) -> Server {
    fields.only(&[&DECLARED[..], &["responses"]].concat());
    server(fields)
}

fn server(fields: &Fields) -> Server {
    let name = fields.field("server").map_or("", |server| server.needed_text("name"));
    if fields.field("server").is_none() {
        fields.wrong("`server` is missing: it names the server");
    }
    let is_odd = fields
        .node
        .get("breaks")
        .is_some_and(|rules| rules.items().iter().any(|rule| rule.text() == Some("definition")));
    let declared = declared(fields.node, is_odd);
    check_definitions(fields, is_odd);
    check_texts(fields);
    Server {
        name: name.to_owned(),
        versions: fields
            .list("versions")
            .iter()
            .map(|version| read_version(version, &declared, is_odd))
            .collect(),
        responses: fields.list("responses").iter().map(response::read).collect(),
        declared,
    }
}

/// The declaring parts of a document, with what MCP wants of every tool unless it is broken on purpose.
fn declared(document: &Node, is_odd: bool) -> Node {
    let mut declared = Node::map([]);
    for part in DECLARED {
        if let Some(node) = document.get(part) {
            declared.put(part, node.clone());
        }
    }
    if !is_odd {
        complete(&mut declared);
    }
    declared
}

/// Gives every tool an input schema and the server a version.
fn complete(declared: &mut Node) {
    let Value::Map(parts) = &mut declared.value else { return };
    for (part, node) in parts {
        if part == "server" && node.get("version").is_none() {
            node.put("version", "1.0.0".into());
        }
        if let ("tools", Value::List(tools)) = (part.as_str(), &mut node.value) {
            for tool in tools.iter_mut().filter(|tool| tool.get("inputSchema").is_none()) {
                tool.put("inputSchema", Node::map([("type", "object".into())]));
            }
        }
    }
}

fn read_version(fields: &Fields, first: &Node, is_odd: bool) -> Version {
    fields.only(&["when", "announce", "set", "remove"]);
    if fields.field("when").is_none() {
        fields.wrong("`when` says from which moment this version holds");
    }
    let mut declared = first.clone();
    apply(fields, &mut declared);
    if !is_odd {
        complete(&mut declared);
    }
    Version { when: When::read(fields), announce: fields.number("announce").unwrap_or(0), declared }
}

/// Changes a document as `set` and `remove` say.
pub(crate) fn apply(fields: &Fields, document: &mut Node) {
    for (at, field) in fields.field("set").iter().flat_map(Fields::entries) {
        if let Err(what) = pointer::set(document, at, field.node.clone()) {
            field.wrong(format!("nothing can be set there: {what}"));
        }
    }
    for field in fields.list("remove") {
        if let Err(what) = field.as_text().map_or(Ok(()), |at| pointer::remove(document, at)) {
            field.wrong(format!("nothing can be removed there: {what}"));
        }
    }
}

/// Names and addresses are what a client asks with: without them a definition is of no use.
fn check_definitions(fields: &Fields, is_odd: bool) {
    if is_odd {
        return;
    }
    for (part, key) in
        [("tools", "name"), ("prompts", "name"), ("resources", "uri"), ("resource_templates", "uriTemplate")]
    {
        for definition in fields.list(part) {
            definition.needed_text(key);
        }
    }
}

/// Every text of these parts is a template.
fn check_texts(fields: &Fields) {
    for part in DECLARED.into_iter().chain(["versions", "responses"]) {
        if let Some(part) = fields.field(part) {
            check_text(&part);
        }
    }
}

fn check_text(field: &Fields) {
    match &field.node.value {
        Value::Text(text) => {
            if let Err(what) = template::check(text, Target::Text) {
                field.wrong(what);
            }
        }
        Value::List(_) => field.items().iter().for_each(check_text),
        // Frames are bytes, and have their own check.
        Value::Map(_) => {
            let texts = field.entries().into_iter().filter(|(key, _)| !["raw", "endless"].contains(key));
            texts.for_each(|(_, field)| check_text(&field));
        }
        _ => {}
    }
}
