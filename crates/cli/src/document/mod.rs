//! Files people write by hand, read with the place and the bytes of every value: JSON with comments, TOML, YAML.
//!
//! The places are for messages, the bytes for changing a file without writing it anew.

pub(crate) mod jsonc;
mod place;
mod problem;
mod toml;
mod yaml;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

pub(crate) use place::{Place, Ruler};
pub(crate) use problem::{Problem, report};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// JSON; comments and trailing commas are allowed.
    Json,
    Toml,
    /// Only read: no bytes are known of its values.
    Yaml,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: Place,
    /// Its bytes in the file, if it stands in one piece and can be changed.
    pub(crate) span: Option<Range<usize>>,
    pub(crate) value: Tree,
}

/// What stands there.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// Members in the order they were written; in JSON and TOML no name twice.
    Map(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) at: Place,
    /// The bytes of its name as written, quotes included.
    pub(crate) span: Option<Range<usize>>,
    pub(crate) name: String,
    pub(crate) node: Node,
}

impl Node {
    /// The member of an object by name.
    pub(crate) fn member(&self, name: &str) -> Option<&Node> {
        self.find(name).map(|member| &member.node)
    }

    /// The member of an object by name, with its name.
    pub(crate) fn find(&self, name: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.name == name)
    }

    /// The members of an object, none for anything else.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.value {
            Tree::Map(members) => members,
            _ => &[],
        }
    }

    /// The elements of a list, none for anything else.
    pub(crate) fn elements(&self) -> &[Node] {
        match &self.value {
            Tree::List(nodes) => nodes,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn bool(&self) -> Option<bool> {
        match &self.value {
            Tree::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The value alone, without its places.
    pub(crate) fn plain(&self) -> Value {
        match &self.value {
            Tree::Null => Value::Null,
            Tree::Bool(bool) => Value::Bool(*bool),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.clone()),
            Tree::List(nodes) => nodes.iter().map(Node::plain).collect(),
            Tree::Map(members) => {
                members.iter().map(|member| (member.name.clone(), member.node.plain())).collect()
            }
        }
    }
}

/// Reads a whole file; an empty one is null, as clients leave it.
pub(crate) fn parse(text: &str, format: Format) -> Result<Node, Problem> {
    match format {
        _ if text.trim_start_matches('\u{feff}').trim().is_empty() => {
            Ok(Node { at: Place::START, span: None, value: Tree::Null })
        }
        Format::Json => jsonc::parse_leniently(text),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}
