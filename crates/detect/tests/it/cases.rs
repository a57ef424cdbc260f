//! Runs every example on the page of every check.

use crate::stage::{Scene, counts, detector, shown};
use portcullis_detect::Facts;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The least number of examples of each kind on a page.
const LEAST_EXAMPLES: usize = 2;

/// Objects stay raw: what a parser would drop (a key that is there twice) is part of the example.
type Members = BTreeMap<String, Box<RawValue>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Flagged,
    Clean,
}

#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) heading: String,
    pub(crate) kind: Kind,
    pub(crate) json: String,
}

/// The examples of a page, in its order.
pub(crate) fn examples(page: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut heading = String::new();
    let mut open: Option<Example> = None;
    for line in page.lines() {
        match (&mut open, line.trim_end()) {
            (Some(_), "```") => found.extend(open.take()),
            (Some(example), _) => {
                example.json.push_str(line);
                example.json.push('\n');
            }
            (None, fence) if fence.starts_with("```") => {
                let kind = match fence {
                    "```json flagged" => Kind::Flagged,
                    "```json clean" => Kind::Clean,
                    _ => continue,
                };
                open = Some(Example { heading: heading.clone(), kind, json: String::new() });
            }
            (None, line) => {
                if let Some(title) = line.strip_prefix("### ") {
                    heading = title.to_owned();
                }
            }
        }
    }
    assert!(open.is_none(), "the block under `{heading}` is not closed");
    found
}

/// The tool of an example, alone or among its peers.
fn scene(json: &str) -> Result<Scene, String> {
    // No whole credential shape is committed; the mark that breaks it is taken out here.
    let json = json.replace("{cut}", "");
    let members = object(&json)?;
    if !members.contains_key("tool") {
        return Ok(Scene::alone(json));
    }
    let unknown = members.keys().find(|key| !["server", "tool", "peers"].contains(&key.as_str()));
    if let Some(unknown) = unknown {
        return Err(format!("`{unknown}` is no part of an example"));
    }
    let peers: Vec<Members> = match members.get("peers") {
        Some(peers) => serde_json::from_str(peers.get()).map_err(|error| error.to_string())?,
        None => Vec::new(),
    };
    let peers = peers.iter().map(member).collect::<Result<Vec<_>, _>>()?;
    let (server, tool) = member(&members)?;
    Ok(Scene { server, tool, peers })
}

fn object(json: &str) -> Result<Members, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// The server and the tool of `{"server": …, "tool": …}`.
fn member(members: &Members) -> Result<(String, String), String> {
    let raw = |key: &str| members.get(key).map(|value| value.get()).ok_or(format!("`{key}` is missing"));
    let server: String = serde_json::from_str(raw("server")?).map_err(|error| error.to_string())?;
    Ok((server, raw("tool")?.to_owned()))
}

/// What is wrong with an example, if anything.
fn disagreement(facts: &Facts, example: &Example) -> Option<String> {
    let observation = match scene(&example.json).and_then(|scene| scene.observe(detector())) {
        Ok(observation) => observation,
        Err(error) => return Some(format!("cannot be read: {error}")),
    };
    if !observation.coverage.failed.is_empty() {
        return Some(format!("makes {:?} panic", observation.coverage.failed));
    }
    let counted: Vec<_> = observation.signals.iter().filter(|signal| counts(signal)).cloned().collect();
    let ours: Vec<_> = counted.iter().filter(|signal| signal.check == facts.id).cloned().collect();
    match example.kind {
        Kind::Flagged if ours.is_empty() => Some(format!("is missed; others say: {}", shown(&counted))),
        Kind::Clean if !ours.is_empty() => Some(format!("is a false alarm: {}", shown(&ours))),
        _ => {
            ours.iter().any(|signal| signal.tier > facts.tier).then(|| "is above its check's tier".to_owned())
        }
    }
}

#[test]
fn every_example_of_every_page_agrees_with_its_check() {
    let mut wrong = Vec::new();
    for facts in detector().facts() {
        for example in examples(facts.page) {
            if let Some(why) = disagreement(facts, &example) {
                wrong.push(format!("{} ({:?}) `{}` {why}", facts.id, example.kind, example.heading));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples disagree:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_page_has_examples_of_both_kinds_each_under_its_own_heading() {
    for facts in detector().facts() {
        let examples = examples(facts.page);
        for kind in [Kind::Flagged, Kind::Clean] {
            let count = examples.iter().filter(|example| example.kind == kind).count();
            assert!(count >= LEAST_EXAMPLES, "{} has {count} examples that are {kind:?}", facts.id);
        }
        let mut headings: Vec<&str> = examples.iter().map(|example| example.heading.as_str()).collect();
        headings.sort_unstable();
        headings.dedup();
        assert_eq!(headings.len(), examples.len(), "{}: two examples share a heading", facts.id);
    }
}

#[test]
fn every_page_opens_with_the_id_of_its_check() {
    for facts in detector().facts() {
        assert!(facts.page.starts_with(&format!("# {}: ", facts.id)), "{}", facts.id);
    }
}

#[test]
fn the_runner_can_fail() {
    let facts = detector().facts().next().expect("there is a check");
    let check = |kind: Kind, json: &str, expected: bool| {
        let example = Example { heading: String::new(), kind, json: json.to_owned() };
        let why = disagreement(facts, &example);
        assert_eq!(why.is_some(), expected, "{json}: {why:?}");
    };
    let hidden = r#"{"name": "a", "description": "b\u200bc"}"#;
    let plain = r#"{"name": "a", "description": "bc"}"#;
    check(Kind::Flagged, hidden, false);
    check(Kind::Clean, hidden, true);
    check(Kind::Flagged, plain, true);
    check(Kind::Clean, plain, false);
    check(Kind::Clean, "{", true);
    check(Kind::Clean, &format!(r#"{{"server": "s", "tool": {plain}, "peer": []}}"#), true);
    check(Kind::Clean, &format!(r#"{{"tool": {plain}}}"#), true);
    check(Kind::Flagged, &format!(r#"{{"server": "s", "tool": {hidden}, "peers": []}}"#), false);
    check(
        Kind::Clean,
        &format!(r#"{{"server": "s", "tool": {plain}, "peers": [{{"server": "t", "tool": {hidden}}}]}}"#),
        false,
    );
}
