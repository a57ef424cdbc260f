//! Breaks a text into lines at its spaces, minding double-width characters; a long word stays whole.

use unicode_width::UnicodeWidthStr;

/// `text` in lines of at most `width` columns: the first starts at column `taken`, the others are indented.
pub(crate) fn wrapped(text: &str, width: usize, taken: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut column = taken;
    for (index, word) in text.split(' ').enumerate() {
        let columns = word.width();
        if index > 0 && column + 1 + columns > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += columns;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_at_spaces_and_keep_long_words() {
        let check = |text: &str, expected: &str| assert_eq!(wrapped(text, 10, 2, 2), expected);
        check("one two three", "one two\n  three");
        check("incomprehensible word", "incomprehensible\n  word");
        check("日本語 日本語", "日本語\n  日本語");
        check("", "");
    }
}
