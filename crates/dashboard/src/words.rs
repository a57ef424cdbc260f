//! Small things that stand on many pages: states, severities, numbers, empty places.

use maud::{Markup, html};

/// A word in a colour that says how it is meant; the word alone says it too.
pub(crate) fn chip(look: &str, text: &str) -> Markup {
    html! { span class={ "chip " (look) } { (text) } }
}

/// The state of a definition.
pub(crate) fn state(state: &str) -> Markup {
    match state {
        "approved" => chip("ok", "approved"),
        "rug_pull" => chip("danger", "changed"),
        "blocked" => chip("danger", "blocked"),
        "quarantined" => chip("warn", "held"),
        other => chip("", other),
    }
}

/// How bad a finding is.
pub(crate) fn severity(severity: &str) -> Markup {
    let look = match severity {
        "critical" | "high" => "danger",
        "medium" => "warn",
        _ => "",
    };
    chip(look, severity)
}

/// A risk from 0 to 100, by the bands' names.
pub(crate) fn risk(risk: u64) -> Markup {
    let (look, band) = match risk {
        70.. => ("danger", "critical"),
        50.. => ("danger", "high"),
        30.. => ("warn", "medium"),
        _ => ("", "low"),
    };
    html! { span class={ "chip " (look) } title={ "risk: " (band) } { (risk) } }
}

/// How a record went.
pub(crate) fn status(status: &str) -> Markup {
    let look = match status {
        "refused" | "failed" => "danger",
        "held" => "warn",
        "answered" => "ok",
        _ => "",
    };
    chip(look, status)
}

/// How the last reading of a server went.
pub(crate) fn scan(status: &str) -> Markup {
    match status {
        "complete" => chip("ok", "read whole"),
        "never" => chip("warn", "never read"),
        "incomplete" => chip("warn", "incomplete"),
        "failed" => chip("danger", "failed"),
        other => chip("", other),
    }
}

/// What a page says where there is nothing.
pub(crate) fn empty(text: &str) -> Markup {
    html! { p class="empty" { (text) } }
}

/// "1 tool", "2 tools".
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The first characters of a fingerprint, with all of it behind them.
pub(crate) fn fingerprint(hex: &str) -> Markup {
    html! { code title=(hex) { (hex.get(..12).unwrap_or(hex)) } }
}

/// What is known under a name.
pub(crate) fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}
