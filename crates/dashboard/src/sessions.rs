//! Sessions of agents, and one of them: its calls in order, and whose data moved where.

use std::collections::BTreeMap;

use maud::{Markup, html};
use portcullis_detect::escape_line;
use serde::Deserialize;

use crate::activity::{self, Entries};
use crate::frame::{Page, Tab};
use crate::{href, moment, visible, words};

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

/// What moved in a session, where that is known.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Flow {
    /// The calls, in order.
    pub calls: Vec<Step>,
    /// Whose results were found again in whose arguments.
    pub edges: Vec<Edge>,
}

/// One call of a flow.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Its number, counted from 1.
    pub call: u64,
    /// The server.
    pub server: String,
    /// The tool. May be hostile.
    pub tool: String,
    /// What was decided about it.
    pub verdict: Verdict,
}

/// What was decided about a call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Verdict {
    /// What was done.
    pub act: String,
    /// The rules that spoke.
    pub rules: Vec<String>,
}

/// Something of an earlier result in a later call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Edge {
    /// The earlier call.
    pub from: u64,
    /// The later one.
    pub to: u64,
    /// The check that minds, if one does.
    pub check: Option<String>,
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
        section class="panel" {
            header { h2 { "The flow" } span class="muted" { "whose data moved where, never the data" } }
            @match flow.filter(|flow| !flow.calls.is_empty()) {
                Some(flow) => div class="inside" { (drawn(flow)) },
                None => (words::empty("The guard remembers no flow of it here. Its records are below.")),
            }
        }
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

/// The height of a call in the picture, and where its words begin.
const STEP: u64 = 30;
const WORDS: u64 = 170;
/// Calls that are drawn, the last ones.
const MOST_STEPS: usize = 60;

/// The calls one below the other, with an arc from each result to the call it was found in.
fn drawn(flow: &Flow) -> Markup {
    let shown = flow.calls.get(flow.calls.len().saturating_sub(MOST_STEPS)..).unwrap_or_default();
    let places: BTreeMap<u64, u64> =
        (0_u64..).zip(shown).map(|(row, step)| (step.call, row * STEP + STEP / 2)).collect();
    let height = shown.len() as u64 * STEP;
    html! {
        svg class="graph" viewBox={ "0 0 900 " (height) } role="img" aria-label="Calls in order, with arcs where data moved" {
            @for edge in &flow.edges {
                @if let (Some(from), Some(to)) = (places.get(&edge.from), places.get(&edge.to)) {
                    @let bend = WORDS - 20 - (to.saturating_sub(*from) / 2).min(WORDS - 30);
                    path class={ "edge" @if edge.check.is_some() { " minded" } } d={ "M" (WORDS - 20) " " (from) " C" (bend) " " (from) " " (bend) " " (to) " " (WORDS - 20) " " (to) } {
                        title { (edge.check.as_deref().unwrap_or("data moved")) }
                    }
                }
            }
            @for step in shown {
                @let y = places.get(&step.call).copied().unwrap_or_default();
                circle class={ "step" @if !step.verdict.rules.is_empty() { " minded" } } cx=(WORDS - 14) cy=(y) r="5" {}
                text x=(WORDS) y=(y + 4) {
                    (step.call) ". " (escape_line(&step.server, 40)) " / " (escape_line(&step.tool, 60))
                    @if !step.verdict.rules.is_empty() { " — " (step.verdict.act) ": " (step.verdict.rules.join(", ")) }
                }
            }
        }
    }
}
