//! Reads the fields of a map, and notes what is wrong with them instead of stopping at the first mistake.

use crate::mistake::{Mistake, Place};
use crate::node::{Node, Value};
use std::cell::RefCell;

/// What was found wrong so far.
pub(crate) type Mistakes = RefCell<Vec<Mistake>>;

/// A node that is being read, and where it stands.
pub(crate) struct Fields<'a> {
    pub(crate) node: &'a Node,
    place: Place,
    mistakes: &'a Mistakes,
}

impl<'a> Fields<'a> {
    /// The document of a file, or a part of one.
    pub(crate) fn new(node: &'a Node, place: Place, mistakes: &'a Mistakes) -> Fields<'a> {
        Fields { node, place, mistakes }
    }

    /// Notes a mistake in this node.
    pub(crate) fn wrong(&self, what: impl Into<String>) {
        self.mistakes.borrow_mut().push(Mistake::new(self.place.clone(), what));
    }

    /// Notes a name in this node that is none of the known ones.
    pub(crate) fn unknown(&self, kind: &str, name: &str, known: &[&str]) {
        self.mistakes.borrow_mut().push(Mistake::unknown(self.place.clone(), kind, name, known));
    }

    /// Notes every field that is none of these.
    pub(crate) fn only(&self, known: &[&str]) {
        if !matches!(self.node.value, Value::Map(_)) {
            return self.wrong("should be a map of fields");
        }
        for (key, node) in self.node.entries() {
            if !known.contains(&key.as_str()) {
                self.at(node, key).unknown("field", key, known);
            }
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<Fields<'a>> {
        self.node.get(key).map(|node| self.at(node, key))
    }

    /// Every entry of this map, with its key.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Fields<'a>)> {
        self.node.entries().iter().map(|(key, node)| (key.as_str(), self.at(node, key))).collect()
    }

    /// The items of a list; a missing one is empty.
    pub(crate) fn list(&self, key: &str) -> Vec<Fields<'a>> {
        let Some(field) = self.field(key) else { return Vec::new() };
        if !matches!(field.node.value, Value::List(_)) {
            field.wrong("should be a list");
        }
        field.items()
    }

    /// The items of this list.
    pub(crate) fn items(&self) -> Vec<Fields<'a>> {
        self.node.items().iter().enumerate().map(|(index, item)| self.at(item, index)).collect()
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.field(key)?.as_text()
    }

    pub(crate) fn needed_text(&self, key: &str) -> &'a str {
        match self.field(key) {
            Some(field) => field.as_text().unwrap_or_default(),
            None => {
                self.wrong(format!("`{key}` is missing"));
                ""
            }
        }
    }

    pub(crate) fn as_text(&self) -> Option<&'a str> {
        let text = self.node.text();
        if text.is_none() {
            self.wrong("should be text; put it in quotes");
        }
        text
    }

    /// A text that is one of these.
    pub(crate) fn word(&self, key: &str, kind: &str, known: &[&'static str]) -> Option<&'static str> {
        self.field(key)?.as_word(kind, known)
    }

    /// The texts of a list that are each one of these.
    pub(crate) fn words(&self, key: &str, kind: &str, known: &[&'static str]) -> Vec<&'static str> {
        self.list(key).iter().filter_map(|item| item.as_word(kind, known)).collect()
    }

    pub(crate) fn as_word(&self, kind: &str, known: &[&'static str]) -> Option<&'static str> {
        let text = self.as_text()?;
        let word = known.iter().find(|word| **word == text).copied();
        if word.is_none() {
            self.unknown(kind, text, known);
        }
        word
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let field = self.field(key)?;
        let number = match &field.node.value {
            Value::Spelt(number) => number.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            field.wrong("should be a whole number");
        }
        number
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        let Some(field) = self.field(key) else { return false };
        match field.node.value {
            Value::Bool(yes) => yes,
            _ => {
                field.wrong("should be true or false");
                false
            }
        }
    }

    fn at(&self, node: &'a Node, step: impl std::fmt::Display) -> Fields<'a> {
        Fields { node, place: self.place.inside(node.line, step), mistakes: self.mistakes }
    }
}
