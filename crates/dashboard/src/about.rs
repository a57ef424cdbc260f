//! What runs here: versions, and the checks with what each looks for.

use maud::html;
use serde::Deserialize;

use crate::frame::{Page, Tab};
use crate::overview::Status;
use crate::{visible, words};

/// A check as the API names it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Check {
    /// Its id.
    pub id: String,
    /// `hard` or `soft`.
    pub tier: String,
    /// The category of OWASP's list.
    pub owasp: String,
    /// What it looks for.
    pub title: String,
}

/// The page.
pub fn page(status: &Status, checks: &[Check]) -> Page {
    let body = html! {
        div class="head" { h1 { "About" } }
        section class="panel" {
            div class="inside" {
                dl class="facts" {
                    (words::fact("Portcullis", &html! { (status.version) }))
                    (words::fact("Rules", &html! { (status.rules_version) }))
                    (words::fact("Listens at", &html! { (visible::text(status.listens.as_deref().unwrap_or("–"))) }))
                    (words::fact("Runs for", &html! { (status.uptime_s / 3600) " h " (status.uptime_s / 60 % 60) " min" }))
                    (words::fact("Open sessions", &html! { (status.sessions) }))
                    (words::fact("Flows in memory", &html! { (status.guard.flows) }))
                    (words::fact("Flows forgotten", &html! { (status.guard.flows_forgotten) }))
                }
            }
        }
        section class="panel" {
            header { h2 { "Checks on definitions" } span class="muted" { (words::count(checks.len() as u64, "check", "checks")) } }
            div class="scroll" tabindex="0" role="region" aria-label="Checks" {
                table {
                    thead { tr { th { "Check" } th { "Tier" } th class="wide" { "OWASP" } th { "Looks for" } } }
                    tbody {
                        @for check in checks {
                            tr {
                                td { code { (check.id) } }
                                td { (words::chip(if check.tier == "hard" { "danger" } else { "warn" }, &check.tier)) }
                                td class="wide muted" { (check.owasp) }
                                td { (check.title) }
                            }
                        }
                    }
                }
            }
        }
        section class="panel" {
            header { h2 { "Keys" } }
            div class="inside" { p { "j and k move along a list, Enter opens, / seeks, g and a letter goes to a page (o overview, r review, h held calls, s servers, a activity), ? shows them." } }
        }
    };
    Page { title: "About".into(), tab: Tab::About, body }
}
