//! The report as JSON, schema `portcullis.report/1`. Fields may be added; none changes its meaning or goes.

use std::io::{self, Write};

use portcullis_decide::suppression::{Suppressed, Suppression};
use portcullis_decide::{Finding, Incomplete};
use portcullis_detect::{Confidence, Discount, Facts, RULES_VERSION, Signal};
use serde::Serialize;

use crate::Scan;
use crate::difference::JsonDrift;
use crate::place::Origin;
use crate::safe_json;
use crate::suppressions::write_date;

/// Writes the findings the report's persona shows, with everything that is known about them.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::write(&document(scan), out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    rules_version: &'static str,
    persona: &'static str,
    complete: bool,
    registry: bool,
    baseline: Option<JsonBaseline<'a>>,
    totals: Totals,
    servers: Vec<&'a str>,
    findings: Vec<JsonFinding<'a>>,
    known: Vec<JsonFinding<'a>>,
    suppressed: Vec<JsonSuppressed<'a>>,
    idle_suppressions: Vec<JsonSuppression<'a>>,
    drift: Vec<JsonDrift<'a>>,
    incomplete: Vec<Gap<'a>>,
    never_scanned: Vec<Gap<'a>>,
    notes: &'a [String],
    checks: Vec<Check>,
}

#[derive(Serialize)]
pub(crate) struct Totals {
    servers: usize,
    definitions: usize,
    findings: usize,
    critical: usize,
    high: usize,
    medium: usize,
    low: usize,
    info: usize,
    suppressed: usize,
    ignored: usize,
    known: usize,
}

#[derive(Serialize)]
pub(crate) struct JsonFinding<'a> {
    server: &'a str,
    kind: &'static str,
    name: &'a str,
    fingerprint: Option<String>,
    location: Option<Location<'a>>,
    severity: &'static str,
    threat_level: &'static str,
    action: &'static str,
    threat: &'static str,
    confidence: f64,
    risk: u8,
    rules_version: &'static str,
    checks: &'a [&'static str],
    news: Vec<JsonNews>,
    signals: Vec<JsonSignal<'a>>,
    discounted: Vec<JsonSignal<'a>>,
}

/// What an earlier scan was made with.
#[derive(Serialize)]
struct JsonBaseline<'a> {
    rules_version: &'a str,
}

/// Whether a check's word is new, and why.
#[derive(Serialize)]
struct JsonNews {
    check: &'static str,
    why: &'static str,
}

#[derive(Serialize)]
struct Location<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct JsonSignal<'a> {
    check: &'static str,
    owasp: &'static str,
    tier: &'static str,
    threat: &'static str,
    confidence: f64,
    escalated: bool,
    detail: &'a str,
    pointer: &'a str,
    decodings: &'a [&'static str],
    excerpt: &'a str,
    mark: Mark,
    discount: Option<JsonDiscount>,
}

/// The marked characters of the excerpt, end not included.
#[derive(Serialize)]
struct Mark {
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct JsonDiscount {
    from: f64,
    reason: &'static str,
}

/// What an operator suppressed: the finding with only that check in it, and by what.
#[derive(Serialize)]
pub(crate) struct JsonSuppressed<'a> {
    finding: JsonFinding<'a>,
    by: JsonSuppression<'a>,
}

#[derive(Serialize)]
pub(crate) struct JsonSuppression<'a> {
    check: &'a str,
    subject: &'a str,
    content: String,
    reason: &'a str,
    expires: Option<String>,
    state: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Gap<'a> {
    subject: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Check {
    id: &'static str,
    tier: &'static str,
    owasp: &'static str,
    title: &'static str,
    page: Option<String>,
}

fn document<'a>(scan: &Scan<'a>) -> Document<'a> {
    let report = scan.report;
    Document {
        schema: "portcullis.report/1",
        rules_version: RULES_VERSION,
        persona: report.persona.as_str(),
        complete: report.is_complete(),
        registry: scan.is_registry_used,
        baseline: report
            .baseline
            .as_ref()
            .map(|baseline| JsonBaseline { rules_version: &baseline.rules_version }),
        totals: totals(scan),
        servers: report.servers.iter().map(|server| &**server).collect(),
        findings: report.shown().map(|shown| finding(scan, shown)).collect(),
        known: report.shown_known().map(|known| finding(scan, known)).collect(),
        suppressed: report.suppressed.iter().map(|one| suppressed(scan, one)).collect(),
        idle_suppressions: report.idle.iter().map(|(by, idle)| suppression(by, idle.as_str())).collect(),
        drift: report.drift.iter().map(JsonDrift::of).collect(),
        incomplete: report.incomplete.iter().map(gap).collect(),
        never_scanned: report.never_scanned.iter().map(gap).collect(),
        notes: &report.notes,
        checks: checks(scan),
    }
}

pub(crate) fn checks(scan: &Scan<'_>) -> Vec<Check> {
    let check = |facts: &&'static Facts| Check {
        id: facts.id,
        tier: facts.tier.as_str(),
        owasp: facts.owasp,
        title: facts.title,
        page: scan.page(facts.id),
    };
    scan.checks.iter().map(check).collect()
}

pub(crate) fn totals(scan: &Scan<'_>) -> Totals {
    let totals = scan.report.totals();
    Totals {
        servers: scan.report.servers.len(),
        definitions: totals.definitions,
        findings: totals.findings(),
        critical: totals.critical,
        high: totals.high,
        medium: totals.medium,
        low: totals.low,
        info: totals.info,
        suppressed: totals.suppressed,
        ignored: totals.ignored,
        known: totals.known,
    }
}

/// One finding with everything that is known about it.
pub(crate) fn finding<'a>(scan: &Scan<'a>, finding: &'a Finding) -> JsonFinding<'a> {
    JsonFinding {
        server: &finding.server,
        kind: finding.kind.as_str(),
        name: &finding.name,
        fingerprint: finding.fingerprint.map(|fingerprint| fingerprint.to_string()),
        location: scan.origins.of(finding).map(location),
        severity: finding.severity.as_str(),
        threat_level: finding.threat_level.as_str(),
        action: finding.action.as_str(),
        threat: finding.threat.as_str(),
        confidence: share(finding.confidence),
        risk: finding.risk,
        rules_version: RULES_VERSION,
        checks: &finding.checks,
        news: news(scan, finding),
        signals: finding.signals.iter().map(|signal| json_signal(scan, signal)).collect(),
        discounted: finding.discounted.iter().map(|signal| json_signal(scan, signal)).collect(),
    }
}

/// Empty without a baseline.
fn news(scan: &Scan<'_>, finding: &Finding) -> Vec<JsonNews> {
    let one = |check: &&'static str| {
        let why = scan.report.news(finding, check)?.as_str();
        Some(JsonNews { check, why })
    };
    finding.checks.iter().filter_map(one).collect()
}

fn json_signal<'a>(scan: &Scan<'a>, signal: &'a Signal) -> JsonSignal<'a> {
    let (start, end) = signal.evidence.mark();
    JsonSignal {
        check: signal.check,
        owasp: scan.owasp(signal.check),
        tier: signal.tier.as_str(),
        threat: signal.threat.as_str(),
        confidence: share(signal.confidence),
        escalated: signal.escalated,
        detail: &signal.detail,
        pointer: signal.evidence.pointer(),
        decodings: signal.evidence.decodings(),
        excerpt: signal.evidence.excerpt(),
        mark: Mark { start, end },
        discount: signal.discount.as_ref().map(discount),
    }
}

pub(crate) fn suppressed<'a>(scan: &Scan<'a>, suppressed: &'a Suppressed) -> JsonSuppressed<'a> {
    let finding = finding(scan, &suppressed.finding);
    JsonSuppressed { finding, by: suppression(&suppressed.by, "used") }
}

pub(crate) fn suppression<'a>(by: &'a Suppression, state: &'static str) -> JsonSuppression<'a> {
    JsonSuppression {
        check: &by.check,
        subject: &by.subject,
        content: by.content.to_string(),
        reason: &by.reason,
        expires: by.expires.map(write_date),
        state,
    }
}

fn location(origin: &Origin) -> Location<'_> {
    Location { file: &origin.file, line: origin.line, column: origin.column }
}

fn discount(discount: &Discount) -> JsonDiscount {
    JsonDiscount { from: share(discount.from), reason: discount.reason }
}

pub(crate) fn gap(gap: &Incomplete) -> Gap<'_> {
    Gap { subject: &gap.subject, reason: &gap.reason }
}

/// Thousandths as 0.0 to 1.0. The quotient prints as the shortest decimal, the same on every machine.
fn share(confidence: Confidence) -> f64 {
    f64::from(confidence.thousandths()) / 1000.0
}
