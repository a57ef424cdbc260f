//! The report as JSON lines, schema `portcullis.report-lines/1`: a finding a line as it is found, the sums last.

use std::io::{self, Write};

use portcullis_decide::Finding;
use portcullis_detect::RULES_VERSION;
use serde::Serialize;

use crate::Scan;
use crate::difference::JsonDrift;
use crate::json::{self, Check, Gap, JsonFinding, JsonSuppressed, JsonSuppression, Totals};
use crate::safe_json;

/// Writes the findings the report's persona shows, then everything else, then the sums.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    scan.report.shown().try_for_each(|finding| write_finding(scan, finding, out))?;
    write_end(scan, out)
}

/// Writes one finding.
///
/// # Errors
/// Only those of `out`.
pub fn write_finding(scan: &Scan<'_>, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    line(&Line::Finding(json::finding(scan, finding)), out)
}

/// Writes what follows the findings; the summary is the last line, so a reader knows that nothing is missing.
///
/// # Errors
/// Only those of `out`.
pub fn write_end(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = scan.report;
    for known in report.shown_known() {
        line(&Line::Known(json::finding(scan, known)), out)?;
    }
    for suppressed in &report.suppressed {
        line(&Line::Suppressed(json::suppressed(scan, suppressed)), out)?;
    }
    for (suppression, idle) in &report.idle {
        line(&Line::IdleSuppression(json::suppression(suppression, idle.as_str())), out)?;
    }
    for drift in &report.drift {
        line(&Line::Drift(JsonDrift::of(drift)), out)?;
    }
    for gap in &report.incomplete {
        line(&Line::Incomplete(json::gap(gap)), out)?;
    }
    for server in &report.never_scanned {
        line(&Line::NeverScanned(json::gap(server)), out)?;
    }
    let summary = Summary {
        schema: "portcullis.report-lines/1",
        rules_version: RULES_VERSION,
        persona: report.persona.as_str(),
        complete: report.is_complete(),
        registry: scan.is_registry_used,
        totals: json::totals(scan),
        notes: &report.notes,
        checks: json::checks(scan),
    };
    line(&Line::Summary(summary), out)
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Finding(JsonFinding<'a>),
    Known(JsonFinding<'a>),
    Suppressed(JsonSuppressed<'a>),
    IdleSuppression(JsonSuppression<'a>),
    Drift(JsonDrift<'a>),
    Incomplete(Gap<'a>),
    NeverScanned(Gap<'a>),
    Summary(Summary<'a>),
}

#[derive(Serialize)]
struct Summary<'a> {
    schema: &'static str,
    rules_version: &'static str,
    persona: &'static str,
    complete: bool,
    registry: bool,
    totals: Totals,
    notes: &'a [String],
    checks: Vec<Check>,
}

fn line(value: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", safe_json::line(value))
}
