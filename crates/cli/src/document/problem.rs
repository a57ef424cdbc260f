//! What is wrong with a file: where, and what to do about it. Values are never repeated: they may be secrets.

use std::fmt;

use super::Place;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    at: Place,
    message: String,
}

impl Problem {
    pub(crate) fn at(at: Place, message: String) -> Problem {
        Problem { at, message }
    }

    pub(crate) fn place(&self) -> Place {
        self.at
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}

/// All of them, a line each, with the file's name before it.
pub(crate) fn report(file: &str, problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{file}:{problem}")).collect::<Vec<_>>().join("\n")
}
