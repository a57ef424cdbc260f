//! What was recorded: a list that goes on by itself, one record in full, and whether the chain is whole.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::forms::{choice, sought};
use crate::frame::{Page, Tab};
use crate::{href, moment, visible, words};

/// One line of what was recorded.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// When.
    pub time: String,
    /// What.
    pub kind: String,
    /// How it went.
    pub status: String,
    /// 0 to 100.
    pub risk: u64,
    /// On which server.
    pub server: String,
    /// Which tool. May be hostile.
    pub tool: String,
    /// In which session.
    pub session: String,
    /// Types of sensitive data in it.
    pub sensitive: Vec<String>,
}

/// A page of lines.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Entries {
    /// The lines, newest first.
    pub records: Vec<Entry>,
    /// Where the next page begins.
    pub next_before: Option<u64>,
}

/// What of them is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of this kind.
    pub kind: String,
    /// That went so.
    pub status: String,
    /// On this server.
    pub server: String,
    /// Of this tool.
    pub tool: String,
    /// In this session.
    pub session: String,
    /// At least as risky.
    pub risk: String,
    /// Before this one.
    pub before: String,
}

impl Wanted {
    /// The same as a query, of our pages and of the API.
    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let own = [
            ("kind", self.kind.as_str()),
            ("status", &self.status),
            ("server", &self.server),
            ("tool", &self.tool),
            ("session", &self.session),
            ("risk", &self.risk),
        ];
        href::query(&own.iter().chain(more).copied().collect::<Vec<_>>())
    }
}

/// The page.
pub fn page(entries: &Entries, wanted: &Wanted) -> Page {
    let is_newest = wanted.before.is_empty();
    let body = html! {
        div class="head" {
            h1 { "Activity" }
            @if is_newest { span class="live-dot muted" { "live" } }
        }
        (filters(wanted))
        section class="panel" {
            header {
                h2 { "Newest first" }
                span class="chips" {
                    a class="chip" href={ "/activity/export" (wanted.query(&[("format", "jsonl")])) } { "Export JSON lines" }
                    a class="chip" href={ "/activity/export" (wanted.query(&[("format", "csv")])) } { "CSV" }
                    a class="chip" href="/activity/chain" { "Is the chain whole?" }
                }
            }
            @if is_newest { div id="records" data-live="records" data-live-activity { (table(&entries.records)) } }
            @else { div { (table(&entries.records)) } }
            div class="pages" {
                @if !is_newest { a class="button" href={ "/activity" (wanted.query(&[])) } { "Newest" } }
                @if let Some(next) = entries.next_before {
                    a class="button" href={ "/activity" (wanted.query(&[("before", &next.to_string())])) } { "Older" }
                }
            }
        }
    };
    Page { title: "Activity".into(), tab: Tab::Activity, body }
}

fn filters(wanted: &Wanted) -> Markup {
    let kinds = [
        ("", "any"),
        ("tool_call", "calls"),
        ("policy_decision", "decisions of the policy"),
        ("quarantine_change", "approvals and holds"),
        ("rug_pull", "changed tools"),
        ("alert", "alerts"),
        ("server_change", "servers"),
        ("config_change", "configuration"),
        ("system", "the gate itself"),
    ];
    let statuses = [
        ("", "any"),
        ("refused", "refused"),
        ("held", "held"),
        ("failed", "failed"),
        ("sent", "sent"),
        ("answered", "answered"),
        ("noted", "noted"),
    ];
    let risks = [("", "any"), ("30", "30 and more"), ("50", "50 and more"), ("70", "70 and more")];
    html! {
        form class="filters" method="get" action="/activity" {
            (sought("server", "Server", &wanted.server))
            (sought("tool", "Tool", &wanted.tool))
            (sought("session", "Session", &wanted.session))
            (choice("kind", "What", &wanted.kind, &kinds))
            (choice("status", "How it went", &wanted.status, &statuses))
            (choice("risk", "Risk", &wanted.risk, &risks))
            button { "Filter" }
            a class="button" href="/activity" { "All" }
        }
    }
}

/// Records as rows.
pub(crate) fn table(entries: &[Entry]) -> Markup {
    if entries.is_empty() {
        return words::empty("Nothing was recorded that fits.");
    }
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        th { "When (UTC)" } th { "What" } th { "How" } th { "Risk" } th { "Server" } th { "Tool" }
                        th class="wide" { "Session" } th class="wide" { "Sensitive" }
                    }
                }
                tbody { @for entry in entries { (row(entry)) } }
            }
        }
    }
}

fn row(entry: &Entry) -> Markup {
    html! {
        tr data-row {
            td { a data-open href={ "/activity/" (entry.seq) } { (moment::exact(&entry.time)) } }
            td { (entry.kind.replace('_', " ")) }
            td { (words::status(&entry.status)) }
            td { @if entry.risk > 0 { (words::risk(entry.risk)) } @else { span class="muted" { "–" } } }
            td { (visible::name(&entry.server)) }
            td { (visible::name(&entry.tool)) }
            td class="wide" {
                @if !entry.session.is_empty() { a href={ "/sessions/" (href::part(&entry.session)) } { (visible::name(&entry.session)) } }
            }
            td class="wide muted" { (entry.sensitive.join(", ")) }
        }
    }
}

/// One record, with its body masked as it was stored.
pub fn record(record: &Value) -> Page {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let seq = record["seq"].to_string();
    let body = html! {
        div class="head" {
            p class="crumbs" { a href="/activity" { "Activity" } " /" }
            h1 { "Record " (seq) }
            (words::status(text("status")))
            @if let Some(risk) = record["risk"].as_u64().filter(|risk| *risk > 0) { (words::risk(risk)) }
        }
        section class="panel" {
            div class="inside" {
                dl class="facts" {
                    (words::fact("When (UTC)", &moment::exact(text("time"))))
                    (words::fact("What", &html! { (text("kind").replace('_', " ")) }))
                    (words::fact("Server", &visible::name(text("server"))))
                    (words::fact("Tool", &visible::name(text("tool"))))
                    (words::fact("Session", &html! { a href={ "/sessions/" (href::part(text("session"))) } { (visible::name(text("session"))) } }))
                    (words::fact("Written by", &visible::name(text("writer"))))
                    (words::fact("Hash", &words::fingerprint(text("hash"))))
                }
            }
        }
        @if record["redacted"] == true { p class="notice warning" { "Its body is gone: retention removed it, and the chain says so." } }
        @for (key, title) in [("note", "What was thought of it"), ("arguments", "Arguments, masked"), ("result", "Result, masked")] {
            @if !record[key].is_null() { (stored(title, &record[key])) }
        }
    };
    Page { title: format!("Record {seq}"), tab: Tab::Activity, body }
}

fn stored(title: &str, value: &Value) -> Markup {
    let text = value["text"].as_str().unwrap_or_default();
    // Most values are JSON; one that was cut is text.
    let pretty =
        serde_json::from_str::<Value>(text).ok().and_then(|json| serde_json::to_string_pretty(&json).ok());
    let length = value["length"].as_u64().filter(|length| *length > text.len() as u64);
    html! {
        section class="panel" {
            header { h2 { (title) } @if let Some(length) = length { span class="muted" { "cut; it had " (length) " bytes" } } }
            div class="inside" { pre { (visible::text(pretty.as_deref().unwrap_or(text))) } }
        }
    }
}

/// Whether all is as it was written.
pub fn chain(told: &Value) -> Page {
    let is_whole = told["whole"] == true;
    let body = html! {
        div class="head" { p class="crumbs" { a href="/activity" { "Activity" } " /" } h1 { "The chain" } }
        @if is_whole { p class="notice done" { "All is as it was written." } }
        @else { p class="notice refused" { "Not all is as it was written." } }
        section class="panel" {
            div class="scroll" tabindex="0" role="region" aria-label="Chains" {
                table {
                    thead { tr { th { "Writer" } th class="number" { "First" } th class="number" { "Last" } th class="number" { "Redacted" } th class="number" { "Checkpoints" } th { "Trouble" } } }
                    tbody {
                        @for chain in told["chains"].as_array().into_iter().flatten() {
                            @let verdict = &chain["verdict"];
                            tr {
                                td { (visible::name(chain["writer"].as_str().unwrap_or_default())) }
                                @for key in ["first", "last", "redacted", "checkpoints"] { td class="number" { (number(&verdict[key])) } }
                                td {
                                    @if verdict["bad"].is_null() { (words::chip("ok", "none")) }
                                    @else { (words::chip("danger", "record")) " " (number(&verdict["bad"]["seq"])) ": " (visible::text(verdict["bad"]["what"].as_str().unwrap_or_default())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    Page { title: "The chain".into(), tab: Tab::Activity, body }
}

fn number(value: &Value) -> String {
    value.as_u64().map_or_else(|| "–".to_owned(), |number| number.to_string())
}
