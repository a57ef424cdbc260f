//! Sensitive data: secrets and personal data in any document, found in one pass over its bytes.
//!
//! [`prefilter`] finds the places worth a look, [`shape`] and the validators confirm them, [`overlap`] keeps one
//! hit per place, [`placeholder`] takes the weight from documented examples, [`mask`] is the only way out for a value.

mod assign;
mod custom;
mod document;
mod encoded;
mod flat;
mod json;
mod json_masks;
mod mask;
mod overlap;
mod personal;
mod phrase;
mod placeholder;
mod prefilter;
mod row;
mod rows;
mod scan;
mod selection;
mod shape;
mod signs;
mod validate;
mod vendor;

use crate::prelude::*;
use crate::signal::Confidence;
use custom::Custom;
pub(crate) use custom::compiled;
pub use custom::{BadPattern, CustomPattern};
pub use document::{Format, Found, Located, Piece, Reading, Stream};
pub use mask::Sensitive;
use once_cell::race::OnceBox;
use prefilter::{Literal, Prefilter};
use row::{Mark, Row};
pub use row::{Severity, Strength};
use shape::Shape;
use vendor::Vendors;

/// What kind of thing a row finds, for policies that name families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Keys, tokens, passwords: `api_key` in a configuration.
    Secret,
    /// What names or reaches a person, or pays for one.
    Personal,
    /// A pattern of the operator's own.
    Custom,
}

/// What is known about a kind of sensitive data, whatever the document.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'d> {
    /// The row's id, such as `github_token`.
    pub id: &'d str,
    /// The type it counts as: `email`, `card`, … for personal data, the row's id for a secret.
    pub kind: &'d str,
    /// Which family the row belongs to.
    pub family: Family,
    /// Bound, or keyword with entropy; a hit may be stronger than its row.
    pub strength: Strength,
    /// How bad a leak is.
    pub severity: Severity,
}

/// One place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Which row matched; [`SensitiveData::facts`] tells more.
    pub row: u16,
    /// The first byte of the value.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// Bound, or keyword with entropy: the row's own, or more where the name around the value says more.
    pub strength: Strength,
    /// How sure the row is, after validation.
    pub confidence: Confidence,
    /// Why the confidence is near zero, if it is.
    pub doubt: Option<&'static str>,
    /// The encoding the value was found under, if it was encoded.
    pub encoding: Option<&'static str>,
}

/// All rows, compiled, ready to look at any number of documents from any number of threads.
pub struct SensitiveData {
    prefilter: Prefilter,
    secrets: Vec<(&'static Row, Shape)>,
    vendors: Vendors,
    /// The row that [`phrase`] finds.
    phrase_row: u16,
    custom: Vec<Custom>,
    /// By row, whether it is looked for; all are if it is absent.
    selection: Option<Vec<bool>>,
}

impl SensitiveData {
    /// The rows that `types` names (all if it is absent), and the operator's own patterns.
    ///
    /// A type is `api_key` for all secrets, a kind of personal data such as `email`, or a row's id.
    pub fn with(types: Option<&[String]>, patterns: &[CustomPattern]) -> Result<Self, BadPattern> {
        let compiled = patterns.iter().enumerate().map(|(number, written)| Custom::new(number, written));
        let mut data = SensitiveData { custom: compiled.collect::<Result<_, _>>()?, ..SensitiveData::new() };
        if let Some(types) = types {
            data.selection = Some(selection::rows(&data, types)?);
        }
        Ok(data)
    }

    /// All built-in rows, built on first use and kept.
    pub(crate) fn shipped() -> &'static SensitiveData {
        static SHIPPED: OnceBox<SensitiveData> = OnceBox::new();
        SHIPPED.get_or_init(|| Box::new(SensitiveData::new()))
    }

    /// All built-in rows.
    pub fn new() -> Self {
        let secrets: Vec<(&'static Row, Shape)> = rows::FAMILIES
            .iter()
            .flat_map(|family| family.iter())
            .filter_map(|row| Some((row, Shape::new(row.pattern)?)))
            .collect();
        let mut literals = Vec::new();
        let mut vendors = Vec::new();
        for (index, (row, shape)) in secrets.iter().enumerate() {
            let row_index = u16::try_from(index).unwrap_or(u16::MAX);
            let any_case = row.mark == Mark::Keyword;
            match row.mark {
                Mark::Vendor => vendors.extend(row.literals.iter().map(|text| (*text, row_index))),
                Mark::Bound | Mark::Keyword => {
                    literals.extend(row.literals.iter().map(|text| Literal {
                        text,
                        any_case,
                        is_inner: any_case || shape.has_lead(),
                        row: row_index,
                    }));
                }
            }
        }
        let phrase_row = secrets.iter().position(|(row, _)| row.id == phrase::ROW).unwrap_or_default();
        SensitiveData {
            prefilter: Prefilter::new(literals),
            secrets,
            vendors: Vendors::new(vendors),
            phrase_row: u16::try_from(phrase_row).unwrap_or(u16::MAX),
            custom: Vec::new(),
            selection: None,
        }
    }

    /// The literals the secret rows look for; near-misses are made of them.
    pub fn literals(&self) -> impl Iterator<Item = &'static str> {
        self.secrets.iter().flat_map(|(row, _)| row.literals.iter().copied())
    }

    /// What is known about a hit's row.
    pub fn facts(&self, row: u16) -> Facts<'_> {
        match self.secrets.get(usize::from(row)) {
            Some((row, _)) => Facts {
                id: row.id,
                kind: row.id,
                family: Family::Secret,
                strength: row.strength(),
                severity: row.severity,
            },
            None => self.facts_beyond_secrets(usize::from(row) - self.secrets.len()),
        }
    }

    fn facts_beyond_secrets(&self, index: usize) -> Facts<'_> {
        match index.checked_sub(personal::COUNT).and_then(|index| self.custom.get(index)) {
            Some(custom) => Facts {
                id: &custom.name,
                kind: &custom.name,
                family: Family::Custom,
                strength: Strength::Bound,
                severity: custom.severity,
            },
            None => personal::facts(index),
        }
    }

    /// How many rows there are: secrets, personal kinds, custom patterns.
    fn row_count(&self) -> usize {
        self.secrets.len() + personal::COUNT + self.custom.len()
    }

    /// The row of the custom pattern with this index: after the secrets and the personal kinds.
    fn custom_row(&self, index: usize) -> u16 {
        u16::try_from(self.secrets.len() + personal::COUNT + index).unwrap_or(u16::MAX)
    }
}

impl Default for SensitiveData {
    fn default() -> Self {
        SensitiveData::new()
    }
}
