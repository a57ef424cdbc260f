//! Where in a text something stands: line and column, 1-based, counted in characters as editors do.

/// A line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Bytes between two remembered places.
const STRIDE: usize = 256;

/// Finds the places of byte offsets in any order. The text is walked once; a question walks a stride at most, also in
/// a file that is one huge line.
pub(crate) struct Places<'a> {
    text: &'a str,
    /// The place of every offset that is a multiple of [`STRIDE`].
    remembered: Vec<Place>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Places::from_line(text, 1)
    }

    /// The same for a text that begins at `line` of something larger.
    pub(crate) fn from_line(text: &'a str, line: usize) -> Self {
        let mut place = Place { line, column: 1 };
        let mut remembered = Vec::with_capacity(text.len() / STRIDE + 1);
        for stride in text.as_bytes().chunks(STRIDE) {
            remembered.push(place);
            place = walk(place, stride);
        }
        Places { text, remembered }
    }

    /// The place of the byte `offset`.
    pub(crate) fn at(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let stride = (offset / STRIDE).min(self.remembered.len().saturating_sub(1));
        let Some(place) = self.remembered.get(stride) else { return Place { line: 1, column: 1 } };
        walk(*place, &self.text.as_bytes()[stride * STRIDE..offset])
    }

    /// The place of what `inner`, a part of the text, calls line `line` and byte column `column`.
    ///
    /// JSON parsers count lines from 1 and columns in bytes, and start anew in every slice they are given.
    pub(crate) fn inside(&self, inner: &str, line: usize, column: usize) -> Place {
        let mut offset = self.offset_of(inner);
        if line > 0 {
            let rest = inner.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
            offset += (rest + column.saturating_sub(1)).min(inner.len());
        }
        self.at(offset)
    }

    /// The byte offset of `inner`, which must be a slice of the text; 0 if it is not.
    pub(crate) fn offset_of(&self, inner: &str) -> usize {
        let offset = (inner.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset <= self.text.len() { offset } else { 0 }
    }
}

/// The place behind `bytes`, which begin at `place`.
fn walk(mut place: Place, bytes: &[u8]) -> Place {
    for byte in bytes {
        match byte {
            b'\n' => place = Place { line: place.line + 1, column: 1 },
            // The further bytes of a character do not count.
            0x80..=0xBF => {}
            _ => place.column += 1,
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "ab\nüü{\ncd";
        let places = Places::new(text);
        assert_eq!(places.at(0), Place { line: 1, column: 1 });
        assert_eq!(places.at(7), Place { line: 2, column: 3 });
        assert_eq!(places.at(9), Place { line: 3, column: 1 });
        assert_eq!(places.at(1), Place { line: 1, column: 2 }, "asking backwards works too");
        assert_eq!(places.at(999), Place { line: 3, column: 3 });
    }

    #[test]
    fn one_huge_line_is_asked_in_any_order() {
        let text = "x".repeat(1 << 20);
        let places = Places::new(&text);
        for offset in (0..text.len()).rev().step_by(997) {
            assert_eq!(places.at(offset), Place { line: 1, column: offset + 1 });
        }
    }

    #[test]
    fn an_inner_slice_keeps_its_place_in_the_whole() {
        let text = "[\n  {\"a\": 1,\n   \"b\" 2}\n]";
        let inner = &text[4..];
        let places = Places::new(text);
        assert_eq!(places.inside(inner, 0, 0), Place { line: 2, column: 3 });
        assert_eq!(places.inside(inner, 1, 2), Place { line: 2, column: 4 });
        assert_eq!(places.inside(inner, 2, 8), Place { line: 3, column: 8 });
    }
}
