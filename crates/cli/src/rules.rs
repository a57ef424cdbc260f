//! Rules of the operator's own: reading them from YAML, trying them, and putting them beside the shipped checks.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use portcullis_detect::rules::{Example, Rules, WrittenRule};
use portcullis_detect::{Detector, escape_line};
use portcullis_gateway::quarantine::OwnRules;
use serde::Deserialize;
use serde_json::Value;

use crate::Streams;
use crate::document::{self, Format, Member, Node, Problem};
use crate::exit::{Exit, Failure};

/// The version of the format.
const VERSION: &str = "1";
/// What stands at the top of a file.
const KEYS: [&str; 2] = ["version", "rules"];
/// No sensible file of rules is larger; a reader of YAML must have a bound.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How sure a match is unless the rule says otherwise: sure enough to be shown to everyone.
const CONFIDENCE: f64 = 0.8;

#[derive(Debug, Args)]
pub(crate) struct RulesArguments {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    /// Run every rule of a file on its own examples.
    Test {
        /// Files with rules.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Runs the command.
pub(crate) fn run(arguments: &RulesArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let RulesCommand::Test { files } = &arguments.command;
    let (rules, _) = load(files)?;
    let mut is_proved = true;
    for (id, passed, failed) in rules.prove() {
        is_proved &= failed.is_empty();
        let word = if failed.is_empty() { "ok" } else { "FAILED" };
        writeln!(streams.out, "{id}: {word}, {passed} of {} examples", passed + failed.len())?;
        failed.iter().try_for_each(|failed| writeln!(streams.out, "  {failed}"))?;
    }
    Ok(if is_proved { Exit::Clean } else { Exit::Findings })
}

/// A detector with the rules of these files after its own checks.
///
/// # Errors
/// A file cannot be used, or a rule fails on its own examples.
pub(crate) fn detector(files: &[PathBuf]) -> Result<Detector, Failure> {
    Ok(own(files)?.map_or_else(Detector::new, |own| own.rules.added_to(Detector::new())))
}

/// The rules of these files, proved, as the gateway takes them; `None` without files.
///
/// # Errors
/// Those of [`detector`].
pub(crate) fn own(files: &[PathBuf]) -> Result<Option<OwnRules>, Failure> {
    if files.is_empty() {
        return Ok(None);
    }
    let (rules, print) = load(files)?;
    for (id, _, failed) in rules.prove() {
        if let Some(failed) = failed.first() {
            let message =
                format!("rule `{id}` fails on its own examples: {failed}; portcullis rules test shows all");
            return Err(Failure::Usage(message));
        }
    }
    Ok(Some(OwnRules { rules: Arc::new(rules), print }))
}

/// The rules of these files, and what they are recognised by.
fn load(files: &[PathBuf]) -> Result<(Rules, String), Failure> {
    let mut written = Vec::new();
    for file in files {
        written.extend(read(file)?);
    }
    let rules = Rules::new(&written).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|bad| escape_line(&bad.to_string(), 300)).collect();
        Failure::Usage(format!("these rules cannot be used\n{}", lines.join("\n")))
    })?;
    Ok((rules, format!("{written:?}")))
}

/// A rule as it is written. Numbers of YAML come as texts: nothing in a file of clients is one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    title: String,
    pattern: String,
    #[serde(default)]
    units: Vec<String>,
    #[serde(default)]
    tier: String,
    #[serde(default)]
    threat: String,
    confidence: Option<String>,
    #[serde(default)]
    help: String,
    #[serde(default)]
    should_match: Vec<Value>,
    #[serde(default)]
    should_not_match: Vec<Value>,
}

fn read(file: &Path) -> Result<Vec<WrittenRule>, Failure> {
    let name = file.display();
    let refused = |reason: &dyn std::fmt::Display| Failure::Usage(format!("cannot read {name}: {reason}"));
    let about = fs::metadata(file).map_err(|error| refused(&error))?;
    if about.len() > LARGEST {
        return Err(refused(&"it is larger than 4 MB"));
    }
    let text = fs::read_to_string(file).map_err(|error| refused(&error))?;
    let root = document::parse(&text, Format::Yaml).map_err(|problem| refused(&problem))?;
    rules_of(&root).map_err(|problem| refused(&problem))
}

fn rules_of(root: &Node) -> Result<Vec<WrittenRule>, Problem> {
    if let Some(member) = twice(root) {
        return Err(Problem::at(member.at, format!("`{}` stands here twice", member.name)));
    }
    if let Some(member) = root.members().iter().find(|member| !KEYS.contains(&member.name.as_str())) {
        return Err(Problem::at(member.at, format!("`{}` means nothing here", member.name)));
    }
    match root.member("version").and_then(Node::text) {
        Some(VERSION) => {}
        Some(other) => {
            let reason = format!("its version is {other}, this portcullis knows {VERSION}");
            return Err(Problem::at(root.at, reason));
        }
        None => return Err(Problem::at(root.at, format!("`version: {VERSION}` is missing"))),
    }
    let Some(list) = root.member("rules") else {
        return Err(Problem::at(root.at, "`rules` is missing".to_owned()));
    };
    list.elements().iter().map(|node| rule(node).map_err(|reason| Problem::at(node.at, reason))).collect()
}

/// A name that stands twice in one map: one of the two would be lost without a word.
fn twice(node: &Node) -> Option<&Member> {
    let members = node.members();
    let is_again = |(index, member): &(usize, &Member)| {
        members.iter().take(*index).any(|other| other.name == member.name)
    };
    let here = members.iter().enumerate().find(is_again).map(|(_, member)| member);
    here.or_else(|| members.iter().map(|member| &member.node).chain(node.elements()).find_map(twice))
}

fn rule(node: &Node) -> Result<WrittenRule, String> {
    let entry: Entry = serde_json::from_value(node.plain()).map_err(|error| error.to_string())?;
    let confidence = match &entry.confidence {
        Some(text) => text.parse().map_err(|_| "`confidence` is a number from 0 to 1".to_owned())?,
        None => CONFIDENCE,
    };
    // Values out of range stay out of range, and are refused with the rule's name.
    let thousandths = (confidence * 1000.0).round().clamp(0.0, f64::from(u16::MAX));
    Ok(WrittenRule {
        id: entry.id,
        title: entry.title,
        pattern: entry.pattern,
        units: entry.units,
        tier: entry.tier,
        threat: entry.threat,
        confidence: thousandths as u16,
        help: entry.help,
        should_match: entry.should_match.into_iter().map(example).collect(),
        should_not_match: entry.should_not_match.into_iter().map(example).collect(),
    })
}

/// A text stands for itself, anything else is a definition.
fn example(value: Value) -> Example {
    match value {
        Value::String(text) => Example::Text(text),
        other => Example::Definition(other.to_string()),
    }
}
