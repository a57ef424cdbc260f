//! How a client fared: what it got through the gateway against what it gets without it, step by step.

use super::client::{ALL_THERE, Client, Sdk, Walk};
use super::scene::SERVERS;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most of a text that is shown.
const MOST_SHOWN: usize = 200;

/// What a revision writes around a result that is the same in both.
const AROUND: [&str; 4] = ["resultType", "ttlMs", "cacheScope", "_meta"];

/// A step that did not go as it goes without the gateway.
struct Failure {
    route: String,
    server: String,
    step: String,
    why: String,
}

/// How one client fared.
pub(super) struct Verdict {
    client: &'static Client,
    /// Steps that were to be taken, by route.
    wanted: BTreeMap<String, usize>,
    failures: Vec<Failure>,
}

impl Verdict {
    /// Holds the lines of a walk through the gateway against those of the same steps without it.
    pub(super) fn of(client: &'static Client, walk: &Walk, through: &[Value], direct: &[Value]) -> Verdict {
        let mut verdict = Verdict { client, wanted: BTreeMap::new(), failures: Vec::new() };
        for connection in &walk.connections {
            let route = connection.route.as_str();
            let mut judge = |server: &str, step: &str, why: Option<String>| {
                *verdict.wanted.entry(route.to_owned()).or_default() += 1;
                let failure = why.map(|why| Failure {
                    route: route.to_owned(),
                    server: server.to_owned(),
                    step: step.to_owned(),
                    why,
                });
                verdict.failures.extend(failure);
            };
            if client.sdk != Sdk::Inspector {
                judge(route, "open", opened(through, route, client.era.version()));
                judge(route, "end", line(through, route, route, "end").err());
            }
            for step in &connection.steps {
                let name = |key: &str| step[key].as_str().unwrap_or_default();
                let (server, step) = (name("server"), name("step"));
                let got = line(through, route, server, step).map(|got| settled(got, route, server, step));
                let held = line(direct, server, server, step).map(|got| settled(got, server, server, step));
                let why = match (got, held) {
                    (Err(why), _) => Some(why),
                    (Ok(_), _) if step == ALL_THERE => None,
                    (_, Err(why)) => Some(format!("without the gateway: {why}")),
                    (Ok(got), Ok(held)) => difference(&held, &got, ""),
                };
                judge(server, step, why);
            }
        }
        verdict
    }

    pub(super) fn is_passed(&self) -> bool {
        self.failures.is_empty() && !self.wanted.is_empty()
    }

    fn title(&self) -> String {
        let way = if self.client.way == super::client::Way::Stdio { ", serve --stdio" } else { "" };
        format!("{}, {}{way}", self.client.sdk.title(), self.client.era.version())
    }

    /// "ok" or how many steps of a route failed; nothing if the route was not taken.
    fn word(&self, route: &str) -> String {
        let Some(wanted) = self.wanted.get(route) else { return String::new() };
        match self.failures.iter().filter(|failure| failure.route == route).count() {
            0 => "ok".to_owned(),
            failed => format!("{failed}/{wanted} FAILED"),
        }
    }

    pub(super) fn as_json(&self) -> Value {
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|one| json!({ "route": one.route, "server": one.server, "step": one.step, "why": one.why }))
            .collect();
        json!({
            "client": self.client.name,
            "sdk": self.client.sdk.title(),
            "revision": self.client.era.version(),
            "steps": self.wanted,
            "failures": failures,
        })
    }
}

/// A line per client, a column per route, then what failed and why.
pub(super) fn table(verdicts: &[Verdict]) -> String {
    let routes: Vec<&str> = SERVERS.into_iter().chain(["all"]).collect();
    let width = verdicts.iter().map(|verdict| verdict.title().len()).max().unwrap_or_default();
    let row = |title: &str, words: Vec<String>| {
        let words = words.iter().map(|word| format!("{word:<12}")).collect::<String>();
        format!("{title:<width$}  {}", words.trim_end())
    };
    let mut lines = vec![row("", routes.iter().map(|route| (*route).to_owned()).collect())];
    for verdict in verdicts {
        lines.push(row(&verdict.title(), routes.iter().map(|route| verdict.word(route)).collect()));
    }
    for verdict in verdicts {
        for Failure { route, server, step, why } in &verdict.failures {
            lines.push(format!("{}: {route}, {server}, {step}: {why}", verdict.client.name));
        }
    }
    lines.join("\n")
}

/// What a client said of a step, or why there is nothing.
pub(super) fn line<'a>(
    lines: &'a [Value],
    route: &str,
    server: &str,
    step: &str,
) -> Result<&'a Value, String> {
    let is_meant = |line: &&Value| line["route"] == route && line["server"] == server && line["step"] == step;
    let line = lines.iter().find(is_meant).ok_or("the client did not get so far")?;
    match line.get("got") {
        Some(got) => Ok(got),
        None => Err(shown(line["error"].as_str().unwrap_or("the client says nothing"))),
    }
}

fn opened(lines: &[Value], route: &str, version: &str) -> Option<String> {
    match line(lines, route, route, "open") {
        Ok(got) if got["version"] == version => None,
        Ok(got) => Some(format!("agreed on {}", got["version"])),
        Err(why) => Some(why),
    }
}

/// What was got, without what differs for good reason: the names of all servers' tools, and what a revision writes
/// around a result.
fn settled(got: &Value, route: &str, server: &str, step: &str) -> Value {
    let mut got = got.clone();
    if let Some(tools) = got.as_array_mut().filter(|_| step == "tools") {
        let prefix = if route == "all" { format!("{server}__") } else { String::new() };
        tools.retain_mut(|tool| {
            let name = tool["name"].as_str().and_then(|name| name.strip_prefix(&prefix)).map(str::to_owned);
            let is_meant = name.is_some();
            tool["name"] = json!(name);
            // One of the SDKs leaves this out where the revision has no tasks.
            tool.as_object_mut().map(|members| members.remove("execution"));
            is_meant
        });
    }
    for place in ["", "/result"] {
        if let Some(members) = got.pointer_mut(place).and_then(Value::as_object_mut) {
            members.retain(|name, _| !AROUND.contains(&name.as_str()));
        }
    }
    got
}

/// The first place where two values differ, and how.
fn difference(held: &Value, got: &Value, place: &str) -> Option<String> {
    match (held, got) {
        (Value::Object(held), Value::Object(got)) => {
            let keys = held.keys().chain(got.keys().filter(|key| !held.contains_key(*key)));
            let mut differences = keys.filter_map(|key| {
                let of = |members: &serde_json::Map<String, Value>| {
                    members.get(key).cloned().unwrap_or(json!("(absent)"))
                };
                difference(&of(held), &of(got), &format!("{place}/{key}"))
            });
            differences.next()
        }
        (Value::Array(held), Value::Array(got)) if held.len() == got.len() => {
            let mut pairs = held.iter().zip(got).enumerate();
            pairs.find_map(|(index, (held, got))| difference(held, got, &format!("{place}/{index}")))
        }
        _ if held == got => None,
        _ => Some(format!(
            "{} is {}, without the gateway {}",
            if place.is_empty() { "it" } else { place },
            shown(&got.to_string()),
            shown(&held.to_string())
        )),
    }
}

/// A text of somebody else, cut, with nothing in it that a terminal would follow.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MOST_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST_SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_servers_tools_are_taken_back() {
        let got = json!([{ "name": "git__log" }, { "name": "memory__log" }, { "name": "git__add" }]);
        assert_eq!(settled(&got, "all", "git", "tools"), json!([{ "name": "log" }, { "name": "add" }]));
        assert_eq!(settled(&got, "git", "git", "tools"), got);
    }

    #[test]
    fn what_a_revision_adds_is_no_difference() {
        let older = json!({ "result": { "content": [] } });
        let newer = json!({ "result": { "content": [], "resultType": "complete", "_meta": {} } });
        let settled = |got: &Value| settled(got, "git", "git", "call");
        assert_eq!(difference(&settled(&older), &settled(&newer), ""), None);
    }

    #[test]
    fn a_difference_is_named_by_its_place() {
        let held = json!({ "content": [{ "text": "a" }], "isError": false });
        let found = |got: Value| difference(&held, &got, "").unwrap();
        assert!(
            found(json!({ "content": [{ "text": "\u{1b}" }], "isError": false }))
                .starts_with(r#"/content/0/text is \"\\u001b\", without the gateway \"a\""#)
        );
        assert!(found(json!({ "content": [{ "text": "a" }] })).starts_with("/isError is"));
        assert!(found(json!({ "content": [], "isError": false })).starts_with("/content is"));
    }

    #[test]
    fn a_step_nobody_took_has_failed() {
        let lines = [json!({ "route": "git", "server": "git", "step": "call", "error": "it\nbroke" })];
        assert_eq!(line(&lines, "git", "git", "call"), Err("it\\nbroke".to_owned()));
        assert!(line(&lines, "all", "git", "call").is_err());
    }
}
