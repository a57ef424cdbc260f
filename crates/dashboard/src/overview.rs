//! The first page: what needs a human now, and how things go.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Deserialize;

use crate::chart::{self, Day};
use crate::frame::{Page, Tab, Viewer};
use crate::held::Held;
use crate::servers::{self, Server};
use crate::{visible, words};

pub use crate::chart::Day as Counted;

/// How the gateway is, as the API says it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Status {
    /// Where it listens.
    pub listens: Option<String>,
    /// Its version.
    pub version: String,
    /// The version of the rules.
    pub rules_version: String,
    /// Seconds since it began.
    pub uptime_s: u64,
    /// Sessions that are open.
    pub sessions: u64,
    /// How the guard is.
    pub guard: Guard,
    /// Servers, counted.
    pub servers: ServerCounts,
    /// Definitions, counted.
    pub definitions: DefinitionCounts,
    /// What an operator should know.
    pub warnings: Vec<String>,
}

/// How the guard is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Guard {
    /// Whether all calls are stopped.
    pub stopped: bool,
    /// Calls that wait.
    pub waiting: u64,
    /// Flows it remembers.
    pub flows: u64,
    /// Flows it had to forget.
    pub flows_forgotten: u64,
}

/// Servers, counted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServerCounts {
    /// All.
    pub all: u64,
    /// Held whole.
    pub held: u64,
    /// Not read whole.
    pub not_complete: u64,
}

/// Definitions, counted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct DefinitionCounts {
    /// What agents may not see.
    pub held: u64,
    /// All, by state.
    pub by_state: BTreeMap<String, u64>,
}

/// What the overview is made of.
pub struct Overview {
    /// How the gateway is.
    pub status: Status,
    /// All servers.
    pub servers: Vec<Server>,
    /// Calls that wait, for who may decide them.
    pub calls: Vec<Held>,
    /// What was recorded day by day, for who may read it.
    pub days: Vec<Day>,
    /// What was recorded by rule, the most often first.
    pub rules: Vec<(String, u64)>,
}

/// Servers on the overview.
const MOST_SERVERS: usize = 12;

/// The page.
pub fn page(overview: &Overview, viewer: &Viewer) -> Page {
    let body = html! {
        div class="head" { h1 { "Overview" } span class="live-dot muted" { "live" } }
        @for warning in &overview.status.warnings { p class="notice warning" { (visible::text(warning)) } }
        div id="needs" data-live="needs" { (needs(overview, viewer)) }
        @if viewer.rights.reads_activity { (going(overview)) }
        section class="panel" {
            header { h2 { "Servers" } a href="/servers" { "All " (overview.status.servers.all) } }
            div id="servers" data-live="servers" { (health(&overview.servers)) }
        }
    };
    Page { title: "Overview".into(), tab: Tab::Overview, body }
}

/// How things go, for who may read it.
fn going(overview: &Overview) -> Markup {
    html! {
        div class="columns" {
            div {
                section class="panel" {
                    header {
                        h2 { "Records and refusals" }
                        span class="legend" { span { i {} "recorded" } span { i class="refused" {} "refused" } }
                    }
                    div class="inside" { (chart::bars(&overview.days)) }
                }
            }
            div {
                section class="panel" {
                    header { h2 { "Rules that spoke lately" } }
                    (rules(&overview.rules))
                }
            }
        }
    }
}

fn rules(rules: &[(String, u64)]) -> Markup {
    let most = rules.first().map_or(0, |(_, count)| *count);
    html! {
        @if rules.is_empty() { (words::empty("No rule held or refused a call lately.")) }
        @else {
            table {
                tbody {
                    @for (rule, count) in rules {
                        tr { td { code { (visible::text(rule)) } } td class="wide" { (chart::share(*count, most)) } td class="number" { (count) } }
                    }
                }
            }
        }
    }
}

/// Something that needs a human.
struct Need {
    count: u64,
    /// Said of one, and of many.
    text: (&'static str, &'static str),
    address: &'static str,
    look: &'static str,
}

fn needs(overview: &Overview, viewer: &Viewer) -> Markup {
    let (status, servers) = (&overview.status, &overview.servers);
    let changed = status.definitions.by_state.get("rug_pull").copied().unwrap_or_default();
    let launches = servers.iter().filter(|server| server.pending_launch.is_some()).count() as u64;
    let waiting = overview.calls.iter().filter(|call| call.ruling.is_none()).count() as u64;
    let waiting = if viewer.rights.decides { waiting } else { 0 };
    let unread =
        servers.iter().filter(|server| server.used && server.scan.status != "complete").count() as u64;
    let need = |count, text, address, look| Need { count, text, address, look };
    let all = [
        need(waiting, ("call waits for a decision", "calls wait for a decision"), "/held", "danger"),
        need(
            changed,
            ("definition changed since it was approved", "definitions changed since they were approved"),
            "/review?state=rug_pull",
            "danger",
        ),
        need(
            launches,
            ("server is launched in another way", "servers are launched in another way"),
            "/servers?show=held",
            "danger",
        ),
        need(
            status.definitions.held.saturating_sub(changed),
            ("definition is held for review", "definitions are held for review"),
            "/review",
            "warn",
        ),
        need(
            unread,
            ("server is not read whole", "servers are not read whole"),
            "/servers?show=unread",
            "warn",
        ),
    ];
    let open: Vec<&Need> = all.iter().filter(|need| need.count > 0).collect();
    html! {
        @if open.is_empty() { p class="calm" { "Nothing needs you now." } }
        ul class="needs" {
            @for need in open {
                li class=(need.look) { a href=(need.address) { b { (need.count) } (if need.count == 1 { need.text.0 } else { need.text.1 }) } }
            }
        }
    }
}

/// The servers that need somebody first.
fn health(all: &[Server]) -> Markup {
    let mut ordered: Vec<&Server> =
        all.iter().filter(|server| server.used || server.needs_someone()).collect();
    ordered.sort_by_key(|server| {
        (!server.needs_someone(), std::cmp::Reverse(server.changed()), server.name.clone())
    });
    ordered.truncate(MOST_SERVERS);
    servers::table(&ordered)
}
