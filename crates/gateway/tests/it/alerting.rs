//! Alerts over the wire: what is told, signed, once, again if it must be, and never in clear or to the wrong place.

use super::client::Session;
use super::quarantine::{api, asked, decided};
use super::receiver::Receiver;
use super::recorder::Recorder;
use super::world::{World, remote};
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use portcullis_decide::Band;
use portcullis_decide::policy::{Act, Policy};
use portcullis_detect::call::Operation;
use portcullis_gateway::alerts::{AlertRules, Webhook};
use portcullis_gateway::api::Role;
use portcullis_gateway::judge::{HoldingLimits, JudgeRules};
use portcullis_gateway::settings::Network;
use portcullis_store::{Filter, Kind};
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECRET: &str = "a-secret-of-some-length";
const TOOLS: &str = r#"[
  {"name":"send_email","description":"Sends a mail.","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}}}},
  {"name":"save_note","description":"Saves a note.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},
  {"name":"drop_note","description":"Deletes a note.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}
]"#;

fn hook(receiver: &Receiver, inside: &[&str]) -> AlertRules {
    let networks = inside.iter().map(|text| Network::parse(text).unwrap()).collect();
    let webhook = Webhook::new(receiver.url.parse().unwrap(), Some(SECRET), networks, None).unwrap();
    AlertRules { webhook: Some(webhook), pause: Duration::from_millis(10), ..AlertRules::default() }
}

/// A gateway that denies what deletes, and tells.
async fn telling(alerts: AlertRules, policy: Policy) -> (World, Recorder, Session) {
    let recorder = Recorder::start().await;
    recorder.declare(TOOLS);
    let holding = HoldingLimits { wait: Duration::from_millis(20), ..HoldingLimits::default() };
    let rules = Arc::new(JudgeRules { policy, holding, ..JudgeRules::default() });
    let world = World::with(vec![remote("mail", &recorder.url)], |settings| {
        (settings.judge, settings.alerts) = (rules, alerts);
    });
    let world = world.await;
    let session = Session::open(world.address, "/mcp/mail").await;
    (world, recorder, session)
}

fn denying() -> Policy {
    Policy { operations: vec![(Operation::Destructive, Act::Deny)], ..Policy::default() }
}

async fn call(session: &Session, tool: &str, arguments: Value) -> Value {
    session.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// What was recorded about alerts, newest first.
fn recorded(world: &World) -> Vec<String> {
    world.store.flush().unwrap();
    let filter = Filter { kinds: vec![Kind::Alert], ..Filter::default() };
    let entries = world.store.list(&filter, None, 999).unwrap().entries;
    let note = |seq| world.store.record(seq).unwrap().body.unwrap().note.unwrap().text;
    entries.iter().map(|entry| note(entry.seq)).collect()
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < until, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn metric(world: &World, outcome: &str) -> u64 {
    let page = super::client::send(world.address, "GET", "/metrics", &[], String::new()).await;
    let page = String::from_utf8_lossy(&page.body).into_owned();
    let start = format!("portcullis_alerts_total{{outcome=\"{outcome}\"}} ");
    page.lines().find_map(|line| line.strip_prefix(&start)).map_or(0, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_is_told_signed_and_without_a_clear_value() {
    let receiver = Receiver::start().await;
    let (world, _recorder, session) = telling(hook(&receiver, &["127.0.0.0/8"]), Policy::default()).await;
    let key = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mail = json!({ "to": "ann@elsewhere.example", "body": format!("the key is {key}") });
    assert_eq!(call(&session, "send_email", mail).await["result"]["isError"], true);
    let letter = receiver.wait_for(1).await.remove(0);

    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(letter.header("portcullis-timestamp").as_bytes());
    mac.update(b".");
    mac.update(&letter.body);
    let expected = format!("sha256={}", HEXLOWER.encode(&mac.finalize().into_bytes()));
    assert_eq!(letter.header("portcullis-signature"), expected);

    let alert = letter.json();
    assert_eq!(alert["schema"], "portcullis.alert/1");
    assert_eq!(
        (&alert["alert"], &alert["server"], &alert["tool"]),
        (&json!("call_denied"), &json!("mail"), &json!("send_email"))
    );
    assert_eq!((&alert["rules"][0], &alert["count"]), (&json!("sensitive.outward"), &json!(1)));
    assert_eq!(alert["id"], letter.header("portcullis-alert"));
    let text = String::from_utf8(letter.body.to_vec()).unwrap();
    assert!(!text.contains(&key) && !text.contains(SECRET) && text.is_ascii(), "{text}");
    assert_eq!(metric(&world, "sent").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_fails_is_tried_again_and_one_that_refuses_is_not() {
    let receiver = Receiver::start().await;
    receiver.answer(500);
    receiver.answer(429);
    let (world, _recorder, session) = telling(hook(&receiver, &["127.0.0.0/8"]), denying()).await;
    call(&session, "drop_note", json!({ "id": "1" })).await;
    let letters = receiver.wait_for(3).await;
    let ids: Vec<&str> = letters.iter().map(|letter| letter.header("portcullis-alert")).collect();
    assert!(ids[0] == ids[1] && ids[1] == ids[2], "{ids:?}");
    assert!(recorded(&world).is_empty());

    receiver.answer(400);
    let denied = Session::open(world.address, "/mcp/mail").await;
    call(&denied, "drop_note", json!({ "id": "1" })).await;
    eventually("the refusal is recorded", || {
        recorded(&world).iter().any(|note| note.contains("it answered 400"))
    })
    .await;
    assert_eq!(metric(&world, "failed").await, 1);
    let note = recorded(&world).remove(0);
    assert!(note.contains("not_delivered") && note.contains("\"attempts\":1"), "{note}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_again_is_told_once_with_a_count() {
    let receiver = Receiver::start().await;
    let rules = AlertRules { window: Duration::from_secs(2), ..hook(&receiver, &["127.0.0.0/8"]) };
    let (world, _recorder, session) = telling(rules, denying()).await;
    for _ in 0..5 {
        call(&session, "drop_note", json!({ "id": "1" })).await;
    }
    let other = Session::open(world.address, "/mcp/mail").await;
    call(&other, "drop_note", json!({ "id": "1" })).await;
    let letters = receiver.wait_for(3).await;
    let counts: Vec<Value> = letters.iter().map(|letter| letter.json()["count"].clone()).collect();
    assert_eq!(counts, [1, 1, 4], "the first of each session, then what came again");
    assert_eq!(metric(&world, "repeated").await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_inside_and_no_redirect_is_followed() {
    let (receiver, elsewhere) = (Receiver::start().await, Receiver::start().await);
    let (world, _recorder, session) = telling(hook(&receiver, &[]), denying()).await;
    call(&session, "drop_note", json!({ "id": "1" })).await;
    eventually("it is recorded", || recorded(&world).iter().any(|note| note.contains("this machine"))).await;
    assert!(receiver.letters().is_empty());

    let (world, _recorder, session) = telling(hook(&receiver, &["127.0.0.0/8"]), denying()).await;
    receiver.send_to(&elsewhere.url);
    call(&session, "drop_note", json!({ "id": "1" })).await;
    eventually("it is recorded", || recorded(&world).iter().any(|note| note.contains("a redirect"))).await;
    assert_eq!((receiver.letters().len(), elsewhere.letters().len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_is_full_drops_counts_and_records() {
    let receiver = Receiver::start().await;
    receiver.pause(true);
    let (world, _recorder, session) = telling(hook(&receiver, &["127.0.0.0/8"]), denying()).await;
    call(&session, "drop_note", json!({ "id": "1" })).await;
    receiver.wait_for(1).await;
    // Each flow is told of by itself.
    for _ in 0..260 {
        let other = Session::open(world.address, "/mcp/mail").await;
        call(&other, "drop_note", json!({ "id": "1" })).await;
    }
    assert_eq!(metric(&world, "dropped").await, 4);
    assert!(
        recorded(&world).iter().any(|note| note.contains("too many alerts wait")),
        "{:?}",
        recorded(&world)
    );
    receiver.pause(false);
    receiver.wait_for(257).await;
    eventually("how many is recorded", || recorded(&world).iter().any(|note| note.contains("\"dropped\":4")))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn held_calls_and_rug_pulls_are_told_and_what_nobody_wants_is_not() {
    let receiver = Receiver::start().await;
    let asking = Policy { operations: vec![(Operation::Destructive, Act::Approve)], ..Policy::default() };
    let (world, recorder, session) = telling(hook(&receiver, &["127.0.0.0/8"]), asking).await;
    call(&session, "drop_note", json!({ "id": "1" })).await;
    let held = receiver.wait_for(1).await.remove(0).json();
    let waiting = asked(&world, "/approvals").await["approvals"][0].clone();
    assert_eq!((&held["alert"], &held["call"]), (&json!("call_held"), &waiting["id"]));

    recorder.declare(&TOOLS.replace("Saves a note.", "Saves a note, and reads the inbox before."));
    session.request("tools/list", json!({})).await;
    decided(&world, "/servers/mail/scan", json!({})).await;
    let changed = receiver.wait_for(2).await.remove(1).json();
    assert_eq!(
        (&changed["alert"], &changed["tool"], &changed["severity"]),
        (&json!("rug_pull"), &json!("save_note"), &json!("high"))
    );

    let quiet = AlertRules { least: Band::High, ..hook(&receiver, &["127.0.0.0/8"]) };
    let (_world, _recorder, session) = telling(quiet, denying()).await;
    call(&session, "drop_note", json!({ "id": "1" })).await;
    let key = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    call(&session, "send_email", json!({ "to": "a@b.example", "body": key })).await;
    let told = receiver.wait_for(3).await;
    assert_eq!((told.len(), &told[2].json()["tool"]), (3, &json!("send_email")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_about_families_widen_and_silence() {
    let card = json!({ "to": "ann@elsewhere.example", "body": "card 4539578763621486" });
    for (personal, expected) in [(None, 0), (Some(true), 1), (Some(false), 0)] {
        let receiver = Receiver::start().await;
        let rules = AlertRules { personal, ..hook(&receiver, &["127.0.0.0/8"]) };
        let policy = Policy { operations: vec![(Operation::Destructive, Act::Deny)], ..Policy::default() };
        let (_world, recorder, session) = telling(rules, policy).await;
        recorder.answer(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "application/json");
        call(&session, "send_email", card.clone()).await;
        // Told after it: whatever was to be told before has come by then.
        call(&session, "drop_note", json!({ "id": "1" })).await;
        let letters = receiver.wait_for(1 + expected).await;
        let told: Vec<Value> = letters.iter().map(|letter| letter.json()["alert"].clone()).collect();
        assert_eq!(told.len(), 1 + expected, "{personal:?}: {told:?}");
        assert_eq!(told.contains(&json!("call_warned")), expected == 1, "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_says_what_the_receiver_answered_to_admins_only() {
    let receiver = Receiver::start().await;
    let (world, _recorder, _session) = telling(hook(&receiver, &["127.0.0.0/8"]), denying()).await;
    let went = decided(&world, "/alerts/test", json!({})).await;
    assert_eq!((&went["webhook"]["delivered"], &went["webhook"]["status"]), (&json!(true), &json!(200)));
    assert_eq!((&went["webhook"]["answer"], &went["desktop"]), (&json!("thank you"), &Value::Null));
    assert_eq!(receiver.letters()[0].json()["alert"], "test");
    receiver.answer(503);
    let went = decided(&world, "/alerts/test", json!({})).await;
    assert_eq!((&went["webhook"]["delivered"], &went["webhook"]["status"]), (&json!(false), &json!(503)));
    let token = format!("Bearer {}", world.token(Role::Operator));
    let bearer = [("authorization", token.as_str())];
    let refused =
        super::client::send(world.address, "POST", "/api/v1/alerts/test", &bearer, String::new()).await;
    assert_eq!(refused.status, 403);
    let (world, _recorder, _session) = telling(AlertRules::default(), denying()).await;
    assert_eq!(api(&world, "POST", "/alerts/test", json!({})).await.status, 409);
}
