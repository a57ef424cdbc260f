//! Plain text for what an operator wrote down: drift from the lock, known and suppressed findings, idle suppressions.

use std::io::{self, Write};

use portcullis_decide::lock::{Drift, DriftKind};
use portcullis_decide::suppression::{Idle, Suppressed, Suppression};
use portcullis_decide::{Finding, Report};
use portcullis_detect::escape_line;

use crate::place::{LONGEST_NAME, subject, subject_of};
use crate::style::Style;
use crate::suppressions::write_date;

/// Writes drift first, for it fails a scan; then what is known or suppressed, and which suppressions did nothing.
pub(crate) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    report.drift.iter().try_for_each(|drift| write_drift(drift, style, out))?;
    report.shown_known().try_for_each(|finding| write_known(finding, style, out))?;
    report.suppressed.iter().try_for_each(|suppressed| write_suppressed(suppressed, style, out))?;
    report.idle.iter().try_for_each(|(suppression, idle)| write_idle(suppression, *idle, style, out))
}

/// One definition that is not what the lock says.
pub(crate) fn write_drift(drift: &Drift, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, frame, strong, reset, .. } = style;
    let (word, explained) = (drift.what.as_str(), drift.what.explain());
    let from = match &drift.what {
        DriftKind::Renamed { from } => format!(" ({})", escape_line(from, LONGEST_NAME)),
        DriftKind::Changed { .. } | DriftKind::Unknown | DriftKind::Vanished => String::new(),
    };
    writeln!(out, "{error}error[lock.{word}]{reset}{strong}: {explained}{from}{reset}")?;
    writeln!(out, " {frame}-->{reset} {}", subject_of(&drift.server, drift.kind, &drift.name))?;
    let help = "read it, then portcullis lock --update --only SERVER/NAME";
    writeln!(out, "  {frame}={reset} {strong}help{reset}: {help}\n")
}

fn write_known(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { note, reset, .. } = style;
    let subject = subject(finding);
    finding
        .checks
        .iter()
        .try_for_each(|check| writeln!(out, "{note}known[{check}]{reset}: {subject}: the baseline has it"))
}

fn write_suppressed(suppressed: &Suppressed, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { note, reset, .. } = style;
    let (signal, by) = (&suppressed.signal, &suppressed.by);
    let (subject, pointer) = (subject(&suppressed.finding), signal.evidence.pointer());
    let reason = escape_line(&by.reason, 200);
    let until = by.expires.map_or_else(String::new, |expires| format!(" (until {})", write_date(expires)));
    writeln!(out, "{note}suppressed[{}]{reset}: {subject}#{pointer}: {reason}{until}", signal.check)
}

fn write_idle(by: &Suppression, idle: Idle, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { warning, reset, .. } = style;
    let (check, subject) = (escape_line(&by.check, LONGEST_NAME), escape_line(&by.subject, LONGEST_NAME));
    let (word, reason) = (idle.as_str(), escape_line(&by.reason, 200));
    writeln!(out, "{warning}{word} suppression{reset}: {check} on {subject}: {reason}")
}
