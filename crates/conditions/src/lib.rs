//! The operator's conditions: CEL expressions over the facts of a call, compiled once.
//!
//! What they decide is not known here: this crate says which of them are true, `portcullis-decide` does the rest. It
//! stands apart from the pure crates only because the interpreter needs std.
//!
//! A condition may name `server`, `tool`, `operation` (`read`, `write`, `destructive`, `unknown`), `args`, `checks` (ids
//! of the checks that raised something), `risk` (0 to 100), `destinations` (hosts), `outward`, `intent`.
#![deny(missing_docs)]

use std::collections::BTreeMap;

use cel::{Context, Program, Value};
use portcullis_detect::json::Json;

/// What is known of a call when conditions are asked.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// What the call does.
    pub operation: &'a str,
    /// The arguments.
    pub arguments: &'a Json,
    /// The ids of the checks that raised something.
    pub checks: &'a [&'a str],
    /// 0 to 100.
    pub risk: u8,
    /// The hosts it goes to.
    pub destinations: &'a [String],
    /// Whether it takes anything outside.
    pub is_outward: bool,
    /// The operation the agent declared.
    pub intent: Option<&'a str>,
}

/// Why a condition cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the condition `{id}` is no CEL expression: {reason}")]
pub struct BadCondition {
    /// The operator's name of the rule.
    pub id: String,
    /// What is wrong.
    pub reason: String,
}

/// Which conditions are true, and which could not be evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The ids of those that are true.
    pub holds: Vec<String>,
    /// The ids of those that failed, with the reason; they count as neither.
    pub failed: BTreeMap<String, String>,
}

/// Conditions, ready to be asked from any number of threads.
#[derive(Debug, Default)]
pub struct Conditions {
    written: Vec<Written>,
}

/// A condition as it is written, and ready to be asked.
#[derive(Debug)]
struct Written {
    id: String,
    expression: String,
    program: Program,
}

impl Conditions {
    /// Compiles conditions, each with the operator's name of its rule.
    ///
    /// # Errors
    /// The first that is no expression.
    pub fn compile<'a>(written: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadCondition> {
        let written = written.into_iter().map(|(id, expression)| {
            let bad = |error: cel::ParseErrors| BadCondition { id: id.to_owned(), reason: error.to_string() };
            let program = Program::compile(expression).map_err(bad)?;
            Ok(Written { id: id.to_owned(), expression: expression.to_owned(), program })
        });
        Ok(Conditions { written: written.collect::<Result<_, BadCondition>>()? })
    }

    /// The expression of the rule of that name.
    pub fn expression(&self, id: &str) -> Option<&str> {
        self.written.iter().find(|written| written.id == id).map(|written| written.expression.as_str())
    }

    /// Which conditions are true of a call.
    pub fn ask(&self, facts: &Facts<'_>) -> Answer {
        let mut answer = Answer::default();
        if self.written.is_empty() {
            return answer;
        }
        let context = context(facts);
        for Written { id, program, .. } in &self.written {
            match program.execute(&context) {
                Ok(Value::Bool(true)) => answer.holds.push(id.clone()),
                Ok(Value::Bool(false)) => {}
                Ok(_) => {
                    answer.failed.insert(id.clone(), "its value is neither true nor false".to_owned());
                }
                // A parameter that this tool does not have makes the condition untrue of it, not broken.
                Err(cel::ExecutionError::NoSuchKey(_)) => {}
                Err(error) => {
                    answer.failed.insert(id.clone(), error.to_string());
                }
            }
        }
        answer
    }
}

fn context(facts: &Facts<'_>) -> Context<'static, 'static> {
    let mut context = Context::default();
    context.add_variable_from_value("server", facts.server.to_owned());
    context.add_variable_from_value("tool", facts.tool.to_owned());
    context.add_variable_from_value("operation", facts.operation.to_owned());
    context.add_variable_from_value("args", value(facts.arguments));
    let checks: Vec<Value> = facts.checks.iter().map(|check| Value::from((*check).to_owned())).collect();
    context.add_variable_from_value("checks", checks);
    context.add_variable_from_value("risk", i64::from(facts.risk));
    let hosts: Vec<Value> = facts.destinations.iter().map(|host| Value::from(host.clone())).collect();
    context.add_variable_from_value("destinations", hosts);
    context.add_variable_from_value("outward", facts.is_outward);
    context.add_variable_from_value("intent", facts.intent.unwrap_or_default().to_owned());
    context
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::from(text.to_string()),
        Json::Number(text) => text.parse::<i64>().map(Value::Int).unwrap_or_else(|_| {
            // INVARIANT: the reader of JSON refused numbers beyond the range of a double.
            Value::Float(text.parse::<f64>().unwrap_or_default())
        }),
        Json::Array(items) => Value::from(items.iter().map(value).collect::<Vec<Value>>()),
        Json::Object(members) => {
            let map: std::collections::HashMap<String, Value> =
                members.iter().map(|(key, member)| (key.to_string(), value(member))).collect();
            Value::from(map)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(expression: &str) -> Answer {
        let arguments =
            Json::parse(r#"{"amount":1200,"to":{"iban":"DE89"},"tags":["a","b"]}"#).expect("JSON");
        let destinations = ["tide.example".to_owned()];
        let facts = Facts {
            server: "bank",
            tool: "send_money",
            operation: "write",
            arguments: &arguments,
            checks: &["flow.untrusted_destination"],
            risk: 52,
            destinations: &destinations,
            is_outward: true,
            intent: Some("write"),
        };
        Conditions::compile([("rule", expression)]).expect("an expression").ask(&facts)
    }

    #[test]
    fn conditions_see_the_facts_of_the_call() {
        for expression in [
            "server == 'bank' && args.amount > 1000",
            "tool.startsWith('send_') && args.to.iban.startsWith('DE')",
            "'flow.untrusted_destination' in checks && risk >= 50",
            "destinations.exists(host, host.endsWith('.example')) && outward",
            "args.tags.size() == 2 && intent == operation",
        ] {
            assert_eq!(asked(expression).holds, ["rule"], "{expression}");
        }
        assert!(asked("args.amount > 2000").holds.is_empty());
    }

    #[test]
    fn a_parameter_that_is_not_there_makes_a_condition_untrue() {
        assert_eq!(asked("args.currency == 'EUR'"), Answer::default());
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        assert!(Conditions::compile([("rule", "1 +")]).is_err());
        assert!(asked("args.amount + 1").failed.contains_key("rule"));
        assert!(asked("no_such_fact == 1").failed.contains_key("rule"));
    }
}
