//! What changed between two versions of a definition: field by field, texts by words, schemas by JSON pointer.
//!
//! The texts here are the server's own and may be hostile: escape before printing.

mod class;
mod rescan;
mod structure;
mod words;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::{Part, Volatile};
use portcullis_detect::json::Json;

pub use class::Class;
pub use rescan::{Rescan, Word};
pub use words::{Run, RunKind};

/// More changes than this are counted, not listed.
const MOST_CHANGES: usize = 1000;

/// What changed between two versions of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changes, by part and then as the definition is written.
    pub changes: Vec<Change>,
    /// Changes beyond the most that are listed.
    pub unlisted: usize,
    /// Some text was too long to compare by words; it is shown as replaced from the first difference to the last.
    pub is_coarse: bool,
}

impl Difference {
    /// Compares two versions; spans marked volatile are left out.
    pub fn between(kind: Kind, before: &Json, after: &Json, volatile: &[Volatile]) -> Self {
        let (before, after) = (Volatile::settle(before, volatile), Volatile::settle(after, volatile));
        structure::compare(kind, &before, &after)
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.unlisted == 0
    }

    /// The gravest class of all changes, `None` if nothing changed.
    pub fn class(&self) -> Option<Class> {
        // What was not listed was not classified: the worst is assumed.
        let unlisted = (self.unlisted > 0).then_some(Class::Text);
        self.changes.iter().map(|change| change.class).max().max(unlisted)
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The part of the definition it is in.
    pub part: Part,
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// How grave it is.
    pub class: Class,
    /// What happened there.
    pub what: What,
}

/// What happened at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Something came.
    Added(Json),
    /// Something went.
    Removed(Json),
    /// One value took the place of another.
    Replaced {
        /// What was there.
        before: Json,
        /// What is there now.
        after: Json,
    },
    /// A text changed: the words that stayed, went and came.
    Reworded(Box<[Run]>),
    /// A list that is a set has another order.
    Reordered,
}

#[cfg(test)]
mod tests;
