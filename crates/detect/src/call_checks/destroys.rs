//! What in the arguments takes something away: flags, SQL, shell commands.

use crate::call::view::{Arguments, Leaf};
use crate::call::word::Word;
use crate::prelude::*;
use crate::registry::spelling;

/// A destructive argument.
#[derive(Clone, Debug)]
pub(crate) struct Destruction {
    pub(crate) pointer: String,
    pub(crate) what: &'static str,
    /// A statement or command that destroys, not merely a flag that makes things worse.
    pub(crate) is_certain: bool,
}

/// Flags that make a call worse, in index spelling.
const FLAGS: [&str; 16] = [
    "force",
    "recursive",
    "purge",
    "permanent",
    "permanently",
    "hard_delete",
    "overwrite",
    "skip_confirmation",
    "delete",
    "destroy",
    "wipe",
    "no_confirm",
    "force_delete",
    "cascade",
    "allow_destructive",
    "drop",
];

pub(super) fn find(arguments: &Arguments<'_>) -> Option<Destruction> {
    for leaf in &arguments.leaves {
        if names_deed(leaf, Word::DELETE) {
            let what = "an action that takes away";
            return Some(Destruction { pointer: leaf.pointer.clone(), what, is_certain: true });
        }
        let what = if runs_text(leaf.parameter) { destroying_text(leaf.text) } else { None };
        if let Some(what) = what {
            return Some(Destruction { pointer: leaf.pointer.clone(), what, is_certain: true });
        }
    }
    let is_flag = |name: &&&str| {
        let name = spelling(name);
        FLAGS.contains(&&*name)
            || name.split('_').any(|word| matches!(word, "delete" | "purge" | "wipe" | "destroy"))
    };
    let flag = arguments.flags.iter().find(is_flag)?;
    let pointer = format!("/{}", crate::escape_line(flag, 60));
    Some(Destruction { pointer, what: "a flag that makes it final", is_certain: false })
}

/// `action: delete`, `method: PUT`: a parameter that names the deed.
fn names_deed(leaf: &Leaf<'_>, class: Word) -> bool {
    let is_verb = spelling(leaf.parameter).split('_').any(|word| Word::of(word).any(Word::VERB_PARAMETER));
    let value = || spelling(leaf.text);
    is_verb && leaf.text.len() < 40 && value().split('_').take(1).any(|word| Word::of(word).any(class))
}

/// Whether an argument changes something: a statement, a method, a command, a deed by name.
pub(super) fn writes(leaf: &Leaf<'_>) -> bool {
    const WRITES: [&str; 12] = [
        "insert into ",
        "alter table ",
        "alter user ",
        "create user ",
        "create role ",
        "grant ",
        "git push",
        "kubectl apply",
        "kubectl scale",
        "chmod ",
        "useradd ",
        "crontab -",
    ];
    // Questions are asked by POST too.
    let method = || matches!(leaf.text, "PUT" | "PATCH" | "put" | "patch");
    if leaf.parameter.eq_ignore_ascii_case("method") && method() || names_deed(leaf, Word::DELETE) {
        return true;
    }
    let lower = || leaf.text.chars().take(400).collect::<String>().to_ascii_lowercase();
    let is_update = |text: &str| text.trim_start().starts_with("update ") && text.contains(" set ");
    runs_text(leaf.parameter) && {
        let text = lower();
        is_update(&text)
            || WRITES
                .iter()
                .any(|start| text.trim_start().starts_with(start) || text.contains(&format!("; {start}")))
    }
}

/// Parameters whose text is run.
fn runs_text(parameter: &str) -> bool {
    const RUN: [&str; 14] = [
        "sql",
        "query",
        "statement",
        "command",
        "cmd",
        "script",
        "code",
        "shell",
        "bash",
        "args",
        "commands",
        "statements",
        "expression",
        "input",
    ];
    spelling(parameter).split('_').any(|word| RUN.contains(&word))
}

fn destroying_text(text: &str) -> Option<&'static str> {
    let end = text.char_indices().nth(4000).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = head
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | '|' | '&'))
        .filter(|word| !word.is_empty())
        .collect();
    let pair = |a: &str, bs: &[&str]| {
        words.windows(2).any(|pair| matches!(pair, [first, second] if *first == a && bs.contains(second)))
    };
    let is_sql = pair("drop", &["table", "database", "schema", "index", "view", "user", "role", "column"])
        || pair("delete", &["from"])
        || pair("truncate", &["table"])
        || words.first() == Some(&"truncate") && words.len() <= 4 && !words.contains(&"-s");
    if is_sql {
        return Some("SQL that deletes");
    }
    let starts = |at: usize| {
        at == 0
            || words.get(at - 1).is_some_and(|before| {
                matches!(*before, "sudo" | "then" | "do") || before.ends_with(['&', ';', '|'])
            })
    };
    let removes = words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "rm" => next.starts_with('-') || starts(at),
            "shred" | "mkfs" | "fdisk" | "rmdir" => starts(at),
            "dd" => head.contains("of=/dev"),
            "git" => {
                pair("push", &["--force", "-f"])
                    || pair("reset", &["--hard"])
                    || pair("clean", &["-fd", "-fdx", "-f"])
            }
            "kubectl" => next == "delete",
            "terraform" => next == "destroy",
            _ => word.starts_with("mkfs."),
        }
    });
    removes.then_some("a command that removes")
}
