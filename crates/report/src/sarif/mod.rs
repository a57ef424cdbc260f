//! The report as SARIF 2.1.0, for code hosts: every rule declared, results recognised again by identity.

mod result;
mod rule;

use std::io::{self, Write};

use portcullis_decide::Incomplete;
use portcullis_decide::lock::Drift;
use portcullis_detect::{RULES_VERSION, escape_line};
use serde::Serialize;

use crate::Scan;
use crate::place::{LONGEST_NOTE, subject_of, told};
use crate::safe_json;
use result::SarifResult;
use rule::Rule;

/// Writes one run with the findings the report's persona shows.
///
/// # Errors
/// Only those of `out`.
pub fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    safe_json::write(&log(scan), out)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

/// A message; its text is already escaped for readers that understand links.
#[derive(Serialize)]
struct Message {
    text: String,
}

impl Message {
    /// SARIF readers turn `[words](target)` into a link: the scanned text must not be able to make one.
    fn new(text: &str) -> Self {
        Message { text: text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]") }
    }
}

fn log<'a>(scan: &Scan<'a>) -> Log<'a> {
    let driver = Driver {
        name: "Portcullis",
        version: RULES_VERSION,
        semantic_version: RULES_VERSION,
        // All rules, also without results: a host closes an alert when its rule is declared and silent.
        rules: scan.checks.iter().map(|facts| Rule::of(facts, scan.page(facts.id))).collect(),
    };
    let invocation = Invocation {
        execution_successful: scan.report.is_complete(),
        tool_execution_notifications: scan
            .report
            .incomplete
            .iter()
            .map(notification)
            .chain(scan.report.never_scanned.iter().map(never_scanned))
            .chain(scan.report.drift.iter().map(drift_notification))
            .chain(scan.report.notes.iter().map(|note| noted(note)))
            .collect(),
    };
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            invocations: [invocation],
            column_kind: "unicodeCodePoints",
            results: result::all(scan),
        }],
    }
}

/// Drift is no rule's word on a text, so it is told beside the results.
fn drift_notification(drift: &Drift) -> Notification {
    let subject = subject_of(&drift.server, drift.kind, &drift.name);
    Notification { level: "error", message: Message::new(&format!("{subject}: {}", drift.what.explain())) }
}

fn never_scanned(server: &Incomplete) -> Notification {
    Notification { level: "warning", message: Message::new(&format!("never scanned: {}", told(server))) }
}

fn noted(note: &str) -> Notification {
    Notification { level: "note", message: Message::new(&escape_line(note, LONGEST_NOTE)) }
}

fn notification(gap: &Incomplete) -> Notification {
    Notification { level: "error", message: Message::new(&told(gap)) }
}
