//! Whether private data, untrusted content and a way out meet among the tools agents may call.

use maud::{Markup, html};
use serde::Deserialize;

use crate::frame::{Page, Tab};
use crate::{href, visible, words};

/// A posture as the API tells it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Posture {
    /// Whether the three meet.
    pub complete: bool,
    /// How much that matters.
    pub severity: Option<String>,
    /// The combinations.
    pub witnesses: Vec<Witness>,
    /// What alone would part them.
    pub breaking: Vec<Removal>,
}

/// One tool for each part.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Witness {
    /// Reads private data.
    pub reads_private: Tool,
    /// Shows what others wrote.
    pub sees_untrusted: Tool,
    /// Sends.
    pub can_send: Tool,
    /// `free` or `fixed`.
    pub reach: String,
}

/// A tool by its name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// The server.
    pub server: String,
    /// The tool. May be hostile.
    pub tool: String,
}

/// What could be taken away.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Removal {
    /// The server.
    pub server: String,
    /// One tool of it, or all.
    pub tool: Option<String>,
}

/// The page; `None` if this gateway cannot say.
pub fn page(posture: Option<&Posture>) -> Page {
    let body = html! {
        div class="head" { h1 { "Posture" } }
        p class="lead" { "An agent that reads private data, reads what others wrote, and can send, can be talked into leaking. Here is whether the tools you approved make that possible." }
        @if posture.is_some() {
            figure class="panel" { div class="scroll" tabindex="0" role="region" aria-label="Picture" { img class="picture" src="/posture.svg" alt="The tools that play a part, in three columns; the tables below say the same." width="1000"; } }
        }
        @match posture {
            None => section class="panel" { (words::empty("This gateway does not work it out while it runs; `portcullis posture` does.")) },
            Some(posture) if !posture.complete => p class="calm" { "The three do not meet." },
            Some(posture) => (met(posture)),
        }
    };
    Page { title: "Posture".into(), tab: Tab::Posture, body }
}

fn met(posture: &Posture) -> Markup {
    let severity = posture.severity.as_deref().unwrap_or("medium");
    html! {
        p class="notice warning" { "The three meet. Severity: " (severity) "." }
        section class="panel" {
            header { h2 { "Who together could leak" } }
            div class="scroll" {
                table {
                    thead { tr { th { "Reads private data" } th { "Shows what others wrote" } th { "Can send" } th { "Where to" } } }
                    tbody {
                        @for witness in &posture.witnesses {
                            tr {
                                td { (tool(&witness.reads_private)) } td { (tool(&witness.sees_untrusted)) } td { (tool(&witness.can_send)) }
                                td { @if witness.reach == "free" { (words::chip("danger", "anywhere")) } @else { (words::chip("warn", "fixed places")) } }
                            }
                        }
                    }
                }
            }
        }
        @if !posture.breaking.is_empty() {
            section class="panel" {
                header { h2 { "Switching off any one of these parts them" } }
                div class="inside" {
                    ul class="stack" {
                        @for one in &posture.breaking {
                            li {
                                @match &one.tool {
                                    Some(name) => (tool(&Tool { server: one.server.clone(), tool: name.clone() })),
                                    None => a href=(href::server(&one.server)) { (visible::name(&one.server)) },
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn tool(tool: &Tool) -> Markup {
    html! { a href=(href::definition(&tool.server, "tool", &tool.tool)) { (visible::name(&tool.server)) " / " (visible::name(&tool.tool)) } }
}
