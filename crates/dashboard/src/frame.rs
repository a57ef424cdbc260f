//! What stands around every page: the head, the way about, who is signed in, and what was just done.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::{MARK, Script, stylesheet};
use crate::forms::{button_form, field};

/// Who looks at a page, and what they may see and do.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// What their token is called.
    pub name: String,
    /// The word for their role.
    pub role: &'static str,
    /// What follows from it.
    pub rights: Rights,
    /// What every change must carry.
    pub csrf: String,
    /// How they want it to look.
    pub theme: Theme,
    /// Definitions that wait for a decision.
    pub to_review: u64,
    /// Calls that wait for one.
    pub to_decide: u64,
    /// Whether all calls are stopped.
    pub is_stopped: bool,
    /// When the page is made, in milliseconds since 1970.
    pub now_ms: u64,
}

/// What a role opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Reads activity.
    pub reads_activity: bool,
    /// Approves and decides.
    pub decides: bool,
    /// Changes tokens and servers.
    pub administers: bool,
}

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme a word names; any other word is the system's.
    pub fn named(word: &str) -> Theme {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }

    fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// What is said at the top of a page about what was just asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It was done.
    Done(String),
    /// It was not, and why.
    Refused(String),
}

/// A page before it is framed.
pub struct Page {
    /// What it is called.
    pub title: String,
    /// Where it stands in the way about.
    pub tab: Tab,
    /// What is on it.
    pub body: Markup,
}

/// The places of the way about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is called what it is")]
pub enum Tab {
    Overview,
    Review,
    Calls,
    Servers,
    Activity,
    Sessions,
    Posture,
    Policy,
    Baseline,
    Settings,
    About,
    Nowhere,
}

impl Page {
    /// The whole document; `path` is where it is found, also if it answers a form sent elsewhere.
    pub fn render(&self, viewer: &Viewer, notice: Option<&Notice>, path: &str) -> String {
        let body = html! {
            a class="skip" href="#main" { "Skip to content" }
            header class="bar" {
                a class="brand" href="/" { (PreEscaped(MARK)) span { "Portcullis" } }
                (status(viewer))
                (account(viewer, path))
            }
            div class="shell" {
                (way_about(self.tab, viewer))
                main id="main" tabindex="-1" data-path=(path) {
                    (said(notice))
                    (self.body)
                }
            }
        };
        document(&self.title, viewer.theme, &body)
    }
}

/// A document around a body.
pub(crate) fn document(title: &str, theme: Theme, body: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-theme=(theme.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · Portcullis" }
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href=(stylesheet());
                @for script in Script::ALL { script type="module" src=(script.address()) {} }
            }
            body { (body) }
        }
    };
    markup.into_string()
}

/// What was just done, read out by a screen reader.
pub(crate) fn said(notice: Option<&Notice>) -> Markup {
    html! {
        @match notice {
            Some(Notice::Done(text)) => p class="notice done" role="status" { (crate::visible::text(text)) },
            Some(Notice::Refused(text)) => p class="notice refused" role="alert" { (crate::visible::text(text)) },
            None => {},
        }
    }
}

fn status(viewer: &Viewer) -> Markup {
    html! {
        div class="status" id="status" data-live="status" {
            @if viewer.is_stopped {
                a class="chip danger" href="/settings" { "All calls are stopped" }
            }
        }
    }
}

fn account(viewer: &Viewer, path: &str) -> Markup {
    let next = viewer.theme.next();
    let looks = html! { (field("theme", next.as_str())) (field("back", path)) };
    html! {
        div class="account" {
            span class="who" { (crate::visible::name(&viewer.name)) " " span class="muted" { (viewer.role) } }
            (button_form("/theme", &viewer.csrf, &looks, &format!("Theme: {}", viewer.theme.as_str()), "quiet"))
            (button_form("/sign-out", &viewer.csrf, &html! {}, "Sign out", "quiet"))
        }
    }
}

fn way_about(current: Tab, viewer: &Viewer) -> Markup {
    let rights = viewer.rights;
    let places = [
        (Tab::Overview, "/", "Overview", true, 0),
        (Tab::Review, "/review", "Review", true, viewer.to_review),
        (Tab::Calls, "/held", "Held calls", rights.decides, viewer.to_decide),
        (Tab::Servers, "/servers", "Servers", true, 0),
        (Tab::Activity, "/activity", "Activity", rights.reads_activity, 0),
        (Tab::Sessions, "/sessions", "Sessions", rights.reads_activity, 0),
        (Tab::Posture, "/posture", "Posture", true, 0),
        (Tab::Policy, "/policy", "Policy", true, 0),
        (Tab::Baseline, "/baseline", "Habits", true, 0),
        (Tab::Settings, "/settings", "Settings", rights.decides, 0),
        (Tab::About, "/about", "About", true, 0),
    ];
    html! {
        nav class="rail" aria-label="Pages" {
            ul id="rail" data-live="rail" {
                @for (tab, address, label, is_open, count) in places {
                    @if is_open {
                        li {
                            a href=(address) aria-current=[(tab == current).then_some("page")] {
                                span { (label) }
                                @if count > 0 { span class="count" { (count) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
