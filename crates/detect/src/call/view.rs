//! One call as the checks see it: its arguments as leaves with a place, a role and their words.

use super::parameter::{Parameter, ParameterRole};
use super::profile::ToolProfile;
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
    /// The parameter's value names the deed: `action: delete`.
    pub(crate) names_deed: bool,
    /// The parameter's text is run.
    pub(crate) is_run: bool,
    pub(crate) text: &'a str,
    pub(crate) steps: Vec<Step>,
    is_all_read_backward: bool,
    decoded: OnceCell<Vec<Layer>>,
    hits: OnceCell<Vec<Hit>>,
    decoded_hits: OnceCell<Vec<Vec<Hit>>>,
    addresses: OnceCell<Vec<address::Address>>,
}

/// Leaves looked at in one call; more are counted in the coverage.
const MOST_LEAVES: usize = 512;
/// Words looked at in one leaf.
const MOST_STEPS: usize = 100_000;

/// A text that a leaf decodes to. Who looks for a fixed word in it needs no words of it.
#[derive(Debug)]
struct Layer {
    text: String,
    steps: OnceCell<Vec<Step>>,
}

impl From<String> for Layer {
    fn from(text: String) -> Layer {
        Layer { text, steps: OnceCell::new() }
    }
}

impl Layer {
    fn steps(&self) -> &[Step] {
        self.steps.get_or_init(|| walk(&self.text, MOST_STEPS).0)
    }
}

impl Leaf<'_> {
    /// The leaf's text and what it decodes to, two levels deep.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &[Step])> {
        let own = (self.text, self.steps.as_slice());
        core::iter::once(own).chain(self.layers().iter().map(|layer| (layer.text.as_str(), layer.steps())))
    }

    /// What the leaf decodes to, two levels deep, not cut into words.
    pub(crate) fn decoded(&self) -> impl Iterator<Item = &str> {
        self.layers().iter().map(|layer| layer.text.as_str())
    }

    fn layers(&self) -> &[Layer] {
        self.decoded.get_or_init(|| {
            let mut found: Vec<Layer> = Vec::new();
            if address::has_scheme(self.text) {
                // The parts of a link are encoded each for itself.
                let parts = self.text.replace(['/', '?', '&', '=', '.', '#'], " ");
                found.extend(decode::once(&parts).into_iter().map(|layer| Layer::from(layer.text)));
            }
            found.extend(backward(self.text, &self.steps, self.is_all_read_backward).map(Layer::from));
            for layer in decode::once(self.text) {
                found.extend(decode::once(&layer.text).into_iter().map(|inner| Layer::from(inner.text)));
                found.push(Layer::from(layer.text));
            }
            found
        })
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
        // A leaf is large: growing the list would copy the first of them again and again.
        let leaves = Vec::with_capacity(count(json).min(MOST_LEAVES));
        let mut arguments =
            Arguments { leaves, is_whole: true, is_all_read_backward, ..Arguments::default() };
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
                    pointer.push('/');
                    push_number(pointer, index);
                    self.add(item, parameter, pointer, profile);
                    pointer.truncate(length);
                }
            }
            Json::Object(members) => {
                for (key, value) in members {
                    pointer.push('/');
                    if key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
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
        let Parameter { role, names_deed, is_run } = self.named(parameter, profile);
        self.leaves.push(Leaf {
            pointer: pointer.to_owned(),
            parameter,
            role,
            names_deed,
            is_run,
            text,
            steps,
            is_all_read_backward: self.is_all_read_backward,
            decoded: OnceCell::new(),
            hits: OnceCell::new(),
            decoded_hits: OnceCell::new(),
            addresses: OnceCell::new(),
        });
    }

    /// What the name of a parameter says; the items of a list stand under one name, one behind the other.
    fn named(&self, parameter: &str, profile: &ToolProfile) -> Parameter {
        match self.leaves.last().filter(|last| core::ptr::eq(last.parameter, parameter)) {
            Some(&Leaf { role, names_deed, is_run, .. }) => Parameter { role, names_deed, is_run },
            None => profile.parameter(parameter),
        }
    }
}

/// Strings and numbers in a value.
fn count(json: &Json) -> usize {
    match json {
        Json::Null | Json::Bool(_) => 0,
        Json::Number(_) | Json::String(_) => 1,
        Json::Array(items) => items.iter().map(count).sum(),
        Json::Object(members) => members.iter().map(|(_, value)| count(value)).sum(),
    }
}

fn push_number(text: &mut String, number: usize) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.extend(char::from_digit((number % 10) as u32, 10));
}

/// A result as one text: a string as it stands, anything else as lines of `key: value`.
pub(crate) fn flat(json: &Json) -> Cow<'_, str> {
    if let Json::String(text) = json {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(length(json, 0));
    write_lines(json, "", &mut text);
    Cow::Owned(text)
}

/// Bytes of a value as lines under a key of so many bytes, or a few more.
fn length(json: &Json, key: usize) -> usize {
    match json {
        Json::Null | Json::Bool(_) => 0,
        Json::Number(value) | Json::String(value) => key + value.len() + ": \n".len(),
        Json::Array(items) => items.iter().map(|item| length(item, key)).sum(),
        Json::Object(members) => {
            1 + members.iter().map(|(key, value)| length(value, key.len())).sum::<usize>()
        }
    }
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
