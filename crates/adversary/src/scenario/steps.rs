//! What the scripted agent does, and what must then be seen: checked here, carried out by whoever plays the agent.

use super::Scenario;
use crate::fields::Fields;
use crate::node::{Node, Value};

/// One step is one of these, with the fields it may have.
const STEPS: [(&str, &[&str]); 9] = [
    ("list", &[]),
    ("approve", &[]),
    ("call", &["server", "arguments", "intent", "as", "times", "cancel"]),
    ("get_prompt", &["arguments", "as"]),
    ("read", &["as"]),
    ("answer", &["content"]),
    ("wait", &[]),
    ("connect_as", &[]),
    ("relaunch", &[]),
];

const LISTS: [&str; 4] = ["tools", "prompts", "resources", "resource_templates"];

/// What the agent may and may not have seen. Each holds a list of names, labels or texts.
const SEEN: [&str; 18] = [
    "tools_hidden",
    "tools_visible",
    "prompts_hidden",
    "prompts_visible",
    "resources_hidden",
    "resources_visible",
    "calls_refused",
    "calls_asked",
    "calls_failed",
    "calls_answered",
    "results_stripped",
    "results_marked",
    "results_withheld",
    "results_untouched",
    "arguments_masked",
    "requests_refused",
    "never_sees",
    "sees",
];

/// What the activity log records.
const RECORDS: [&str; 8] = [
    "tool_call",
    "policy_decision",
    "quarantine_change",
    "rug_pull",
    "alert",
    "server_change",
    "config_change",
    "system",
];

/// What an alert can be about.
const ALERTS: [&str; 7] =
    ["quarantine", "rug_pull", "launch_changed", "exfiltration", "sensitive_data", "injection", "phishing"];

/// Notes what is wrong with `agent` and `expect`.
pub(super) fn check(fields: &Fields, scenario: &Scenario) {
    let steps = fields.list("agent");
    steps.iter().for_each(check_step);
    for step in &steps {
        check_call(step, scenario);
    }
    let Some(expect) = fields.field("expect") else { return };
    expect.only(&["agent", "log", "alerts"]);
    if let Some(agent) = expect.field("agent") {
        check_seen(&agent, scenario, &labels(&steps));
    }
    if let Some(log) = expect.field("log") {
        log.only(&["findings", "records"]);
        log.words("records", "record", &RECORDS);
        for finding in log.list("findings") {
            if finding.as_text().is_some_and(|id| !id.contains('.')) {
                finding.wrong("should be the id of a check, such as `unicode.hidden`");
            }
        }
    }
    expect.words("alerts", "alert", &ALERTS);
}

fn check_step(step: &Fields) {
    let kinds = STEPS.map(|(kind, _)| kind);
    let mut named = STEPS.iter().filter(|(kind, _)| step.field(kind).is_some());
    let Some((kind, more)) = named.next() else {
        return step.only(&kinds);
    };
    step.only(&[&[*kind], *more].concat());
    match *kind {
        "list" => drop(step.word("list", "list", &LISTS)),
        "answer" => drop(step.word("answer", "action", &["accept", "decline", "cancel"])),
        "relaunch" => drop(step.flag("relaunch")),
        "approve" if step.node.get("approve").is_some_and(|what| matches!(what.value, Value::List(_))) => {}
        kind => drop(step.text(kind)),
    }
    if let Some(intent) = step.field("intent") {
        intent.only(&["operation", "data_sensitivity", "reason"]);
    }
    step.number("times");
    step.flag("cancel");
}

/// A call names a tool that some version of the server, or of a peer, has.
fn check_call(step: &Fields, scenario: &Scenario) {
    let (Some(call), Some(tool)) = (step.field("call"), step.node.get("call").and_then(Node::text)) else {
        return;
    };
    let servers: Vec<&str> = scenario.peers.iter().map(|peer| peer.name.as_str()).collect();
    let tools = match step.text("server") {
        None => names(scenario, "tools", "name"),
        Some(name) => match scenario.peers.iter().find(|peer| peer.name == name) {
            Some(peer) => defined(&peer.declared, "tools", "name").collect(),
            None => return call.unknown("peer", name, &servers),
        },
    };
    if !tools.contains(&tool) {
        call.unknown("tool", tool, &tools);
    }
}

fn check_seen(agent: &Fields, scenario: &Scenario, labels: &[&str]) {
    agent.only(&[&SEEN[..], &["instructions", "connection"]].concat());
    agent.word("instructions", "fate", &["hidden", "visible"]);
    agent.word("connection", "fate", &["kept", "refused"]);
    for (key, field) in agent.entries().into_iter().filter(|(key, _)| SEEN.contains(key)) {
        let known = match key {
            "tools_hidden" | "tools_visible" => names(scenario, "tools", "name"),
            "prompts_hidden" | "prompts_visible" => names(scenario, "prompts", "name"),
            "resources_hidden" | "resources_visible" => {
                [names(scenario, "resources", "uri"), names(scenario, "resource_templates", "uriTemplate")]
                    .concat()
            }
            "never_sees" | "sees" | "requests_refused" => Vec::new(),
            _ => labels.to_vec(),
        };
        for (item, name) in field.items().iter().filter_map(|item| Some((item, item.as_text()?))) {
            if !known.is_empty() && !known.contains(&name) {
                item.unknown("name", name, &known);
            }
        }
    }
}

/// What results and calls are named by: the step's label, else what it calls.
fn labels<'a>(steps: &[Fields<'a>]) -> Vec<&'a str> {
    let label = |step: &Fields<'a>| {
        let keys = ["as", "call", "get_prompt", "read"];
        keys.iter().find_map(|key| step.node.get(key)).and_then(Node::text)
    };
    steps.iter().filter_map(label).collect()
}

/// Names in any version of the scenario's own server.
fn names<'a>(scenario: &'a Scenario, part: &'a str, key: &'a str) -> Vec<&'a str> {
    let versions = scenario.server.versions.iter().map(|version| &version.declared);
    let all = std::iter::once(&scenario.server.declared).chain(versions);
    let mut names: Vec<&str> = all.flat_map(|declared| defined(declared, part, key)).collect();
    names.dedup();
    names
}

fn defined<'a>(declared: &'a Node, part: &str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let definitions = declared.get(part).map(Node::items).unwrap_or_default();
    definitions.iter().filter_map(move |definition| definition.get(key).and_then(Node::text))
}
