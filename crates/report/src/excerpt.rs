//! Fits an excerpt into a line and puts carets under its mark, minding double-width characters.

use unicode_width::UnicodeWidthChar;

/// A line of source and the line of carets below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) text: String,
    pub(crate) carets: String,
}

/// The part of `excerpt` around the characters `start..end` that fits into `width` columns, and its carets.
pub(crate) fn marked(excerpt: &str, (start, end): (usize, usize), width: usize) -> Marked {
    let cells: Vec<(char, usize)> = excerpt.chars().map(|c| (c, c.width().unwrap_or(0))).collect();
    let start = start.min(cells.len());
    let end = end.clamp(start, cells.len());
    let (from, to) = window(&cells, start, end, width);
    let mut text = String::new();
    let mut carets = String::new();
    if from > 0 {
        text.push('…');
        carets.push(' ');
    }
    for (index, (character, columns)) in cells.iter().enumerate().take(to).skip(from) {
        text.push(*character);
        let caret = if (start..end).contains(&index) { "^" } else { " " };
        carets.push_str(&caret.repeat(*columns));
    }
    if to < cells.len() {
        text.push('…');
    }
    if start == end {
        // Nothing is marked where something is missing: one caret still shows the place.
        let before =
            carets.chars().count().min(columns(&cells[from..start.max(from)]) + usize::from(from > 0));
        carets = format!("{}^", " ".repeat(before));
    }
    Marked { text, carets: carets.trim_end().to_owned() }
}

/// The characters to show: all if they fit, else the mark with as much on both sides as there is room for.
fn window(cells: &[(char, usize)], start: usize, end: usize, width: usize) -> (usize, usize) {
    if columns(cells) <= width {
        return (0, cells.len());
    }
    // Two columns are kept for the dots that say something was left out.
    let room = width.saturating_sub(2).max(1);
    let mut left = room.saturating_sub(columns(&cells[start..end])) / 2;
    let mut from = start;
    while from > 0 && cells[from - 1].1 <= left {
        from -= 1;
        left -= cells[from].1;
    }
    let mut left = room.saturating_sub(columns(&cells[from..start]));
    let mut to = start;
    while to < cells.len() && cells[to].1 <= left {
        left -= cells[to].1;
        to += 1;
    }
    while from > 0 && cells[from - 1].1 <= left {
        from -= 1;
        left -= cells[from].1;
    }
    (from, to)
}

fn columns(cells: &[(char, usize)]) -> usize {
    cells.iter().map(|(_, columns)| columns).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(excerpt: &str, mark: (usize, usize), width: usize, text: &str, carets: &str) {
        let expected = Marked { text: text.into(), carets: carets.into() };
        assert_eq!(marked(excerpt, mark, width), expected);
    }

    #[test]
    fn carets_stand_under_the_mark() {
        check("say U+200B now", (4, 10), 80, "say U+200B now", "    ^^^^^^");
    }

    #[test]
    fn double_width_characters_take_two_carets() {
        check("日本語 text", (1, 3), 80, "日本語 text", "  ^^^^");
    }

    #[test]
    fn an_empty_mark_still_shows_its_place() {
        check("abc", (1, 1), 80, "abc", " ^");
        check("", (0, 0), 80, "", "^");
    }

    #[test]
    fn a_long_excerpt_keeps_the_mark_in_sight() {
        check("0123456789abcdefghij", (10, 12), 10, "…789abcde…", "    ^^");
        check("0123456789abcdefghij", (18, 20), 10, "…cdefghij", "       ^^");
        check("0123456789abcdefghij", (0, 2), 10, "01234567…", "^^");
    }

    #[test]
    fn a_mark_wider_than_the_line_is_cut_at_its_end() {
        check("0123456789abcdefghij", (2, 18), 10, "…23456789…", " ^^^^^^^^");
    }

    #[test]
    fn marks_out_of_range_are_clamped() {
        check("abc", (2, 99), 80, "abc", "  ^");
        check("abc", (9, 4), 80, "abc", "   ^");
    }
}
