//! How grave a change is: where a reviewer should look first. Every change is held, whatever its class.

use super::What;
use portcullis_detect::fingerprint::Part;
use portcullis_detect::json::Json;

/// How grave a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only white space, or the order of a list that is a set.
    Cosmetic,
    /// Hints about the tool that are no text.
    Annotation,
    /// What the tool takes or gives.
    Schema,
    /// Words a model or a user reads.
    Text,
}

impl Class {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Cosmetic => "cosmetic",
            Class::Annotation => "annotation",
            Class::Schema => "schema",
            Class::Text => "text",
        }
    }

    /// The class of a change under `key`, the last step of its pointer.
    pub(super) fn of(part: Part, key: &str, what: &What) -> Class {
        if *what == What::Reordered || is_only_space(what) {
            return Class::Cosmetic;
        }
        match part {
            Part::Server | Part::Name | Part::Title | Part::Description => Class::Text,
            Part::InputSchema | Part::OutputSchema => {
                if involves(what, &|value| is_prose(key, value)) {
                    Class::Text
                } else {
                    Class::Schema
                }
            }
            Part::Annotations | Part::Other => {
                if involves(what, &|value| has_string(value)) {
                    Class::Text
                } else {
                    Class::Annotation
                }
            }
        }
    }
}

fn is_only_space(what: &What) -> bool {
    match what {
        What::Reworded(runs) => runs.iter().all(|run| run.is_same() || run.is_space()),
        What::Added(_) | What::Removed(_) | What::Replaced { .. } | What::Reordered => false,
    }
}

fn involves(what: &What, is_it: &dyn Fn(&Json) -> bool) -> bool {
    match what {
        What::Added(value) | What::Removed(value) => is_it(value),
        What::Replaced { before, after } => is_it(before) || is_it(after),
        What::Reworded(runs) => {
            runs.iter().any(|run| !run.is_same() && is_it(&Json::String(run.text.clone())))
        }
        What::Reordered => false,
    }
}

/// Keys of a schema whose strings are written for a reader.
const PROSE: [&str; 3] = ["description", "title", "$comment"];

fn is_prose(key: &str, value: &Json) -> bool {
    match value {
        Json::String(_) => PROSE.contains(&key),
        Json::Array(items) => items.iter().any(|item| is_prose(key, item)),
        Json::Object(members) => members.iter().any(|(key, value)| is_prose(key, value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

fn has_string(value: &Json) -> bool {
    match value {
        Json::String(_) => true,
        Json::Array(items) => items.iter().any(has_string),
        Json::Object(members) => members.iter().any(|(_, value)| has_string(value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}
