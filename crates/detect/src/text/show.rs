//! Makes hostile text safe to print: cut to length, controls and invisibles written as code points.

use crate::prelude::*;
use crate::text::unicode::is_invisible;

/// How many characters of context an excerpt keeps before and after the mark.
const CONTEXT: usize = 48;
/// The longest mark that is shown whole; a longer one keeps its two ends.
const LONGEST_MARK: usize = 160;

/// An escaped excerpt and the marked part of it, in characters.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) mark_start: usize,
    pub(crate) mark_end: usize,
}

/// The part of `text` around the bytes `start..end`, escaped, with the mark's place in it.
pub(crate) fn excerpt(text: &str, start: usize, end: usize) -> Shown {
    let start = floor_boundary(text, start.min(text.len()));
    let end = floor_boundary(text, end.clamp(start, text.len()));
    let before = text.get(..start).unwrap_or_default();
    let marked = text.get(start..end).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();

    let mut shown = String::new();
    let from = before.char_indices().rev().nth(CONTEXT - 1).map_or(0, |(index, _)| index);
    if from > 0 {
        shown.push('…');
    }
    push_escaped(&mut shown, before.get(from..).unwrap_or_default());
    let mark_start = shown.chars().count();
    push_mark(&mut shown, marked);
    let mark_end = shown.chars().count();
    let to = after.char_indices().nth(CONTEXT).map_or(after.len(), |(index, _)| index);
    push_escaped(&mut shown, after.get(..to).unwrap_or_default());
    if to < after.len() {
        shown.push('…');
    }
    Shown { text: shown, mark_start, mark_end }
}

/// `text` escaped onto one line of at most `limit` characters.
pub fn line(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let cut = text.char_indices().nth(limit).map_or(text.len(), |(index, _)| index);
    push_escaped(&mut shown, text.get(..cut).unwrap_or_default());
    if cut < text.len() {
        shown.push('…');
    }
    shown
}

fn push_mark(shown: &mut String, marked: &str) {
    let count = marked.chars().count();
    if count <= LONGEST_MARK {
        push_escaped(shown, marked);
        return;
    }
    let head = marked.char_indices().nth(LONGEST_MARK * 3 / 4).map_or(marked.len(), |(index, _)| index);
    let tail = marked.char_indices().rev().nth(LONGEST_MARK / 4 - 1).map_or(0, |(index, _)| index);
    push_escaped(shown, marked.get(..head).unwrap_or_default());
    shown.push_str(" … ");
    push_escaped(shown, marked.get(tail..).unwrap_or_default());
}

fn push_escaped(shown: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(' '),
            _ if character.is_control() || is_invisible(character) => {
                shown.push_str(&format!("U+{:04X}", u32::from(character)));
            }
            _ => shown.push(character),
        }
    }
}

fn floor_boundary(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisibles_are_written_as_code_points() {
        let shown = excerpt("a\u{200b}b\u{1b}[31m", 1, 4);
        assert_eq!(shown.text, "aU+200BbU+001B[31m");
        assert_eq!((shown.mark_start, shown.mark_end), (1, 7));
    }

    #[test]
    fn long_text_is_cut_at_both_ends() {
        let text = "x".repeat(500);
        let shown = excerpt(&text, 200, 210);
        assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));
        assert_eq!(shown.mark_end - shown.mark_start, 10);
    }
}
