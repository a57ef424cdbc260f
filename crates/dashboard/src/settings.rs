//! The switch that stops all calls, and the tokens.

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::{button_form, choice, field, form};
use crate::frame::{Page, Tab, Viewer};
use crate::{href, moment, visible, words};

/// A token, without what would open anything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Token {
    /// What it is revoked by.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// What it opens.
    pub role: String,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it ends.
    pub expires: Option<u64>,
    /// Whether it is a browser that is signed in.
    pub signed_in: bool,
}

/// The page. `made` is the text of a token that was just made; it is shown this once.
pub fn page(tokens: Option<&[Token]>, made: Option<&str>, viewer: &Viewer) -> Page {
    let body = html! {
        div class="head" { h1 { "Settings" } }
        @if let Some(made) = made {
            div class="notice done" role="status" { "The new token. Keep it: it is not shown again." pre id="new-token" { (made) } }
        }
        (switch(viewer))
        @if viewer.rights.administers { (alerts(viewer)) }
        @if let Some(tokens) = tokens { (all(tokens, viewer)) }
    };
    Page { title: "Settings".into(), tab: Tab::Settings, body }
}

fn switch(viewer: &Viewer) -> Markup {
    html! {
        section class={ "panel" @if viewer.is_stopped { " alarm" } } {
            header { h2 { "Stop all calls" } }
            div class="inside" {
                @if viewer.is_stopped {
                    p { "Every call of every agent is refused." }
                    (button_form("/stop-calls", &viewer.csrf, &field("stopped", "false"), "Let calls pass again", "primary"))
                } @else {
                    p { "Refuses every call of every agent at once, until somebody lets them pass again." }
                    (button_form("/stop-calls", &viewer.csrf, &field("stopped", "true"), "Stop all calls", "danger"))
                }
            }
        }
    }
}

fn alerts(viewer: &Viewer) -> Markup {
    html! {
        section class="panel" {
            header { h2 { "Alerts" } }
            div class="inside" {
                p { "Sends a test alert to where alerts go, and says what came back." }
                (button_form("/settings/alerts/test", &viewer.csrf, &html! {}, "Send a test alert", ""))
            }
        }
    }
}

fn all(tokens: &[Token], viewer: &Viewer) -> Markup {
    html! {
        section class="panel" {
            header { h2 { "Tokens" } span class="muted" { "only their hashes are kept" } }
            div class="scroll" {
                table {
                    thead { tr { th { "Name" } th { "Role" } th { "Made" } th { "Ends" } th {} } }
                    tbody { @for token in tokens { (row(token, viewer)) } }
                }
            }
        }
        section class="panel" {
            header { h2 { "A new token" } }
            div class="inside" { (form("/settings/tokens", &viewer.csrf, &new())) }
        }
    }
}

fn row(token: &Token, viewer: &Viewer) -> Markup {
    html! {
        tr data-row {
            td { (visible::name(&token.name)) @if token.signed_in { " " (words::chip("", "browser")) } }
            td { (token.role) }
            td { (moment::ago(token.created, viewer.now_ms)) }
            td { @if let Some(expires) = token.expires { (moment::ago(expires, viewer.now_ms)) } @else { span class="muted" { "never" } } }
            td { (button_form(&format!("/settings/tokens/{}/revoke", href::part(&token.id)), &viewer.csrf, &html! {}, "Revoke", "danger")) }
        }
    }
}

fn new() -> Markup {
    let roles = [
        ("agent", "agent: calls tools"),
        ("viewer", "viewer: reads servers and findings"),
        ("auditor", "auditor: reads activity too"),
        ("operator", "operator: approves and decides too"),
        ("admin", "admin: changes tokens and servers too"),
    ];
    html! {
        div class="filters" {
            label class="filter" { span { "Whose it is, or what for" } input name="name" required maxlength="100" autocomplete="off"; }
            (choice("role", "Role", "agent", &roles))
            label class="filter" { span { "Days (empty: no end)" } input name="days" type="number" min="1" max="3650"; }
            button class="primary" { "Make it" }
        }
    }
}
