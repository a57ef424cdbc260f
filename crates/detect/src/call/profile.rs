//! What a tool can do to an agent's world: its labels, each with where it came from.
//!
//! Inferred from words of name, first sentence and parameters; annotations may only raise the risk; the operator has
//! the last word.

use super::operation::{self, Operation};
use super::parameter::{Parameter, ParameterRole, names_address};
use super::word::Word;
use crate::prelude::*;
use crate::registry::spelling;
use crate::tool::{Definition, Hints, Role};
use alloc::collections::BTreeSet;
use core::fmt;

/// One thing a tool can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Its results are the user's own: mail, files, accounts, records.
    ReadsPrivate,
    /// Its results were written by others: pages, mail, comments.
    SeesUntrusted,
    /// It takes data to an address that somebody names.
    CanSend,
    /// It changes something.
    Writes,
    /// It takes something away.
    Deletes,
    /// It runs code, commands or queries it is given.
    Executes,
}

impl Label {
    /// All labels, in the order they are shown.
    pub const ALL: [Label; 6] = [
        Label::ReadsPrivate,
        Label::SeesUntrusted,
        Label::CanSend,
        Label::Writes,
        Label::Deletes,
        Label::Executes,
    ];

    /// The word used in every output format and in the operator's settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Label::ReadsPrivate => "reads_private",
            Label::SeesUntrusted => "sees_untrusted",
            Label::CanSend => "can_send",
            Label::Writes => "writes",
            Label::Deletes => "deletes",
            Label::Executes => "executes",
        }
    }

    /// The label a word names.
    pub fn named(word: &str) -> Option<Label> {
        Label::ALL.into_iter().find(|label| label.as_str() == word)
    }
}

/// Where a label came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelOrigin {
    /// A word of the name or of the first sentence.
    Word(String),
    /// The name of a parameter.
    Parameter(String),
    /// An annotation of the server.
    Annotation(&'static str),
    /// The operator said so.
    Operator,
}

impl fmt::Display for LabelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelOrigin::Word(word) => write!(f, "word `{}`", crate::escape_line(word, 40)),
            LabelOrigin::Parameter(name) => write!(f, "parameter `{}`", crate::escape_line(name, 40)),
            LabelOrigin::Annotation(name) => write!(f, "annotation {name}"),
            LabelOrigin::Operator => f.write_str("operator"),
        }
    }
}

/// What an operator says about a tool; what is not said is inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// The operation, whatever the name says.
    pub operation: Option<Operation>,
    /// Labels that are so, or are not.
    pub labels: Vec<(Label, bool)>,
    /// Parameters that carry destinations, besides those inferred.
    pub destinations: Vec<String>,
}

/// Names of parameters that a profile keeps: enough for any honest tool, and few enough to be looked through.
const MOST_PARAMETERS: usize = 32;

/// What is known about a tool before it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolProfile {
    /// What it does, by name, description and annotations.
    pub operation: Operation,
    /// What it does by its name alone; contradictions compare.
    pub(crate) named: Operation,
    /// The server's annotations, as declared.
    pub(crate) hints: Hints,
    labels: Vec<(Label, LabelOrigin)>,
    destinations: Vec<String>,
    /// What the names of its parameters say; others are asked when they come.
    parameters: Vec<(Box<str>, Parameter)>,
    /// Whether whoever calls chooses where it goes.
    takes_destination: bool,
    /// Whether a definition was seen, or only a call.
    is_declared: bool,
}

impl ToolProfile {
    /// The profile of a declared tool.
    pub fn of(definition: &Definition, said: &Override) -> ToolProfile {
        let parameters = definition
            .units_with(Role::PropertyName)
            .filter(|unit| !unit.is_output)
            .map(|unit| definition.unit_text(unit));
        let parameters: Vec<&str> = parameters.collect();
        let key = definition.name_key().text.clone();
        let mut profile = infer(&key, definition.description(), &parameters, definition.hints());
        let chosen = choices(definition);
        profile.takes_destination =
            parameters.iter().any(|name| Parameter::is_place(name) && !chosen.contains(*name));
        profile.is_declared = true;
        profile.apply(said);
        profile.learn(&parameters);
        profile
    }

    /// The profile of a tool whose definition nobody saw: its name and the arguments of a call.
    pub fn of_call(name: &str, parameters: &[&str], said: &Override) -> ToolProfile {
        let mut profile = infer(&spelling(name), "", parameters, Hints::default());
        profile.apply(said);
        profile.learn(parameters);
        profile
    }

    /// Whether the tool has a label.
    pub fn has(&self, label: Label) -> bool {
        self.labels.iter().any(|(known, _)| *known == label)
    }

    /// The labels with their origins, in a fixed order.
    pub fn labels(&self) -> &[(Label, LabelOrigin)] {
        &self.labels
    }

    /// Whether the call may change or send something: what it does, or what it can do.
    pub fn acts(&self) -> bool {
        self.operation.acts() || self.has(Label::CanSend) || self.has(Label::Executes)
    }

    /// Whether whoever calls chooses where it goes; a list of places to choose from is no such choice.
    pub fn takes_destination(&self) -> bool {
        self.takes_destination || !self.destinations.is_empty()
    }

    /// Whether a definition was seen.
    pub fn is_declared(&self) -> bool {
        self.is_declared
    }

    /// What a parameter of the tool carries.
    pub fn role(&self, parameter: &str) -> ParameterRole {
        self.parameter(parameter).role
    }

    /// What the name of a parameter says of the values it is given in a call.
    pub(crate) fn parameter(&self, name: &str) -> Parameter {
        let known = self.parameters.iter().find(|(known, _)| **known == *name);
        known.map_or_else(|| self.named_parameter(name), |(_, parameter)| *parameter)
    }

    /// The operator's word stands above what the name says.
    fn named_parameter(&self, name: &str) -> Parameter {
        let mut parameter = Parameter::named(name);
        if self.destinations.iter().any(|known| known == name) {
            parameter.role = ParameterRole::Destination;
        }
        parameter
    }

    /// Keeps what the names of parameters say.
    ///
    // INVARIANT: the operator was heard before, and nothing changes the profile behind it.
    fn learn(&mut self, names: &[&str]) {
        for name in names {
            let is_known = self.parameters.iter().any(|(known, _)| **known == **name);
            if !is_known && self.parameters.len() < MOST_PARAMETERS {
                self.parameters.push(((*name).into(), self.named_parameter(name)));
            }
        }
    }

    fn apply(&mut self, said: &Override) {
        if let Some(operation) = said.operation {
            self.operation = operation;
            self.named = operation;
        }
        for (label, is_so) in &said.labels {
            self.labels.retain(|(known, _)| known != label);
            if *is_so {
                self.labels.push((*label, LabelOrigin::Operator));
            }
        }
        self.labels.sort_by_key(|(label, _)| *label);
        self.destinations.extend(said.destinations.iter().cloned());
    }

    fn add(&mut self, label: Label, origin: LabelOrigin) {
        if !self.has(label) {
            self.labels.push((label, origin));
        }
    }
}

/// The operation of a tool by name and description alone, as the classifier is measured.
pub fn operation_of(name: &str, description: &str) -> Operation {
    operation::deed(&spelling(name), description).operation
}

fn infer(key: &str, description: &str, parameters: &[&str], hints: Hints) -> ToolProfile {
    let deed = operation::deed(key, description);
    let mut profile = ToolProfile {
        operation: deed.operation,
        named: operation::deed(key, "").operation,
        hints,
        labels: Vec::new(),
        destinations: Vec::new(),
        parameters: Vec::new(),
        takes_destination: parameters.iter().any(|name| Parameter::is_place(name)),
        is_declared: false,
    };
    raise_by_hints(&mut profile);
    let by_verb = || LabelOrigin::Word(deed.verb.clone());
    if deed.executes {
        profile.add(Label::Executes, by_verb());
    }
    if deed.operation == Operation::Destructive {
        profile.add(Label::Deletes, by_verb());
    }
    if deed.operation.acts() {
        profile.add(Label::Writes, by_verb());
    }
    label_sending(&mut profile, key, parameters);
    label_reading(&mut profile, key, description);
    profile.labels.sort_by_key(|(label, _)| *label);
    profile
}

/// A server may say that its tool is worse than it looks; that it is better is only its word.
fn raise_by_hints(profile: &mut ToolProfile) {
    if profile.hints.destructive == Some(true) && profile.hints.read_only != Some(true) {
        profile.operation = profile.operation.max(Operation::Destructive);
        profile.add(Label::Deletes, LabelOrigin::Annotation("destructiveHint"));
    }
    if profile.hints.read_only == Some(false) {
        profile.operation = profile.operation.max(Operation::Write);
        profile.add(Label::Writes, LabelOrigin::Annotation("readOnlyHint"));
    }
}

fn label_sending(profile: &mut ToolProfile, key: &str, parameters: &[&str]) {
    let sends = key.split('_').find(|word| Word::of(word).any(Word::SEND));
    if let Some(word) = sends.filter(|_| profile.operation.acts()) {
        profile.add(Label::CanSend, LabelOrigin::Word(word.to_owned()));
    }
    let destination =
        parameters.iter().find(|name| Parameter::named(name).role == ParameterRole::Destination);
    if let Some(name) = destination.filter(|_| profile.operation.acts()) {
        profile.add(Label::CanSend, LabelOrigin::Parameter((*name).to_owned()));
    }
    // A request to any address takes data along in its path, whatever its name says.
    let address = parameters.iter().find(|name| names_address(name));
    if let Some(name) = address {
        profile.add(Label::CanSend, LabelOrigin::Parameter((*name).to_owned()));
    }
}

fn label_reading(profile: &mut ToolProfile, key: &str, description: &str) {
    let lead = description.split(['.', '\n']).next().unwrap_or_default().to_lowercase();
    let words = || {
        let lead = lead.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).take(16);
        key.split('_').chain(lead)
    };
    let finds = |class: Word| words().find(|word| Word::of(word).any(class)).map(str::to_owned);
    let may_read = profile.operation == Operation::Read || profile.has(Label::Executes);
    if !may_read {
        return;
    }
    if let Some(word) = finds(Word::PRIVATE.or(Word::ENGINE)) {
        profile.add(Label::ReadsPrivate, LabelOrigin::Word(word));
    }
    if let Some(word) = finds(Word::UNTRUSTED) {
        profile.add(Label::SeesUntrusted, LabelOrigin::Word(word));
    } else if profile.hints.open_world == Some(true) {
        profile.add(Label::SeesUntrusted, LabelOrigin::Annotation("openWorldHint"));
    }
}

/// Parameters whose values the schema lists.
fn choices(definition: &Definition) -> BTreeSet<String> {
    let listed = definition.units_with(Role::Value).filter(|unit| !unit.is_output).filter_map(|unit| {
        let pointer = definition.pointer(unit);
        let (before, _) = pointer.split_once("/enum/").or_else(|| pointer.rsplit_once("/const"))?;
        let before = before.strip_suffix("/items").unwrap_or(before);
        Some(before.rsplit_once("/properties/")?.1.replace("~1", "/").replace("~0", "~"))
    });
    listed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(name: &str, parameters: &[&str]) -> Vec<&'static str> {
        let profile = ToolProfile::of_call(name, parameters, &Override::default());
        profile.labels().iter().map(|(label, _)| label.as_str()).collect()
    }

    #[test]
    fn labels_follow_from_words() {
        assert_eq!(labels("get_webpage", &["url"]), ["sees_untrusted", "can_send"]);
        assert_eq!(labels("send_email", &["recipients", "body"]), ["can_send", "writes"]);
        assert_eq!(labels("read_inbox", &[]), ["reads_private", "sees_untrusted"]);
        assert_eq!(labels("delete_file", &["file_id"]), ["writes", "deletes"]);
        assert_eq!(labels("run_shell", &["command"]), ["writes", "executes"]);
        assert_eq!(labels("add_numbers", &["a", "b"]), ["writes"]);
        assert_eq!(labels("convert_units", &["value", "unit"]), [""; 0]);
    }

    #[test]
    fn the_operator_has_the_last_word_and_annotations_only_raise() {
        let said = Override { labels: vec![(Label::CanSend, false)], ..Override::default() };
        assert!(!ToolProfile::of_call("send_email", &["to"], &said).has(Label::CanSend));
        let json = r#"{"name":"send_mail","annotations":{"readOnlyHint":true}}"#;
        let tool = Definition::parse("s", crate::Kind::Tool, json).expect("well formed");
        assert_eq!(ToolProfile::of(&tool, &Override::default()).operation, Operation::Write);
        let json = r#"{"name":"sync_rows","annotations":{"readOnlyHint":false,"destructiveHint":true}}"#;
        let tool = Definition::parse("s", crate::Kind::Tool, json).expect("well formed");
        assert_eq!(ToolProfile::of(&tool, &Override::default()).operation, Operation::Destructive);
    }

    #[test]
    fn a_destination_is_free_unless_the_schema_lists_the_places() {
        let check = |to: &str, expected: bool| {
            let json = format!(
                r#"{{"name":"send_email","inputSchema":{{"properties":{{"to":{to},"body":{{}}}}}}}}"#
            );
            let tool = Definition::parse("s", crate::Kind::Tool, &json).expect("well formed");
            assert_eq!(ToolProfile::of(&tool, &Override::default()).takes_destination(), expected, "{to}");
        };
        check(r#"{"type":"string"}"#, true);
        check(r#"{"enum":["team@tide.example","board@tide.example"]}"#, false);
        check(r#"{"type":"array","items":{"enum":["team@tide.example"]}}"#, false);
        check(r#"{"const":"team@tide.example"}"#, false);
        check(r#"{"type":"string","examples":["team@tide.example"]}"#, true);
    }

    #[test]
    fn a_parameter_is_what_its_name_says_whether_the_profile_knows_it_or_not() {
        let said =
            Override { destinations: vec!["hotel".to_owned(), "desk".to_owned()], ..Override::default() };
        let many: Vec<String> = (0..200).map(|number| format!("recipient_{number}x")).collect();
        let mut names: Vec<&str> = vec!["hotel", "body", "sql", "action", "body"];
        names.extend(many.iter().map(String::as_str));
        let profile = ToolProfile::of_call("send_note", &names, &said);
        assert!(profile.parameters.len() == MOST_PARAMETERS);
        for name in names.iter().copied().chain(["unheard_body", "method", "desk", "command", ""]) {
            let expected = match name {
                "hotel" | "desk" => Parameter { role: ParameterRole::Destination, ..Parameter::named(name) },
                _ => Parameter::named(name),
            };
            assert_eq!(profile.parameter(name), expected, "{name}");
            assert_eq!(profile.role(name), expected.role, "{name}");
        }
    }
}
