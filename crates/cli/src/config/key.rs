//! What a key may hold: one description for checking a file and for the schema that editors read.

use serde_json::{Map, Value, json};

use crate::document::{Node, Place, Problem, Tree};
use crate::explain::nearest;

/// A key, what it may hold, and what it is for.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) about: &'static str,
}

/// What a value may be.
pub(crate) enum Kind {
    /// A text, in which `${env:NAME}` is replaced.
    Text,
    Bool,
    /// A whole number within bounds.
    Number(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    List(&'static Kind),
    /// Any names, each with such a value.
    Map(&'static Kind),
    /// These keys and no others.
    Section(&'static [Key]),
    /// One of several.
    Either(&'static [Kind]),
    /// Whatever a client keeps there for itself.
    Anything,
}

impl Kind {
    /// Adds what is wrong with a value. `path` names it in messages, as in `security.alerts`.
    pub(crate) fn check(&self, node: &Node, path: &str, problems: &mut Vec<Problem>) {
        match (self, &node.value) {
            (Kind::Anything, _) | (Kind::Text, Tree::Text(_)) | (Kind::Bool, Tree::Bool(_)) => {}
            (Kind::Choice(words), Tree::Text(text)) if words.contains(&text.as_str()) => {}
            (Kind::Choice(words), Tree::Text(text)) => {
                let hint =
                    nearest(text, words.iter().copied()).map(|word| format!("; did you mean `{word}`?"));
                let message = format!("`{path}` is one of {}{}", listed(words), hint.unwrap_or_default());
                problems.push(Problem::at(node.at, message));
            }
            (Kind::Number(least, most), Tree::Number(number)) => {
                if !number.as_u64().is_some_and(|number| (*least..=*most).contains(&number)) {
                    let message = format!("`{path}` is a whole number from {least} to {most}");
                    problems.push(Problem::at(node.at, message));
                }
            }
            (Kind::List(kind), Tree::List(nodes)) => {
                nodes.iter().for_each(|node| kind.check(node, path, problems));
            }
            (Kind::Map(kind), Tree::Map(members)) => {
                members.iter().for_each(|member| {
                    kind.check(&member.node, &format!("{path}.{}", member.name), problems);
                });
            }
            (Kind::Section(keys), Tree::Map(_)) => section(keys, node, path, problems),
            (Kind::Either(kinds), _) => match kinds.iter().find(|kind| kind.fits(node)) {
                Some(kind) => kind.check(node, path, problems),
                None => problems.push(self.mistaken(node.at, path)),
            },
            _ => problems.push(self.mistaken(node.at, path)),
        }
    }

    fn mistaken(&self, at: Place, path: &str) -> Problem {
        Problem::at(at, format!("`{path}` is {}", self.noun()))
    }

    /// Whether the value is of this sort at all.
    fn fits(&self, node: &Node) -> bool {
        matches!(
            (self, &node.value),
            (Kind::Text | Kind::Choice(_), Tree::Text(_))
                | (Kind::Bool, Tree::Bool(_))
                | (Kind::Number(..), Tree::Number(_))
                | (Kind::List(_), Tree::List(_))
                | (Kind::Map(_) | Kind::Section(_), Tree::Map(_))
        )
    }

    fn noun(&self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Bool => "true or false".to_owned(),
            Kind::Number(..) => "a number".to_owned(),
            Kind::Choice(words) => format!("one of {}", listed(words)),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) | Kind::Section(_) => "an object".to_owned(),
            Kind::Either(kinds) => kinds.iter().map(Kind::noun).collect::<Vec<_>>().join(", or "),
            Kind::Anything => "anything".to_owned(),
        }
    }

    /// The JSON schema of such a value.
    pub(crate) fn schema(&self) -> Value {
        match self {
            Kind::Text => json!({ "type": "string" }),
            Kind::Bool => json!({ "type": "boolean" }),
            Kind::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Kind::Choice(words) => json!({ "enum": words }),
            Kind::List(kind) => json!({ "type": "array", "items": kind.schema() }),
            Kind::Map(kind) => json!({ "type": "object", "additionalProperties": kind.schema() }),
            Kind::Section(keys) => {
                let described = keys.iter().map(|key| (key.name.to_owned(), key.schema()));
                let properties: Map<String, Value> = described.collect();
                json!({ "type": "object", "properties": properties, "additionalProperties": false })
            }
            Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(Kind::schema).collect::<Vec<_>>() }),
            Kind::Anything => json!({}),
        }
    }
}

impl Key {
    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        schema["description"] = json!(self.about);
        schema
    }
}

fn section(keys: &[Key], node: &Node, path: &str, problems: &mut Vec<Problem>) {
    for member in node.members() {
        let inner = if path.is_empty() { member.name.clone() } else { format!("{path}.{}", member.name) };
        match keys.iter().find(|key| key.name == member.name) {
            Some(key) => key.kind.check(&member.node, &inner, problems),
            None => {
                let hint = nearest(&member.name, keys.iter().map(|key| key.name));
                let hint = match hint {
                    Some(name) => format!("; did you mean `{name}`?"),
                    None => format!(
                        "; known are {}",
                        listed(&keys.iter().map(|key| key.name).collect::<Vec<_>>())
                    ),
                };
                problems.push(Problem::at(member.at, format!("no key is called `{inner}`{hint}")));
            }
        }
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
