//! Finds common misspellings in pages and sources; a short list of our own, no dictionary.

use super::Outcome;
use crate::tree;
use anyhow::bail;

/// One pair on each line: the misspelling, and the word that was meant.
const PAIRS: &str = include_str!("../../data/misspellings.txt");

pub(super) fn run() -> Outcome {
    let pairs = pairs();
    let mut found = Vec::new();
    let files = tree::files(&tree::root(), &[".md", ".rs"])?;
    for path in &files {
        let text = std::fs::read_to_string(path)?;
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        let place = tree::shown(path);
        found.extend(misspelt(&text, is_page, &pairs).into_iter().map(|what| format!("{place}:{what}")));
    }
    if !found.is_empty() {
        bail!("{} misspelt:\n  {}", found.len(), found.join("\n  "));
    }
    Ok(Some(format!("{} files", files.len())))
}

fn pairs() -> Vec<(&'static str, &'static str)> {
    PAIRS.lines().filter_map(|line| line.split_once(' ')).collect()
}

/// "12: wrong (right)" for every misspelling. Fenced blocks of a page are left out: an attack may misspell on purpose.
fn misspelt(text: &str, is_page: bool, pairs: &[(&str, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (index, line) in text.lines().enumerate() {
        is_fenced ^= is_page && line.trim_start().starts_with("```");
        if is_fenced {
            continue;
        }
        for word in line.split(|c: char| !c.is_alphabetic()) {
            let word = word.to_lowercase();
            if let Some((_, meant)) = pairs.iter().find(|(wrong, _)| *wrong == word) {
                found.push(format!("{}: {word} ({meant})", index + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, is_page: bool, expected: &[&str]) {
        assert_eq!(misspelt(text, is_page, &[("qick", "quick")]), expected, "{text}");
    }

    #[test]
    fn finds_whole_words_in_any_case_and_in_identifiers() {
        check("a\nThe Qick fox", true, &["2: qick (quick)"]);
        check("let is_qick = 1;", false, &["1: qick (quick)"]);
        check("qicker quick", true, &[]);
    }

    #[test]
    fn leaves_fenced_blocks_of_pages_alone() {
        check("```json\nqick\n```\nqick", true, &["4: qick (quick)"]);
        check("```\nqick", false, &["2: qick (quick)"]);
    }

    #[test]
    fn the_list_is_made_of_pairs_of_different_words() {
        let pairs = pairs();
        assert!(pairs.len() > 100);
        for (wrong, right) in pairs {
            assert!(wrong != right && wrong.chars().all(char::is_lowercase), "{wrong} {right}");
        }
    }
}
