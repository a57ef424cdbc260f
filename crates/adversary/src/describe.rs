//! Scenarios for readers: a list, one in words, all of it as JSON, and what its servers declare.

use crate::declared;
use crate::node::Node;
use crate::perform::rendered;
use crate::pointer;
use crate::scenario::{Scenario, Server};
use crate::template::Moment;
use std::fmt::Write;

/// One line a scenario.
pub(crate) fn list(scenarios: &[Scenario]) -> String {
    let width = scenarios.iter().map(|scenario| scenario.id.len()).max().unwrap_or(0);
    let line = |scenario: &Scenario| {
        let kind = if scenario.twin_of.is_some() { "twin" } else { "attack" };
        format!("{:width$}  {kind:6}  {:16}  {}\n", scenario.id, scenario.category, scenario.title)
    };
    scenarios.iter().map(line).collect()
}

/// The whole scenario as one line of JSON, escaped so that a terminal can show it.
pub(crate) fn json(scenario: &Scenario) -> String {
    let mut document = scenario.document.clone();
    document.put("ideal", scenario.ideal.into());
    document.put("today", scenario.today.into());
    document.ascii_json() + "\n"
}

/// What a scenario does, in words.
pub(crate) fn describe(scenario: &Scenario, attack: Option<&Scenario>) -> String {
    let mut out = format!("{}: {}\n\n", scenario.id, scenario.title);
    let mut say = |name: &str, value: &str| {
        if !value.is_empty() {
            // INVARIANT: writing to a String cannot fail.
            let _ = writeln!(out, "{name:12}{value}");
        }
    };
    say("category", scenario.category);
    say("row", scenario.row.unwrap_or_default());
    say("reference", &scenario.reference);
    if let Some(attack) = attack {
        say("twin of", &attack.id);
        say("differs at", &differences(attack, scenario).join(", "));
    }
    say("ideal", scenario.ideal);
    say("today", scenario.today);
    say("shortfall", scenario.shortfall.as_deref().unwrap_or_default());
    say("breaks", &scenario.breaks.join(", "));
    let peers: Vec<&str> = scenario.peers.iter().map(|peer| peer.name.as_str()).collect();
    say("peers", &peers.join(", "));
    for part in ["agent", "expect"] {
        for line in scenario.document.get(part).iter().flat_map(|node| lines(node)) {
            say(part, &line);
        }
    }
    say("serves", &scenario.server.declared.ascii_json());
    for (number, version) in scenario.server.versions.iter().enumerate() {
        let changed = pointer::differences(&scenario.server.declared, &version.declared);
        say(&format!("version {}", number + 1), &format!("changes {}", changed.join(", ")));
    }
    out
}

/// Where a twin serves or does something else than its attack.
fn differences(attack: &Scenario, twin: &Scenario) -> Vec<String> {
    let own =
        ["id", "title", "twin_of", "set", "remove", "ideal", "today", "expect", "row", "breaks", "shortfall"];
    let found = pointer::differences(&attack.document, &twin.document);
    let is_own = |at: &String| own.iter().any(|key| at.split('/').nth(1) == Some(key));
    found.into_iter().filter(|at| !is_own(at)).collect()
}

/// A list's items or a map's entries, one on each line.
fn lines(node: &Node) -> Vec<String> {
    let items = node.items().iter().map(Node::ascii_json);
    let entries = node.entries().iter().map(|(key, node)| format!("{key}: {}", node.ascii_json()));
    items.chain(entries).collect()
}

/// What the servers of a scenario declare in some version, as a scanner reads it.
pub(crate) fn definitions(scenario: &Scenario, version: usize) -> Result<String, String> {
    let own = match version.checked_sub(1) {
        None => &scenario.server.declared,
        Some(index) => match scenario.server.versions.get(index) {
            Some(version) => &version.declared,
            None => {
                return Err(format!(
                    "{} has {} versions after the first",
                    scenario.id,
                    scenario.server.versions.len()
                ));
            }
        },
    };
    let mut servers = Node::map([]);
    servers.put(&scenario.server.name, declaration(scenario, own));
    for Server { name, declared: peer, .. } in &scenario.peers {
        servers.put(name, declaration(scenario, peer));
    }
    Ok(Node::map([("servers", servers)]).ascii_json() + "\n")
}

fn declaration(scenario: &Scenario, node: &Node) -> Node {
    let moment = Moment { scenario: scenario.id.clone(), ..Moment::default() };
    let node = rendered(node, &moment);
    let mut declared = Node::map([("serverInfo", declared::info(&node))]);
    if let Some(instructions) = node.get("server").and_then(|server| server.get("instructions")) {
        declared.put("instructions", instructions.clone());
    }
    let parts = [
        ("tools", "tools"),
        ("prompts", "prompts"),
        ("resources", "resources"),
        ("resource_templates", "resourceTemplates"),
    ];
    for (part, name) in parts {
        if let Some(definitions) = node.get(part) {
            declared.put(name, definitions.clone());
        }
    }
    declared
}
