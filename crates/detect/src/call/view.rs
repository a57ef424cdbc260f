//! One call as the checks see it: its arguments as leaves with a place, a role and their words.

use super::profile::{ParameterRole, ToolProfile};
use super::{Operation, address};
use crate::flow::{Flow, Hit, Step, backward, walk};
use crate::json::Json;
use crate::prelude::*;
use crate::text::decode;
use alloc::borrow::Cow;
use core::cell::OnceCell;

/// What the agent says it is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// The operation it declares.
    pub operation: Option<Operation>,
    /// `public`, `internal`, `private`, …
    pub data_sensitivity: Option<String>,
    /// Its reason, in its own words.
    pub reason: Option<String>,
}

/// One call, before it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The operator's name of the server.
    pub server: &'a str,
    /// The tool's name there.
    pub tool: &'a str,
    /// The arguments, as they will be forwarded.
    pub arguments: &'a Json,
    /// What the agent declared.
    pub intent: Option<&'a Intent>,
    /// When, in milliseconds of any clock that does not jump back.
    pub at_ms: u64,
}

/// One string or number of the arguments.
#[derive(Debug)]
pub(crate) struct Leaf<'a> {
    pub(crate) pointer: String,
    /// The nearest key above.
    pub(crate) parameter: &'a str,
    pub(crate) role: ParameterRole,
    pub(crate) text: &'a str,
    pub(crate) steps: Vec<Step>,
    is_all_read_backward: bool,
    decoded: OnceCell<Vec<(String, Vec<Step>)>>,
    hits: OnceCell<Vec<Hit>>,
    decoded_hits: OnceCell<Vec<Vec<Hit>>>,
    addresses: OnceCell<Vec<address::Address>>,
}

/// Leaves looked at in one call; more are counted in the coverage.
const MOST_LEAVES: usize = 512;
/// Words looked at in one leaf.
const MOST_STEPS: usize = 100_000;

fn add_decoded(text: &str, found: &mut Vec<(String, Vec<Step>)>) {
    for layer in decode::once(text) {
        let steps = walk(&layer.text, MOST_STEPS).0;
        found.push((layer.text, steps));
    }
}

impl Leaf<'_> {
    /// The leaf's text and what it decodes to, two levels deep.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &[Step])> {
        let decoded = self.decoded.get_or_init(|| {
            let mut found: Vec<(String, Vec<Step>)> = Vec::new();
            if self.text.contains("://") {
                // The parts of a link are encoded each for itself.
                let parts = self.text.replace(['/', '?', '&', '=', '.', '#'], " ");
                add_decoded(&parts, &mut found);
            }
            if let Some(backward) = backward(self.text, &self.steps, self.is_all_read_backward) {
                let steps = walk(&backward, MOST_STEPS).0;
                found.push((backward, steps));
            }
            for layer in decode::once(self.text) {
                for inner in decode::once(&layer.text) {
                    let steps = walk(&inner.text, MOST_STEPS).0;
                    found.push((inner.text, steps));
                }
                let steps = walk(&layer.text, MOST_STEPS).0;
                found.push((layer.text, steps));
            }
            found
        });
        let own = (self.text, self.steps.as_slice());
        core::iter::once(own).chain(decoded.iter().map(|(text, steps)| (text.as_str(), steps.as_slice())))
    }

    /// Where the data in the text as it stands came from; several checks ask.
    ///
    // INVARIANT: arguments belong to one call, and a call is observed in one flow.
    pub(crate) fn hits(&self, flow: &Flow) -> &[Hit] {
        self.hits.get_or_init(|| flow.hits(self.text, &self.steps))
    }

    /// Where the data in what the text decodes to came from, text by text.
    pub(crate) fn decoded_hits(&self, flow: &Flow) -> &[Vec<Hit>] {
        self.decoded_hits
            .get_or_init(|| self.texts().skip(1).map(|(text, steps)| flow.hits(text, steps)).collect())
    }

    /// The addresses in the leaf; several checks ask.
    pub(crate) fn addresses(&self) -> &[address::Address] {
        self.addresses.get_or_init(|| address::all(self.text))
    }
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    pub(crate) leaves: Vec<Leaf<'a>>,
    /// Flags that are set, by their key.
    pub(crate) flags: Vec<&'a str>,
    pub(crate) is_whole: bool,
    pub(crate) bytes: u64,
    /// Something is looked for that may be short and made of letters alone.
    is_all_read_backward: bool,
}

impl<'a> Arguments<'a> {
    pub(crate) fn of(json: &'a Json, profile: &ToolProfile, is_all_read_backward: bool) -> Arguments<'a> {
        let mut arguments = Arguments { is_whole: true, is_all_read_backward, ..Arguments::default() };
        arguments.add(json, "", &mut String::new(), profile);
        arguments
    }

    fn add(&mut self, json: &'a Json, parameter: &'a str, pointer: &mut String, profile: &ToolProfile) {
        let length = pointer.len();
        match json {
            Json::Null | Json::Bool(false) => {}
            Json::Bool(true) => self.flags.push(parameter),
            Json::Number(text) | Json::String(text) => self.leaf(text, parameter, pointer, profile),
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    self.add(item, parameter, pointer, profile);
                    pointer.truncate(length);
                }
            }
            Json::Object(members) => {
                for (key, value) in members {
                    pointer.push('/');
                    if key.contains(['~', '/']) {
                        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    } else {
                        pointer.push_str(key);
                    }
                    self.add(value, key, pointer, profile);
                    pointer.truncate(length);
                }
            }
        }
    }

    fn leaf(&mut self, text: &'a str, parameter: &'a str, pointer: &str, profile: &ToolProfile) {
        self.bytes += text.len() as u64;
        if self.leaves.len() >= MOST_LEAVES {
            self.is_whole = false;
            return;
        }
        let (steps, is_whole) = walk(text, MOST_STEPS);
        self.is_whole &= is_whole;
        self.leaves.push(Leaf {
            pointer: pointer.to_owned(),
            parameter,
            role: profile.role(parameter),
            text,
            steps,
            is_all_read_backward: self.is_all_read_backward,
            decoded: OnceCell::new(),
            hits: OnceCell::new(),
            decoded_hits: OnceCell::new(),
            addresses: OnceCell::new(),
        });
    }
}

/// A result as one text: a string as it stands, anything else as lines of `key: value`.
pub(crate) fn flat(json: &Json) -> Cow<'_, str> {
    if let Json::String(text) = json {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    write_lines(json, "", &mut text);
    Cow::Owned(text)
}

fn write_lines(json: &Json, key: &str, text: &mut String) {
    match json {
        Json::String(value) | Json::Number(value) => {
            // The blocks of an MCP result are text; their key is the protocol's, not the author's.
            if !key.is_empty() && key != "text" {
                text.push_str(key);
                text.push_str(": ");
            }
            text.push_str(value);
            text.push('\n');
        }
        Json::Array(items) => items.iter().for_each(|item| write_lines(item, key, text)),
        Json::Object(members) => {
            for (key, value) in members {
                write_lines(value, key, text);
            }
            text.push('\n');
        }
        Json::Null | Json::Bool(_) => {}
    }
}
