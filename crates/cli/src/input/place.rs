//! Where in a text something stands: line and column, 1-based, counted in characters as editors do.

/// A line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Finds the places of byte offsets; cheap when asked in rising order.
pub(crate) struct Places<'a> {
    text: &'a str,
    line: usize,
    line_start: usize,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Places { text, line: 1, line_start: 0 }
    }

    /// The place of the byte `offset`.
    pub(crate) fn at(&mut self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        if offset < self.line_start {
            *self = Places::new(self.text);
        }
        let bytes = self.text.as_bytes();
        while let Some(end) = bytes[self.line_start..offset].iter().position(|byte| *byte == b'\n') {
            self.line_start += end + 1;
            self.line += 1;
        }
        let before = String::from_utf8_lossy(&bytes[self.line_start..offset]);
        Place { line: self.line, column: before.chars().count() + 1 }
    }

    /// The place of what `inner`, a part of the text, calls line `line` and byte column `column`.
    ///
    /// JSON parsers count lines from 1 and columns in bytes, and start anew in every slice they are given.
    pub(crate) fn inside(&mut self, inner: &str, line: usize, column: usize) -> Place {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "ab\nüü{\ncd";
        let mut places = Places::new(text);
        assert_eq!(places.at(0), Place { line: 1, column: 1 });
        assert_eq!(places.at(7), Place { line: 2, column: 3 });
        assert_eq!(places.at(9), Place { line: 3, column: 1 });
        assert_eq!(places.at(1), Place { line: 1, column: 2 }, "asking backwards works too");
        assert_eq!(places.at(999), Place { line: 3, column: 3 });
    }

    #[test]
    fn an_inner_slice_keeps_its_place_in_the_whole() {
        let text = "[\n  {\"a\": 1,\n   \"b\" 2}\n]";
        let inner = &text[4..];
        let mut places = Places::new(text);
        assert_eq!(places.inside(inner, 0, 0), Place { line: 2, column: 3 });
        assert_eq!(places.inside(inner, 1, 2), Place { line: 2, column: 4 });
        assert_eq!(places.inside(inner, 2, 8), Place { line: 3, column: 8 });
    }
}
