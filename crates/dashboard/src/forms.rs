//! Forms: every change carries the token that shows it comes from a page of ours.

use maud::{Markup, html};

/// A member of a form that nobody fills in.
pub(crate) fn field(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// A form for a change.
pub(crate) fn form(action: &str, csrf: &str, body: &Markup) -> Markup {
    html! {
        form method="post" action=(action) { (field("csrf", csrf)) (body) }
    }
}

/// A form that is one button.
pub(crate) fn button_form(action: &str, csrf: &str, fields: &Markup, label: &str, look: &str) -> Markup {
    form(action, csrf, &html! { (fields) button class=(look) { (label) } })
}

/// A line of text that must be given.
pub(crate) fn reason(id: &str, label: &str) -> Markup {
    html! {
        label for=(id) { (label) }
        input id=(id) name="reason" required maxlength="500" autocomplete="off";
    }
}

/// A choice in a filter; the first one is what is meant if nothing is chosen.
pub(crate) fn choice(name: &str, label: &str, current: &str, options: &[(&str, &str)]) -> Markup {
    html! {
        label class="filter" {
            span { (label) }
            select name=(name) {
                @for (value, text) in options {
                    option value=(value) selected[*value == current] { (text) }
                }
            }
        }
    }
}

/// A text in a filter.
pub(crate) fn sought(name: &str, label: &str, current: &str) -> Markup {
    html! {
        label class="filter" {
            span { (label) }
            input name=(name) value=(current) autocomplete="off" spellcheck="false";
        }
    }
}
