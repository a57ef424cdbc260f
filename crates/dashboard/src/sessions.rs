//! Sessions of agents, and one of them: its calls in order, and whose data moved where.

use maud::{Markup, html};
use portcullis_detect::escape_line;
use serde::Deserialize;

use crate::activity::{self, Entries};
use crate::flow::Flow;
use crate::frame::{Page, Tab};
use crate::{flow, href, moment, visible, words};

/// A session as the API shows it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Session {
    /// Its name in records.
    pub session: String,
    /// The path it came in by.
    pub route: Option<String>,
    /// The revision of the protocol.
    pub protocol: String,
    /// Who the client says it is.
    pub client: Option<String>,
    /// When it was first seen.
    pub first_seen: String,
    /// When it was last seen.
    pub last_seen: String,
    /// Calls it made here.
    pub calls: u64,
    /// Whether it ended.
    pub ended: bool,
}

/// All sessions on this node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// Those that are shown.
    pub sessions: Vec<Session>,
    /// How many there are.
    pub all: u64,
}

/// The list.
pub fn page(sessions: &Sessions) -> Page {
    let body = html! {
        div class="head" { h1 { "Sessions" } span class="muted" { (words::count(sessions.all, "session", "sessions")) " on this node" } }
        section class="panel" {
            div id="sessions" data-live="sessions" {
                @if sessions.sessions.is_empty() { (words::empty("No agent has come yet.")) } @else { (table(&sessions.sessions)) }
            }
        }
    };
    Page { title: "Sessions".into(), tab: Tab::Sessions, body }
}

fn table(sessions: &[Session]) -> Markup {
    html! {
        div class="scroll" {
            table {
                thead {
                    tr { th { "Session" } th { "Client" } th class="wide" { "Path" } th class="wide" { "Protocol" } th class="number" { "Calls" } th { "Last seen (UTC)" } th {} }
                }
                tbody {
                    @for session in sessions {
                        tr data-row {
                            td { a data-open href={ "/sessions/" (href::part(&session.session)) } { (visible::name(&session.session)) } }
                            td { (visible::name(session.client.as_deref().unwrap_or("–"))) }
                            td class="wide muted" { (session.route.as_deref().unwrap_or("–")) }
                            td class="wide muted" { (visible::text(&session.protocol)) }
                            td class="number" { (session.calls) }
                            td { (moment::exact(&session.last_seen)) }
                            td { @if session.ended { (words::chip("", "ended")) } @else { (words::chip("ok", "open")) } }
                        }
                    }
                }
            }
        }
    }
}

/// One session.
pub fn one(session: &str, flow: Option<&Flow>, entries: &Entries) -> Page {
    let older = entries.next_before.map(|before| before.to_string());
    let body = html! {
        div class="head" { p class="crumbs" { a href="/sessions" { "Sessions" } " /" } h1 { (visible::name(session)) } }
        (flow::panel(flow))
        section class="panel" {
            header { h2 { "Records, newest first" } }
            div id="records" data-live="records" data-live-activity { (activity::table(&entries.records)) }
            @if let Some(before) = older {
                div class="pages" { a class="button" href={ "/activity" (href::query(&[("session", session), ("before", &before)])) } { "Older" } }
            }
        }
    };
    Page { title: format!("Session {}", escape_line(session, 60)), tab: Tab::Sessions, body }
}
