//! What is wrong with a file: where, and what to do about it. Values are never repeated: they may be secrets.

use std::fmt;

use portcullis_detect::escape_line;

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

/// Characters of a line about one of them.
const LONGEST_LINE: usize = 1000;

/// All of them, a line each, with the file's name before it. Names in a file may come from anywhere: nothing of them
/// reaches the terminal unescaped.
pub(crate) fn report(file: &str, problems: &[Problem]) -> String {
    let line = |problem: &Problem| escape_line(&format!("{file}:{problem}"), LONGEST_LINE);
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
