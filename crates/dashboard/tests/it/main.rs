//! Every page, with a hostile text in every place a server, an agent or a client could put one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use portcullis_dashboard::difference::Layout;
use portcullis_dashboard::overview::{Counted, Overview, Status};
use portcullis_dashboard::review::Beside;
use portcullis_dashboard::trial::Tried;
use portcullis_dashboard::{
    Notice, Page, Rights, Theme, Viewer, about, activity, baseline, held, overview, policy, posture, queue,
    review, server, servers, sessions, settings, sign_in,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ATTACK: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{200b}\u{1b}";

fn viewer() -> Viewer {
    let rights = Rights { reads_activity: true, decides: true, administers: true };
    Viewer {
        name: ATTACK.into(),
        role: "admin",
        rights,
        csrf: "c0ffee".into(),
        now_ms: 9,
        ..Viewer::default()
    }
}

fn made<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn item() -> Value {
    json!({
        "server": ATTACK, "kind": "tool", "name": ATTACK, "state": "rug_pull", "enabled": false, "present": false,
        "fingerprint": "ab", "hard": ["unicode.hidden"], "held": "it changed", "requested": { "by": ATTACK, "reason": ATTACK },
    })
}

fn report() -> Value {
    let signal = json!({
        "check": "unicode.hidden", "tier": "hard", "confidence": 0.9, "detail": ATTACK, "pointer": "/description",
        "decodings": ["base64"], "excerpt": ATTACK, "mark": { "start": 2, "end": 9 }, "discount": { "from": 0.5, "reason": ATTACK },
    });
    let finding = json!({
        "kind": "tool", "name": ATTACK, "severity": "critical", "threat": "x", "confidence": 0.9, "risk": 90,
        "checks": ["unicode.hidden"], "signals": [signal.clone()], "discounted": [signal],
    });
    json!({ "findings": [finding.clone()], "suppressed": [{ "finding": finding, "by": { "check": "x", "reason": ATTACK } }] })
}

fn reviewed() -> Value {
    let mut value = item();
    value["definition"] = json!({ "name": ATTACK, "description": ATTACK, ATTACK: [ATTACK] });
    value["findings"] = report();
    value["labels"] = json!([{ "label": "can_send", "because": ATTACK }]);
    value["approval"] =
        json!({ "fingerprint": "cd", "by": ATTACK, "at": 1, "accepted": ["x"], "reason": ATTACK });
    value["rejection"] = json!({ "by": ATTACK, "at": 1, "reason": ATTACK });
    value
}

fn entry() -> Value {
    json!({
        "seq": 1, "time": "2026-01-01T00:00:00Z", "kind": "tool_call", "status": "refused", "risk": 80,
        "server": ATTACK, "tool": ATTACK, "session": ATTACK, "sensitive": ["card"],
    })
}

fn server_told() -> Value {
    json!({
        "name": ATTACK, "used": true, "transport": "stdio", "trust": "manual", "held": "x", "quarantine": ATTACK,
        "launch": "ab", "pending_launch": "cd", "scan": { "status": "failed", "why": ATTACK },
        "definitions": { "rug_pull": 2 }, "definitions_held": 2, "requested": { "by": ATTACK, "reason": ATTACK },
    })
}

fn held_call() -> Value {
    json!({
        "id": "call-1", "server": ATTACK, "tool": ATTACK, "session": ATTACK, "agent": ATTACK, "risk": 90, "rules": ["flow.x"],
        "why": [ATTACK], "destinations": [ATTACK], "arguments": ATTACK, "at": 1, "expires": 99,
    })
}

fn difference() -> Value {
    json!({ "changed": [{ "class": "text", "unlisted": 3, "changes": [
        { "pointer": ATTACK, "class": "text", "what": "reworded", "runs": [{ "kind": "added", "text": ATTACK }, { "kind": "removed", "text": ATTACK }, { "kind": "same", "text": ATTACK }] },
        { "pointer": "/x", "class": "schema", "what": "replaced", "before": ATTACK, "after": ATTACK },
        { "pointer": "/y", "class": "schema", "what": "reordered" },
    ] }] })
}

fn tried() -> Tried {
    let answer = json!({
        "verdict": "deny", "risk": 90, "rules": [ATTACK],
        "facts": { "operation": "write", "labels": [ATTACK], "destinations": [ATTACK], "declared": false, "outward": true },
        "entries": [
            { "level": "rule", "entry": ATTACK, "act": "deny", "outcome": "decided", "why": "" },
            { "level": "tool", "entry": ATTACK, "act": "log", "outcome": "silent", "why": ATTACK },
        ],
    });
    let attack = || ATTACK.to_owned();
    // What somebody wrote is given back as it was, so there is nothing hidden in these arguments.
    let arguments = "</textarea><script>alert(1)</script>".to_owned();
    Tried {
        server: attack(),
        tool: attack(),
        arguments,
        operation: attack(),
        session: attack(),
        answer: Some(answer),
    }
}

fn pages() -> Vec<Page> {
    let viewer = viewer();
    let (items, one): (queue::Items, servers::Server) =
        (made(json!({ "items": [item()], "next_after": ATTACK })), made(server_told()));
    let beside =
        |layout| Beside { difference: Some(made(difference())), layout, history: vec![made(entry())] };
    let entries: activity::Entries = made(json!({ "records": [entry()], "next_before": 1 }));
    let record = json!({
        "seq": 1, "kind": "tool_call", "status": "held", "risk": 9, "server": ATTACK, "tool": ATTACK, "session": ATTACK,
        "writer": ATTACK, "hash": "ab", "time": "x", "redacted": true, "note": { "text": ATTACK }, "result": { "text": ATTACK },
    });
    let flow = json!({
        "calls": [{ "call": 1, "server": "s", "tool": ATTACK, "labels": [ATTACK], "result": { "rules": [ATTACK] } }, { "call": 2, "server": "s", "tool": ATTACK, "verdict": { "act": "deny", "rules": ["x"] } }],
        "edges": [{ "from": 1, "to": 2, "check": "flow.x", "evidence": "order", "risk": 85, "encoded": true }, { "from": 7, "to": 9 }],
    });
    let tool = json!({ "server": ATTACK, "tool": ATTACK });
    let met = json!({ "complete": true, "severity": "high", "breaking": [tool.clone()],
        "witnesses": [{ "reads_private": tool.clone(), "sees_untrusted": tool.clone(), "can_send": tool, "reach": "free" }] });
    let all = Overview {
        status: made::<Status>(json!({ "warnings": [ATTACK] })),
        servers: vec![one.clone()],
        calls: vec![made(held_call())],
        days: vec![Counted { date: "2026-01-01".into(), all: 3, refused: 1 }],
        rules: vec![(ATTACK.into(), 2)],
    };
    vec![
        overview::page(&all, &viewer),
        queue::page(&items, &queue::Wanted::default()),
        servers::page(std::slice::from_ref(&one), &servers::Wanted::default()),
        server::page(&one, &items, "tools", &viewer),
        server::clean(ATTACK, "tools", &items.items, &items.items, &viewer),
        server::report(ATTACK, &made(report())),
        review::page(&made(reviewed()), &beside(Layout::Unified), &viewer),
        review::page(&made(reviewed()), &beside(Layout::Sides), &viewer),
        held::page(&[made(held_call())], &viewer),
        activity::page(&entries, &activity::Wanted::default()),
        activity::record(&record),
        activity::chain(
            &json!({ "chains": [{ "writer": ATTACK, "verdict": { "bad": { "seq": 1, "what": ATTACK } } }] }),
        ),
        sessions::page(&made(
            json!({ "all": 1, "sessions": [{ "session": ATTACK, "client": ATTACK, "protocol": ATTACK }] }),
        )),
        sessions::one(ATTACK, Some(&made(flow)), &entries),
        posture::page(Some(&made(met))),
        policy::page(
            &json!({ "profile": "strict", "rules": { ATTACK: "deny" }, "tools": [{ "server": ATTACK, "tool": ATTACK, "act": "deny" }] }),
            &tried(),
            &viewer,
        ),
        baseline::page(&[made(json!({ "agent": ATTACK, "last": 1 }))], &viewer),
        settings::page(
            Some(&[made(json!({ "id": ATTACK, "name": ATTACK, "role": "admin" }))]),
            Some("pcl_x"),
            &viewer,
        ),
        about::page(&Status::default(), &[made(json!({ "id": "x", "tier": "hard" }))]),
        sign_in::trouble("Not found", "There is nothing"),
    ]
}

#[test]
fn no_page_lets_a_hostile_text_be_more_than_text() {
    for page in pages() {
        let html = page.render(&viewer(), Some(&Notice::Done("Done.".into())), "/x");
        for bad in [
            "<script>",
            "<img src=x",
            "onerror=alert(1)>",
            "style=",
            "javascript:",
            "\u{202e}",
            "\u{200b}",
            "\u{1b}",
        ] {
            assert!(!html.contains(bad), "{} has {bad:?}: {html}", page.title);
        }
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"));
    }
}

#[test]
fn every_form_that_changes_something_carries_its_token() {
    for page in pages() {
        let html = page.render(&viewer(), None, "/x");
        let forms = html.matches("<form method=\"post\"").count();
        assert_eq!(html.matches("name=\"csrf\" value=\"c0ffee\"").count(), forms, "{}", page.title);
        assert!(forms >= 2, "the theme and the way out are on every page");
    }
}

#[test]
fn who_may_not_decide_is_offered_nothing() {
    let viewer = Viewer { rights: Rights::default(), ..viewer() };
    let beside = Beside { difference: None, layout: Layout::Unified, history: Vec::new() };
    let html = review::page(&made(reviewed()), &beside, &viewer).render(&viewer, None, "/x");
    assert!(!html.contains("Approve exactly this") && !html.contains("href=\"/activity\""), "{html}");
    let server = server::page(&made(server_told()), &queue::Items::default(), "tools", &viewer);
    assert!(!server.render(&viewer, None, "/x").contains("Hold the server"));
}

#[test]
fn the_door_shows_a_link_or_asks_for_a_token() {
    let with = sign_in::page(Some(ATTACK), None, Theme::Dark);
    assert!(
        with.contains("data-theme=\"dark\"") && with.contains("name=\"once\"") && !with.contains("<script>")
    );
    assert!(sign_in::page(None, None, Theme::System).contains("type=\"password\""));
}
