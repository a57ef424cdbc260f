//! Where something stands in a text.

use std::fmt;

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    pub(crate) const START: Place = Place { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Characters between two marks of a ruler.
const BETWEEN_MARKS: usize = 64;

/// Tells the place of an offset without counting from the start: a file of one long line would take forever.
pub(crate) struct Ruler<'a> {
    text: &'a str,
    /// Every so many characters, where that is.
    marks: Vec<(usize, Place)>,
}

impl<'a> Ruler<'a> {
    pub(crate) fn new(text: &'a str) -> Ruler<'a> {
        // A byte-order mark takes no column.
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut marks = vec![(start, Place::START)];
        let mut place = Place::START;
        for (count, (offset, c)) in text.char_indices().skip_while(|(at, _)| *at < start).enumerate() {
            if count % BETWEEN_MARKS == 0 {
                marks.push((offset, place));
            }
            place = after(place, c);
        }
        Ruler { text, marks }
    }

    /// The place of the character at a byte offset.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let before = self.marks.partition_point(|(at, _)| *at <= offset).saturating_sub(1);
        let (at, place) = self.marks.get(before).copied().unwrap_or((0, Place::START));
        self.text.get(at..offset).unwrap_or_default().chars().fold(place, after)
    }
}

fn after(place: Place, c: char) -> Place {
    match c {
        '\n' => Place { line: place.line + 1, column: 1 },
        _ => Place { column: place.column + 1, ..place },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruler_agrees_with_counting() {
        let text = format!("\u{feff}{{\n{}\u{e9}\u{4e2d}\r\n\"x\"}}", " ".repeat(100));
        let ruler = Ruler::new(&text);
        let counted = |offset: usize| text[3..offset].chars().fold(Place::START, after);
        for offset in text.char_indices().map(|(at, _)| at).filter(|at| *at >= 3) {
            assert_eq!(ruler.place(offset), counted(offset), "{offset}");
        }
    }
}
