//! The report as one HTML page a manager can read: a verdict, charts, the evidence, what the checks mean.
//!
//! One file, no script, nothing fetched: the policy in its head forbids all but our own style sheet, and every text that
//! is not ours goes through [`text`]. It has neither time nor place of the run, so equal scans give equal pages.

mod charts;
mod findings;

use std::collections::BTreeMap;
use std::io::{self, Write};

use portcullis_decide::{Finding, Incomplete, Severity};
use portcullis_detect::{RULES_VERSION, escape_line};

use crate::Scan;
use crate::place::{LONGEST_NAME, LONGEST_NOTE, subject, subject_of};
use crate::summary::{self, count};
use charts::{Bar, bars};

const STYLE: &str = include_str!("style.css");
/// The style sheet's digest: with it no other style is applied. A test keeps it true.
const STYLE_DIGEST: &str = "sha256-Pq6RYw/C6H0FJmfKFcjJEMJxmMQVMjxm+yvDL7Q4Ijc=";
/// The servers and checks a chart shows; the others are one bar.
const MOST_BARS: usize = 12;

/// Writes the page.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let policy =
        format!("default-src 'none'; style-src '{STYLE_DIGEST}'; base-uri 'none'; form-action 'none'");
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Portcullis report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Portcullis report</h1>\n\
         <p class=\"soft\">What MCP servers declare, and what is wrong with it: {}.</p>\n",
        text(&summary::scope(scan))
    )?;
    verdict(scan, out)?;
    tiles(scan, out)?;
    if scan.report.shown().next().is_some() {
        chart_figures(scan, out)?;
        findings::write(scan, out)?;
    }
    gaps("Not looked at", "what", &scan.report.incomplete, out)?;
    gaps("Never scanned", "server", &scan.report.never_scanned, out)?;
    notes(scan, out)?;
    drift(scan, out)?;
    accepted(scan, out)?;
    findings::checks(scan, out)?;
    write!(
        out,
        "<footer><p>Made by Portcullis with rules {RULES_VERSION}, persona {}. The same input gives the same page.</p>\
         </footer>\n</main>\n</body>\n</html>\n",
        scan.report.persona.as_str()
    )
}

/// A text that is not ours, made safe for content and for attributes.
fn text(hostile: &str) -> String {
    let mut safe = String::with_capacity(hostile.len());
    for character in hostile.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(character),
        }
    }
    safe
}

fn verdict(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = scan.report;
    let held = report.shown().filter(|finding| finding.is_hard()).count();
    let looked =
        report.shown().filter(|finding| !finding.is_hard() && finding.severity > Severity::Info).count();
    let (class, headline) = if held > 0 {
        let them = if held == 1 { "it" } else { "them" };
        ("bad", format!("{} should not be used until somebody has read {them}.", count(held, "definition")))
    } else if !report.drift.is_empty() {
        ("bad", format!("{} from what was locked.", count(report.drift.len(), "difference")))
    } else if !report.is_complete() {
        ("doubt", "Not everything could be looked at.".to_owned())
    } else if looked > 0 {
        (
            "doubt",
            format!("Nothing must be held, but somebody should look at {}.", count(looked, "definition")),
        )
    } else if !report.never_scanned.is_empty() {
        ("doubt", format!("{} found and not scanned.", count(report.never_scanned.len(), "server")))
    } else {
        ("good", "Nothing was found.".to_owned())
    };
    let doubt = match report.incomplete.len() {
        0 => "Everything that was given was looked at.".to_owned(),
        gaps => {
            format!("Incomplete: {} not looked at, so this says nothing about them.", count(gaps, "part"))
        }
    };
    writeln!(out, "<div class=\"verdict {class}\"><strong>{headline}</strong>{doubt}</div>")
}

fn tiles(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let totals = scan.report.totals();
    let mut tiles = vec![(scan.report.servers.len(), "servers"), (totals.definitions, "definitions")];
    tiles.extend(
        summary::severities(&totals).into_iter().filter(|(count, word)| *count > 0 || *word == "critical"),
    );
    let accepted = [(totals.suppressed, "suppressed"), (totals.known, "known before")];
    tiles.extend(accepted.into_iter().filter(|(count, _)| *count > 0));
    out.write_all(b"<ul class=\"tiles\">")?;
    tiles.iter().try_for_each(|(count, word)| write!(out, "<li><b>{count}</b>{word}</li>"))?;
    out.write_all(b"</ul>\n")
}

fn chart_figures(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let totals = scan.report.totals();
    let severity = summary::severities(&totals);
    let severities: Vec<Bar> = severity
        .iter()
        .map(|(count, word)| Bar { label: (*word).to_owned(), parts: vec![(*count, *word)] })
        .collect();
    let servers = stacked(
        scan.report.shown().map(|finding| (escape_line(&finding.server, LONGEST_NAME), finding.severity)),
    );
    let by_check = scan
        .report
        .shown()
        .flat_map(|finding| finding.checks.iter().map(|check| ((*check).to_owned(), finding.severity)));
    out.write_all(b"<h2>At a glance</h2>\n<div class=\"charts\">\n")?;
    out.write_all(bars("Findings by severity", &severities).as_bytes())?;
    out.write_all(bars("Findings by check", &stacked(by_check)).as_bytes())?;
    out.write_all(bars("Findings by server", &servers).as_bytes())?;
    out.write_all(b"</div>\n")
}

/// One bar for each label, the longest first, its findings stacked worst first; what is over the limit is one bar.
fn stacked(findings: impl Iterator<Item = (String, Severity)>) -> Vec<Bar> {
    const ORDER: [Severity; 5] =
        [Severity::Critical, Severity::High, Severity::Medium, Severity::Low, Severity::Info];
    let mut counts: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    for (label, severity) in findings {
        let row = counts.entry(label).or_default();
        ORDER.iter().zip(row).filter(|(known, _)| **known == severity).for_each(|(_, count)| *count += 1);
    }
    let mut rows: Vec<(String, [usize; 5])> = counts.into_iter().collect();
    rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<usize>()));
    if rows.len() > MOST_BARS {
        let rest = rows.split_off(MOST_BARS - 1);
        let sum = rest
            .iter()
            .fold([0; 5], |sum, (_, counts)| std::array::from_fn(|place| sum[place] + counts[place]));
        rows.push((format!("{} others", rest.len()), sum));
    }
    let parts = |counts: [usize; 5]| counts.into_iter().zip(ORDER.map(Severity::as_str)).collect();
    rows.into_iter().map(|(label, counts)| Bar { label, parts: parts(counts) }).collect()
}

fn gaps(title: &str, what: &str, gaps: &[Incomplete], out: &mut dyn Write) -> io::Result<()> {
    let rows = gaps.iter().map(|gap| [escape_line(&gap.subject, 200), escape_line(&gap.reason, 400)]);
    table(title, &[what, "why"], rows.collect(), out)
}

fn notes(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    if scan.report.notes.is_empty() {
        return Ok(());
    }
    out.write_all(b"<h2>Notes</h2>\n<ul>\n")?;
    for note in &scan.report.notes {
        writeln!(out, "<li>{}</li>", text(&escape_line(note, LONGEST_NOTE)))?;
    }
    out.write_all(b"</ul>\n")
}

fn drift(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows =
        scan.report.drift.iter().map(|drift| {
            [subject_of(&drift.server, drift.kind, &drift.name), drift.what.explain().to_owned()]
        });
    table("Not as locked", &["definition", "difference"], rows.collect(), out)
}

fn accepted(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let suppressed = scan.report.suppressed.iter().map(|one| {
        [format!("{} on {}", one.signal.check, subject(&one.finding)), escape_line(&one.by.reason, 400)]
    });
    table("Accepted by somebody", &["finding", "reason"], suppressed.collect(), out)?;
    let known = |finding: &Finding| [subject(finding), finding.checks.join(", ")];
    let known = scan.report.shown_known().map(known);
    table("Known before", &["definition", "checks"], known.collect(), out)
}

/// A section with a table, unless it would be empty.
fn table(title: &str, heads: &[&str; 2], rows: Vec<[String; 2]>, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>{title}</h2>\n<table><tr><th>{}</th><th>{}</th></tr>", heads[0], heads[1])?;
    for [left, right] in &rows {
        writeln!(out, "<tr><td><code>{}</code></td><td>{}</td></tr>", text(left), text(right))?;
    }
    out.write_all(b"</table>\n")
}
