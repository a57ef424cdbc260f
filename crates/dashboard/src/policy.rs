//! What is done about which calls.

use maud::{Markup, html};
use serde_json::Value;

use crate::frame::{Page, Tab, Viewer};
use crate::trial::{self, Tried, act_chip};
use crate::{visible, words};

/// The page. Who reads activity may also try a call.
pub fn page(policy: &Value, tried: &Tried, viewer: &Viewer) -> Page {
    let body = html! {
        div class="head" { h1 { "Policy" } (words::chip("", policy["profile"].as_str().unwrap_or_default())) }
        p class="lead" { "It is changed in the configuration file and holds from the next call on. " code { "portcullis policy test" } " tries one on recorded sessions." }
        @if viewer.rights.reads_activity { (trial::panel(tried, viewer)) }
        @for (key, title) in [("arguments", "Arguments"), ("tools", "Tools"), ("conditions", "Conditions of your own"), ("servers", "Servers")] {
            (entries(title, &policy[key]))
        }
        @for (key, title) in [("rules", "Rules"), ("results", "Results"), ("operations", "Operations")] {
            (acts(title, &policy[key]))
        }
        section class="panel" {
            div class="inside" {
                details class="more" {
                    summary { "All of it as JSON" }
                    div { pre { (visible::text(&serde_json::to_string_pretty(policy).unwrap_or_default())) } }
                }
            }
        }
    };
    Page { title: "Policy".into(), tab: Tab::Policy, body }
}

/// Entries the operator wrote, each with what it is about.
fn entries(title: &str, said: &Value) -> Markup {
    let entries = said.as_array().filter(|entries| !entries.is_empty());
    html! {
        @if let Some(entries) = entries {
            section class="panel" {
                header { h2 { (title) } }
                div class="scroll" tabindex="0" role="region" aria-label=(title) {
                    table {
                        tbody {
                            @for entry in entries {
                                tr { td { (about(entry)) } td { (act_chip(entry["act"].as_str().unwrap_or_default())) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn about(entry: &Value) -> Markup {
    let told =
        entry.as_object().into_iter().flatten().filter(|(key, value)| *key != "act" && !value.is_null());
    html! {
        span class="chips" {
            @for (key, value) in told {
                span { span class="muted" { (key) " " } code { (visible::text(value.as_str().unwrap_or_default())) } }
            }
        }
    }
}

fn acts(title: &str, said: &Value) -> Markup {
    let members = said.as_object().filter(|members| !members.is_empty());
    html! {
        @if let Some(members) = members {
            section class="panel" {
                header { h2 { (title) } }
                div class="scroll" tabindex="0" role="region" aria-label=(title) {
                    table {
                        tbody {
                            @for (name, act) in members {
                                tr { td { code { (visible::text(name)) } } td { (act_chip(act.as_str().unwrap_or_default())) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
