//! Compares two JSON trees: members by key, lists by place, lists that are sets by what is in them.

use super::class::Class;
use super::words;
use super::{Change, Difference, MOST_CHANGES, What};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Part;
use portcullis_detect::json::{Json, is_same_number};

/// Keywords of JSON Schema whose lists have no order.
const SETS: [&str; 3] = ["required", "enum", "type"];

pub(super) fn compare(kind: Kind, before: &Json, after: &Json) -> Difference {
    let mut walk = Walk {
        difference: Difference::default(),
        part: Part::Other,
        pointer: String::new(),
        pairs_left: words::MOST_PAIRS,
    };
    match (before, after) {
        (Json::Object(old), Json::Object(new)) => walk.members(old, new, Some(kind)),
        _ => walk.value("", before, after),
    }
    walk.difference.changes.sort_by_key(|change| change.part);
    walk.difference
}

type Members = [(Box<str>, Json)];

struct Walk {
    difference: Difference,
    part: Part,
    pointer: String,
    pairs_left: usize,
}

impl Walk {
    /// `top` is the kind of the definition whose own members these are.
    fn members(&mut self, before: &Members, after: &Members, top: Option<Kind>) {
        let (old, new) = (numbered(before), numbered(after));
        for (place, value) in &new {
            self.member(place.0, old.get(place).copied(), Some(value), top);
        }
        for (place, value) in old.iter().filter(|(place, _)| !new.contains_key(*place)) {
            self.member(place.0, Some(value), None, top);
        }
    }

    fn member(&mut self, key: &str, before: Option<&Json>, after: Option<&Json>, top: Option<Kind>) {
        if let Some(kind) = top {
            self.part = Part::of_field(kind, key);
        }
        self.below(key, |walk| match (before, after) {
            (Some(before), Some(after)) => walk.value(key, before, after),
            (None, Some(after)) => walk.change(key, What::Added(after.clone())),
            (Some(before), None) => walk.change(key, What::Removed(before.clone())),
            (None, None) => {}
        });
    }

    fn value(&mut self, key: &str, before: &Json, after: &Json) {
        match (before, after) {
            (Json::Object(old), Json::Object(new)) => self.members(old, new, None),
            (Json::Array(old), Json::Array(new)) if SETS.contains(&key) => self.set(key, old, new),
            (Json::Array(old), Json::Array(new)) => self.list(key, old, new),
            (Json::String(old), Json::String(new)) if old != new => {
                let (runs, is_coarse) = words::compare(old, new, &mut self.pairs_left);
                self.difference.is_coarse |= is_coarse;
                self.change(key, What::Reworded(runs.into()));
            }
            (Json::Number(old), Json::Number(new)) if is_same_number(old, new) => {}
            (before, after) if before == after => {}
            (before, after) => {
                self.change(key, What::Replaced { before: before.clone(), after: after.clone() });
            }
        }
    }

    fn list(&mut self, key: &str, before: &[Json], after: &[Json]) {
        for index in 0..before.len().max(after.len()) {
            let (old, new) = (before.get(index), after.get(index));
            self.below(&index.to_string(), |walk| match (old, new) {
                (Some(old), Some(new)) => walk.value(key, old, new),
                (None, Some(new)) => walk.change(key, What::Added(new.clone())),
                (Some(old), None) => walk.change(key, What::Removed(old.clone())),
                (None, None) => {}
            });
        }
    }

    fn set(&mut self, key: &str, before: &[Json], after: &[Json]) {
        let (old, new) = (counted(before), counted(after));
        if old == new {
            let is_moved = before.iter().zip(after).any(|(old, new)| written(old) != written(new));
            if is_moved {
                self.change(key, What::Reordered);
            }
            return;
        }
        for (index, item) in after.iter().enumerate().filter(|(_, item)| !old.contains_key(&written(item))) {
            self.below(&index.to_string(), |walk| walk.change(key, What::Added(item.clone())));
        }
        for (index, item) in before.iter().enumerate().filter(|(_, item)| !new.contains_key(&written(item))) {
            self.below(&index.to_string(), |walk| walk.change(key, What::Removed(item.clone())));
        }
        if old.keys().eq(new.keys()) {
            // Only how often an item stands there changed.
            let [before, after] = [before, after].map(|items| Json::Array(items.to_vec()));
            self.change(key, What::Replaced { before, after });
        }
    }

    fn change(&mut self, key: &str, what: What) {
        if self.difference.changes.len() >= MOST_CHANGES {
            self.difference.unlisted += 1;
            return;
        }
        let class = Class::of(self.part, key, &what);
        self.difference.changes.push(Change { part: self.part, pointer: self.pointer.clone(), class, what });
    }

    fn below(&mut self, step: &str, look: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.pointer.truncate(length);
    }
}

/// Members by key, and among equal keys by their order.
fn numbered(members: &Members) -> BTreeMap<(&str, usize), &Json> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    members
        .iter()
        .map(|(key, value)| {
            let count = counts.entry(key).or_default();
            *count += 1;
            ((&**key, *count), value)
        })
        .collect()
}

fn counted(items: &[Json]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(written(item)).or_default() += 1;
    }
    counts
}

/// One text for one value.
fn written(item: &Json) -> (String, String) {
    let canonical = item.canonical();
    (canonical.text().into(), canonical.exact().into())
}
