//! One definition under review: what it says, what is wrong with it, what changed, and the decision.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::activity::Entry;
use crate::difference::{self, Difference, Layout};
use crate::forms::{button_form, field, form, reason};
use crate::frame::{Page, Tab, Viewer};
use crate::noting::{self, Noted};
use crate::queue::Item;
use crate::report::{self, Report};
use crate::{href, moment, said, visible, words};

/// A definition with everything that is known of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Reviewed {
    /// Its line.
    #[serde(flatten)]
    pub item: Item,
    /// Who approved what.
    pub approval: Option<Approval>,
    /// Who rejected it.
    pub rejection: Option<Rejection>,
    /// Whom its server showed it to, if that is not what the gateway itself was shown.
    pub shown_to: Option<String>,
    /// What it says.
    pub definition: Value,
    /// What the checks say of that.
    pub findings: Report,
    /// What it can do.
    pub labels: Vec<Label>,
    /// What operators noted about it.
    pub noted: Noted,
}

/// An approval.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Approval {
    /// Of exactly this.
    pub fingerprint: String,
    /// By whom.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Hard checks that were accepted.
    pub accepted: Vec<String>,
    /// Why.
    pub reason: Option<String>,
}

/// A rejection.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Rejection {
    /// By whom.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Why.
    pub reason: String,
}

/// Something a tool can do, and how that is known.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Label {
    /// What.
    pub label: String,
    /// What says so.
    pub because: String,
}

/// What is shown beside the definition.
pub struct Beside {
    /// What changed since it was approved.
    pub difference: Option<Difference>,
    /// How that is laid out.
    pub layout: Layout,
    /// What was recorded about it, newest first; nothing for who may not read that.
    pub history: Vec<Entry>,
}

/// The page.
pub fn page(reviewed: &Reviewed, beside: &Beside, viewer: &Viewer) -> Page {
    let item = &reviewed.item;
    let address = href::definition(&item.server, &item.kind, &item.name);
    let body = html! {
        div class="head" {
            p class="crumbs" { a href="/review" { "Review" } " / " a href=(href::server(&item.server)) { (visible::name(&item.server)) } " / " (item.kind) }
            h1 { (visible::name(&item.name)) }
            (words::state(&item.state))
            @if !item.enabled { (words::chip("", "off")) }
            @if !item.present { (words::chip("", "no longer listed")) }
        }
        @if let Some(held) = &item.held { p class="muted" { "Agents do not see it: " (held) "." } }
        div class="columns" {
            div {
                @if let Some(difference) = &beside.difference { (difference::panel(difference, beside.layout, &address)) }
                section class="panel" {
                    header { h2 { "What it says" } span class="muted" { "as it came; what hides is framed" } }
                    (said::definition(&reviewed.definition, &reviewed.findings))
                }
            }
            div {
                @if viewer.rights.decides { (decide(reviewed, &address, viewer)) }
                (verdict(reviewed, &address, viewer))
                (noting::volatile(reviewed, &address, viewer))
                (about(reviewed, viewer))
                @if !beside.history.is_empty() { (history(&beside.history)) }
            }
        }
    };
    Page { title: visible::plain(&item.name), tab: Tab::Review, body }
}

fn verdict(reviewed: &Reviewed, address: &str, viewer: &Viewer) -> Markup {
    let finding = reviewed.findings.findings.first();
    html! {
        section class="panel" {
            header {
                h2 { "Findings" }
                @if let Some(finding) = finding {
                    span class="chips" {
                        (words::severity(&finding.severity)) (words::risk(finding.risk))
                        span class="muted" { "confidence " (format!("{:.2}", finding.confidence)) }
                    }
                }
            }
            (report::findings(&reviewed.findings))
            (noting::suppressions(reviewed, address, viewer))
        }
    }
}

fn about(reviewed: &Reviewed, viewer: &Viewer) -> Markup {
    let item = &reviewed.item;
    html! {
        section class="panel" {
            header { h2 { "About it" } }
            div class="inside" {
                dl class="facts" {
                    (words::fact("Fingerprint", &words::fingerprint(&item.fingerprint)))
                    @if let Some(approval) = &reviewed.approval {
                        (words::fact("Approved by", &html! { (visible::name(&approval.by)) ", " (moment::ago(approval.at, viewer.now_ms)) }))
                        (words::fact("Approved fingerprint", &words::fingerprint(&approval.fingerprint)))
                        @if let Some(why) = &approval.reason { (words::fact("Because", &visible::text(why))) }
                        @if !approval.accepted.is_empty() { (words::fact("Accepted", &html! { (approval.accepted.join(", ")) })) }
                    }
                    @if let Some(rejection) = &reviewed.rejection {
                        (words::fact("Rejected by", &html! { (visible::name(&rejection.by)) ", " (moment::ago(rejection.at, viewer.now_ms)) }))
                        (words::fact("Because", &visible::text(&rejection.reason)))
                    }
                    @if let Some(agent) = &reviewed.shown_to {
                        (words::fact("Shown only to", &visible::name(agent)))
                    }
                    @if let Some(asked) = &item.requested {
                        (words::fact("An agent asks", &html! { (visible::name(&asked.by)) ": " (visible::text(&asked.reason)) }))
                    }
                }
                @if !reviewed.labels.is_empty() {
                    div class="chips" {
                        @for label in &reviewed.labels {
                            span class="chip" title=(visible::plain(&label.because)) { (label.label.replace('_', " ")) }
                        }
                    }
                }
            }
        }
    }
}

fn decide(reviewed: &Reviewed, address: &str, viewer: &Viewer) -> Markup {
    let (item, csrf) = (&reviewed.item, viewer.csrf.as_str());
    let to = |act: &str| format!("{address}/{act}");
    html! {
        section class="panel" id="decide" {
            header { h2 { "Decide" } }
            div class="inside" {
                @if item.state == "blocked" {
                    p { "It is blocked for good, until somebody lifts that." }
                    (button_form(&to("unblock"), csrf, &html! {}, "Lift the block", ""))
                } @else {
                    @if item.state != "approved" || !unaccepted(reviewed).is_empty() { (approve(reviewed, address, csrf)) }
                    div class="actions" {
                        (with_reason(&to("reject"), csrf, "Reject", "reject"))
                        (with_reason(&to("block"), csrf, "Block", "block"))
                        @if item.enabled { (button_form(&to("disable"), csrf, &html! {}, "Switch off", "")) }
                        @else { (button_form(&to("enable"), csrf, &html! {}, "Switch on", "")) }
                    }
                }
            }
        }
    }
}

/// Hard checks that speak against it and were not accepted for exactly this.
fn unaccepted(reviewed: &Reviewed) -> Vec<&str> {
    let accepted =
        reviewed.approval.as_ref().filter(|approval| approval.fingerprint == reviewed.item.fingerprint);
    let is_open =
        |check: &&str| accepted.is_none_or(|approval| !approval.accepted.iter().any(|one| one == check));
    reviewed.item.hard.iter().map(String::as_str).filter(is_open).collect()
}

fn approve(reviewed: &Reviewed, address: &str, csrf: &str) -> Markup {
    let hard = unaccepted(reviewed);
    let body = html! {
        (field("fingerprint", &reviewed.item.fingerprint))
        div class="stack" {
            @if !hard.is_empty() {
                p { "Hard checks speak against it. To approve it all the same, accept each and say why; it holds for exactly this text." }
                @for check in &hard {
                    label class="check" { input type="checkbox" name="accept" value=(check) required; code { (check) } }
                }
                (reason("approve-reason", "Why is it all right?"))
            }
            button class={ @if hard.is_empty() { "primary" } @else { "danger" } } { "Approve exactly this" }
        }
    };
    form(&format!("{address}/approve"), csrf, &body)
}

fn with_reason(action: &str, csrf: &str, label: &str, id: &str) -> Markup {
    let body = html! {
        div class="stack" { (reason(&format!("{id}-reason"), "Why?")) button class="danger" { (label) } }
    };
    html! { details class="more" { summary { (label) "…" } (form(action, csrf, &body)) } }
}

fn history(entries: &[Entry]) -> Markup {
    html! {
        section class="panel" {
            header { h2 { "History" } }
            table {
                tbody {
                    @for entry in entries {
                        tr data-row {
                            td { a href={ "/activity/" (entry.seq) } { (moment::exact(&entry.time)) } }
                            td { (entry.kind.replace('_', " ")) }
                            td { (words::status(&entry.status)) }
                        }
                    }
                }
            }
        }
    }
}
