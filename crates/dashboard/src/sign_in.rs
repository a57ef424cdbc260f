//! The door: signing in with a link that works once, or with a token; and what is said when a page cannot be shown.

use maud::{Markup, PreEscaped, html};

use crate::assets::MARK;
use crate::forms::field;
use crate::frame::{Notice, Page, Tab, Theme, document, said};

/// The page somebody sees who is not signed in. `once` is what a link brought with it.
pub fn page(once: Option<&str>, notice: Option<&Notice>, theme: Theme) -> String {
    let body = html! {
        main class="door" {
            section class="panel" {
                span class="brand" { (PreEscaped(MARK)) h1 { "Portcullis" } }
                (said(notice))
                @match once {
                    Some(once) => (with_link(once)),
                    None => (with_token()),
                }
            }
        }
    };
    document("Sign in", theme, &body)
}

/// A button rather than a redirect: what looks at links before people do uses nothing up.
fn with_link(once: &str) -> Markup {
    html! {
        form class="stack" method="post" action="/sign-in" {
            p { "This link signs you in once." }
            (field("once", once))
            button class="primary" autofocus { "Sign in" }
        }
    }
}

fn with_token() -> Markup {
    html! {
        form class="stack" method="post" action="/sign-in" {
            label for="token" { "Token" }
            input id="token" name="token" type="password" required autofocus autocomplete="current-password" spellcheck="false";
            button class="primary" { "Sign in" }
        }
        p class="muted" {
            "A token of the role viewer, auditor, operator or admin. On the gateway's machine "
            code { "portcullis dashboard" } " prints a link that signs you in."
        }
    }
}

/// A page in the place of one that cannot be shown.
pub fn trouble(title: &str, message: &str) -> Page {
    let body = html! {
        div class="head" { h1 { (title) } }
        section class="panel" { div class="inside" { p { (message) } p { a href="/" { "To the overview" } } } }
    };
    Page { title: title.into(), tab: Tab::Nowhere, body }
}
