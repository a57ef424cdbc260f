//! Workflow commands of GitHub Actions: findings become annotations on the files they stand in.

use std::io::{self, Write};

use portcullis_detect::escape_line;

use crate::Scan;
use crate::place::{LONGEST_NOTE, subject, subject_of, told};
use crate::summary;
use crate::word::{Level, Word, words};

/// Writes an annotation for each check's word, the loudest first: GitHub shows only the first ten of a kind.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut all: Vec<Word<'_>> =
        scan.report.shown().flat_map(|finding| words(finding, scan.report.persona)).collect();
    all.sort_by_key(|word| std::cmp::Reverse((word.level, word.finding.severity)));
    all.iter().try_for_each(|word| write_word(scan, word, out))?;
    for drift in &scan.report.drift {
        let title = format!("lock.{}", drift.what.as_str());
        let subject = subject_of(&drift.server, drift.kind, &drift.name);
        command("error", "", &title, &format!("{subject}: {}", drift.what.explain()), out)?;
    }
    for gap in &scan.report.incomplete {
        command("error", "", "incomplete", &told(gap), out)?;
    }
    for server in &scan.report.never_scanned {
        command("warning", "", "never scanned", &told(server), out)?;
    }
    for note in &scan.report.notes {
        command("notice", "", "note", &escape_line(note, LONGEST_NOTE), out)?;
    }
    // Whatever stands in a line that is no command is only shown.
    writeln!(out, "{}", summary::line(scan))
}

fn write_word(scan: &Scan<'_>, word: &Word<'_>, out: &mut dyn Write) -> io::Result<()> {
    let level = match word.level {
        Level::Note => "notice",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let place = scan.origins.of(word.finding).map_or_else(String::new, |origin| {
        let file = property(&origin.file.replace('\\', "/"));
        format!("file={file},line={},col={},", origin.line, origin.column)
    });
    let (first, news) = (word.first, scan.report.news(word.finding, word.first.check));
    let mut text = format!("{}#{}: {}", subject(word.finding), first.evidence.pointer(), first.detail);
    if !first.evidence.excerpt().is_empty() {
        text.push_str(&format!("\n{}", first.evidence.excerpt()));
    }
    text.extend(news.map(|news| format!("\n{}", summary::news(scan, news))));
    match scan.page(first.check) {
        Some(page) => text.push_str(&format!("\n{page}")),
        None => text.push_str(&format!("\nportcullis explain {}", first.check)),
    }
    command(level, &place, first.check, &text, out)
}

fn command(level: &str, place: &str, title: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "::{level} {place}title={}::{}", property(title), data(text))
}

/// The escapes of a command's text: a line break would end it and could begin another.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The escapes of a command's properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("a%\n::error::b\r"), "a%25%0A::error::b%0D");
        assert_eq!(property("a,b:c"), "a%2Cb%3Ac");
    }
}
