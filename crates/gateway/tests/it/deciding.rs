//! Calls that wait for a human: what their clients hear meanwhile, and how users decide in their own client.

use super::client::{Answer, Session, begin, modern, send};
use super::quarantine::{api, asked, decided};
use super::recorder::Recorder;
use super::script::eventually;
use super::world::{World, process, remote};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use portcullis_decide::policy::{Act, AddressRule, Policy};
use portcullis_gateway::judge::{HoldingLimits, JudgeRules};
use portcullis_store::{Filter, Kind};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const TOOLS: &str = r#"[{"name":"send_note","description":"Sends a note.","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"key":{"type":"string"}}}}]"#;
const LONG: Duration = Duration::from_secs(60);

/// Rules by which every call waits for a human.
fn rules(wait: Duration, asks_user: bool) -> JudgeRules {
    let every = AddressRule { server: "*".into(), tool: Some("*".into()), act: Act::Approve };
    let policy = Policy { addresses: vec![every], ..Policy::default() };
    let holding = HoldingLimits { wait, tell: Duration::from_millis(20), ..HoldingLimits::default() };
    JudgeRules { policy, holding, asks_user, ..JudgeRules::default() }
}

async fn world(wait: Duration, asks_user: bool) -> (World, Recorder) {
    let recorder = Recorder::start().await;
    recorder.declare(TOOLS);
    let rules = Arc::new(rules(wait, asks_user));
    let servers = vec![remote("mail", &recorder.url), process("local", "legacy")];
    (World::with(servers, |settings| settings.judge = rules).await, recorder)
}

fn call() -> Value {
    let arguments = json!({ "to": "ann@tide.example", "key": "4539578763621486" });
    json!({ "name": "send_note", "arguments": arguments, "_meta": { "progressToken": "p" } })
}

/// A call that is under way, and what its client has heard.
struct Running {
    body: Incoming,
    heard: String,
}

impl Running {
    async fn begin(session: &Session, params: Value) -> Running {
        let call = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
        let headers = [("mcp-session-id", session.id.as_str())];
        let answer = begin(session.address, "POST", &session.path, &headers, Bytes::from(call)).await;
        Running { body: answer.into_body(), heard: String::new() }
    }

    /// The first message with these words, once it came.
    async fn hears(&mut self, words: &str) -> Value {
        loop {
            let mut messages = self.heard.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
            if let Some(found) = messages.find(|line| line.contains(words)) {
                return serde_json::from_str(found).unwrap();
            }
            let frame = self.body.frame().await.unwrap_or_else(|| panic!("only {}", self.heard));
            self.heard.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }
}

fn answers(recorder: &Recorder) {
    let result = json!({ "content": [{ "type": "text", "text": "sent" }] });
    recorder.answer(json!({ "jsonrpc": "2.0", "id": 5, "result": result }).to_string(), "application/json");
}

/// The way to the decision about the one call that waits.
async fn held(world: &World) -> String {
    eventually("a call waits", async || !asked(world, "/approvals").await["approvals"][0].is_null()).await;
    let waiting = asked(world, "/approvals").await["approvals"][0].clone();
    format!("/approvals/{}/decide", waiting["id"].as_str().unwrap())
}

/// The client's answer to a question.
async fn answer(session: &Session, question: &Value, result: Value) -> Answer {
    session.post(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string()).await
}

fn accept(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_hears_that_its_call_waits_and_how_it_is_decided() {
    let (world, recorder) = world(LONG, false).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    let mut running = Running::begin(&session, call()).await;
    let first = running.hears("notifications/progress").await;
    assert_eq!(first["params"]["progressToken"], "p");
    let said = first["params"]["message"].as_str().unwrap();
    assert!(said.contains("portcullis approvals decide call-"), "{said}");
    let later = running.hears("0.003").await;
    assert!(later["params"]["progress"].as_f64() > first["params"]["progress"].as_f64(), "{later}");
    answers(&recorder);
    decided(&world, &held(&world).await, json!({ "decision": "allow_once" })).await;
    running.hears("\"sent\"").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_outlives_its_connection() {
    let (world, recorder) = world(LONG, false).await;
    for path in ["/mcp/mail", "/mcp/local"] {
        let session = Session::open(world.address, path).await;
        let name = if path == "/mcp/mail" { "send_note" } else { "echo" };
        let call = json!({ "name": name, "arguments": { "text": "hi" }, "_meta": { "progressToken": 7 } });
        let mut running = Running::begin(&session, call).await;
        running.hears("notifications/progress").await;
        let event = running.heard.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
        drop(running);
        answers(&recorder);
        decided(&world, &held(&world).await, json!({ "decision": "allow_once" })).await;
        let headers = [("mcp-session-id", session.id.as_str()), ("last-event-id", event.as_str())];
        let rest = send(world.address, "GET", path, &headers, Bytes::new()).await;
        let last = rest.messages().pop().unwrap();
        assert!(last["id"] == 5 && last["result"]["content"].is_array(), "{path}: {last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_decides_in_their_own_client() {
    let (world, recorder) = world(LONG, true).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("send_note on mail") && !message.contains("4539578763621486"), "{message}");
    answers(&recorder);
    assert_eq!(answer(&session, &question, accept("allow_once")).await.status, 202);
    running.hears("\"sent\"").await;
    recorded(&world, "the user of agent@mail").await;
    // Who says no denies it.
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    answer(&session, &question, json!({ "action": "decline" })).await;
    let refused = running.hears("\"isError\"").await;
    assert!(refused.to_string().contains("a human looked at this call"), "{refused}");
}

/// Waits until it is recorded who decided.
async fn recorded(world: &World, by: &str) {
    let filter = Filter { kinds: vec![Kind::PolicyDecision], ..Filter::default() };
    eventually("it is recorded who decided", async || {
        for entry in world.store.list(&filter, None, 100).unwrap().entries {
            if asked(world, &format!("/activity/{}", entry.seq)).await.to_string().contains(by) {
                return true;
            }
        }
        false
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_decides_first_decides() {
    let (world, recorder) = world(LONG, true).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    // Decided elsewhere: the question is taken back, and its answer counts no more.
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    decided(&world, &held(&world).await, json!({ "decision": "deny" })).await;
    let cancelled = running.hears("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    running.hears("\"isError\"").await;
    answers(&recorder);
    let late = answer(&session, &question, accept("allow_once")).await;
    assert!(!String::from_utf8_lossy(&recorder.last()).contains("send_note"), "{:?}", late.body);
    // Decided in the client: nobody else can.
    let (world, recorder) = self::world(LONG, true).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    let decide = held(&world).await;
    answers(&recorder);
    answer(&session, &question, accept("allow_once")).await;
    running.hears("\"sent\"").await;
    assert_eq!(api(&world, "POST", &decide, json!({ "decision": "deny" })).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_closes_the_question_decides_nothing_and_who_is_late_still_can() {
    let (world, recorder) = world(Duration::from_millis(300), true).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    let waiting = running.hears("\"isError\"").await;
    assert!(waiting.to_string().contains("Held for review"), "{waiting}");
    answer(&session, &question, accept("allow_once")).await;
    let is_decided = async || asked(&world, "/approvals").await["approvals"][0]["ruling"] == "allow_once";
    eventually("the late answer counts", is_decided).await;
    answers(&recorder);
    Running::begin(&session, call()).await.hears("\"sent\"").await;
    let mut running = Running::begin(&session, call()).await;
    let question = running.hears("elicitation/create").await;
    answer(&session, &question, json!({ "action": "cancel" })).await;
    running.hears("Held for review (tool:*)").await;
    assert!(asked(&world, "/approvals").await["approvals"][0]["ruling"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_is_asked_by_a_result() {
    let (world, recorder) = world(Duration::from_millis(300), true).await;
    let tell = async |decision: Value| {
        let asked = modern(world.address, "/mcp/mail", "tools/call", call()).await.json();
        let request = &asked["result"]["inputRequests"]["portcullis-approval"];
        assert_eq!(request["method"], "elicitation/create", "{asked}");
        let mut again = call();
        again["requestState"] = asked["result"]["requestState"].clone();
        again["inputResponses"] = json!({ "portcullis-approval": decision });
        answers(&recorder);
        modern(world.address, "/mcp/mail", "tools/call", again).await
    };
    let sent = tell(accept("allow_once")).await;
    assert!(String::from_utf8_lossy(&sent.body).contains("\"sent\""), "{:?}", sent.body);
    let last = String::from_utf8_lossy(&recorder.last()).into_owned();
    assert!(!last.contains("inputResponses") && !last.contains("requestState"), "{last}");
    recorded(&world, "the user of agent@mail").await;
    let denied = tell(json!({ "action": "decline" })).await;
    assert!(
        String::from_utf8_lossy(&denied.body).contains("a human looked at this call"),
        "{:?}",
        denied.body
    );
    let left = tell(json!({ "action": "cancel" })).await;
    assert!(String::from_utf8_lossy(&left.body).contains("Held for review"), "{:?}", left.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_unless_the_operator_says_so() {
    let (world, _recorder) = world(Duration::from_millis(50), false).await;
    let session = Session::open(world.address, "/mcp/mail").await;
    let mut running = Running::begin(&session, call()).await;
    running.hears("Held for review (tool:*)").await;
    assert!(!running.heard.contains("elicitation/create"), "{}", running.heard);
}
