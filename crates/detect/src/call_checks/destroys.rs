//! What in the arguments takes something away: flags, SQL, shell commands.

use crate::call::view::{Arguments, Leaf};
use crate::call::word::Word;
use crate::flow::hash_word;
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
        if let Some(what) = destroying_text(leaf) {
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
    let value = || spelling(leaf.text);
    leaf.names_deed
        && leaf.text.len() < 40
        && value().split('_').take(1).any(|word| Word::of(word).any(class))
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
    leaf.is_run && {
        let text = lower();
        is_update(&text)
            || WRITES
                .iter()
                .any(|start| text.trim_start().starts_with(start) || text.contains(&format!("; {start}")))
    }
}

/// Characters of a text that is run that are looked at.
const MOST: usize = 4000;

/// Without one of these words nothing is destroyed.
const DESTROYERS: [u64; 12] = [
    hash_word("drop"),
    hash_word("delete"),
    hash_word("truncate"),
    hash_word("rm"),
    hash_word("shred"),
    hash_word("mkfs"),
    hash_word("fdisk"),
    hash_word("rmdir"),
    hash_word("dd"),
    hash_word("git"),
    hash_word("kubectl"),
    hash_word("terraform"),
];

/// Whether any word of a text could destroy something. Beyond ASCII words may be parted by blanks that the walk does not
/// know, so there everything could.
fn may_destroy(leaf: &Leaf<'_>) -> bool {
    !leaf.text.is_ascii() || leaf.steps.iter().any(|step| DESTROYERS.contains(&step.hash))
}

fn destroying_text(leaf: &Leaf<'_>) -> Option<&'static str> {
    if !leaf.is_run || !may_destroy(leaf) {
        return None;
    }
    let text = leaf.text;
    let end = text.char_indices().nth(MOST).map_or(text.len(), |(at, _)| at);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Override, ToolProfile};
    use crate::json::Json;

    fn check(parameter: &str, text: &str, expected: bool) {
        let arguments = Json::Object(vec![(parameter.into(), Json::String(text.into()))]);
        let profile = ToolProfile::of_call("run", &[parameter], &Override::default());
        let arguments = Arguments::of(&arguments, &profile, false);
        assert_eq!(find(&arguments).is_some(), expected, "{parameter}: {text}");
    }

    #[test]
    fn every_word_that_destroys_is_looked_at() {
        for text in [
            "DROP TABLE orders",
            "select 1;delete from orders",
            "Truncate table orders",
            "truncate orders",
            "rm -rf build",
            "sudo rm build",
            "sudo shred key.pem",
            "mkfs /dev/sda1",
            "MKFS.ext4 /dev/sda1",
            "fdisk /dev/sda",
            "rmdir build",
            "dd if=/dev/zero of=/dev/sda",
            "git push --force origin main",
            "git reset --hard",
            "kubectl delete pod web",
            "terraform destroy",
        ] {
            check("command", text, true);
            check("note", text, false);
        }
    }

    #[test]
    fn blanks_beyond_ascii_part_words_too() {
        check("sql", "drop\u{a0}table orders", true);
        check("command", "\u{3000}rm\u{2003}-rf build", true);
        check("sql", "dropé table orders", false);
    }

    #[test]
    fn words_inside_of_others_destroy_nothing() {
        check("command", "gitk --all; rms; firm -rf", false);
        check("query", "a question of ordinary length, as agents ask", false);
    }
}
