//! A JSON document as it was written: members in order, equal keys all kept, numbers with their spelling.
//!
//! Identity needs all three. A reader that builds a map keeps one of two equal keys, and clients differ in which;
//! a reader that makes floats of numbers cannot tell 9007199254740993 from its neighbour.

mod canonical;
mod number;
mod reader;

use crate::parse::BadDefinition;
use crate::prelude::*;

pub use canonical::Canonical;
use reader::Reader;

/// One JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, spelt as it came.
    Number(Box<str>),
    /// A string, its escapes resolved.
    String(Box<str>),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members in order, equal keys all kept.
    Object(Vec<(Box<str>, Json)>),
}

impl Json {
    /// Reads a document. Accepts exactly what [`Definition::parse`](crate::Definition::parse) accepts.
    ///
    /// # Errors
    /// Not JSON, nested deeper than 128, a number beyond the range of a double, half of a surrogate pair, or
    /// larger than a definition may be.
    pub fn parse(text: &str) -> Result<Json, BadDefinition> {
        Reader::new(text).document()
    }

    /// The text of a string, `None` for anything else.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an object, none for anything else.
    pub fn members(&self) -> &[(Box<str>, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    /// The document in the form of RFC 8785.
    pub fn canonical(&self) -> Canonical {
        Canonical::of(self)
    }
}

/// Whether two spellings are the same number, exactly: `1.0` and `10e-1` are, neighbours in the 20th digit are not.
pub fn is_same_number(a: &str, b: &str) -> bool {
    number::exact(a) == number::exact(b)
}
