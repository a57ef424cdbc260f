//! What agents usually do, in numbers; a human may accept it as usual, or begin anew.

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::button_form;
use crate::frame::{Page, Tab, Viewer};
use crate::{href, moment, visible, words};

/// An agent's habits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Habits {
    /// Whose they are. May be hostile.
    pub agent: String,
    /// Whether they are still learnt.
    pub learning: bool,
    /// Whether a human accepted them.
    pub ratified: bool,
    /// Sessions that taught them.
    pub sessions: u64,
    /// When the last did, in milliseconds since 1970.
    pub last: Option<u64>,
    /// Things that are usual.
    pub things: u64,
}

/// The page.
pub fn page(all: &[Habits], viewer: &Viewer) -> Page {
    let body = html! {
        div class="head" { h1 { "Habits" } }
        p class="lead" { "What each agent usually does: tools, destinations, sizes. Only clean sessions teach. Habits never refuse a call by themselves." }
        section class="panel" {
            @if all.is_empty() { (words::empty("Nothing was learnt yet.")) } @else { (table(all, viewer)) }
        }
    };
    Page { title: "Habits".into(), tab: Tab::Baseline, body }
}

fn table(all: &[Habits], viewer: &Viewer) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Habits" {
            table {
                thead { tr { th { "Agent" } th { "State" } th class="number" { "Sessions" } th class="number" { "Usual things" } th { "Last taught" } @if viewer.rights.decides { th {} } } }
                tbody {
                    @for one in all {
                        tr data-row {
                            td { (visible::name(&one.agent)) }
                            td { (state(one)) }
                            td class="number" { (one.sessions) }
                            td class="number" { (one.things) }
                            td { @if let Some(last) = one.last { (moment::ago(last, viewer.now_ms)) } }
                            @if viewer.rights.decides { td { (decide(one, viewer)) } }
                        }
                    }
                }
            }
        }
    }
}

fn state(one: &Habits) -> Markup {
    match (one.ratified, one.learning) {
        (true, _) => words::chip("ok", "accepted"),
        (false, true) => words::chip("warn", "learning"),
        (false, false) => words::chip("", "learnt"),
    }
}

fn decide(one: &Habits, viewer: &Viewer) -> Markup {
    let base = format!("/baseline/{}", href::part(&one.agent));
    html! {
        div class="actions" {
            @if !one.ratified { (button_form(&format!("{base}/ratify"), &viewer.csrf, &html! {}, "Accept", "")) }
            (button_form(&format!("{base}/reset"), &viewer.csrf, &html! {}, "Begin anew", "danger"))
        }
    }
}
