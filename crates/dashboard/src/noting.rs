//! What operators note about a definition beside their decisions: findings they accept, spans that may change.

use maud::{Markup, html};
use serde::Deserialize;

use crate::forms::{button_form, choice, field, form, reason};
use crate::frame::Viewer;
use crate::review::Reviewed;
use crate::{href, moment, said, visible, words};

/// What operators noted about a definition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Noted {
    /// Findings they accepted.
    pub suppressed: Vec<Suppressed>,
    /// Texts whose numbers or dates may change.
    pub volatile: Vec<Volatile>,
}

/// A finding that was accepted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Suppressed {
    /// The check.
    pub check: String,
    /// Why.
    pub reason: String,
    /// Until when, in milliseconds since 1970.
    pub expires: Option<u64>,
    /// Who said so.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// A text whose numbers or dates may change.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Volatile {
    /// Where it stands. May be hostile.
    pub pointer: String,
    /// `counts` or `dates`.
    pub spans: String,
    /// The configuration says so, and is where it is changed.
    pub configured: bool,
}

/// Accepted findings, and the form to accept one.
pub(crate) fn suppressions(reviewed: &Reviewed, address: &str, viewer: &Viewer) -> Markup {
    let decides = viewer.rights.decides;
    let checks = speaking(reviewed);
    html! {
        @for one in &reviewed.noted.suppressed {
            div class="finding" {
                p { (words::chip("", "suppressed")) " " code { (one.check) } " — " (visible::text(&one.reason)) }
                p class="muted" {
                    "by " (visible::name(&one.by)) ", " (moment::ago(one.at, viewer.now_ms))
                    @if let Some(at) = one.expires { ", until " (moment::utc(at)) }
                }
                @if decides {
                    (button_form(&format!("{address}/unsuppress"), &viewer.csrf, &field("check", &one.check), "Let it count again", ""))
                }
            }
        }
        @if decides && !checks.is_empty() {
            div class="finding" {
                details class="more" {
                    summary { "Suppress a finding…" }
                    (form(&format!("{address}/suppress"), &viewer.csrf, &suppressing(&reviewed.item.fingerprint, &checks)))
                }
            }
        }
    }
}

fn suppressing(fingerprint: &str, checks: &[&str]) -> Markup {
    let checks: Vec<(&str, &str)> = checks.iter().map(|check| (*check, *check)).collect();
    let spans = [("", "until it changes"), ("30", "30 days"), ("90", "90 days"), ("365", "a year")];
    html! {
        (field("fingerprint", fingerprint))
        div class="stack" {
            p class="muted" { "It holds for exactly this text: a changed tool is judged anew." }
            (choice("check", "Check", "", &checks))
            (choice("days", "For", "", &spans))
            (reason("suppress-reason", "Why is it wrong here?"))
            button class="danger" { "Suppress" }
        }
    }
}

/// The checks that speak against a definition, each once.
fn speaking(reviewed: &Reviewed) -> Vec<&str> {
    let signals = reviewed.findings.findings.iter().flat_map(|finding| &finding.signals);
    let mut checks: Vec<&str> = signals.map(|signal| signal.check.as_str()).collect();
    checks.sort_unstable();
    checks.dedup();
    checks
}

/// Texts whose numbers or dates may change, and the form to mark one.
pub(crate) fn volatile(reviewed: &Reviewed, address: &str, viewer: &Viewer) -> Markup {
    let marked = &reviewed.noted.volatile;
    let unmarked = unmarked(reviewed);
    let may_mark = viewer.rights.decides && !unmarked.is_empty();
    if marked.is_empty() && !may_mark {
        return html! {};
    }
    let (to, fingerprint) = (format!("{address}/volatile"), reviewed.item.fingerprint.as_str());
    html! {
        section class="panel" id="volatile" {
            header { h2 { "What may change" } }
            @for one in marked {
                div class="finding" {
                    p { (spans_of(&one.spans)) " at " code { (visible::text(&one.pointer)) } }
                    @if one.configured { p class="muted" { "The configuration says so." } }
                    @else if viewer.rights.decides {
                        @let fields = html! { (field("fingerprint", fingerprint)) (field("pointer", &href::part(&one.pointer))) (field("spans", "none")) };
                        (button_form(&to, &viewer.csrf, &fields, "Take it back", ""))
                    }
                }
            }
            @if may_mark {
                div class="finding" {
                    details class="more" {
                        summary { "Let numbers in a text change…" }
                        (form(&to, &viewer.csrf, &marking(fingerprint, &unmarked)))
                    }
                }
            }
        }
    }
}

fn marking(fingerprint: &str, pointers: &[String]) -> Markup {
    // A key may hide characters, which neither the page nor what is sent shows raw.
    let shown: Vec<(String, String)> =
        pointers.iter().map(|pointer| (href::part(pointer), visible::plain(pointer))).collect();
    let texts: Vec<(&str, &str)> =
        shown.iter().map(|(sent, shown)| (sent.as_str(), shown.as_str())).collect();
    let spans = [("counts", spans_of("counts")), ("dates", spans_of("dates"))];
    html! {
        (field("fingerprint", fingerprint))
        div class="stack" {
            p class="muted" { "Words never may. What is there now counts as approved if it differs in nothing else." }
            (choice("pointer", "Text", &href::part("/description"), &texts))
            (choice("spans", "What", "counts", &spans))
            button { "They may change" }
        }
    }
}

fn spans_of(word: &str) -> &'static str {
    if word == "dates" { "Numbers and dates" } else { "Numbers" }
}

/// Texts with a number in them that nobody marked.
fn unmarked(reviewed: &Reviewed) -> Vec<String> {
    let is_open = |pointer: &str| reviewed.noted.volatile.iter().all(|one| one.pointer != pointer);
    let texts = said::texts(&reviewed.definition).into_iter();
    let open =
        texts.filter(|(pointer, text)| text.contains(|c: char| c.is_ascii_digit()) && is_open(pointer));
    open.map(|(pointer, _)| pointer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rights;
    use crate::report::{Finding, Report, Signal};

    fn reviewed() -> Reviewed {
        let signal = |check: &str| Signal { check: check.to_owned(), ..Signal::default() };
        let signals = vec![signal("b.two"), signal("a.one"), signal("b.two")];
        let findings = vec![Finding { signals, ..Finding::default() }];
        Reviewed {
            definition: serde_json::json!({ "name": "n", "description": "7 files", "<i>": "8", "x": "no number" }),
            findings: Report { findings, ..Report::default() },
            ..Reviewed::default()
        }
    }

    fn viewer(decides: bool) -> Viewer {
        Viewer { rights: Rights { decides, ..Rights::default() }, ..Viewer::default() }
    }

    #[test]
    fn each_check_that_speaks_can_be_suppressed_once() {
        let page = suppressions(&reviewed(), "/here", &viewer(true)).into_string();
        assert_eq!(page.matches("<option value=\"b.two\"").count(), 1, "{page}");
        assert_eq!(page.matches("<option value=\"a.one\"").count(), 1, "{page}");
        assert!(page.contains("action=\"/here/suppress\""), "{page}");
        assert_eq!(suppressions(&reviewed(), "/here", &viewer(false)).into_string(), "");
    }

    #[test]
    fn texts_with_numbers_can_be_marked_and_marks_taken_back() {
        let mut reviewed = reviewed();
        let page = volatile(&reviewed, "/here", &viewer(true)).into_string();
        assert!(page.contains("<option value=\"%2Fdescription\" selected>"), "{page}");
        assert!(page.contains("&lt;i&gt;") && !page.contains("<i>"), "{page}");
        assert!(!page.contains("value=\"%2Fx\""), "nothing there may change: {page}");
        let mark = |pointer: &str, configured| Volatile {
            pointer: pointer.into(),
            spans: "counts".into(),
            configured,
        };
        reviewed.noted.volatile = vec![mark("/description", false), mark("/<i>", true)];
        let page = volatile(&reviewed, "/here", &viewer(true)).into_string();
        assert_eq!(page.matches("Take it back").count(), 1, "{page}");
        assert!(!page.contains("<select"), "everything is marked: {page}");
        let page = volatile(&reviewed, "/here", &viewer(false)).into_string();
        assert!(page.contains("Numbers at") && !page.contains("Take it back"), "{page}");
    }
}
