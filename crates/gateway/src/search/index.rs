//! The index: how often each word stands in each tool, and BM25 over it.

use std::collections::BTreeMap;

use super::words::{meanings, words};

/// How soon a repeated word counts no more, and how much long texts are held back: the usual values of BM25.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// What a word is worth by where it stands. A name says most in the fewest words.
const NAME: f64 = 3.0;
const TITLE: f64 = 2.0;
const DESCRIPTION: f64 = 1.0;
const PARAMETER: f64 = 0.5;
const SERVER: f64 = 1.5;

/// What a match is worth that is not the word itself: the start of one ("repo" for "repository"), or another word for
/// the same. Tried on the table in `tests/it/search.rs`.
const BEGINNING: f64 = 0.5;
const MEANING: f64 = 0.35;

/// The shortest word that may stand for the start of another.
const LEAST_BEGINNING: usize = 4;

/// The most words of a question that count; it is not a document.
const MOST_WORDS: usize = 64;

/// What is known of a tool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Described<'a> {
    /// The server it belongs to.
    pub server: &'a str,
    /// Its name on that server.
    pub name: &'a str,
    /// Its title, if it has one.
    pub title: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Names and descriptions of its parameters.
    pub parameters: &'a [&'a str],
}

/// A tool that fits a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which one, in the order they were given.
    pub tool: usize,
    /// How well; comparable within one answer only.
    pub score: f64,
}

/// Tools by their words. Built anew when the tools change.
#[derive(Debug, Default)]
pub struct Index {
    /// For every word, the tools it stands in and how much it weighs there.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    /// How long each tool's texts are, in weighted words.
    lengths: Vec<f64>,
    mean: f64,
}

impl Index {
    /// An index of these tools.
    pub fn new<'a>(tools: impl IntoIterator<Item = Described<'a>>) -> Index {
        let mut index = Index::default();
        for (number, tool) in tools.into_iter().enumerate() {
            let mut weights: BTreeMap<String, f64> = BTreeMap::new();
            let mut add = |text: &str, weight: f64| {
                words(text).into_iter().for_each(|word| *weights.entry(word).or_default() += weight);
            };
            add(tool.server, SERVER);
            add(tool.name, NAME);
            add(tool.title, TITLE);
            add(tool.description, DESCRIPTION);
            tool.parameters.iter().for_each(|parameter| add(parameter, PARAMETER));
            index.lengths.push(weights.values().sum());
            for (word, weight) in weights {
                index.postings.entry(word).or_default().push((number, weight));
            }
        }
        let total: f64 = index.lengths.iter().sum();
        index.mean = (total / count(index.lengths.len()).max(1.0)).max(1.0);
        index
    }

    /// The tools that fit best, best first; equal ones in the order they were given.
    pub fn search(&self, question: &str, most: usize) -> Vec<Hit> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words(question).iter().take(MOST_WORDS) {
            for (tool, score) in self.score(word) {
                *scores.entry(tool).or_default() += score;
            }
        }
        let mut hits: Vec<Hit> = scores.into_iter().map(|(tool, score)| Hit { tool, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.tool.cmp(&b.tool)));
        hits.truncate(most);
        hits
    }

    /// What one word of a question adds to each tool: its best match there, not the sum of all.
    fn score(&self, word: &str) -> BTreeMap<usize, f64> {
        let mut best: BTreeMap<usize, f64> = BTreeMap::new();
        let mut consider = |postings: &[(usize, f64)], worth: f64| {
            let rarity = self.rarity(postings.len());
            for (tool, weight) in postings {
                let score = worth * rarity * self.saturated(*tool, *weight);
                let known = best.entry(*tool).or_default();
                *known = known.max(score);
            }
        };
        if let Some(postings) = self.postings.get(word) {
            consider(postings, 1.0);
        }
        if word.chars().count() >= LEAST_BEGINNING {
            let longer =
                self.postings.range(word.to_owned()..).take_while(|(term, _)| term.starts_with(word));
            longer
                .skip_while(|(term, _)| *term == word)
                .for_each(|(_, postings)| consider(postings, BEGINNING));
        }
        for other in meanings(word) {
            if let Some(postings) = self.postings.get(&other) {
                consider(postings, MEANING);
            }
        }
        best
    }

    /// Rare words tell more.
    fn rarity(&self, holders: usize) -> f64 {
        let (all, holders) = (count(self.lengths.len()), count(holders));
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    fn saturated(&self, tool: usize, weight: f64) -> f64 {
        let length = self.lengths.get(tool).copied().unwrap_or(self.mean);
        weight * (SATURATION + 1.0) / (weight + SATURATION * (1.0 - LENGTH + LENGTH * length / self.mean))
    }
}

/// Counts of tools are far below what a float holds exactly.
fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let tool = |name, description| Described { server: "s", name, description, ..Described::default() };
        Index::new([
            tool("create_issue", "Creates an issue in a repository."),
            tool("delete_file", "Deletes a file."),
            tool("read_file", "Returns what a file holds."),
        ])
    }

    #[test]
    fn finds_by_name_by_beginning_and_by_meaning() {
        let check = |question: &str, expected: &[usize]| {
            let found: Vec<usize> = index().search(question, 1).iter().map(|hit| hit.tool).collect();
            assert_eq!(found, expected, "{question}");
        };
        check("create issue", &[0]);
        check("something with a repo", &[0]);
        check("remove this file", &[1]);
        check("please", &[]);
        check("", &[]);
        check("zebra", &[]);
    }

    #[test]
    fn equal_ones_keep_their_order() {
        let tool = Described { name: "same", description: "same", ..Described::default() };
        let hits = Index::new([tool; 5]).search("same", 3);
        assert_eq!(hits.iter().map(|hit| hit.tool).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(Index::new([]).search("same", 3).is_empty());
    }
}
