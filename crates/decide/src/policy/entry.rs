//! Every entry of a policy held against one call, in the order in which entries count.
//!
//! A verdict takes the strictest of the first level that says something; an explanation shows the others too.

use super::{Act, AddressRule, ArgumentRule, CallState, Hold, Policy, Subject, fits, judged};
use alloc::format;
use alloc::string::{String, ToString};
use portcullis_detect::call::{CallSignal, Operation};
use portcullis_detect::json::Json;

/// Where an entry stands; the first level that says something about a call counts, the last three may only be stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The stop switch, and tools that are held.
    Hold,
    /// What parameters are set to.
    Argument,
    /// Tools, and the operator's conditions.
    Tool,
    /// Servers.
    Server,
    /// What checks raised.
    Rule,
    /// What the call does.
    Operation,
    /// Checks that could not look.
    Degraded,
    /// What went before is not known.
    FlowsAway,
    /// The score.
    Risk,
}

impl Level {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Hold => "hold",
            Level::Argument => "argument",
            Level::Tool => "tool",
            Level::Server => "server",
            Level::Rule => "rule",
            Level::Operation => "operation",
            Level::Degraded => "degraded",
            Level::FlowsAway => "flows_away",
            Level::Risk => "risk",
        }
    }
}

/// One entry and what it says about a call.
pub(super) struct Entry<'a> {
    pub(super) level: Level,
    pub(super) name: Name<'a>,
    pub(super) act: Act,
    /// Why it says nothing about this call.
    pub(super) silence: Option<&'static str>,
    /// The operator wrote it; the profile brings the others.
    pub(super) is_written: bool,
}

/// What an entry is called.
#[derive(Clone, Copy)]
pub(super) enum Name<'a> {
    Hold(Hold),
    Argument(&'a ArgumentRule),
    Address(&'a AddressRule),
    Condition(&'a str),
    Check(&'a str),
    Operation(Operation),
}

impl Name<'_> {
    /// As verdicts and records name it.
    pub(super) fn short(&self) -> String {
        match self {
            Name::Hold(Hold::Stopped) => "stop-calls".to_string(),
            Name::Hold(Hold::Quarantined) => "quarantined".to_string(),
            Name::Hold(Hold::Blocked) => "blocked".to_string(),
            Name::Hold(Hold::RateLimited) => "rate_limit".to_string(),
            Name::Argument(rule) => format!("argument:{}", rule.parameter),
            Name::Address(AddressRule { tool: Some(tool), .. }) => format!("tool:{tool}"),
            Name::Address(AddressRule { server, .. }) => format!("server:{server}"),
            Name::Condition(id) => format!("condition:{id}"),
            Name::Check(check) => (*check).to_string(),
            Name::Operation(operation) => format!("operation:{}", operation.as_str()),
        }
    }

    /// As the operator would find it again in what is written.
    pub(super) fn whole(&self) -> String {
        match self {
            Name::Argument(rule) => {
                format!("{}/{} {}={}", rule.server, rule.tool, rule.parameter, rule.value)
            }
            Name::Address(AddressRule { server, tool: Some(tool), .. }) => format!("{server}/{tool}"),
            Name::Address(AddressRule { server, .. }) => server.clone(),
            Name::Operation(operation) => operation.as_str().to_string(),
            other => other.short(),
        }
    }
}

/// The entries that name a call itself, from the level that counts most on; those that do not speak of it say why.
pub(super) fn naming<'a>(
    subject: Subject<'a>,
    policy: &'a Policy,
    state: &'a CallState<'a>,
) -> impl Iterator<Item = Entry<'a>> {
    let written = |level: Level, name: Name<'a>, act: Act, silence: Option<&'static str>| Entry {
        level,
        name,
        act,
        silence,
        is_written: true,
    };
    let held = state.hold.map(|hold| Entry {
        level: Level::Hold,
        name: Name::Hold(hold),
        act: Act::Deny,
        silence: None,
        is_written: false,
    });
    let arguments = policy.arguments.iter().map(move |rule| {
        written(Level::Argument, Name::Argument(rule), rule.act, argument_silence(rule, subject))
    });
    let tools = policy.addresses.iter().filter(|rule| rule.tool.is_some());
    let tools = tools
        .map(move |rule| written(Level::Tool, Name::Address(rule), rule.act, address_silence(rule, subject)));
    let conditions = policy.conditions.iter().map(move |rule| {
        let silence = (!state.conditions.contains(&rule.id)).then_some("its condition is not true");
        written(Level::Tool, Name::Condition(&rule.id), rule.act, silence)
    });
    let servers = policy.addresses.iter().filter(|rule| rule.tool.is_none());
    let servers = servers.map(move |rule| {
        written(Level::Server, Name::Address(rule), rule.act, address_silence(rule, subject))
    });
    held.into_iter().chain(arguments).chain(tools).chain(conditions).chain(servers)
}

/// What is said about each signal: by the operator, else by the profile.
pub(super) fn raised<'a>(
    signals: &'a [CallSignal],
    policy: &'a Policy,
    state: &'a CallState<'a>,
) -> impl Iterator<Item = Entry<'a>> {
    signals.iter().map(|signal| {
        let written = policy.about_check(signal.check);
        Entry {
            level: Level::Rule,
            name: Name::Check(signal.check),
            act: written
                .unwrap_or_else(|| policy.profile.about(signal.check, signal.severity, state.is_learning)),
            silence: None,
            is_written: written.is_some(),
        }
    })
}

/// What is said about what the call does.
pub(super) fn on_operation(operation: Operation, policy: &Policy) -> Entry<'_> {
    Entry {
        level: Level::Operation,
        name: Name::Operation(operation),
        act: policy.about_operation(operation),
        silence: None,
        is_written: policy.operations.iter().any(|(named, _)| *named == judged(operation)),
    }
}

fn argument_silence(rule: &ArgumentRule, subject: Subject<'_>) -> Option<&'static str> {
    if !fits(&rule.server, subject.server) {
        Some("it is about another server")
    } else if !fits(&rule.tool, subject.tool) {
        Some("it is about another tool")
    } else if !has_value(subject.arguments, &rule.parameter, &rule.value) {
        Some("no parameter of that name has such a value")
    } else {
        None
    }
}

fn address_silence(rule: &AddressRule, subject: Subject<'_>) -> Option<&'static str> {
    if !fits(&rule.server, subject.server) {
        return Some("it is about another server");
    }
    let is_tool = rule.tool.as_deref().is_none_or(|tool| fits(tool, subject.tool));
    (!is_tool).then_some("it is about another tool")
}

/// Whether a parameter of that name, at any depth, has a value that fits.
fn has_value(json: &Json, parameter: &str, pattern: &str) -> bool {
    let is_value = |value: &Json| match value {
        Json::String(text) | Json::Number(text) => fits(pattern, text),
        Json::Bool(value) => fits(pattern, if *value { "true" } else { "false" }),
        Json::Array(items) => items.iter().any(|item| item.as_str().is_some_and(|text| fits(pattern, text))),
        _ => pattern == "*",
    };
    match json {
        Json::Object(members) => members.iter().any(|(key, value)| {
            &**key == parameter && is_value(value) || has_value(value, parameter, pattern)
        }),
        Json::Array(items) => items.iter().any(|item| has_value(item, parameter, pattern)),
        _ => false,
    }
}
