//! The report as Markdown for a pull request: a verdict, the counts, the evidence.
//!
//! Whatever a server wrote stands in code, where Markdown has no links, images, HTML or mentions; the fence is longer
//! than any run of backticks inside.

use std::io::{self, Write};

use portcullis_detect::{RULES_VERSION, escape_line};

use crate::Scan;
use crate::excerpt::marked;
use crate::place::{LONGEST_NOTE, subject, subject_of, told};
use crate::summary::{self, count};
use crate::word::{Word, words};

/// A comment on GitHub holds 65,536 characters, on GitLab a million; what does not fit is counted.
const MOST_BYTES: usize = 60_000;
/// The columns of an excerpt, before a code host would let it scroll.
const WIDTH: usize = 96;

/// Writes the findings the report's persona shows, as many as fit into a comment.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = scan.report;
    writeln!(out, "## Portcullis: {}\n", headline(scan))?;
    writeln!(
        out,
        "{} in {}, rules {RULES_VERSION}.\n",
        summary::found(&report.totals()),
        summary::scope(scan)
    )?;
    counts(scan, out)?;
    let mut blocks: Vec<String> = Vec::new();
    for gap in &report.incomplete {
        blocks.push(format!("- **incomplete** {}\n", code(&told(gap))));
    }
    for server in &report.never_scanned {
        blocks.push(format!("- **never scanned** {}\n", code(&told(server))));
    }
    for note in &report.notes {
        blocks.push(format!("- **note** {}\n", code(&escape_line(note, LONGEST_NOTE))));
    }
    for drift in &report.drift {
        let subject = code(&subject_of(&drift.server, drift.kind, &drift.name));
        blocks.push(format!("- **lock.{}** {subject}: {}\n", drift.what.as_str(), drift.what.explain()));
    }
    let mut all: Vec<Word<'_>> = report.shown().flat_map(|finding| words(finding, report.persona)).collect();
    all.sort_by_key(|word| std::cmp::Reverse((word.finding.severity, word.level)));
    blocks.extend(all.iter().map(|word| block(scan, word)));
    let mut room = MOST_BYTES;
    let mut written = 0;
    for block in &blocks {
        let Some(left) = room.checked_sub(block.len()) else { break };
        room = left;
        written += 1;
        out.write_all(block.as_bytes())?;
    }
    if written < blocks.len() {
        writeln!(out, "\n…and {} more; `--format json` lists all.", blocks.len() - written)?;
    }
    Ok(())
}

fn headline(scan: &Scan<'_>) -> &'static str {
    let report = scan.report;
    if report.shown().any(portcullis_decide::Finding::is_hard) || !report.drift.is_empty() {
        "something should be held"
    } else if !report.is_complete() {
        "not everything was looked at"
    } else if report.shown().next().is_some() {
        "somebody should look"
    } else if !report.never_scanned.is_empty() {
        "servers were found and not scanned"
    } else {
        "nothing found"
    }
}

/// What is not among the findings, if there is any of it.
fn counts(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let totals = scan.report.totals();
    let persona = format!("ignored by `{}`", scan.report.persona.as_str());
    let rows = [
        (totals.suppressed, "suppressed"),
        (totals.known, "known from the baseline"),
        (totals.ignored, persona.as_str()),
    ];
    let told: Vec<String> = rows
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if told.is_empty() { Ok(()) } else { writeln!(out, "Not listed: {}.\n", told.join(", ")) }
}

/// One check's word with its evidence, as an entry of a list.
fn block(scan: &Scan<'_>, word: &Word<'_>) -> String {
    let (check, severity) = (word.first.check, word.finding.severity.as_str());
    let check =
        scan.page(check).map_or_else(|| code(check), |page| format!("[{}]({})", code(check), link(&page)));
    let place = scan.origins.of(word.finding).map(|origin| format!(" in {}", code(&origin.shown())));
    let place = place.unwrap_or_default();
    let mut block = format!("- **{severity}** {check} on {}{place}\n\n", code(&subject(word.finding)));
    let mut lines = vec![word.first.detail.clone()];
    let evidence = &word.first.evidence;
    let shown = marked(evidence.excerpt(), evidence.mark(), WIDTH);
    lines.push(format!("at {}", evidence.place()));
    lines.extend([format!("| {}", shown.text), format!("| {}", shown.carets)]);
    if !word.further.is_empty() {
        lines.push(format!("and {} more", count(word.further.len(), "place")));
    }
    if let Some(discount) = &word.first.discount {
        lines.push(format!("confidence lowered from {}: {}", discount.from, discount.reason));
    }
    if let Some(news) = scan.report.news(word.finding, word.first.check) {
        lines.push(summary::news(scan, news));
    }
    let fence = "`".repeat(longest_run(&lines.join("\n")).max(2) + 1);
    block.push_str(&format!("  {fence}text\n"));
    lines.iter().for_each(|line| block.push_str(&format!("  {}\n", line.trim_end())));
    block.push_str(&format!("  {fence}\n"));
    block
}

/// A code span no text can break out of. INVARIANT: the text is one line, as everything escaped is.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    // A space keeps backticks at the ends apart from the fence; readers drop it.
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// The operator's own address, so that it cannot end the link.
fn link(address: &str) -> String {
    address.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn no_text_breaks_out_of_a_code_span() {
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x`"), "`` `x` ``");
    }
}
