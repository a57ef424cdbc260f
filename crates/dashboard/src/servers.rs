//! All servers: how each is, what it declares, what of that is held.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::{choice, sought};
use crate::frame::{Page, Tab};
use crate::{href, visible, words};

/// A server as the API shows it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Server {
    /// The operator's name of it.
    pub name: String,
    /// Whether it is used now.
    pub used: bool,
    /// `stdio` or `http`.
    pub transport: Option<String>,
    /// Where the gateway is that runs it for all, if one does.
    pub node: Option<String>,
    /// How its tools come to be approved.
    pub trust: Option<String>,
    /// Why all of it is held.
    pub held: Option<String>,
    /// Why an operator holds it.
    pub quarantine: Option<String>,
    /// The launch that was confirmed.
    pub launch: Option<String>,
    /// The one that waits for it.
    pub pending_launch: Option<String>,
    /// How the last reading went.
    pub scan: Reading,
    /// How many definitions there are, by state.
    pub definitions: BTreeMap<String, u64>,
    /// How many of them are held.
    pub definitions_held: u64,
    /// What an agent asked for.
    pub requested: Option<Requested>,
    /// How many definitions agents asked for.
    pub definitions_requested: u64,
}

/// How a reading went.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// `never`, `complete`, `incomplete` or `failed`.
    pub status: String,
    /// Why it is not complete.
    pub why: Option<String>,
}

/// What an agent asked a human for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Requested {
    /// Which agent.
    pub by: String,
    /// Why.
    pub reason: String,
}

impl Server {
    /// Everything it declares.
    pub(crate) fn declared(&self) -> u64 {
        self.definitions.values().sum()
    }

    pub(crate) fn changed(&self) -> u64 {
        self.definitions.get("rug_pull").copied().unwrap_or_default()
    }

    /// Whether a human should look at it.
    pub(crate) fn needs_someone(&self) -> bool {
        self.held.is_some() || self.definitions_held > 0 || (self.used && self.scan.status != "complete")
    }
}

/// What of the list is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A part of the name.
    pub seek: String,
    /// `attention`, `held`, `unread` or nothing.
    pub show: String,
    /// The last name of the page before.
    pub after: String,
}

/// Servers on one page.
const MOST: usize = 100;

/// The page.
pub fn page(servers: &[Server], wanted: &Wanted) -> Page {
    let fits = |server: &&Server| {
        let is_shown = match wanted.show.as_str() {
            "attention" => server.needs_someone(),
            "held" => server.held.is_some(),
            "unread" => server.scan.status != "complete",
            _ => true,
        };
        is_shown && server.name.contains(&wanted.seek)
    };
    let mut fitting: Vec<&Server> = servers.iter().filter(fits).collect();
    fitting.sort_by(|one, other| one.name.cmp(&other.name));
    let count = fitting.len();
    let shown: Vec<&Server> =
        fitting.into_iter().filter(|server| server.name > wanted.after).take(MOST + 1).collect();
    let next = (shown.len() > MOST).then(|| shown.get(MOST - 1).map(|server| server.name.clone())).flatten();
    let rows = shown.get(..MOST.min(shown.len())).unwrap_or_default();
    let body = html! {
        div class="head" { h1 { "Servers" } span class="muted" { (words::count(count as u64, "server", "servers")) } }
        (filters(wanted))
        section class="panel" {
            div id="servers" data-live="servers" { (table(rows)) }
            @if let Some(next) = next {
                div class="pages" {
                    a class="button" href={ "/servers" (href::query(&[("q", &wanted.seek), ("show", &wanted.show), ("after", &next)])) } { "More" }
                }
            }
        }
    };
    Page { title: "Servers".into(), tab: Tab::Servers, body }
}

fn filters(wanted: &Wanted) -> Markup {
    let shown =
        [("", "all"), ("attention", "needs attention"), ("held", "held whole"), ("unread", "not read whole")];
    html! {
        form class="filters" method="get" action="/servers" {
            (sought("q", "Name", &wanted.seek))
            (choice("show", "Show", &wanted.show, &shown))
            button { "Filter" }
        }
    }
}

/// The servers as rows.
pub(crate) fn table(servers: &[&Server]) -> Markup {
    if servers.is_empty() {
        return words::empty("No server fits.");
    }
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        th { "Server" } th { "State" } th { "Last reading" }
                        th class="number" { "Declared" } th class="number" { "Held" }
                        th class="wide" { "Trust" } th class="wide" { "Reached by" }
                    }
                }
                tbody { @for server in servers { (row(server)) } }
            }
        }
    }
}

fn row(server: &Server) -> Markup {
    html! {
        tr data-row {
            td { a data-open href=(href::server(&server.name)) { (visible::name(&server.name)) } }
            td {
                span class="chips" {
                    (state(server))
                    @if server.changed() > 0 { (words::chip("danger", &format!("{} changed", server.changed()))) }
                    @if server.definitions_requested > 0 { (words::chip("", "an agent asks")) }
                }
            }
            td title=[server.scan.why.as_deref().map(visible::plain)] { (words::scan(&server.scan.status)) }
            td class="number" { (server.declared()) }
            td class="number" { (server.definitions_held) }
            td class="wide muted" { (server.trust.as_deref().unwrap_or("–")) }
            td class="wide muted" { (server.transport.as_deref().unwrap_or("–")) }
        }
    }
}

/// In a word, how a server is.
pub(crate) fn state(server: &Server) -> Markup {
    match () {
        () if server.pending_launch.is_some() => words::chip("danger", "launch changed"),
        () if server.held.is_some() => words::chip("danger", "held whole"),
        () if !server.used => words::chip("", "not used now"),
        () if server.definitions_held > 0 => words::chip("warn", "partly held"),
        () => words::chip("ok", "open"),
    }
}
