//! The search for tools, and calls of what it found.

use super::client::{MODERN, Session, begin, modern};
use super::recorder::Recorder;
use super::world::{Fixture, World, process, remote, settings};
use bytes::Bytes;
use http_body_util::BodyExt;
use portcullis_gateway::{Entrance, serve_stdio};
use portcullis_store::Status;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, split};

const ROUTER: &str = "/mcp/router";

fn call(variant: &str, name: &str, arguments: Value) -> Value {
    json!({"name": format!("call_tool_{variant}"), "arguments": {"name": name, "arguments": arguments}})
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn found(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["structuredContent"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sees_five_tools_and_finds_the_others() {
    let world = World::new(vec![process("child", "legacy"), process("kid", "modern")]).await;
    let session = Session::open(world.address, ROUTER).await;
    assert!(session.opened["result"]["instructions"].as_str().unwrap().contains("retrieve_tools"));
    let listed = session.request("tools/list", json!({})).await;
    let modern_listed = modern(world.address, ROUTER, "tools/list", json!({})).await.json();
    assert_eq!(listed["result"]["tools"], modern_listed["result"]["tools"]);
    assert_eq!(modern_listed["result"]["cacheScope"], "private");
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    let expected = [
        "retrieve_tools",
        "call_tool_read",
        "call_tool_write",
        "call_tool_destructive",
        "quarantine_security",
    ];
    assert_eq!(names, expected);
    let search =
        json!({"name": "retrieve_tools", "arguments": {"query": "a text of a certain length", "limit": 3}});
    let answer = session.request("tools/call", search.clone()).await;
    assert!(found(&answer).starts_with(&["child__bytes", "kid__bytes"]), "{answer}");
    let tool = &answer["result"]["structuredContent"]["tools"][0];
    assert_eq!(tool["inputSchema"]["required"], json!(["count"]));
    assert_eq!(tool["call_with"], "call_tool_write");
    assert_eq!(
        serde_json::from_str::<Value>(text(&answer)).unwrap(),
        answer["result"]["structuredContent"],
        "the text says the same"
    );
    let again = modern(world.address, ROUTER, "tools/call", search).await.json();
    assert_eq!(again["result"]["structuredContent"], answer["result"]["structuredContent"]);
    assert_eq!(again["result"]["resultType"], "complete");
    for (method, code) in [("prompts/list", -32601), ("resources/list", -32601)] {
        assert_eq!(session.request(method, json!({})).await["error"]["code"], code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_tool_is_found() {
    let world = World::new(vec![process("child", "legacy")]).await;
    let session = Session::open(world.address, ROUTER).await;
    let search = json!({"name": "retrieve_tools", "arguments": {"query": "tool that was added later"}});
    let names = |answer: &Value| found(answer).contains(&"child__test_added_tool");
    assert!(!names(&session.request("tools/call", search.clone()).await));
    session.request("tools/call", call("write", "child__test_trigger_tool_change", json!({}))).await;
    let late = tokio::time::timeout(Duration::from_secs(20), async {
        while !names(&session.request("tools/call", search.clone()).await) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    late.await.expect("the tool is found");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_reach_servers_of_both_eras_with_their_intent() {
    let (old, new) = (Fixture::http("legacy"), Fixture::http("modern"));
    let servers = vec![
        remote("old", &old.url),
        process("child", "legacy"),
        remote("new", &new.url),
        process("kid", "modern"),
    ];
    let world = World::new(servers).await;
    let session = Session::open(world.address, ROUTER).await;
    for server in ["old", "child", "new", "kid"] {
        let mut params = call("read", &format!("{server}__echo"), json!({"from": server}));
        params["arguments"]["reason"] = json!("to see it");
        params["arguments"]["data_sensitivity"] = json!("public");
        for answer in [
            session.request("tools/call", params.clone()).await,
            modern(world.address, ROUTER, "tools/call", params).await.json(),
        ] {
            assert_eq!(text(&answer), json!({"from": server}).to_string(), "{server}");
        }
        // Arguments that are repeated in headers: the agent cannot know, so the gate writes them.
        let params = call("read", &format!("{server}__test_mirrored_parameter"), json!({"region": "x y"}));
        let answer = modern(world.address, ROUTER, "tools/call", params).await.json();
        assert!(text(&answer).contains("x y"), "{answer}");
    }
    let first = world.activity(2).await.first().map(|entry| entry.seq).unwrap();
    let record = world.store.record(first).unwrap();
    assert_eq!((record.facts.server.as_str(), record.facts.tool.as_str()), ("old", "echo"));
    let note = record.body.unwrap().note.unwrap().text;
    let intent =
        json!({"intent": {"operation": "read", "data_sensitivity": "public", "reason": "to see it"}});
    assert_eq!(serde_json::from_str::<Value>(&note).unwrap(), intent);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_intent_is_recorded_on_every_path_and_stays_at_the_gate() {
    let recorder = Recorder::start().await;
    let world = World::new(vec![remote("r", &recorder.url)]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    recorder.answer(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "application/json");
    let body = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","_meta":{{"a":1.0{meta}}}}}}}"#
        )
    };
    session.post(body(r#","portcullis/intent":{"operation":"destructive"}"#)).await;
    assert_eq!(recorder.last(), body(""));
    let record = world.store.record(world.activity(1).await[0].seq).unwrap();
    let note = record.body.unwrap().note.unwrap().text;
    assert_eq!(note, r#"{"intent":{"operation":"destructive"}}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_and_results_pass_as_they_were_written() {
    let world = World::new(vec![process("child", "legacy"), process("kid", "modern")]).await;
    let session = Session::open(world.address, ROUTER).await;
    let odd = r#"{"b":1.50, "a" :10000000000000000000001,"x":"\u00e9\/","n":{"name":"no","arguments":-0}}"#;
    for server in ["child", "kid"] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{{"arguments": {{"arguments": {odd},"name":"{server}__echo"}},"name":"call_tool_write"}}}}"#
        );
        let answer = session.post(body).await;
        let got = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(got.contains(&format!("\"structuredContent\":{odd}")), "{got}");
        assert!(got.contains(r#""id":"7""#));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_called_is_explained() {
    let world = World::new(vec![process("child", "legacy")]).await;
    let session = Session::open(world.address, ROUTER).await;
    for (params, expected) in [
        (call("read", "echo_massage", json!({})), "child__echo"),
        (call("read", "zebra", json!({})), "retrieve_tools"),
        (json!({"name": "call_tool_read", "arguments": {"name": "child__echo", "text": 1}}), "`arguments`"),
        (
            json!({"name": "call_tool_read", "arguments": {"name": "child__echo", "arguments": "{}"}}),
            "object",
        ),
        (json!({"name": "call_tool_read", "arguments": {}}), "`name`"),
        (json!({"name": "call_tool_read"}), "`name`"),
        (json!({"name": "child__echo", "arguments": {}}), "call_tool_write"),
        (json!({"name": "retrieve_tools", "arguments": {"query": " "}}), "`query`"),
        (json!({"name": "retrieve_tools", "arguments": {"query": "x", "limit": 0}}), "`limit`"),
    ] {
        let answer = session.request("tools/call", params.clone()).await;
        assert_eq!(answer["result"]["isError"], true, "{params}: {answer}");
        assert!(text(&answer).contains(expected), "{params}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_questions_pass() {
    let old = Fixture::http("legacy");
    let world =
        World::new(vec![remote("old", &old.url), process("child", "legacy"), process("kid", "modern")]).await;
    let session = Session::open(world.address, ROUTER).await;
    for server in ["old", "child", "kid"] {
        let mut params = call("read", &format!("{server}__test_tool_with_progress"), json!({}));
        params["_meta"]["progressToken"] = json!("token");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let messages = session.post(body.to_string()).await.messages();
        let told: Vec<_> = messages.iter().filter(|one| one["method"] == "notifications/progress").collect();
        assert_eq!(told.len(), 3, "{server}: {messages:?}");
        assert!(told.iter().all(|one| one["params"]["progressToken"] == "token"));
    }
    asked(&world, &session, "child__test_elicitation").await;
    asked(&world, &session, "kid__test_input_required_result_elicitation").await;
    let params = call("write", "kid__test_input_required_result_elicitation", json!({}));
    let question = modern(world.address, ROUTER, "tools/call", params.clone()).await.json();
    assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    let mut again = params;
    again["inputResponses"]["user_name"] = json!({"action": "accept", "content": {"name": "Ada"}});
    let done = modern(world.address, ROUTER, "tools/call", again).await.json();
    assert_eq!(text(&done), "Hello, Ada!");
}

/// A client with a session is asked in the middle of a call.
async fn asked(world: &World, session: &Session, tool: &str) {
    let params = call("write", tool, json!({"message": "who?"}));
    let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}).to_string();
    let headers = [("mcp-session-id", session.id.as_str())];
    let mut body = begin(world.address, "POST", ROUTER, &headers, Bytes::from(body)).await.into_body();
    let mut read = String::new();
    let mut is_asked = false;
    while let Some(frame) = body.frame().await {
        read.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
        let data = read.lines().filter_map(|line| line.strip_prefix("data: "));
        let messages: Vec<Value> = data.filter_map(|data| serde_json::from_str(data).ok()).collect();
        let question = messages.iter().find(|message| message["method"] == "elicitation/create");
        if let (false, Some(question)) = (is_asked, question) {
            is_asked = true;
            let content = json!({"name": "Ada", "username": "Ada", "email": "ada@example.com"});
            let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": content}});
            assert_eq!(session.post(answer.to_string()).await.status, 202);
        }
    }
    assert!(is_asked && read.contains("Ada"), "{tool}: {read}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_cancelled_where_it_runs() {
    let old = Fixture::http("legacy");
    let world = World::new(vec![remote("old", &old.url), process("child", "legacy")]).await;
    let session = Session::open(world.address, ROUTER).await;
    for server in ["old", "child"] {
        let params = call("read", &format!("{server}__never"), json!({}));
        let body = json!({"jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": params});
        let headers = [("mcp-session-id", session.id.as_str())];
        let pending = begin(world.address, "POST", ROUTER, &headers, Bytes::from(body.to_string()));
        let cancelling = async {
            // The call is on its way when it is recorded.
            while !world.activity(1).await.iter().any(|one| one.server == server && one.tool == "never") {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "mine"}});
            let count = call("read", &format!("{server}__cancelled"), json!({}));
            loop {
                assert_eq!(session.post(cancel.to_string()).await.status, 202);
                if text(&session.request("tools/call", count.clone()).await) == "1" {
                    return;
                }
            }
        };
        let cancelled = tokio::time::timeout(Duration::from_secs(20), async {
            let mut cancelling = std::pin::pin!(cancelling);
            tokio::select! {
                // A server over HTTP ends the request without an answer.
                response = pending => {
                    assert_eq!(response.status(), 202);
                    cancelling.await;
                }
                () = &mut cancelling => {}
            }
        });
        cancelled.await.unwrap_or_else(|_| panic!("{server} never heard of it"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_over_stdio_chooses_what_it_sees() {
    let world = World::new(Vec::new()).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
    for (entrance, tool) in [("all", "kid__echo"), ("router", "retrieve_tools"), ("kid", "echo")] {
        let settings = settings(vec![process("kid", "modern")], Arc::clone(&world.store));
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = split(theirs);
        let entrance = Entrance::parse(entrance).unwrap();
        let served = tokio::spawn(serve_stdio(settings, entrance, input, output));
        let (input, mut output) = split(ours);
        let mut lines = BufReader::new(input).lines();
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        output.write_all(format!("{list}\n").as_bytes()).await.unwrap();
        let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let names = answer["result"]["tools"].as_array().unwrap();
        assert!(names.iter().any(|one| one["name"] == tool), "{tool}: {answer}");
        drop((lines, output));
        served.await.unwrap().unwrap();
    }
    let settings = settings(Vec::new(), Arc::clone(&world.store));
    let refused =
        serve_stdio(settings, Entrance::parse("nobody").unwrap(), &b""[..], tokio::io::sink()).await;
    assert!(refused.unwrap_err().to_string().contains("`nobody`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_end_in_records_like_all_others() {
    let world = World::new(vec![process("child", "legacy")]).await;
    let session = Session::open(world.address, ROUTER).await;
    session.request("tools/call", call("destructive", "child__echo", json!({"a": 1}))).await;
    let seen: Vec<_> = world.activity(2).await.iter().map(|one| (one.tool.clone(), one.status)).collect();
    assert_eq!(seen, [("echo".to_owned(), Status::Sent), ("echo".to_owned(), Status::Answered)]);
}
