//! What operators note while they review: a finding they accept, numbers in a text that may change.

use super::browser::{Browser, between};
use super::client::Session;
use super::quarantine::{ADD, HOSTILE, api, approve, asked, decided, held, names};
use super::recorder::Recorder;
use super::world::World;
use portcullis_gateway::api::Role;
use portcullis_store::{Filter, Kind};
use serde_json::{Value, json};

/// A tool that says how much it knows.
fn counting(documents: &str, verb: &str) -> String {
    let description = format!("{verb} {documents} documents and returns what fits.");
    json!({ "name": "look_up", "description": description, "inputSchema": { "type": "object" } }).to_string()
}

async fn declare(recorder: &Recorder, session: &Session, tool: &str) -> Vec<String> {
    recorder.declare(&format!("[{tool}]"));
    names(session).await
}

async fn mark(world: &World, spans: &str) -> Value {
    let fingerprint = asked(world, "/servers/r/tools/look_up").await["fingerprint"].clone();
    let body = json!({ "pointer": "/description", "spans": spans, "fingerprint": fingerprint });
    decided(world, "/servers/r/tools/look_up/volatile", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_may_change_is_no_rug_pull_and_a_word_still_is() {
    let (world, recorder) = held(&[&counting("1,024", "Searches")]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    names(&session).await;
    approve(&world, "look_up").await;
    assert!(
        declare(&recorder, &session, &counting("1,025", "Searches")).await.is_empty(),
        "a change holds it"
    );

    assert_eq!(mark(&world, "counts").await["state"], "approved", "nothing but the number changed");
    assert_eq!(names(&session).await, ["look_up"]);
    assert_eq!(declare(&recorder, &session, &counting("7", "Searches")).await, ["look_up"]);
    let shown = asked(&world, "/servers/r/tools/look_up").await;
    assert_eq!(shown["noted"]["volatile"][0]["spans"], "counts", "{shown}");
    assert!(declare(&recorder, &session, &counting("7", "Deletes")).await.is_empty(), "a word is a change");

    assert_eq!(declare(&recorder, &session, &counting("8", "Searches")).await, ["look_up"]);
    assert_eq!(mark(&world, "none").await["state"], "rug_pull", "nobody approved any number");
    assert!(names(&session).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_on_what_changed_in_words_approves_nothing() {
    let (world, recorder) = held(&[&counting("1,024", "Searches")]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    names(&session).await;
    approve(&world, "look_up").await;
    declare(&recorder, &session, &counting("2", "Deletes")).await;
    assert_eq!(mark(&world, "counts").await["state"], "rug_pull");
    assert!(names(&session).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_is_accepted_on_exactly_what_was_read() {
    let (world, recorder) = held(&[HOSTILE]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    names(&session).await;
    let shown = asked(&world, "/servers/r/tools/notes").await;
    let hard: Vec<&str> = shown["hard"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(!hard.is_empty(), "{shown}");
    for check in &hard {
        let body = json!({ "check": check, "fingerprint": shown["fingerprint"], "reason": "a test of ours" });
        decided(&world, "/servers/r/tools/notes/suppress", body).await;
    }
    let after = asked(&world, "/servers/r/tools/notes").await;
    assert_eq!(after["hard"], json!([]), "{after}");
    assert_eq!(after["noted"]["suppressed"].as_array().unwrap().len(), hard.len());
    assert_eq!(after["noted"]["suppressed"][0]["reason"], "a test of ours");
    assert_eq!(asked(&world, "/suppressions").await["suppressions"].as_array().unwrap().len(), hard.len());
    let filter = Filter { kinds: vec![Kind::QuarantineChange], ..Filter::default() };
    world.store.flush().unwrap();
    let told = world.store.list(&filter, None, 50).unwrap();
    let note = |seq| world.store.record(seq).unwrap().body.unwrap().note.unwrap().text;
    let is_told = |text: &str| told.entries.iter().any(|entry| note(entry.seq).contains(text));
    assert!(is_told("suppressed") && is_told("a test of ours"), "who accepted what is recorded");

    recorder.declare(&format!("[{}]", HOSTILE.replace("Keeps", "Holds")));
    names(&session).await;
    let changed = asked(&world, "/servers/r/tools/notes").await;
    assert_eq!(changed["hard"], shown["hard"], "another text is judged anew");
    recorder.declare(&format!("[{HOSTILE}]"));
    names(&session).await;
    decided(&world, "/servers/r/tools/notes/unsuppress", json!({ "check": hard[0] })).await;
    assert_eq!(asked(&world, "/servers/r/tools/notes").await["hard"], json!([hard[0]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_noted_is_refused_and_says_why() {
    let (world, _recorder) = held(&[ADD]).await;
    names(&Session::open(world.address, "/mcp/r").await).await;
    let print = asked(&world, "/servers/r/tools/add").await["fingerprint"].clone();
    let stale = "0".repeat(64);
    for (path, body, status, expected) in [
        (
            "volatile",
            json!({ "pointer": "/description", "spans": "counts", "fingerprint": print }),
            400,
            "no text there",
        ),
        (
            "volatile",
            json!({ "pointer": "/nowhere", "spans": "dates", "fingerprint": print }),
            400,
            "no text there",
        ),
        (
            "volatile",
            json!({ "pointer": "/description", "spans": "words", "fingerprint": print }),
            400,
            "counts, dates",
        ),
        (
            "volatile",
            json!({ "pointer": "/description", "spans": "counts", "fingerprint": stale }),
            409,
            "no longer what you read",
        ),
        (
            "volatile",
            json!({ "pointer": "/description", "spans": "none", "fingerprint": print }),
            404,
            "noted here",
        ),
        ("suppress", json!({ "check": "a.b", "reason": "r", "fingerprint": print }), 400, "does not speak"),
        ("suppress", json!({ "check": "a.b", "reason": " ", "fingerprint": print }), 400, "`reason`"),
        (
            "suppress",
            json!({ "check": "a.b", "reason": "r", "fingerprint": print, "days": 0 }),
            400,
            "`days`",
        ),
        ("unsuppress", json!({ "check": "a.b" }), 404, "noted here"),
    ] {
        let answer = api(&world, "POST", &format!("/servers/r/tools/add/{path}"), body.clone()).await;
        assert_eq!(answer.status, status, "{path} {body}");
        let said = answer.json();
        assert!(said["error"].to_string().contains(expected), "{path} {body}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_made_and_taken_back_over_forms_without_scripts() {
    let (world, recorder) = held(&[HOSTILE, &counting("1,024", "Searches")]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    names(&session).await;
    approve(&world, "look_up").await;
    recorder.declare(&format!("[{HOSTILE},{}]", counting("9", "Searches")));
    names(&session).await;
    let browser = Browser::signed_in(&world, Role::Operator).await;

    let page = "/servers/r/tools/look_up";
    let shown = browser.look(page).await.text;
    let print = between(&shown, "name=\"fingerprint\" value=\"", "\"").to_owned();
    let fields = [("pointer", "/description"), ("spans", "counts"), ("fingerprint", print.as_str())];
    let seen = browser.press(page, &format!("{page}/volatile"), &fields).await;
    assert_eq!((seen.status, names(&session).await), (303, vec!["look_up".to_owned()]), "{}", seen.text);
    assert!(browser.look(page).await.text.contains("Take it back"));

    let page = "/servers/r/tools/notes";
    let shown = browser.look(page).await.text;
    let print = between(&shown, "name=\"fingerprint\" value=\"", "\"").to_owned();
    let fields =
        [("check", "unicode.hidden"), ("fingerprint", print.as_str()), ("reason", "ours"), ("days", "30")];
    let seen = browser.press(page, &format!("{page}/suppress"), &fields).await;
    assert_eq!(seen.status, 303, "{}", seen.text);
    let shown = browser.look(page).await.text;
    assert!(shown.contains("Let it count again") && shown.contains("until "), "{shown}");
    let seen = browser.press(page, &format!("{page}/unsuppress"), &[("check", "unicode.hidden")]).await;
    assert_eq!(seen.status, 303);
    assert!(!browser.look(page).await.text.contains("Let it count again"));
}
