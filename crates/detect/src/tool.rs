//! One definition as the checks see it: every string a model or a user may read, with its JSON pointer.
//!
//! A definition owns one flat buffer of text; units are ranges of it. Pointers are kept as a small tree and
//! written out only when a signal needs one.

use crate::parse::{self, BadDefinition};
use crate::prelude::*;
use crate::registry::NameKey;
use core::ops::Range;

/// What an MCP server declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An entry of `tools/list`.
    Tool,
    /// An entry of `prompts/list`.
    Prompt,
    /// An entry of `resources/list`.
    Resource,
    /// An entry of `resources/templates/list`.
    ResourceTemplate,
    /// The server's `instructions`, together with its server info.
    Instructions,
}

impl Kind {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Tool => "tool",
            Kind::Prompt => "prompt",
            Kind::Resource => "resource",
            Kind::ResourceTemplate => "resource_template",
            Kind::Instructions => "instructions",
        }
    }
}

/// What part of a definition a text unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// The definition's name.
    Name,
    /// The definition's title, or one in its annotations.
    Title,
    /// The definition's description, or the server's instructions.
    Description,
    /// The name of a parameter.
    PropertyName,
    /// A description or title inside a schema.
    PropertyText,
    /// An enum, const, default or example value inside a schema.
    Value,
    /// The value of `x-mcp-header`.
    Header,
    /// Any other string or key: annotations, icons, `_meta`, unknown fields.
    Other,
}

/// One string of a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) node: u32,
    pub(crate) role: Role,
    /// The unit belongs to the output schema.
    pub(crate) is_output: bool,
}

impl Unit {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One step of a JSON pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Root,
    /// A key, as a range of the flat buffer of keys.
    Key(u32, u32),
    Index(u32),
}

/// A step and where it hangs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) step: Step,
}

/// The MCP annotations that speak about a tool's reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// One declared thing: a tool, prompt, resource, template, or a server's instructions.
#[derive(Clone, Debug)]
pub struct Definition {
    pub(crate) server: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) name: Box<str>,
    pub(crate) text: String,
    pub(crate) units: Vec<Unit>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) keys: String,
    pub(crate) hints: Hints,
    pub(crate) digest: u64,
    pub(crate) since: Option<u64>,
    /// All text of the definition this one replaces.
    pub(crate) earlier: Option<Box<str>>,
    pub(crate) key: NameKey,
}

impl Definition {
    /// Reads a definition of `kind` from its raw JSON. For [`Kind::Instructions`] the JSON is a string, or an
    /// object with `instructions` and `serverInfo` (an `initialize` result).
    ///
    /// # Errors
    /// The JSON is malformed, nested too deep, or larger than a definition may be. JSON that is no object is read
    /// too: its strings are text that somebody may see, and it is for the caller to say that it is no definition.
    pub fn parse(server: &str, kind: Kind, json: &str) -> Result<Self, BadDefinition> {
        parse::definition(server, kind, json)
    }

    /// A piece of a result, so that the readers of definitions can read it too.
    pub(crate) fn of_result(text: &str) -> Definition {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Definition {
            server: "".into(),
            kind: Kind::Resource,
            name: "".into(),
            text: text.to_owned(),
            units: vec![Unit { start: 0, end, node: 0, role: Role::PropertyText, is_output: false }],
            nodes: vec![Node { parent: 0, step: Step::Root }],
            keys: String::new(),
            hints: Hints::default(),
            digest: 0,
            since: None,
            earlier: None,
            key: NameKey::default(),
        }
    }

    /// The operator's name of the server that declared this.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The declared name (for resources without one, the URI). May be hostile: escape before printing.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was declared.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The annotations that speak about the tool's reach.
    pub fn hints(&self) -> Hints {
        self.hints
    }

    /// Sets when the definition became known; of two that clash, the later one is at fault.
    #[must_use]
    pub fn since(mut self, since: u64) -> Self {
        self.since = Some(since);
        self
    }

    /// Says which definition this one replaces: what was added since weighs more than the same text at first sight.
    #[must_use]
    pub fn replacing(mut self, earlier: &Definition) -> Self {
        self.earlier = Some(earlier.text.as_str().into());
        self
    }

    /// Whether a piece of text came with the change; never so for a definition that replaces none.
    pub(crate) fn is_added(&self, piece: &str) -> bool {
        self.earlier.as_deref().is_some_and(|earlier| !earlier.contains(piece))
    }

    pub(crate) fn name_key(&self) -> &NameKey {
        &self.key
    }

    pub(crate) fn unit_text(&self, unit: &Unit) -> &str {
        self.text.get(unit.range()).unwrap_or_default()
    }

    /// The JSON pointer (RFC 6901) of a unit.
    pub(crate) fn pointer(&self, unit: &Unit) -> String {
        let mut steps = Vec::new();
        let mut at = unit.node;
        while let Some(node) = self.nodes.get(at as usize) {
            if matches!(node.step, Step::Root) {
                break;
            }
            steps.push(node.step);
            at = node.parent;
        }
        let mut pointer = String::new();
        for step in steps.iter().rev() {
            pointer.push('/');
            match step {
                Step::Root => {}
                Step::Index(index) => pointer.push_str(&index.to_string()),
                Step::Key(start, end) => {
                    let key = self.keys.get(*start as usize..*end as usize).unwrap_or_default();
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        pointer
    }

    /// Whether a parameter's schema says anything about it beyond its type.
    pub(crate) fn explains(&self, parameter: &Unit) -> bool {
        self.units.iter().any(|unit| {
            self.is_below(unit, parameter)
                && matches!(unit.role, Role::PropertyText | Role::Value)
                && is_explanation(self.unit_text(unit))
        })
    }

    /// Whether a unit hangs directly below a parameter in its schema.
    pub(crate) fn is_below(&self, unit: &Unit, parameter: &Unit) -> bool {
        self.nodes.get(unit.node as usize).is_some_and(|node| node.parent == parameter.node)
    }

    /// The units of one role, in declared order.
    pub(crate) fn units_with(&self, role: Role) -> impl Iterator<Item = &Unit> {
        self.units.iter().filter(move |unit| unit.role == role)
    }

    /// The first description, `""` when there is none.
    pub(crate) fn description(&self) -> &str {
        self.units_with(Role::Description).next().map_or("", |unit| self.unit_text(unit))
    }
}

/// "For internal use." explains nothing.
fn is_explanation(text: &str) -> bool {
    text.len() >= 12 && !text.to_ascii_lowercase().contains("internal")
}
