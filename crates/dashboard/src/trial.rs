//! A call that somebody only asks about: what would become of it, and which entry of the policy says so.

use maud::{Markup, html};
use serde_json::Value;

use crate::forms::{choice, form, sought};
use crate::frame::Viewer;
use crate::{visible, words};

/// What somebody asks about, and what was answered.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Its arguments as JSON.
    pub arguments: String,
    /// What the agent would declare; nothing if it declares nothing.
    pub operation: String,
    /// The session whose next call it would be; nothing if nothing went before.
    pub session: String,
    /// What the API answered.
    pub answer: Option<Value>,
}

/// The form, with what it was last filled in with, and the answer.
pub(crate) fn panel(tried: &Tried, viewer: &Viewer) -> Markup {
    let operations =
        [("", "nothing"), ("read", "it reads"), ("write", "it writes"), ("destructive", "it destroys")];
    let asked = html! {
        div class="stack" {
            div class="filters" {
                label class="filter" { span { "Server" } input name="server" value=(visible::plain(&tried.server)) required maxlength="100" autocomplete="off" spellcheck="false"; }
                label class="filter" { span { "Tool" } input name="tool" value=(visible::plain(&tried.tool)) required maxlength="200" autocomplete="off" spellcheck="false"; }
                (choice("operation", "The agent declares", &tried.operation, &operations))
                (sought("session", "As next call of session", &visible::plain(&tried.session)))
            }
            label class="filter whole" { span { "Arguments, as JSON" } textarea name="arguments" rows="4" maxlength="60000" spellcheck="false" placeholder="{}" { (tried.arguments) } }
            button { "What would happen?" }
        }
    };
    html! {
        section class="panel" id="trial" {
            header { h2 { "Try a call" } span class="muted" { "nothing is sent and nothing is remembered" } }
            div class="inside" {
                (form("/policy/test", &viewer.csrf, &asked))
            }
            @if let Some(answer) = &tried.answer { (answered(answer)) }
        }
    }
}

fn answered(answer: &Value) -> Markup {
    let facts = &answer["facts"];
    html! {
        div class="inside" role="status" {
            p class="line" {
                "It would be: " (act_chip(text(&answer["verdict"]))) " risk " (words::risk(answer["risk"].as_u64().unwrap_or_default()))
                @if facts["declared"] == false { " " (words::chip("warn", "no server declares this tool")) }
            }
            dl class="facts" {
                (words::fact("It", &html! { (visible::text(text(&facts["operation"]))) @if facts["outward"] == true { ", outward" } }))
                (words::fact("The tool can", &listed(&facts["labels"])))
                (words::fact("Where to", &listed(&facts["destinations"])))
                (words::fact("Rules", &listed(&answer["rules"])))
            }
        }
        (entries(&answer["entries"]))
    }
}

/// Every entry that had something to say; those that are silent are behind a click.
fn entries(entries: &Value) -> Markup {
    let all: Vec<&Value> = entries.as_array().into_iter().flatten().collect();
    let (silent, spoke): (Vec<&Value>, Vec<&Value>) =
        all.into_iter().partition(|entry| entry["outcome"] == "silent");
    html! {
        (rows("Entries that speak of it", &spoke))
        @if !silent.is_empty() {
            div class="inside" {
                details class="more" {
                    summary { (words::count(silent.len() as u64, "entry does", "entries do")) " not speak of it" }
                    div { (rows("Entries that do not", &silent)) }
                }
            }
        }
    }
}

fn rows(label: &str, entries: &[&Value]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { th { "Entry" } th { "Level" } th { "Asks for" } th { "What became of it" } } }
                tbody {
                    @for entry in entries {
                        tr {
                            td { code { (visible::text(text(&entry["entry"]))) } }
                            td class="muted" { (visible::text(text(&entry["level"]))) }
                            td { (act_chip(text(&entry["act"]))) }
                            td { (visible::text(text(&entry["outcome"]))) @if !text(&entry["why"]).is_empty() { span class="muted" { ": " (visible::text(text(&entry["why"]))) } } }
                        }
                    }
                }
            }
        }
    }
}

/// What is done about a call.
pub(crate) fn act_chip(act: &str) -> Markup {
    let look = match act {
        "deny" => "danger",
        "approve" | "redact" | "hold" => "warn",
        _ => "",
    };
    words::chip(look, act)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn listed(values: &Value) -> Markup {
    let all = values.as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(", ");
    html! { @if all.is_empty() { span class="muted" { "nothing known" } } @else { (visible::text(&all)) } }
}
