//! What waits for a reviewer: everything servers declare, filtered, page by page.

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::{choice, sought};
use crate::frame::{Page, Tab};
use crate::servers::Requested;
use crate::{href, visible, words};

/// One line of what servers declare.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Item {
    /// The operator's name of the server.
    pub server: String,
    /// What it is.
    pub kind: String,
    /// What it is called. May be hostile.
    pub name: String,
    /// Where it stands.
    pub state: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether its server lists it.
    pub present: bool,
    /// Exactly what it says.
    pub fingerprint: String,
    /// The hard checks that speak against it.
    pub hard: Vec<String>,
    /// Why it may not be used.
    pub held: Option<String>,
    /// What an agent asked for.
    pub requested: Option<Requested>,
}

/// One page of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Items {
    /// The lines.
    pub items: Vec<Item>,
    /// Where the next page begins.
    pub next_after: Option<String>,
}

/// What of them is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of this server.
    pub server: String,
    /// Of this kind.
    pub kind: String,
    /// In this state.
    pub state: String,
    /// `true` for what is held only.
    pub held: String,
    /// A part of the name.
    pub seek: String,
    /// Where the page begins.
    pub after: String,
}

impl Wanted {
    /// The same as a query, of our pages and of the API.
    pub fn query(&self, after: &str) -> String {
        href::query(&[
            ("server", &self.server),
            ("kind", &self.kind),
            ("state", &self.state),
            ("held", &self.held),
            ("q", &self.seek),
            ("after", after),
        ])
    }
}

/// The page.
pub fn page(items: &Items, wanted: &Wanted) -> Page {
    let body = html! {
        div class="head" { h1 { "Review" } }
        p class="lead" { "What servers declare. Agents see only what is approved; approving names exactly what you read." }
        (filters(wanted))
        section class="panel" {
            div id="items" data-live="items" { (table(&items.items, true)) }
            @if let Some(next) = &items.next_after {
                div class="pages" { a class="button" href={ "/review" (wanted.query(next)) } { "More" } }
            }
        }
    };
    Page { title: "Review".into(), tab: Tab::Review, body }
}

fn filters(wanted: &Wanted) -> Markup {
    let held = [("true", "what is held"), ("any", "everything")];
    let states = [
        ("", "any"),
        ("rug_pull", "changed since approved"),
        ("quarantined", "never approved"),
        ("approved", "approved"),
        ("blocked", "blocked"),
    ];
    let kinds = [
        ("", "any"),
        ("tools", "tools"),
        ("prompts", "prompts"),
        ("resources", "resources"),
        ("templates", "templates"),
        ("instructions", "instructions"),
    ];
    html! {
        form class="filters" method="get" action="/review" {
            (sought("q", "Name", &wanted.seek))
            (sought("server", "Server", &wanted.server))
            (choice("held", "Show", &wanted.held, &held))
            (choice("state", "State", &wanted.state, &states))
            (choice("kind", "Kind", &wanted.kind, &kinds))
            button { "Filter" }
        }
    }
}

/// Definitions as rows.
pub(crate) fn table(items: &[Item], has_server: bool) -> Markup {
    if items.is_empty() {
        return words::empty("Nothing fits. Nothing waits for you here.");
    }
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        th { "Name" }
                        @if has_server { th { "Server" } }
                        th class="wide" { "Kind" } th { "State" } th { "Hard findings" } th class="wide" { "Why" }
                    }
                }
                tbody { @for item in items { (row(item, has_server)) } }
            }
        }
    }
}

fn row(item: &Item, has_server: bool) -> Markup {
    let address = href::definition(&item.server, &item.kind, &item.name);
    html! {
        tr data-row {
            td { a data-open href=(address) { (visible::name(&item.name)) } }
            @if has_server { td { a href=(href::server(&item.server)) { (visible::name(&item.server)) } } }
            td class="wide muted" { (item.kind) }
            td {
                span class="chips" {
                    (words::state(&item.state))
                    @if !item.enabled { (words::chip("", "off")) }
                    @if !item.present { (words::chip("", "gone")) }
                    @if item.requested.is_some() { (words::chip("", "an agent asks")) }
                }
            }
            td {
                @if item.hard.is_empty() { span class="muted" { "–" } }
                span class="chips" { @for check in &item.hard { (words::chip("danger", check)) } }
            }
            td class="wide muted" { (item.held.as_deref().unwrap_or("–")) }
        }
    }
}
