//! How many letters two words differ by, and which word was meant.

/// The known word somebody probably meant. More than half of the letters changed is another word, no misspelling.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = known.map(|known| (edits(word, known), known)).min();
    nearest.filter(|(edits, near)| edits * 2 < near.chars().count()).map(|(_, near)| near)
}

/// The Levenshtein distance in characters. Long words are compared by their first 64: ids are shorter.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, from) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{edits, nearest};

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("unicode.hiden", "unicode.hidden", 1),
            ("gräte", "grate", 1),
        ] {
            assert_eq!(edits(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_misspelling_is_not_another_word() {
        assert_eq!(nearest("lsten", ["listen", "auth"].into_iter()), Some("listen"));
        assert_eq!(nearest("colour", ["listen", "auth"].into_iter()), None);
    }
}
