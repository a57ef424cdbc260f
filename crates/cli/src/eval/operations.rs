//! Measures what tools are said to do: annotated tools against the classifier, which sees names and descriptions only.

use std::collections::BTreeMap;

use portcullis_detect::call::{Operation, operation_of};
use serde::{Deserialize, Serialize};

use super::tally::share;

/// A tool whose annotations say what it does.
#[derive(Debug, Deserialize)]
pub(crate) struct Annotated {
    name: String,
    description: Option<String>,
    annotations: Annotations,
    /// A labelled entry is an entry, whatever its annotations say.
    label: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
}

impl Annotated {
    /// The annotated tool a line holds, if it holds one.
    pub(crate) fn read(line: &str) -> Option<Annotated> {
        let annotated: Annotated =
            line.contains("\"annotations\"").then(|| serde_json::from_str(line).ok()).flatten()?;
        annotated.label.is_none().then_some(annotated)
    }

    /// What the annotations say; some say nothing.
    fn gold(&self) -> Option<Operation> {
        match (self.annotations.read_only_hint, self.annotations.destructive_hint) {
            (Some(true), _) => Some(Operation::Read),
            (_, Some(true)) => Some(Operation::Destructive),
            (Some(false), _) => Some(Operation::Write),
            (None, _) => None,
        }
    }
}

/// The confusion matrix: what annotations say, then what the classifier says.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Operations {
    n: u64,
    matrix: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    /// Reading told from modifying; what is unknown counts as wrong.
    read_vs_modify: Option<f64>,
    /// Modifying tools that are called reading.
    modifying_called_read: Option<f64>,
}

/// Measures; `None` without annotated tools.
pub(crate) fn measure(tools: &[Annotated]) -> Option<Operations> {
    let mut operations = Operations::default();
    let (mut right, mut modifying, mut called_read) = (0, 0, 0);
    for tool in tools {
        let Some(gold) = tool.gold() else { continue };
        let found = operation_of(&tool.name, tool.description.as_deref().unwrap_or_default());
        let row = operations.matrix.entry(gold.as_str()).or_default();
        *row.entry(found.as_str()).or_default() += 1;
        operations.n += 1;
        right += u64::from(found != Operation::Unknown && gold.acts() == found.acts());
        modifying += u64::from(gold.acts());
        called_read += u64::from(gold.acts() && found == Operation::Read);
    }
    let rounded = |share: f64| (share * 10_000.0).round() / 10_000.0;
    operations.read_vs_modify = share(right, operations.n).map(rounded);
    operations.modifying_called_read = share(called_read, modifying).map(rounded);
    (operations.n > 0).then_some(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_the_truth_and_names_the_guess() {
        let line = |name: &str, read_only: bool| {
            let line = format!(r#"{{"name":"{name}","annotations":{{"readOnlyHint":{read_only}}}}}"#);
            Annotated::read(&line).expect("an annotated tool")
        };
        let tools = [line("list_x", true), line("get_y", false), line("drop_z", false), line("frob", true)];
        let measured = measure(&tools).expect("there are tools");
        assert_eq!((measured.n, measured.read_vs_modify), (4, Some(0.5)));
        assert_eq!(measured.modifying_called_read, Some(0.5));
    }

    #[test]
    fn labelled_entries_are_left_to_others() {
        assert!(Annotated::read(r#"{"name":"a","label":"benign","annotations":{}}"#).is_none());
        assert!(measure(&[]).is_none());
    }
}
