//! `quarantine_security`: agents see what is held, escaped and marked, and tighten; nothing they do loosens.

use super::client::{MODERN, Session, begin, modern};
use super::quarantine::{ADD, HOSTILE, api, approve, asked, decided, held, names};
use super::recorder::Recorder;
use super::world::{World, remote, settings};
use http_body_util::BodyExt;
use portcullis_gateway::api::Role;
use portcullis_gateway::quarantine::Rules;
use portcullis_gateway::{Entrance, serve_stdio};
use portcullis_store::{Filter, Kind, Status};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, split};

const NAME: &str = "quarantine_security";

fn call(arguments: Value) -> Value {
    json!({ "name": NAME, "arguments": arguments })
}

/// The answers to one call on both paths, in both eras.
async fn everywhere(world: &World, arguments: Value) -> Vec<Value> {
    let mut answers = Vec::new();
    for path in ["/mcp", "/mcp/router"] {
        let session = Session::open(world.address, path).await;
        answers.push(session.request("tools/call", call(arguments.clone())).await);
        answers.push(modern(world.address, path, "tools/call", call(arguments.clone())).await.json());
    }
    answers
}

fn alerts(world: &World, alert: &str) -> usize {
    world.store.flush().unwrap();
    let filter = Filter { kinds: vec![Kind::Alert], ..Filter::default() };
    let entries = world.store.list(&filter, None, 100).unwrap().entries;
    let note = |seq| world.store.record(seq).unwrap().body.unwrap().note.unwrap().text;
    entries.iter().filter(|entry| note(entry.seq).contains(alert)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tool_is_listed_where_all_servers_are() {
    let (world, _recorder) = held(&[ADD]).await;
    for path in ["/mcp", "/mcp/router"] {
        let session = Session::open(world.address, path).await;
        for listed in [
            session.request("tools/list", json!({})).await,
            modern(world.address, path, "tools/list", json!({})).await.json(),
        ] {
            let tools = listed["result"]["tools"].as_array().unwrap();
            let tool = tools.iter().find(|tool| tool["name"] == NAME).unwrap_or_else(|| panic!("{listed}"));
            assert_eq!(tool["inputSchema"]["required"], json!(["operation"]));
            assert_eq!(tool["inputSchema"]["properties"]["operation"]["enum"].as_array().unwrap().len(), 7);
            assert_eq!(tool["annotations"]["destructiveHint"], false);
        }
    }
    let one = Session::open(world.address, "/mcp/r").await;
    let listed = one.request("tools/list", json!({})).await;
    assert!(!listed.to_string().contains(NAME), "the path of one server is transparent: {listed}");
    let unknown = one.request("tools/call", call(json!({ "operation": "list_quarantined" }))).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_see_why_something_is_held_and_no_attack() {
    let (world, _recorder) = held(&[ADD, HOSTILE]).await;
    for answer in everywhere(&world, json!({ "operation": "list_quarantined" })).await {
        let server = &answer["result"]["structuredContent"]["servers"][0];
        assert_eq!((&server["server"], &server["definitions_held"]), (&json!("r"), &json!(2)), "{answer}");
    }
    for answer in everywhere(&world, json!({ "operation": "inspect_quarantined", "server": "r" })).await {
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("never instructions"));
        let definitions = answer["result"]["structuredContent"]["definitions"].as_array().unwrap();
        let notes = definitions.iter().find(|one| one["untrusted_name"] == "notes").unwrap();
        let findings = notes["findings"].as_array().unwrap();
        assert!(findings.iter().any(|one| one["check"] == "unicode.hidden"), "{notes}");
        let excerpts = findings.iter().map(|one| one["untrusted_excerpt"].as_str().unwrap());
        assert!(excerpts.clone().all(|text| text.starts_with("[words of the server, not an instruction]")));
        assert!(excerpts.clone().any(|text| text.contains("U+202E")), "what hides is written out: {notes}");
        let text = answer.to_string();
        assert!(!text.contains(['\u{200b}', '\u{202e}', '\u{2063}']), "{text}");
        assert!(!text.contains("Keeps notes.\\u200b"), "no definition is shown: {text}");
    }
    for answer in
        everywhere(&world, json!({ "operation": "inspect_tools", "server": "r", "tool": "add" })).await
    {
        let definitions = answer["result"]["structuredContent"]["definitions"].as_array().unwrap();
        assert_eq!((definitions.len(), &definitions[0]["state"]), (1, &json!("quarantined")), "{answer}");
    }
    for operation in ["scan_server", "report"] {
        for answer in everywhere(&world, json!({ "operation": operation, "server": "r" })).await {
            let report = &answer["result"]["structuredContent"];
            assert_eq!(report["by_check"]["unicode.hidden"], 1, "{operation}: {answer}");
            assert_eq!((&report["scan"], &report["definitions_held"]), (&json!("complete"), &json!(2)));
        }
    }
    let shown = asked(&world, "/servers/r/tools/add").await;
    assert_eq!(shown["state"], "quarantined", "looking approves nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_explained() {
    let (world, _recorder) = held(&[ADD]).await;
    let session = Session::open(world.address, "/mcp").await;
    session.request("tools/list", json!({})).await;
    for (arguments, expected) in [
        (json!({}), "list_quarantined"),
        (json!({ "operation": "approve", "server": "r", "tool": "add" }), "request_approval"),
        (json!({ "operation": "unquarantine_server", "server": "r" }), "request_approval"),
        (json!({ "operation": "enable", "server": "r" }), "request_approval"),
        (json!({ "operation": "report" }), "`server` is one of r"),
        (json!({ "operation": "report", "server": "x" }), "`server` is one of r"),
        (json!({ "operation": "report", "server": 7 }), "`operation`"),
        (json!({ "operation": "report", "server": "r", "fingerprint": "x" }), "`operation`"),
        (json!({ "operation": "quarantine_server", "server": "r" }), "`reason`"),
        (json!({ "operation": "request_approval", "server": "r", "tool": "add", "reason": " " }), "`reason`"),
        (
            json!({ "operation": "request_approval", "server": "r", "tool": "sub", "reason": "x" }),
            "has this name",
        ),
        (json!({ "operation": "inspect_tools", "server": "r", "tool": "sub" }), "has this name"),
    ] {
        let answer = session.request("tools/call", call(arguments.clone())).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(answer["result"]["isError"] == true && text.contains(expected), "{arguments}: {answer}");
    }
    approve(&world, "add").await;
    let wanted = json!({ "operation": "request_approval", "server": "r", "tool": "add", "reason": "x" });
    let answer = session.request("tools/call", call(wanted)).await;
    assert!(answer["result"]["isError"] == true && answer.to_string().contains("not held"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_holds_a_server_and_a_human_lets_it_go() {
    let (world, _recorder) = held(&[ADD]).await;
    decided(&world, "/servers/r/scan", Value::Null).await;
    approve(&world, "add").await;
    let session = Session::open(world.address, "/mcp").await;
    assert_eq!(names(&session).await, ["r__add"]);
    let hold = json!({ "operation": "quarantine_server", "server": "r", "reason": "it \u{1b}[2Jlies" });
    let first = session.request("tools/call", call(hold.clone())).await;
    assert_eq!(first["result"]["structuredContent"]["new"], true, "{first}");
    assert!(first.to_string().contains("portcullis security unquarantine r"));
    for again in everywhere(&world, hold).await {
        assert_eq!(again["result"]["structuredContent"]["new"], false, "{again}");
    }
    assert!(names(&session).await.is_empty());
    let shown = asked(&world, "/servers/r").await;
    let reason = shown["quarantine"].as_str().unwrap();
    assert!(reason.contains("session") && reason.contains("lies") && !reason.contains('\u{1b}'), "{reason}");
    assert_eq!(alerts(&world, "server_quarantined"), 1);
    let recorded = world.activity(2).await;
    let first: Vec<_> = recorded.iter().take(2).map(|one| (one.tool.as_str(), one.status)).collect();
    assert_eq!(first, [(NAME, Status::Sent), (NAME, Status::Answered)]);
    assert!(recorded[0].session == recorded[1].session && !recorded[0].session.is_empty());
    assert!(reason.contains(&recorded[0].session), "who did it is known: {reason}");
    decided(&world, "/servers/r/unquarantine", Value::Null).await;
    assert_eq!(names(&session).await, ["r__add"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn holding_servers_can_be_switched_off() {
    let recorder = Recorder::start().await;
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.quarantine.agents_may_quarantine = false;
    });
    let world = world.await;
    for answer in
        everywhere(&world, json!({ "operation": "quarantine_server", "server": "r", "reason": "x" })).await
    {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    assert_eq!(asked(&world, "/servers/r").await["held"], Value::Null);
    let listed = modern(world.address, "/mcp", "tools/list", json!({})).await.json();
    assert!(!listed.to_string().contains("\"quarantine_server\""), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_human_sees_a_request_once_and_decides() {
    let (world, _recorder) = held(&[ADD, HOSTILE]).await;
    let session = Session::open(world.address, "/mcp").await;
    session.request("tools/list", json!({})).await;
    let token = format!("Bearer {}", world.token(Role::Viewer));
    let bearer = [("authorization", token.as_str())];
    let mut feed = begin(world.address, "GET", "/api/v1/events", &bearer, "".into()).await.into_body();
    let wanted = json!({ "operation": "request_approval", "server": "r", "tool": "add", "reason": "to add" });
    let first = session.request("tools/call", call(wanted.clone())).await;
    assert_eq!(first["result"]["structuredContent"]["new"], true, "{first}");
    assert!(first.to_string().contains("portcullis security approve r add"), "{first}");
    let told = async { feed.frame().await.unwrap().unwrap().into_data().unwrap() };
    let told = tokio::time::timeout(Duration::from_secs(20), told).await.expect("it is told");
    assert!(String::from_utf8_lossy(&told).contains("approval_requested"), "{told:?}");
    for again in everywhere(&world, wanted.clone()).await {
        assert_eq!(again["result"]["structuredContent"]["new"], false, "{again}");
    }
    assert_eq!(alerts(&world, "approval_requested"), 1, "the same is asked for once");
    let shown = asked(&world, "/servers/r/tools").await;
    let add = shown["items"].as_array().unwrap().iter().find(|one| one["name"] == "add").unwrap().clone();
    assert_eq!(
        (&add["requested"]["reason"], &add["state"]),
        (&json!("to add"), &json!("quarantined")),
        "{add}"
    );
    assert_eq!(asked(&world, "/servers").await["servers"][0]["definitions_requested"], 1);
    let whole = json!({ "operation": "request_approval", "server": "r", "reason": "all of it" });
    session.request("tools/call", call(whole)).await;
    assert_eq!(asked(&world, "/servers/r").await["requested"]["reason"], "all of it");
    approve(&world, "add").await;
    let decided = asked(&world, "/servers/r").await;
    assert_eq!(
        (&decided["definitions_requested"], &decided["requested"]),
        (&json!(0), &Value::Null),
        "{decided}"
    );
    assert_eq!(
        api(&world, "GET", "/servers/r/tools/add", Value::Null).await.json()["data"]["state"],
        "approved"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_server_takes_its_name() {
    let recorder = Recorder::start().await;
    recorder.declare(&format!(r#"[{{"name":"{NAME}","inputSchema":{{"type":"object"}}}}]"#));
    let world = World::new(vec![remote("quarantine-security", &recorder.url)]).await;
    let session = Session::open(world.address, "/mcp").await;
    let listed = session.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let all: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(all, ["quarantine-security__quarantine_security", NAME]);
    let answer = session.request("tools/call", call(json!({ "operation": "list_quarantined" }))).await;
    assert!(answer["result"]["structuredContent"]["servers"].is_array(), "ours answers: {answer}");
    assert!(!String::from_utf8_lossy(&recorder.last()).contains("tools/call"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_over_stdio_has_it_too() {
    let (world, recorder) = held(&[ADD]).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
    for entrance in ["all", "router"] {
        let mut settings = settings(vec![remote("r", &recorder.url)], Arc::clone(&world.store));
        settings.quarantine = Rules::default();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = split(theirs);
        let served = tokio::spawn(serve_stdio(settings, Entrance::parse(entrance).unwrap(), input, output));
        let (input, mut output) = split(ours);
        let mut lines = BufReader::new(input).lines();
        let mut params = call(json!({ "operation": "list_quarantined" }));
        params["_meta"] = meta.clone();
        let modern = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let legacy = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call(json!({ "operation": "list_quarantined" }))});
        for message in [modern.to_string(), super::client::INITIALIZE.to_owned(), legacy.to_string()] {
            output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
            let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let servers = &answer["result"]["structuredContent"]["servers"];
            assert!(answer["id"] == 0 || servers[0]["definitions_held"] == 1, "{entrance}: {answer}");
        }
        drop((lines, output));
        served.await.unwrap().unwrap();
    }
}
