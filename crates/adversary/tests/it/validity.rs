//! Every scenario over every transport and era: valid MCP, unless it says which rule it breaks, and then broken.

use crate::link::{Client, Era, Heard, LEGACY, Server};
use crate::scenarios;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What takes a client that waits, or leaves, to be seen; `conduct.rs` has these.
const OTHERWISE_SEEN: [&str; 3] = ["no_answer", "cancelled_answer", "capability"];
/// Nobody reads this one to its end.
const ENDLESS: &str = "exhaust-endless-line";

#[test]
fn is_valid_over_stdio_unless_it_says_otherwise() {
    walk_all("stdio", |id, era| Client::over_stdio(&["--scenario", id], era));
}

#[test]
fn is_valid_over_http_unless_it_says_otherwise() {
    let (_server, address) = Server::start(&["--all"]);
    walk_all("http", |id, era| Client::over_http(&address, &format!("/{id}/mcp"), era));
}

fn walk_all(transport: &str, connect: impl Fn(&str, Era) -> Client) {
    let mut walked = 0;
    for scenario in scenarios() {
        let id = scenario["id"].as_str().unwrap();
        let breaks = texts(&scenario["breaks"]);
        if !allows(&scenario["transports"], transport)
            || id == ENDLESS
            || breaks.iter().any(|rule| OTHERWISE_SEEN.contains(rule))
        {
            continue;
        }
        // A pipe that nothing was broken on serves the other era too; that spares a process.
        let mut kept: Option<Client> = None;
        for (era, word) in [(Era::Legacy, "legacy"), (Era::Modern, "modern")] {
            if allows(&scenario["eras"], word) {
                let mut client = kept.take().unwrap_or_else(|| connect(id, era));
                client.era = era;
                let problems = walk(&scenario, &mut client);
                kept = (transport == "stdio" && breaks.is_empty()).then_some(client);
                let place = format!("{id} over {transport}, {word}");
                assert_eq!(
                    problems.is_empty(),
                    breaks.is_empty(),
                    "{place} breaks {breaks:?}, found {problems:?}"
                );
                walked += 1;
            }
        }
    }
    assert!(walked > 300, "only {walked} walks over {transport}");
}

/// A missing list allows everything.
fn allows(list: &Value, word: &str) -> bool {
    list.as_array().is_none_or(|list| list.iter().any(|known| known == word))
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Lists everything and does what the scenario's agent does; what was wrong with what came back.
fn walk(scenario: &Value, client: &mut Client) -> Vec<String> {
    let mut problems = Vec::new();
    let greeting = client.greet();
    check(client, "initialize", &greeting, &mut problems);
    let lists = [
        ("tools", "tools/list"),
        ("prompts", "prompts/list"),
        ("resources", "resources/list"),
        ("resource_templates", "resources/templates/list"),
    ];
    for (part, method) in lists {
        if scenario[part].is_array() && !is_too_much(scenario, method) {
            let heard = client.ask(method, json!({}));
            check(client, method, &heard, &mut problems);
        }
    }
    for step in scenario["agent"].as_array().into_iter().flatten().filter(|step| step["server"].is_null()) {
        if !step["content"].is_null() {
            client.content = step["content"].clone();
        }
        if let Some((method, params)) = asked(step)
            && step["cancel"].is_null()
            && !is_too_much(scenario, method)
            && problems.is_empty()
        {
            take(client, method, &params, &mut problems);
        }
    }
    // Whatever was sent too much comes before this answer.
    if problems.is_empty() && !is_too_much(scenario, "tools/list") {
        let heard = client.ask("tools/list", json!({}));
        check(client, "tools/list", &heard, &mut problems);
    }
    problems
}

/// Attacks by sheer mass, and calls that are taken back, are met in `conduct.rs`.
fn is_too_much(scenario: &Value, method: &str) -> bool {
    let is_attack = scenario["category"] == "exhaustion" && scenario["twin_of"].is_null();
    let is_mass = scenario["breaks"].is_null();
    is_attack && is_mass && (method == "tools/call" || method == "tools/list")
}

fn asked(step: &Value) -> Option<(&'static str, Value)> {
    let with = |name: &Value| json!({ "name": name, "arguments": step["arguments"], "_meta": { "progressToken": 3 } });
    if !step["call"].is_null() {
        return Some(("tools/call", with(&step["call"])));
    }
    if !step["get_prompt"].is_null() {
        return Some(("prompts/get", with(&step["get_prompt"])));
    }
    (!step["read"].is_null()).then(|| ("resources/read", json!({ "uri": step["read"] })))
}

/// Asks until there is a result: a stateless server may want answers first.
fn take(client: &mut Client, method: &str, params: &Value, problems: &mut Vec<String>) {
    let mut params = params.clone();
    for _ in 0..3 {
        let heard = client.ask(method, params.clone());
        check(client, method, &heard, problems);
        let result = &heard.answer()["result"];
        if result["resultType"] != "input_required" {
            return;
        }
        let questions = result["inputRequests"].as_object().unwrap();
        let answers = questions.iter().map(|(key, asked)| (key.clone(), client.obliging(&asked["method"])));
        params["inputResponses"] = Value::Object(answers.collect());
        params["requestState"] = result["requestState"].clone();
    }
}

fn check(client: &Client, method: &str, heard: &Heard, problems: &mut Vec<String>) {
    let mut wrong = |what: &str| problems.push(format!("{method}: {what}"));
    if heard.status.is_some_and(|status| status != 200) {
        wrong("the status is not 200");
    }
    let kind = heard.header("content-type");
    if kind.is_some_and(|kind| kind != "application/json" && kind != "text/event-stream") {
        wrong("the content type is neither JSON nor events");
    }
    if method != "initialize" && heard.header("mcp-session-id").is_some() {
        wrong("a session id out of turn");
    }
    let mut answers = 0;
    for frame in &heard.frames {
        match serde_json::from_slice::<Strict>(frame) {
            Err(error) => wrong(&format!("no strict JSON: {error}")),
            Ok(Strict(message)) => match envelope(&message, client.last_id()) {
                Err(what) => wrong(what),
                Ok(is_answer) => answers += usize::from(is_answer),
            },
        }
    }
    if answers != 1 {
        wrong("not exactly one answer");
    }
    if let Some(result) = heard.answer().get("result") {
        check_result(client.era, method, result, &mut wrong);
    }
}

/// Whether this frame is the answer, if it is a message at all.
fn envelope(message: &Value, id: u64) -> Result<bool, &'static str> {
    let has = |key: &str| message.get(key).is_some();
    if !message.is_object() || message["jsonrpc"] != "2.0" {
        return Err("no message of JSON-RPC 2.0");
    }
    if has("method") {
        let is_theirs =
            message["method"] == "notifications/cancelled" && message["params"]["requestId"] == id;
        return if is_theirs { Err("takes back what is not its own") } else { Ok(false) };
    }
    if has("result") == has("error") {
        return Err("neither or both of result and error");
    }
    if message["id"] == id { Ok(true) } else { Err("the id of no open request") }
}

fn check_result(era: Era, method: &str, result: &Value, wrong: &mut impl FnMut(&str)) {
    let is_modern = era == Era::Modern;
    if is_modern && !result["resultType"].is_string() {
        wrong("a stateless result has a type");
    }
    if !is_modern && result["resultType"] == "input_required" {
        wrong("no session of this era knows such a result");
    }
    match method {
        "initialize" if !is_modern && result["protocolVersion"] != LEGACY => {
            wrong("a revision nobody offered")
        }
        "tools/list" => check_definitions(&result["tools"], "name", wrong),
        "prompts/list" => check_definitions(&result["prompts"], "name", wrong),
        "resources/list" => check_definitions(&result["resources"], "uri", wrong),
        "resources/templates/list" => check_definitions(&result["resourceTemplates"], "uriTemplate", wrong),
        "tools/call" if result["resultType"] != "input_required" && !result["content"].is_array() => {
            wrong("a result without content");
        }
        _ => {}
    }
}

fn check_definitions(list: &Value, key: &str, wrong: &mut impl FnMut(&str)) {
    let mut names = BTreeSet::new();
    for definition in list.as_array().into_iter().flatten() {
        let Some(name) = definition[key].as_str() else { return wrong("a definition without a name") };
        if !names.insert(name.to_owned()) {
            wrong("a name twice");
        }
        let is_tool =
            key == "name" && definition.get("arguments").is_none() && definition.get("inputSchema").is_some();
        if is_tool && definition["inputSchema"]["type"] != "object" {
            wrong("an input schema that is no object");
        }
    }
    if !list.is_array() {
        wrong("no list");
    }
}

/// JSON in which no object has a key twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("JSON without equal keys")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Value, E> {
        Ok(json!(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(json!(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(json!(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(json!(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(json!(text))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = serde_json::Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, Strict>()? {
            if entries.insert(key, value).is_some() {
                return Err(serde::de::Error::custom("a key twice"));
            }
        }
        Ok(Value::Object(entries))
    }
}
