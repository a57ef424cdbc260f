//! Cuts texts into words that compare: identifiers opened, endings taken off, words that say nothing left out.

/// Words that stand in every description and in every question.
const SILENT: [&str; 58] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for",
    "from", "given", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "let", "like", "me",
    "my", "need", "of", "on", "one", "or", "our", "out", "please", "should", "some", "that", "the", "their",
    "them", "there", "this", "to", "tool", "us", "use", "want", "we", "what", "which", "with", "you", "your",
];

/// Words people use for one another; each row is one meaning.
const MEANINGS: [&[&str]; 22] = [
    &["get", "fetch", "read", "retrieve", "view", "show", "open", "see", "look"],
    &["list", "enumerate", "browse", "show"],
    &["search", "find", "query", "lookup"],
    &["create", "add", "new", "make", "insert", "open", "file", "schedule"],
    &["update", "edit", "modify", "change", "patch", "set", "rename"],
    &["delete", "remove", "drop", "destroy", "erase", "clear"],
    &["send", "post", "publish", "write", "tell", "notify"],
    &["mail", "email", "gmail", "message", "inbox"],
    &["message", "chat", "slack", "channel"],
    &["run", "execute", "invoke", "launch", "start", "call"],
    &["stop", "kill", "terminate", "cancel", "end"],
    &["repository", "repo", "project", "codebase"],
    &["issue", "ticket", "bug", "task"],
    &["directory", "folder", "dir"],
    &["database", "db", "sql", "table", "postgre"],
    &["weather", "forecast", "temperature", "rain"],
    &["url", "website", "webpage", "web", "page", "site", "link"],
    &["calendar", "event", "meet", "appointment"],
    &["image", "picture", "photo", "screenshot"],
    &["user", "person", "people", "member", "account", "customer", "contact"],
    &["pay", "payment", "charge", "invoice", "refund", "money"],
    &["deploy", "release", "ship", "rollout"],
];

/// The words of a text in order, each as it compares.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in text.chars() {
        let opens = before.is_some_and(|before| {
            c.is_uppercase() && before.is_lowercase() || is_ideograph(c) || is_ideograph(before)
        });
        if opens || !c.is_alphanumeric() {
            keep(&mut words, &mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    keep(&mut words, &mut word);
    words
}

/// Other words for the same meaning, as they compare.
pub(super) fn meanings(word: &str) -> Vec<String> {
    let rows = MEANINGS.iter().map(|row| row.iter().map(|other| stem(other)).collect::<Vec<_>>());
    let rows = rows.filter(|row| row.iter().any(|other| other == word));
    rows.flatten().filter(|other| other != word).collect()
}

fn keep(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() && !SILENT.contains(&word.as_str()) {
        words.push(stem(word));
    }
    word.clear();
}

/// Scripts without spaces: each sign is a word.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Takes common English endings off, the same from names and from questions; being right matters less than being
/// the same.
fn stem(word: &str) -> String {
    let without = |ending: &str, least: usize| {
        word.strip_suffix(ending).filter(|rest| rest.chars().count() >= least).map(str::to_owned)
    };
    let plural = || if word.ends_with("ss") || word.ends_with("us") { None } else { without("s", 3) };
    let stem = without("ies", 3)
        .map(|rest| rest + "y")
        .or_else(|| ["ings", "ing", "ed"].iter().find_map(|ending| without(ending, 3)).map(undouble))
        .or_else(|| {
            ["sses", "xes", "ches", "shes"]
                .iter()
                .find_map(|e| without(e, 2).map(|rest| rest + e.trim_end_matches("es")))
        })
        .or_else(plural)
        .unwrap_or_else(|| word.to_owned());
    // "delete", "deletes" and "deleted" are one.
    match stem.strip_suffix('e') {
        Some(rest) if rest.chars().count() >= 3 => rest.to_owned(),
        _ => stem,
    }
}

/// "running" leaves "runn".
fn undouble(rest: String) -> String {
    let mut last = rest.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !"lsz".contains(a) => {
            rest.strip_suffix(a).unwrap_or(&rest).to_owned()
        }
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_compare_however_they_are_written() {
        for (text, expected) in [
            ("create_pull-request", &["creat", "pull", "request"][..]),
            ("listOpenIssues", &["list", "open", "issu"]),
            ("the queries of the boxes", &["query", "box"]),
            ("running deleted classes", &["run", "delet", "class"]),
            ("HTTPServer2", &["httpserver2"]),
            ("発送 mail", &["発", "送", "mail"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_meaning_has_several_words() {
        assert!(meanings("remov").contains(&"delet".to_owned()));
        assert!(!meanings("remov").contains(&"remov".to_owned()));
        assert!(meanings("zebra").is_empty());
    }
}
