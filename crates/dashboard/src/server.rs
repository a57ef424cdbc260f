//! One server: how it is, what it declares, and what may be decided about all of it.

use maud::{Markup, html};

use crate::forms::{button_form, choice, field, form, reason};
use crate::frame::{Page, Tab, Viewer};
use crate::queue::{self, Item, Items};
use crate::report::Report;
use crate::servers::{self, Server};
use crate::{href, visible, words};

/// The page: the server, its definitions (those of a kind), and the findings on them.
pub fn page(server: &Server, items: &Items, kind: &str, viewer: &Viewer) -> Page {
    let body = html! {
        div class="head" {
            p class="crumbs" { a href="/servers" { "Servers" } " /" }
            h1 { (visible::name(&server.name)) }
            (servers::state(server))
            (words::scan(&server.scan.status))
        }
        @if let Some(held) = &server.held { p class="notice warning" { "Nothing of it is exposed: " (held) "." } }
        @if let Some(asked) = &server.requested {
            p class="notice warning" { (visible::name(&asked.by)) " asks to open it: " (visible::text(&asked.reason)) }
        }
        div class="columns" {
            div {
                section class="panel" {
                    header { h2 { "What it declares" } (kinds(server, kind)) }
                    div id="items" data-live="items" { (queue::table(&items.items, false)) }
                    @if let Some(next) = &items.next_after {
                        div class="pages" {
                            a class="button" href={ (href::server(&server.name)) (href::query(&[("kind", kind), ("after", next)])) } { "More" }
                        }
                    }
                }
            }
            div {
                (facts(server))
                @if viewer.rights.decides { (decisions(server, viewer)) }
            }
        }
    };
    Page { title: visible::plain(&server.name), tab: Tab::Servers, body }
}

fn kinds(server: &Server, current: &str) -> Markup {
    html! {
        span class="chips" {
            @for kind in ["tools", "prompts", "resources", "templates", "instructions"] {
                a class="chip" href={ (href::server(&server.name)) "?kind=" (kind) } aria-current=[(kind == current).then_some("true")] {
                    @if kind == current { strong { (kind) } } @else { (kind) }
                }
            }
        }
    }
}

fn facts(server: &Server) -> Markup {
    let launch = server.launch.as_deref().unwrap_or("–");
    html! {
        section class="panel" {
            header { h2 { "About it" } }
            div class="inside" {
                dl class="facts" {
                    (words::fact("Reached by", &html! { (server.transport.as_deref().unwrap_or("not used now")) }))
                    @if let Some(node) = &server.node {
                        (words::fact("Runs on", &visible::text(node)))
                    }
                    (words::fact("Trust", &html! { (server.trust.as_deref().unwrap_or("manual")) }))
                    (words::fact("Declared", &html! { (server.declared()) }))
                    (words::fact("Held", &html! { (server.definitions_held) }))
                    (words::fact("Confirmed launch", &words::fingerprint(launch)))
                    @if let Some(pending) = &server.pending_launch {
                        (words::fact("Launch now", &words::fingerprint(pending)))
                    }
                    @if let Some(why) = &server.scan.why {
                        (words::fact("Last reading", &visible::text(why)))
                    }
                }
                p { a href={ (href::server(&server.name)) "/report" } { "All findings on it" } }
            }
        }
    }
}

fn decisions(server: &Server, viewer: &Viewer) -> Markup {
    let (base, csrf) = (href::server(&server.name), viewer.csrf.as_str());
    let holds = html! {
        div class="stack" { (reason("hold-reason", "Why is all of it held?")) button class="danger" { "Hold the server" } }
    };
    html! {
        section class="panel" {
            header { h2 { "Decide" } }
            div class="inside" {
                @if let Some(pending) = &server.pending_launch {
                    p { "It is launched in another way than was confirmed. Look at its configuration before you confirm." }
                    (button_form(&format!("{base}/confirm-launch"), csrf, &field("launch", pending), "Confirm this launch", "primary"))
                }
                div class="actions" {
                    @if server.definitions_held > 0 {
                        a class="button" href={ (base) "/approve-clean/tools" } { "Approve what scans clean…" }
                    }
                    @if server.used { (button_form(&format!("{base}/scan"), csrf, &html! {}, "Read it again", "")) }
                }
                @if server.quarantine.is_some() {
                    p { "Held by an operator: " (visible::text(server.quarantine.as_deref().unwrap_or_default())) }
                    (button_form(&format!("{base}/unquarantine"), csrf, &html! {}, "Lift the hold", ""))
                } @else {
                    details class="more" {
                        summary { "Hold the whole server" }
                        (form(&format!("{base}/quarantine"), csrf, &holds))
                    }
                }
                @if viewer.rights.administers { (trust(server, &base, csrf)) }
            }
        }
    }
}

fn trust(server: &Server, base: &str, csrf: &str) -> Markup {
    let modes = [
        ("manual", "manual: a human approves"),
        ("scan", "scan: what scans clean is approved"),
        ("pinned", "pinned: only what the lock says"),
    ];
    let chosen = html! {
        div class="stack" {
            (choice("trust", "How its tools come to be approved", server.trust.as_deref().unwrap_or("manual"), &modes))
            button { "Change" }
        }
    };
    html! { details class="more" { summary { "Trust" } (form(&format!("{base}/trust"), csrf, &chosen)) } }
}

/// What would be approved at once, shown before it is.
pub fn clean(server: &str, kind: &str, clean: &[Item], left: &[Item], viewer: &Viewer) -> Page {
    let address = format!("{}/approve-clean/{kind}", href::server(server));
    let list = html! {
        ul class="stack" {
            @for item in clean {
                li class="check" {
                    input type="checkbox" name="approve" id=(item.fingerprint) value=(item.fingerprint) checked;
                    label for=(item.fingerprint) { (visible::name(&item.name)) " " (words::fingerprint(&item.fingerprint)) }
                }
            }
        }
        div class="actions" { button class="primary" { "Approve those that are ticked" } a class="button" href=(href::server(server)) { "Back" } }
    };
    let body = html! {
        div class="head" {
            p class="crumbs" { a href="/servers" { "Servers" } " / " a href=(href::server(server)) { (visible::name(server)) } " /" }
            h1 { "Approve what scans clean" }
        }
        section class="panel" {
            header { h2 { (words::count(clean.len() as u64, "definition", "definitions")) " no check speaks against" } }
            div class="inside" {
                @if clean.is_empty() { (words::empty("Nothing that waits scans clean.")) }
                @else { (form(&address, &viewer.csrf, &list)) }
            }
        }
        @if !left.is_empty() {
            section class="panel" {
                header { h2 { "Left for you to read one by one" } }
                div class="inside" {
                    ul class="stack" {
                        @for item in left { li { a href=(href::definition(server, singular(kind), &item.name)) { (visible::name(&item.name)) } } }
                    }
                }
            }
        }
    };
    Page { title: "Approve what scans clean".into(), tab: Tab::Servers, body }
}

/// The kind a path's word means.
fn singular(kind: &str) -> &str {
    match kind {
        "templates" => "resource_template",
        "instructions" => kind,
        _ => kind.trim_end_matches('s'),
    }
}

/// All findings on a server.
pub fn report(server: &str, report: &Report) -> Page {
    let body = html! {
        div class="head" {
            p class="crumbs" { a href="/servers" { "Servers" } " / " a href=(href::server(server)) { (visible::name(server)) } " /" }
            h1 { "Findings" }
            span class="muted" { (words::count(report.findings.len() as u64, "definition", "definitions")) }
        }
        @if report.findings.is_empty() { section class="panel" { (words::empty("No check speaks against anything it declares.")) } }
        @for finding in &report.findings {
            section class="panel" {
                header {
                    h2 { a href=(href::definition(server, &finding.kind, &finding.name)) { (visible::name(&finding.name)) } }
                    span class="chips" { (words::severity(&finding.severity)) (words::risk(finding.risk)) }
                }
                (crate::report::findings(&Report { findings: vec![finding.clone()], ..Report::default() }))
            }
        }
    };
    Page { title: format!("Findings on {}", visible::plain(server)), tab: Tab::Servers, body }
}
