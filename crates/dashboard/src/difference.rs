//! The difference between what was approved and what is declared now: in one column, or side by side.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{visible, words};

/// A difference as the API tells it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Difference {
    /// One for each definition; here there is one.
    pub changed: Vec<Changed>,
}

/// What changed of one definition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Changed {
    /// The gravest class of the changes.
    pub class: Option<String>,
    /// Every change.
    pub changes: Vec<Change>,
    /// How many more there are.
    pub unlisted: u64,
}

/// One change.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Where.
    pub pointer: String,
    /// How grave.
    pub class: String,
    /// `added`, `removed`, `replaced`, `reworded` or `reordered`.
    pub what: String,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
    /// The words, if a text was reworded.
    pub runs: Vec<Run>,
}

/// Words that stayed, went or came.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Run {
    /// `same`, `removed` or `added`.
    pub kind: String,
    /// The words.
    pub text: String,
}

/// How it is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One column.
    Unified,
    /// Two.
    Sides,
}

/// The difference, and the way to the other layout.
pub(crate) fn panel(difference: &Difference, layout: Layout, address: &str) -> Markup {
    let changed = difference.changed.first();
    let changes = changed.map(|changed| changed.changes.as_slice()).unwrap_or_default();
    html! {
        section class="panel alarm" id="difference" {
            header {
                h2 { "What changed since it was approved" }
                span class="chips" {
                    @if let Some(class) = changed.and_then(|changed| changed.class.as_deref()) { (words::chip("warn", class)) }
                    @match layout {
                        Layout::Unified => a class="chip" href={ (address) "?view=sides#difference" } { "Side by side" },
                        Layout::Sides => a class="chip" href={ (address) "#difference" } { "In one column" },
                    }
                }
            }
            @if changes.is_empty() { (words::empty("Nothing: it is exactly what was approved.")) }
            @for change in changes { (one(change, layout)) }
            @if let Some(more) = changed.map(|changed| changed.unlisted).filter(|more| *more > 0) {
                p class="change muted" { "and " (more) " more changes" }
            }
        }
    }
}

fn one(change: &Change, layout: Layout) -> Markup {
    html! {
        div class="change" {
            p class="chips" { code { (visible::text(&change.pointer)) } (words::chip("", &change.class)) span class="muted" { (change.what) } }
            @match layout {
                Layout::Unified => p class="said" { (unified(change)) },
                Layout::Sides => div class="sides" {
                    div class="side" { h4 { "Approved" } p class="said" { (before(change)) } }
                    div class="side" { h4 { "Now" } p class="said" { (after(change)) } }
                },
            }
        }
    }
}

fn unified(change: &Change) -> Markup {
    if change.what == "reordered" {
        return html! { "The same items in another order." };
    }
    if change.runs.is_empty() {
        return html! { (before(change)) @if change.before.is_some() && change.after.is_some() { br; } (after(change)) };
    }
    html! {
        @for run in &change.runs {
            @match run.kind.as_str() {
                "removed" => del { (visible::text(&run.text)) },
                "added" => ins { (visible::text(&run.text)) },
                _ => (visible::text(&run.text)),
            }
        }
    }
}

fn before(change: &Change) -> Markup {
    html! {
        @if let Some(before) = &change.before { del { (visible::text(before)) } }
        @for run in &change.runs {
            @if run.kind == "removed" { del { (visible::text(&run.text)) } }
            @else if run.kind == "same" { (visible::text(&run.text)) }
        }
    }
}

fn after(change: &Change) -> Markup {
    html! {
        @if let Some(after) = &change.after { ins { (visible::text(after)) } }
        @for run in &change.runs {
            @if run.kind == "added" { ins { (visible::text(&run.text)) } }
            @else if run.kind == "same" { (visible::text(&run.text)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_in_both_layouts() {
        let told = serde_json::json!({ "changed": [{ "class": "text", "changes": [{
            "part": "description", "pointer": "/description", "class": "text", "what": "reworded",
            "runs": [{ "kind": "same", "text": "Adds " }, { "kind": "removed", "text": "two" }, { "kind": "added", "text": "<i>\u{200b}" }],
        }] }] });
        let difference: Difference = serde_json::from_value(told).unwrap_or_default();
        let one = panel(&difference, Layout::Unified, "/x").into_string();
        assert!(
            one.contains("Adds <del>two</del><ins>&lt;i&gt;<span class=\"hidden-character\">U+200B"),
            "{one}"
        );
        let two = panel(&difference, Layout::Sides, "/x").into_string();
        assert!(two.contains("Adds <del>two</del></p>") && two.contains("Adds <ins>"), "{two}");
    }
}
