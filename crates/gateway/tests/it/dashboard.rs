//! The dashboard as a browser without scripts sees it: signing in, roles, forms, and hostile text on every page.

use super::browser::{Browser, FORM, between};
use super::client::{Session, begin};
use super::guarding::{ORDER, called, guarded};
use super::quarantine::{ADD, HOSTILE, asked, decided, held, names};
use super::recorder::Recorder;
use super::world::{World, remote};
use portcullis_gateway::api::{Role, Tokens};
use portcullis_gateway::judge::JudgeRules;
use serde_json::json;
use std::sync::Arc;

/// A gateway with one tool that waits, and an agent that asked for it.
async fn waiting(tools: &[&str]) -> (World, Recorder) {
    let (world, recorder) = held(tools).await;
    names(&Session::open(world.address, "/mcp/r").await).await;
    (world, recorder)
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_anything_before_signing_in_and_agents_never_do() {
    let (world, _recorder) = waiting(&[ADD]).await;
    let browser = Browser::new(&world);
    for path in ["/", "/review", "/servers/r", "/held", "/activity/export", "/settings", "/posture.svg"] {
        let seen = browser.look(path).await;
        assert_eq!(
            (seen.status, seen.location.as_str(), seen.text.as_str()),
            (303, "/sign-in", ""),
            "{path}"
        );
    }
    assert_eq!(browser.look("/live").await.status, 404);
    let agent = browser.send("/sign-in", &[("token", &world.token(Role::Agent))]).await;
    assert_eq!((agent.status, agent.cookie.as_str()), (401, ""));
    let wrong = browser.send("/sign-in", &[("token", "pcl_wrong")]).await;
    assert_eq!(wrong.status, 401);
    let door = browser.look("/sign-in").await;
    assert!(door.policy.starts_with("default-src 'none'; script-src 'self'"), "{}", door.policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_signs_in_once() {
    let (world, _recorder) = waiting(&[ADD]).await;
    let link = decided(&world, "/sign-in-links", json!({})).await["link"].as_str().unwrap().to_owned();
    let once = link.split_once("?once=").unwrap().1;
    let browser = Browser::new(&world);
    let door = browser.look(&format!("/sign-in?once={once}")).await;
    assert!(door.text.contains(once) && door.cookie.is_empty(), "looking at a link uses nothing up");
    let first = browser.send("/sign-in", &[("once", once)]).await;
    assert_eq!(first.status, 303);
    for wanted in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(first.cookie.contains(wanted), "{}", first.cookie);
    }
    let second = browser.send("/sign-in", &[("once", once)]).await;
    assert_eq!((second.status, second.cookie.as_str()), (401, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_out_or_loses_the_token_is_out() {
    let (world, _recorder) = waiting(&[ADD]).await;
    let browser = Browser::signed_in(&world, Role::Operator).await;
    assert_eq!(browser.look("/").await.status, 200);
    let cookie = browser.cookie.split_once('=').unwrap().1;
    let bearer = format!("Bearer {cookie}");
    let api = begin(world.address, "GET", "/api/v1/status", &[("authorization", &bearer)], "".into()).await;
    assert_eq!(api.status(), 401, "what a browser shows opens no API");
    assert_eq!(browser.submit("/", "/sign-out", &[]).await.location, "/sign-in");
    assert_eq!(browser.look("/").await.location, "/sign-in");

    let tokens = Tokens::new(Arc::clone(&world.store));
    let (token, text) = tokens.create("x", Role::Viewer, None).unwrap();
    let mut browser = Browser::new(&world);
    let seen = browser.send("/sign-in", &[("token", &text)]).await;
    browser.cookie = seen.cookie.split(';').next().unwrap().to_owned();
    assert_eq!(browser.look("/").await.status, 200);
    decided_delete(&world, &token.id).await;
    assert_eq!(browser.look("/").await.location, "/sign-in", "a revoked token takes its browsers with it");
}

async fn decided_delete(world: &World, id: &str) {
    let answer = super::quarantine::api(world, "DELETE", &format!("/tokens/{id}"), json!({})).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_approved_over_a_form_exactly_as_it_was_read() {
    let (world, recorder) = waiting(&[ADD]).await;
    let browser = Browser::signed_in(&world, Role::Operator).await;
    let page = "/servers/r/tools/add";
    let shown = browser.look(page).await.text;
    let fingerprint = between(&shown, "name=\"fingerprint\" value=\"", "\"").to_owned();

    let forged = browser.send("/servers/r/tools/add/approve", &[("fingerprint", &fingerprint)]).await;
    assert_eq!(forged.status, 403, "a form without our token changes nothing");
    let origin = ("origin", "http://localhost:5173");
    let headers = [("content-type", FORM), origin];
    let other = browser.ask("POST", "/servers/r/tools/add/approve", &headers, String::new()).await;
    assert_eq!(other.status, 403, "nor does another page of this machine");
    assert_eq!(asked(&world, page).await["state"], "quarantined");

    recorder.declare(r#"[{"name":"add","description":"Adds two numbers and keeps them.","inputSchema":{"type":"object"}}]"#);
    names(&Session::open(world.address, "/mcp/r").await).await;
    let stale = browser.submit(page, "/servers/r/tools/add/approve", &[("fingerprint", &fingerprint)]).await;
    assert_eq!(stale.status, 409);
    assert!(stale.text.contains("It changed while you read it") && stale.text.contains("keeps them"));
    assert_eq!(asked(&world, page).await["state"], "quarantined");

    let fresh = between(&stale.text, "name=\"fingerprint\" value=\"", "\"").to_owned();
    let done = browser.press(page, "/servers/r/tools/add/approve", &[("fingerprint", &fresh)]).await;
    assert_eq!((done.status, done.location.as_str()), (303, "/servers/r/tools/add?done=approve"));
    assert_eq!(asked(&world, page).await["state"], "approved");
    assert!(browser.look(&done.location).await.text.contains("Agents see it from now on"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_word_by_word_and_what_is_clean_is_approved_together() {
    let (world, recorder) = waiting(&[ADD, HOSTILE]).await;
    let browser = Browser::signed_in(&world, Role::Operator).await;
    assert!(browser.look("/servers/r").await.text.contains("href=\"/servers/r/approve-clean/tools\""));
    let list = browser.look("/servers/r/approve-clean/tools").await.text;
    let fingerprint = between(&list, "name=\"approve\" id=\"", "\"").to_owned();
    assert_eq!(list.matches("name=\"approve\"").count(), 1, "the hostile one is not offered");
    let page = "/servers/r/approve-clean/tools";
    let done = browser.press(page, page, &[("approve", &fingerprint)]).await;
    assert_eq!(done.location, "/servers/r?done=approve-some", "{}", done.text);
    assert_eq!(asked(&world, "/servers/r/tools/add").await["state"], "approved");

    recorder.declare(r#"[{"name":"add","description":"Adds three numbers and returns their sum.","inputSchema":{"type":"object"}}]"#);
    names(&Session::open(world.address, "/mcp/r").await).await;
    let changed = browser.look("/servers/r/tools/add").await.text;
    assert!(changed.contains("<del>two") && changed.contains("<ins>three"), "{changed}");
    let sides = browser.look("/servers/r/tools/add?view=sides").await.text;
    assert!(sides.contains("<h4>Approved</h4>"), "{sides}");
    assert!(browser.look("/").await.text.contains("changed since it was approved"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hard_finding_is_accepted_by_id_and_reason() {
    let (world, _recorder) = waiting(&[HOSTILE]).await;
    let browser = Browser::signed_in(&world, Role::Operator).await;
    let page = "/servers/r/tools/notes";
    let shown = browser.look(page).await.text;
    assert!(shown.contains("<mark><span class=\"hidden-character\">U+"), "what hides is marked in place");
    assert!(!shown.contains(['\u{200b}', '\u{202e}']) && !shown.contains("<IMPORTANT>"), "{shown}");
    let fingerprint = between(&shown, "name=\"fingerprint\" value=\"", "\"").to_owned();
    let act = "/servers/r/tools/notes/approve";
    let refused = browser.submit(page, act, &[("fingerprint", &fingerprint)]).await;
    assert_eq!(refused.status, 409);
    let checks: Vec<&str> =
        shown.split("name=\"accept\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let mut fields = vec![("fingerprint", fingerprint.as_str()), ("reason", "a fixture")];
    fields.extend(checks.iter().map(|check| ("accept", *check)));
    assert_eq!(browser.press(page, act, &fields).await.status, 303);
    assert_eq!(asked(&world, page).await["state"], "approved");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_see_and_do_what_they_may() {
    let (world, _recorder) = waiting(&[ADD]).await;
    let pages = [
        "/",
        "/review",
        "/servers",
        "/servers/r",
        "/servers/r/report",
        "/servers/r/tools/add",
        "/posture",
        "/policy",
        "/baseline",
        "/about",
    ];
    let audited = ["/activity", "/activity/chain", "/activity/1", "/sessions", "/sessions/x"];
    let decided = ["/held", "/settings"];
    for (role, sees_audit, sees_decisions) in [
        (Role::Viewer, false, false),
        (Role::Auditor, true, false),
        (Role::Operator, true, true),
        (Role::Admin, true, true),
    ] {
        let browser = Browser::signed_in(&world, role).await;
        for path in pages {
            assert_eq!(browser.look(path).await.status, 200, "{role:?} {path}");
        }
        for (paths, may) in [(&audited[..], sees_audit), (&decided[..], sees_decisions)] {
            for path in paths {
                assert_eq!(browser.look(path).await.status == 200, may, "{role:?} {path}");
            }
        }
        let page = browser.look("/servers/r/tools/add").await.text;
        assert_eq!(page.contains("Approve exactly this"), sees_decisions, "{role:?}");
        let fields = [("reason", "no")];
        let blocked = browser.submit("/servers/r/tools/add", "/servers/r/tools/add/reject", &fields).await;
        assert_eq!(blocked.status, if sees_decisions { 303 } else { 403 }, "{role:?}");
        let tokens = browser.submit("/", "/settings/tokens", &[("name", "x"), ("role", "viewer")]).await;
        assert_eq!(tokens.status == 200 && tokens.text.contains("pcl_"), role == Role::Admin, "{role:?}");
    }
}

/// What a hostile server would like to be more than text.
const ATTACKS: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'--></style><svg onload=alert(1)>",
    "a/../../b",
    "javascript:alert(1)",
    "\u{202e}evil\u{200b}",
];

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_and_texts_stay_text_on_every_page() {
    let recorder = Recorder::start().await;
    let tools: Vec<_> = ATTACKS
        .iter()
        .map(|text| json!({ "name": text, "title": text, "description": text, "inputSchema": { "type": "object", "properties": { *text: { "description": text } } } }))
        .collect();
    recorder.declare(&json!(tools).to_string());
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.quarantine = portcullis_gateway::quarantine::Rules::default();
    });
    let world = world.await;
    names(&Session::open(world.address, "/mcp/r").await).await;
    let browser = Browser::signed_in(&world, Role::Admin).await;
    let mut pages: Vec<String> = [
        "/",
        "/review?held=any",
        "/servers/r",
        "/servers/r/report",
        "/servers/r/approve-clean/tools",
        "/activity",
        "/held",
        "/settings",
        "/about",
    ]
    .map(str::to_owned)
    .into();
    let names: Vec<_> = asked(&world, "/definitions?server=r").await["items"].as_array().unwrap().clone();
    assert_eq!(names.len(), ATTACKS.len());
    for name in &names {
        let part = portcullis_dashboard::href::part(name["name"].as_str().unwrap());
        pages.push(format!("/servers/r/tools/{part}"));
    }
    // What somebody seeks stands in the field as they wrote it, hidden or not.
    for attack in &ATTACKS[..5] {
        let part = portcullis_dashboard::href::part(attack);
        pages.push(format!("/review?held=any&q={part}&server={part}"));
        pages.push(format!("/activity?server={part}&tool={part}&session={part}"));
        pages.push(format!("/sessions/{part}"));
    }
    for page in pages {
        let seen = browser.look(&page).await;
        assert!(seen.status == 200, "{page}: {}", seen.status);
        for bad in LIVE {
            assert!(!seen.text.contains(bad), "{page} has {bad}: {}", seen.text);
        }
    }
}

/// What would be more than text if it came through as it is.
const LIVE: [&str; 8] = [
    "<script>",
    "<img src=x",
    "<svg onload",
    "onerror=alert(1)>",
    "href=\"javascript",
    "style=",
    "\u{202e}",
    "\u{200b}",
];

#[tokio::test(flavor = "multi_thread")]
async fn lists_go_on_where_a_page_ended() {
    let tools: Vec<String> = (0..250)
        .map(|number| {
            format!(r#"{{"name":"t{number:03}","description":"Counts.","inputSchema":{{"type":"object"}}}}"#)
        })
        .collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let (world, _recorder) = waiting(&tools).await;
    let browser = Browser::signed_in(&world, Role::Viewer).await;
    let (mut page, mut seen) = ("/review".to_owned(), Vec::new());
    loop {
        let text = browser.look(&page).await.text;
        seen.extend(
            text.split("href=\"/servers/r/tools/")
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap().to_owned()),
        );
        let Some((_, rest)) = text.split_once("<a class=\"button\" href=\"") else { break };
        page = rest.split('"').next().unwrap().replace("&amp;", "&");
    }
    assert_eq!(seen.len(), 250);
    assert!(seen.is_sorted());
    assert!(browser.look("/review?q=t24").await.text.matches("data-row").count() == 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_drawn_and_a_call_is_tried_as_its_next() {
    let (world, recorder, agent) = guarded(JudgeRules::default()).await;
    called(&recorder, &agent, "read_inbox", json!({}), ORDER).await;
    let mail = json!({ "to": "archive@port-records.example", "body": "the list" });
    agent.request("tools/call", json!({ "name": "send_email", "arguments": mail })).await;
    let sessions = asked(&world, "/sessions").await;
    let id = sessions["sessions"][0]["session"].as_str().unwrap();
    let browser = Browser::signed_in(&world, Role::Auditor).await;
    let page = browser.look(&format!("/sessions/{id}")).await.text;
    assert!(page.contains("class=\"way minded\" href=\"#call-2\""), "{page}");
    assert!(
        page.contains("id=\"call-2\"") && page.contains("follows an order of"),
        "the table says the same"
    );
    assert!(!page.contains("port-records"), "no data is shown");

    let arguments = mail.to_string();
    let mut fields = vec![("server", "mail"), ("tool", "send_email"), ("arguments", arguments.as_str())];
    let alone = browser.press("/policy", "/policy/test", &fields).await;
    assert!(alone.status == 200 && alone.text.contains("It would be"), "{}", alone.text);
    assert!(!between(&alone.text, "It would be: ", "risk").contains("approve"), "nothing went before it");
    fields.push(("session", id));
    let next = browser.press("/policy", "/policy/test", &fields).await.text;
    assert!(between(&next, "It would be: ", "risk").contains("approve"), "{next}");
    fields[2].1 = "{";
    let broken = browser.press("/policy", "/policy/test", &fields).await.text;
    assert!(broken.contains("the arguments are not JSON") && broken.contains(">{</textarea>"), "{broken}");

    let viewer = Browser::signed_in(&world, Role::Viewer).await;
    assert!(!viewer.look("/policy").await.text.contains("Try a call"));
    let refused = viewer.submit("/policy", "/policy/test", &fields[..2]).await.text;
    assert!(refused.contains("It cannot be tried"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_posture_is_a_picture_and_an_alert_that_nobody_takes_is_said() {
    let (world, _recorder) = waiting(&[ADD]).await;
    let browser = Browser::signed_in(&world, Role::Admin).await;
    assert!(browser.look("/posture").await.text.contains("src=\"/posture.svg\""));
    let picture = browser.look("/posture.svg").await;
    assert!(picture.status == 200 && picture.text.starts_with("<svg"), "{}", picture.text);
    assert!(picture.policy.starts_with("default-src 'none'"), "a picture runs nothing either");
    let alert = browser.press("/settings", "/settings/alerts/test", &[]).await;
    assert!(alert.status == 409 && alert.text.contains("Nobody is told"), "{}", alert.text);
    let operator = Browser::signed_in(&world, Role::Operator).await;
    assert_eq!(operator.submit("/settings", "/settings/alerts/test", &[]).await.status, 403);
}
