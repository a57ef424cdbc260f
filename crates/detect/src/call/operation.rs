//! What a tool does to the world: read, write or destroy, by the verbs of its name and of its first sentence.
//!
//! Words, never parts of words: `list_skills` kills nothing and `postgres_query` posts nothing.

use super::word::{VERBS, Word};
use crate::prelude::*;

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Changes nothing.
    Read,
    /// Nothing says what it does; judged as a write.
    Unknown,
    /// Changes or sends something.
    Write,
    /// Takes something away.
    Destructive,
}

impl Operation {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Unknown => "unknown",
            Operation::Write => "write",
            Operation::Destructive => "destructive",
        }
    }

    /// The operation a word names, as agents and policies write it.
    pub fn named(word: &str) -> Option<Operation> {
        [Operation::Read, Operation::Unknown, Operation::Write, Operation::Destructive]
            .into_iter()
            .find(|operation| operation.as_str() == word)
    }

    /// Whether anything may be different afterwards.
    pub fn acts(self) -> bool {
        self != Operation::Read
    }
}

/// What a name and a description say a tool does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) operation: Operation,
    /// Runs what it is given: code, commands, queries.
    pub(crate) executes: bool,
    /// The word that decided; empty if none did.
    pub(crate) verb: String,
}

/// The deed of a tool; `name` in its index spelling, words joined by `_`.
pub(crate) fn deed(name: &str, description: &str) -> Deed {
    let lead = Lead::of(description);
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let is_engine = words.iter().any(|word| Word::of(word).any(Word::ENGINE));
    if is_engine && words.contains(&"query") && verb_of(&words).is_none_or(|verb| verb == "query") {
        return Deed::new(Word::EXECUTE, "query");
    }
    let Some(verb) = verb_of(&words) else { return lead.deed_or(words.last().copied(), &words) };
    let known = Word::of(verb);
    if known.any(Word::GENERIC)
        && let Some(class) = lead.verb
    {
        return Deed::new(class, verb);
    }
    let speaks_sql = || mentions(description, "sql");
    if verb == "query" && speaks_sql() {
        return Deed::new(Word::EXECUTE, verb);
    }
    let asks = |word: &&str| matches!(*word, "query" | "queries" | "search");
    let is_question = words.iter().any(asks) || lead.words.iter().take(12).any(|word| asks(&word.as_str()));
    if known.any(Word::EXECUTE) && is_question && !is_engine && !speaks_sql() {
        return Deed::new(Word::READ, verb);
    }
    // `resolve_library_id` looks a name up, `resolve_thread` closes something.
    if verb == "resolve" && words.iter().any(|word| Word::of(word).any(Word::REFERENCE)) {
        return Deed::new(Word::READ, verb);
    }
    Deed::new(known, verb)
}

/// The word of the name that is its verb: the first, unless that reads like a noun, else the last sure one.
fn verb_of<'n>(words: &[&'n str]) -> Option<&'n str> {
    let is_verb = |word: &str| Word::of(word).any(VERBS);
    let first = words.first().copied().filter(|word| is_verb(word));
    if let Some(first) = first.filter(|word| !Word::of(word).any(Word::NOUN_FIRST)) {
        return Some(first);
    }
    let is_sure = |word: &&&str| is_verb(word) && !Word::of(word).any(Word::NOUN);
    words.iter().rfind(is_sure).copied()
}

impl Deed {
    fn new(class: Word, verb: &str) -> Deed {
        let operation = if class.any(Word::DELETE) {
            Operation::Destructive
        } else if class.any(Word::WRITE.or(Word::EXECUTE)) {
            Operation::Write
        } else if class.any(Word::READ) {
            Operation::Read
        } else {
            Operation::Unknown
        };
        Deed { operation, executes: class.any(Word::EXECUTE), verb: verb.to_owned() }
    }
}

/// The first sentence of a description.
struct Lead {
    words: Vec<String>,
    /// What its verb is known for; of "get or update" the stronger.
    verb: Option<Word>,
}

/// Only so many words of the first sentence are read.
const LEAD_WORDS: usize = 24;
/// The verb stands among the first words or nowhere.
const VERB_WITHIN: usize = 6;

impl Lead {
    fn of(description: &str) -> Lead {
        let text = description.trim_start_matches(|c: char| !c.is_alphanumeric());
        let sentence = text.split(['.', '\n', ';', ':']).next().unwrap_or_default();
        let words: Vec<String> = sentence
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| !word.is_empty())
            .take(LEAD_WORDS)
            .map(str::to_ascii_lowercase)
            .collect();
        let verb = Lead::verb(&words);
        Lead { words, verb }
    }

    fn verb(words: &[String]) -> Option<Word> {
        for (at, word) in words.iter().enumerate().take(VERB_WITHIN) {
            let class = Word::of_inflected(word);
            if class.any(VERBS) {
                return Some(strongest(class, words.get(at + 1..).unwrap_or_default()));
            }
            if at > 0 && !is_filler(word) {
                break;
            }
        }
        None
    }

    /// The deed the sentence names, or the one a noun-like word of the name would name.
    fn deed_or(&self, last: Option<&str>, words: &[&str]) -> Deed {
        if let Some(class) = self.verb {
            return Deed::new(class, "");
        }
        let known = |word: &&str| Word::of(word).any(VERBS);
        let verb = last.filter(|word| known(word)).or_else(|| words.iter().copied().find(|word| known(word)));
        verb.map_or(Deed::new(Word::default(), ""), |verb| Deed::new(Word::of(verb), verb))
    }
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
}

/// "Get or update": what is joined to the verb counts if it is worse.
fn strongest(class: Word, behind: &[String]) -> Word {
    let joined = match behind {
        [joint, other, ..] if joint == "or" || joint == "and" => Word::of_inflected(other),
        _ => Word::default(),
    };
    let is_worse = !class.any(Word::WRITE.or(Word::DELETE)) && joined.any(Word::WRITE.or(Word::DELETE));
    if is_worse { joined } else { class }
}

fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 25] = [
        "a", "an", "the", "to", "tool", "tools", "this", "use", "used", "be", "for", "can", "you", "allows",
        "allow", "lets", "let", "and", "or", "with", "will", "it", "safely", "quickly", "easily",
    ];
    FILLERS.contains(&word) || word.ends_with("ly")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_words_not_parts_of_words() {
        let check = |name: &str, description: &str, expected: Operation| {
            assert_eq!(deed(name, description).operation, expected, "{name}: {description}");
        };
        check("list_skills", "", Operation::Read);
        check("postgres_query", "", Operation::Write);
        check("add_pull_request_review_comment", "", Operation::Write);
        check("targets_list", "", Operation::Read);
        check("undelete_record", "", Operation::Write);
        check("get_order", "", Operation::Read);
        check("order_pizza", "Orders a pizza.", Operation::Write);
        check("pods_log", "Get the logs of a pod.", Operation::Read);
        check("manage_rules", "List and search rules.", Operation::Read);
        check("resolve_library_id", "", Operation::Read);
        check("resolve_thread", "", Operation::Write);
        check("resources_scale", "Get or update the scale of a resource.", Operation::Write);
        check("run_panel_query", "Executes panel queries.", Operation::Read);
        check("cancel_subscription", "", Operation::Destructive);
        check("frobnicate", "", Operation::Unknown);
    }

    #[test]
    fn what_runs_code_says_so() {
        assert!(deed("run_command", "").executes);
        assert!(deed("query_snowflake", "").executes);
        assert!(!deed("run_search", "").executes);
    }
}
