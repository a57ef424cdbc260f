//! The examples of a rule: a text, or a whole definition, that must match or must not.

use super::{UNITS, WrittenRule};
use crate::observe::Detector;
use crate::prelude::*;
use crate::registry::Registry;
use crate::text::show;
use crate::tool::{Definition, Kind};
use core::fmt;
use serde_json::json;

/// One example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Example {
    /// A text; it is put into the first unit the rule looks at.
    Text(String),
    /// The JSON of a tool.
    Definition(String),
}

/// An example that did not behave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// It should have matched.
    pub should_match: bool,
    /// Which of its kind, from 1.
    pub number: usize,
    /// What happened instead.
    pub problem: String,
    /// Its beginning, safe to print.
    pub shown: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = if self.should_match { "should_match" } else { "should_not_match" };
        write!(f, "{list} {} {}: {}", self.number, self.problem, self.shown)
    }
}

/// How many examples behaved, and those that did not.
pub(super) fn run(written: &WrittenRule, detector: &Detector) -> (usize, Vec<Failed>) {
    let yes = written.should_match.iter().enumerate().map(|(index, example)| (true, index, example));
    let no = written.should_not_match.iter().enumerate().map(|(index, example)| (false, index, example));
    let (mut passed, mut failed) = (0, Vec::new());
    for (should_match, index, example) in yes.chain(no) {
        match problem(written, detector, example, should_match) {
            None => passed += 1,
            Some(problem) => {
                let (Example::Text(text) | Example::Definition(text)) = example;
                let shown = show::line(text, 80);
                failed.push(Failed { should_match, number: index + 1, problem, shown });
            }
        }
    }
    (passed, failed)
}

fn problem(
    written: &WrittenRule,
    detector: &Detector,
    example: &Example,
    should_match: bool,
) -> Option<String> {
    let json = match example {
        Example::Text(text) => placed(written, text),
        Example::Definition(json) => json.clone(),
    };
    let definition = match Definition::parse("example", Kind::Tool, &json) {
        Ok(definition) => definition,
        Err(bad) => return Some(format!("is no definition ({})", show::line(&bad.reason, 100))),
    };
    let mut registry = Registry::new();
    registry.insert_server("example", vec![definition]);
    let id = registry.ids().next()?;
    let signals = detector.observe(&registry, id).signals;
    match (signals.first(), should_match) {
        (None, true) => Some("does not match".to_owned()),
        (Some(signal), false) => Some(format!("matches at {}", signal.evidence.place())),
        (None, false) | (Some(_), true) => None,
    }
}

/// A tool with the text where the rule looks first.
fn placed(written: &WrittenRule, text: &str) -> String {
    let unit = written.units.first().map_or("description", String::as_str);
    let parameter = |key: &str| json!({"name": "example", "inputSchema": {"properties": {"p": {key: text}}}});
    debug_assert!(UNITS.contains(&unit), "units were checked before");
    let tool = match unit {
        "name" => json!({"name": text}),
        "title" => json!({"name": "example", "title": text}),
        "parameter_name" => json!({"name": "example", "inputSchema": {"properties": {text: {}}}}),
        "parameter_text" => parameter("description"),
        "value" => parameter("default"),
        "header" => parameter("x-mcp-header"),
        "other" => json!({"name": "example", "_meta": {"note": text}}),
        _ => json!({"name": "example", "description": text}),
    };
    tool.to_string()
}
