//! How a source file looks: it opens with a sentence, is short, hides nothing, and has a name that says something.

use crate::{hold, tree};
use tree::File;

/// The most lines a file may have, without its tests.
const MOST_LINES: usize = 400;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = ["utils", "util", "common", "helpers", "helper", "misc", "shared"];

// Written in two halves, so that this file does not break its own rules.
const LATER: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const MACHINE_PATHS: [&str; 3] = [concat!("/wor", "k/"), concat!("/far", "m/"), concat!("/root/.car", "go")];

/// Every file opens with a comment whose first paragraph ends in a full stop; a check opens with its page instead.
fn openings(files: &[File]) -> Vec<String> {
    let rust = files.iter().filter(|file| file.is_rust());
    let bad = rust.filter(|file| !opens_with_a_sentence(&file.text));
    bad.map(|file| format!("{} does not open with a sentence", file.path)).collect()
}

fn opens_with_a_sentence(text: &str) -> bool {
    if text.starts_with("#![doc = include_str!(\"README.md\")]") {
        return true;
    }
    let words = text.lines().map_while(|line| {
        let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("// "))?.trim();
        (!comment.is_empty()).then_some(comment)
    });
    let paragraph = words.collect::<Vec<_>>().join(" ");
    paragraph.len() > 10 && paragraph.ends_with('.')
}

/// No file is longer than a reader's patience; tests and tables of data do not count.
fn lengths(files: &[File]) -> Vec<String> {
    let is_counted = |file: &&File| {
        file.is_rust() && !["/tests/", "/data/"].iter().any(|excluded| file.path.contains(excluded))
    };
    let counted = files.iter().filter(is_counted).map(|file| (file, lines_without_tests(&file.text)));
    let long = counted.filter(|(_, lines)| *lines > MOST_LINES);
    long.map(|(file, lines)| format!("{} has {lines} lines, {MOST_LINES} is the limit", file.path)).collect()
}

fn lines_without_tests(text: &str) -> usize {
    let mut lines = text.lines().peekable();
    let mut count = 0;
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'))
        {
            break;
        }
        count += 1;
    }
    count
}

/// A module is named by its subject.
fn names(files: &[File]) -> Vec<String> {
    let is_empty_name = |part: &str| EMPTY_NAMES.contains(&part.trim_end_matches(".rs"));
    let bad = files.iter().filter(|file| file.is_rust() && file.path.split('/').any(is_empty_name));
    bad.map(|file| format!("{} is named by kind, not by subject", file.path)).collect()
}

/// What is left for later has an issue, on the same line.
fn promises(files: &[File]) -> Vec<String> {
    // Definitions are what other people wrote, or could have.
    let ours: Vec<File> = files.iter().filter(|file| !file.path.ends_with(".json")).cloned().collect();
    lines_with(&ours, |line| {
        let is_promise = LATER.iter().any(|word| {
            line.match_indices(word).any(|(at, _)| {
                let is_letter = |c: char| c.is_alphanumeric() || c == '_';
                !line[..at].ends_with(is_letter) && !line[at + word.len()..].starts_with(is_letter)
            })
        });
        let has_issue = line.split('#').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        (is_promise && !has_issue).then_some("a promise without an issue number")
    })
}

/// No path of somebody's machine.
fn machine_paths(files: &[File]) -> Vec<String> {
    lines_with(files, |line| {
        let is_absolute =
            |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~/}>*".contains(c));
        let has_path =
            MACHINE_PATHS.iter().any(|path| line.match_indices(path).any(|(at, _)| is_absolute(at)));
        has_path.then_some("a path of somebody's machine")
    })
}

/// No invisible, bidirectional or control character stands raw in any file: what is reviewed is what is there.
fn hidden(files: &[File]) -> Vec<String> {
    lines_with(files, |line| {
        line.contains(is_hidden).then_some("a raw invisible character; write it as an escape")
    })
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

/// "path:line: what" for every line on which `rule` finds something.
fn lines_with(files: &[File], rule: impl Fn(&str) -> Option<&'static str>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        // `lines` would swallow a carriage return before the newline.
        for (index, line) in file.text.split('\n').enumerate() {
            found.extend(rule(line).map(|what| format!("{}:{}: {what}", file.path, index + 1)));
        }
    }
    found
}

#[test]
fn every_file_is_as_the_house_wants_it() {
    let files = tree::files();
    hold("opening sentences", &openings(&files));
    hold("lengths", &lengths(&files));
    hold("names of modules", &names(&files));
    hold("promises", &promises(&files));
    hold("machine paths", &machine_paths(&files));
    hold("hidden characters", &hidden(&files));
}

/// Whether `rule` finds as many violations in a made-up file as it should.
fn check(rule: fn(&[File]) -> Vec<String>, path: &str, text: &str, expected: usize) {
    let found = rule(&[tree::made_up(path, text)]);
    assert_eq!(found.len(), expected, "{path}: {text:?}: {found:?}");
}

#[test]
fn the_rule_on_opening_sentences_can_fail() {
    check(openings, "a.rs", "//! Says what it is for.\n\nuse x;", 0);
    check(openings, "a.rs", "//! Says what it is\n//! for.\n//!\n//! And more", 0);
    check(openings, "a.rs", "// Says what it is for.\n", 0);
    check(openings, "a.rs", "#![doc = include_str!(\"README.md\")]\n", 0);
    check(openings, "a.rs", "use x;\n//! Too late for that.", 1);
    check(openings, "a.rs", "//! no full stop here", 1);
    check(openings, "a.rs", "", 1);
    check(openings, "a.md", "use x;", 0);
}

#[test]
fn the_rule_on_lengths_can_fail() {
    let lines = |count: usize| "x\n".repeat(count);
    check(lengths, "a.rs", &lines(400), 0);
    check(lengths, "a.rs", &lines(401), 1);
    check(lengths, "a.rs", &format!("{}#[cfg(test)]\nmod tests {{\n{}", lines(300), lines(300)), 0);
    check(lengths, "a.rs", &format!("#[cfg(test)]\nmod tests;\n{}", lines(400)), 1);
    check(lengths, "crates/x/tests/it/a.rs", &lines(900), 0);
}

#[test]
fn the_rule_on_names_can_fail() {
    check(names, "crates/detect/src/text/fold.rs", "", 0);
    check(names, "crates/detect/src/utils.rs", "", 1);
    check(names, "crates/detect/src/common/fold.rs", "", 1);
}

#[test]
fn the_rule_on_promises_can_fail() {
    let later = LATER[0];
    check(promises, "a.rs", &format!("// {later}: some day"), 1);
    check(promises, "a.json", &format!("{later} list"), 0);
    check(promises, "a.rs", &format!("// {later}(#12): some day"), 0);
    check(promises, "a.rs", &format!("let {later}S = list_{later};"), 0);
}

#[test]
fn the_rule_on_machine_paths_can_fail() {
    let [work, ..] = MACHINE_PATHS;
    check(machine_paths, "a.md", &format!("see `{work}x`"), 1);
    check(machine_paths, "a.md", &format!("see {work}x"), 1);
    check(machine_paths, "a.md", &format!("see https://example.org{work}x and ./home{work}"), 0);
}

#[test]
fn the_rule_on_hidden_characters_can_fail() {
    for hidden_one in
        ['\u{200b}', '\u{202e}', '\u{e0041}', '\u{fe0f}', '\u{1b}', '\r', '\u{feff}', '\u{a0}', '\u{e000}']
    {
        check(hidden, "a.json", &format!("x{hidden_one}\ny"), 1);
    }
    check(hidden, "a.json", "tabs\tand \u{fc}, \u{4e2d}, \u{44f}, \\u200b are fine\n", 0);
}
