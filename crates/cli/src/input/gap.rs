//! Names what could not be read: file, line, column, and the parser's reason.

use std::path::Path;

use portcullis_decide::Incomplete;
use portcullis_detect::escape_line;

use super::place::Place;

/// A gap, named as editors expect it: `file:line:column`.
pub(crate) fn gap(file: &str, place: Option<Place>, reason: &str) -> Incomplete {
    let file = escape_line(file, 200);
    let subject = match place {
        Some(Place { line, column }) => format!("{file}:{line}:{column}"),
        None => file,
    };
    Incomplete { subject, reason: without_place(reason) }
}

/// A parser's message without its own idea of the place, which counts from the start of a slice.
pub(crate) fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    escape_line(&message[..end], 200)
}

/// The name of a file without folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "server".into(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_named_by_file_line_and_column() {
        let gap = gap("a\u{1b}.json", Some(Place { line: 3, column: 7 }), "expected `:` at line 1 column 9");
        assert_eq!((gap.subject.as_str(), gap.reason.as_str()), ("aU+001B.json:3:7", "expected `:`"));
    }
}
