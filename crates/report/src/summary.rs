//! The counts of a scan in words, the same in every format for people.

use portcullis_decide::Totals;
use portcullis_decide::baseline::News;
use portcullis_detect::RULES_VERSION;

use crate::Scan;

/// The last line: what was found, what was left out of sight, and what was looked at.
pub(crate) fn line(scan: &Scan<'_>) -> String {
    let (report, totals) = (scan.report, scan.report.totals());
    let doubt = match report.incomplete.len() {
        0 => String::new(),
        gaps => format!("incomplete: {} not looked at; ", count(gaps, "part")),
    };
    let unscanned = match report.never_scanned.len() {
        0 => String::new(),
        servers => format!("{} never scanned; ", count(servers, "server")),
    };
    let drift = match report.drift.len() {
        0 => String::new(),
        drifted => format!("{} from the lock; ", count(drifted, "difference")),
    };
    let known = if report.baseline.is_some() { format!(", {} known", totals.known) } else { String::new() };
    format!(
        "{doubt}{unscanned}{drift}{} ({} suppressed, {} ignored by {}{known}) in {}, rules {RULES_VERSION}",
        found(&totals),
        totals.suppressed,
        totals.ignored,
        report.persona.as_str(),
        scope(scan),
    )
}

/// `3 findings: 1 critical, 2 low`.
pub(crate) fn found(totals: &Totals) -> String {
    if totals.findings() == 0 {
        return "no findings".to_owned();
    }
    let parts = severities(totals).into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    format!("{}: {}", count(totals.findings(), "finding"), parts.join(", "))
}

/// How much was looked at.
pub(crate) fn scope(scan: &Scan<'_>) -> String {
    let totals = scan.report.totals();
    let alone = if scan.is_registry_used { "" } else { ", each for itself" };
    let servers = count(scan.report.servers.len(), "server");
    format!("{} of {servers}{alone}", count(totals.definitions, "definition"))
}

/// The severities and their counts, worst first.
pub(crate) fn severities(totals: &Totals) -> [(usize, &'static str); 5] {
    [
        (totals.critical, "critical"),
        (totals.high, "high"),
        (totals.medium, "medium"),
        (totals.low, "low"),
        (totals.info, "info"),
    ]
}

/// Why a check's word is new; a change of the rules names both versions.
pub(crate) fn news(scan: &Scan<'_>, news: News) -> String {
    let before = scan.report.baseline.as_ref().map_or("", |baseline| &*baseline.rules_version);
    let versions = match news {
        News::Rules if before != RULES_VERSION => format!(" ({before} -> {RULES_VERSION})"),
        _ => String::new(),
    };
    format!("new since the baseline: {}{versions}", news.explain())
}

/// `1 finding`, `2 findings`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
