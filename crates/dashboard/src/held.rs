//! Calls that wait for a human: what they would do, why they wait, how long they can.

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::form;
use crate::frame::{Page, Tab, Viewer};
use crate::{href, moment, visible, words};

/// A call that waits, or was decided and not used yet.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Held {
    /// What it is decided by.
    pub id: String,
    /// Where it would go.
    pub server: String,
    /// To which tool. May be hostile.
    pub tool: String,
    /// In which session.
    pub session: String,
    /// Whose it is.
    pub agent: String,
    /// 0 to 100.
    pub risk: u64,
    /// The rules that ask.
    pub rules: Vec<String>,
    /// What they saw.
    pub why: Vec<String>,
    /// Where data would go.
    pub destinations: Vec<String>,
    /// The arguments, masked.
    pub arguments: String,
    /// Since when it waits, in milliseconds since 1970.
    pub at: u64,
    /// Until when.
    pub expires: u64,
    /// What was decided.
    pub ruling: Option<String>,
    /// By whom.
    pub by: Option<String>,
}

/// The page.
pub fn page(calls: &[Held], viewer: &Viewer) -> Page {
    let (waiting, decided): (Vec<&Held>, Vec<&Held>) = calls.iter().partition(|call| call.ruling.is_none());
    let body = html! {
        div class="head" { h1 { "Held calls" } span class="live-dot muted" { "live" } }
        p class="lead" { "These calls stop at the gate until somebody decides. What nobody decides in time is denied." }
        section class="panel" data-countdown {
            div id="calls" data-live="calls" {
                @if waiting.is_empty() { (words::empty("No call waits.")) }
                @for call in &waiting { (one(call, viewer)) }
                @for call in &decided { (was_decided(call)) }
            }
        }
    };
    Page { title: "Held calls".into(), tab: Tab::Calls, body }
}

fn one(call: &Held, viewer: &Viewer) -> Markup {
    html! {
        article class="call" id=(call.id) data-row {
            p class="line" {
                (words::risk(call.risk))
                strong { a data-open href=(href::definition(&call.server, "tool", &call.tool)) { (visible::name(&call.tool)) } }
                span class="muted" { "on " (visible::name(&call.server)) ", asked by " (visible::name(&call.agent)) ", " (moment::ago(call.at, viewer.now_ms)) }
                span class="chip" data-until=(call.expires) { (moment::ago(call.expires, viewer.now_ms)) }
            }
            p class="chips" { @for rule in &call.rules { (words::chip("warn", rule)) } }
            @if !call.why.is_empty() { ul { @for why in &call.why { li { (visible::text(why)) } } } }
            @if !call.destinations.is_empty() {
                p { "It would reach " @for (index, one) in call.destinations.iter().enumerate() { @if index > 0 { ", " } (visible::name(one)) } "." }
            }
            pre class="arguments" tabindex="0" aria-label="Arguments, masked" { (visible::text(&call.arguments)) }
            (decide(call, viewer))
        }
    }
}

fn decide(call: &Held, viewer: &Viewer) -> Markup {
    let button = |decision: &str, label: &str, look: &str| {
        html! { button class=(look) name="decision" value=(decision) { (label) } }
    };
    let buttons = html! {
        div class="actions" {
            (button("allow_once", "Allow once", "primary"))
            @if !call.destinations.is_empty() { (button("allow_destination", "Allow this destination", "")) }
            (button("deny", "Deny", "danger"))
            @if viewer.rights.reads_activity && !call.session.is_empty() {
                a href={ "/sessions/" (href::part(&call.session)) } { "The session" }
            }
        }
    };
    form(&format!("/held/{}", href::part(&call.id)), &viewer.csrf, &buttons)
}

fn was_decided(call: &Held) -> Markup {
    html! {
        article class="call" {
            p class="line muted" {
                (words::chip("", &call.ruling.as_deref().unwrap_or_default().replace('_', " ")))
                (visible::name(&call.tool)) " on " (visible::name(&call.server)) ", by "
                (visible::name(call.by.as_deref().unwrap_or_default())) "; it passes when the agent comes again"
            }
        }
    }
}
