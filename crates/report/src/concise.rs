//! One line for each check's word on a definition, in the form editors jump from: `file:line:column: …`.

use std::io::{self, Write};

use portcullis_decide::Finding;
use portcullis_detect::escape_line;

use crate::Scan;
use crate::place::{LONGEST_NOTE, subject, subject_of, told};
use crate::style::Style;
use crate::summary;
use crate::word::{Word, words};

/// Writes the findings the report's persona shows, what was not looked at, and the counts.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    scan.report.shown().try_for_each(|finding| write_finding(scan, finding, style, out))?;
    write_end(scan, style, out)
}

/// Writes one finding.
///
/// # Errors
/// Only those of `out`.
pub fn write_finding(
    scan: &Scan<'_>,
    finding: &Finding,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    words(finding, scan.report.persona).iter().try_for_each(|word| write_word(scan, word, style, out))
}

/// Writes what follows the findings.
///
/// # Errors
/// Only those of `out`.
pub fn write_end(scan: &Scan<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, warning, reset, .. } = style;
    for drift in &scan.report.drift {
        let subject = subject_of(&drift.server, drift.kind, &drift.name);
        let (word, explained) = (drift.what.as_str(), drift.what.explain());
        writeln!(out, "{error}error[lock.{word}]{reset} {subject}: {explained}")?;
    }
    for gap in &scan.report.incomplete {
        writeln!(out, "{error}incomplete{reset} {}", told(gap))?;
    }
    for server in &scan.report.never_scanned {
        writeln!(out, "{warning}never scanned{reset} {}", told(server))?;
    }
    for note in &scan.report.notes {
        writeln!(out, "note {}", escape_line(note, LONGEST_NOTE))?;
    }
    writeln!(out, "{}", summary::line(scan))
}

fn write_word(scan: &Scan<'_>, word: &Word<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (colour, reset) = (style.of(word.level), style.reset);
    let place = scan.origins.of(word.finding).map_or_else(String::new, |at| format!("{}: ", at.shown()));
    let more = match word.further.len() {
        0 => String::new(),
        further => format!(" (and {} more)", summary::count(further, "place")),
    };
    writeln!(
        out,
        "{place}{colour}{}[{}]{reset} {}#{}: {}{more}",
        word.level.as_str(),
        word.first.check,
        subject(word.finding),
        word.first.evidence.pointer(),
        word.first.detail
    )
}
