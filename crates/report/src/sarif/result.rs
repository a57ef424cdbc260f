//! Signals as SARIF results: one per check and field of a definition, with the number of occurrences.

use std::collections::BTreeMap;

use portcullis_decide::baseline::News;
use portcullis_decide::{Finding, Persona};
use portcullis_detect::{Kind, Signal, escape_line};
use serde::Serialize;

use super::Message;
use crate::Scan;
use crate::place::{Origin, subject};
use crate::word::{Level, strength};

/// A `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    occurrence_count: usize,
    partial_fingerprints: BTreeMap<&'static str, String>,
    rank: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<SarifSuppression>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    logical_locations: [LogicalLocation; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct SarifSuppression {
    kind: &'static str,
    justification: String,
}

#[derive(Serialize)]
struct Properties<'a> {
    server: &'a str,
    name: &'a str,
    kind: &'static str,
    severity: &'static str,
    action: &'static str,
    threat: &'static str,
    risk: u8,
    decodings: &'a [&'static str],
}

/// The results of all findings the persona shows.
pub(super) fn all<'a>(scan: &Scan<'a>) -> Vec<SarifResult<'a>> {
    let suppressed = scan.report.suppressed.iter().map(|one| {
        let count = one.finding.signals.len();
        let justification = escape_line(&one.by.reason, 400);
        let suppressions = vec![SarifSuppression { kind: "external", justification }];
        SarifResult { suppressions, ..result(scan, &one.finding, &one.signal, true, count) }
    });
    let shown = scan.report.shown().chain(scan.report.shown_known());
    shown.flat_map(|finding| of_finding(scan, finding)).chain(suppressed).collect()
}

fn of_finding<'a>(scan: &Scan<'a>, finding: &'a Finding) -> Vec<SarifResult<'a>> {
    let discounted = finding.discounted.iter().filter(|_| scan.report.persona == Persona::Auditor);
    let signals = finding.signals.iter().map(|signal| (signal, true));
    // Two signals of one check in one field share their identity, and so are one result.
    let mut groups: Vec<(&Signal, bool, usize)> = Vec::new();
    for (signal, counts) in signals.chain(discounted.map(|signal| (signal, false))) {
        let key = (signal.check, signal.evidence.pointer(), counts);
        match groups.iter_mut().find(|(known, k, _)| (known.check, known.evidence.pointer(), *k) == key) {
            Some((known, _, count)) => {
                *count += 1;
                if strength(signal) > strength(known) {
                    *known = signal;
                }
            }
            None => groups.push((signal, counts, 1)),
        }
    }
    groups.into_iter().map(|(signal, counts, count)| result(scan, finding, signal, counts, count)).collect()
}

fn result<'a>(
    scan: &Scan<'a>,
    finding: &'a Finding,
    signal: &'a Signal,
    counts: bool,
    occurrence_count: usize,
) -> SarifResult<'a> {
    let pointer = signal.evidence.pointer();
    let qualified = format!("{}#{pointer}", subject(finding));
    let message = format!("{}: {} (in {})", qualified, signal.detail, signal.evidence.excerpt());
    SarifResult {
        rule_id: signal.check,
        rule_index: scan.checks.iter().position(|facts| facts.id == signal.check).unwrap_or_default(),
        level: Level::of(signal, !counts).as_str(),
        message: Message::new(&message),
        locations: [Location {
            physical_location: scan.origins.of(finding).map(physical),
            logical_locations: [LogicalLocation {
                fully_qualified_name: qualified,
                kind: kind(finding.kind),
            }],
        }],
        occurrence_count,
        partial_fingerprints: BTreeMap::from([("portcullis/identity/v1", identity(finding, signal))]),
        rank: f64::from(signal.confidence.thousandths()) / 10.0,
        baseline_state: scan.report.news(finding, signal.check).map(baseline_state),
        suppressions: Vec::new(),
        properties: Properties {
            server: &finding.server,
            name: &finding.name,
            kind: finding.kind.as_str(),
            severity: finding.severity.as_str(),
            action: finding.action.as_str(),
            threat: signal.threat.as_str(),
            risk: finding.risk,
            decodings: signal.evidence.decodings(),
        },
    }
}

/// The SARIF word for what a baseline says.
fn baseline_state(news: News) -> &'static str {
    match news {
        News::Known => "unchanged",
        News::Appeared | News::Changed | News::Rules | News::Neighbours => "new",
    }
}

/// The SARIF word nearest to what was declared.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool | Kind::Prompt => "function",
        Kind::Resource | Kind::ResourceTemplate => "resource",
        Kind::Instructions => "module",
    }
}

fn physical(origin: &Origin) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: ArtifactLocation { uri: uri(&origin.file) },
        region: Region { start_line: origin.line, start_column: origin.column },
    }
}

/// Identity, not position: a tool that moved in its file is the same alert.
fn identity(finding: &Finding, signal: &Signal) -> String {
    let parts =
        [&*finding.server, finding.kind.as_str(), &*finding.name, signal.evidence.pointer(), signal.check];
    // A separator no part can hold unescaped keeps ("a/b", "c") apart from ("a", "b/c").
    parts.map(|part| part.replace('%', "%25").replace('|', "%7C")).join("|")
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_become_uri_references() {
        assert_eq!(super::uri("a b/ü.json"), "a%20b/%C3%BC.json");
        assert_eq!(super::uri("dir\\tools.json"), "dir/tools.json");
    }
}
