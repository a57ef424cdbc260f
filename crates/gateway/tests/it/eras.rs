//! Clients and servers of different eras.

use super::client::{Session, begin, modern, modern_request, send};
use super::world::{Fixture, World, process, remote, sse};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};

/// A client with sessions is asked by a server without; over the path of one server and of all.
async fn asks_a_session(world: &World, path: &str, tool: &str) {
    let session = Session::open(world.address, path).await;
    assert!(session.opened["result"]["capabilities"]["tools"].is_object(), "{:?}", session.opened);
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": tool, "arguments": {"message": "who?"}}});
    let headers = [("mcp-session-id", session.id.as_str())];
    let mut body =
        begin(world.address, "POST", path, &headers, Bytes::from(call.to_string())).await.into_body();
    let mut text = String::new();
    let mut is_asked = false;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.unwrap().into_data() else { continue };
        text.push_str(std::str::from_utf8(&data).unwrap());
        let question = text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| serde_json::from_str::<Value>(data).ok())
            .find(|message| message["method"] == "elicitation/create");
        if let (false, Some(question)) = (is_asked, question) {
            is_asked = true;
            let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada", "username": "Ada", "email": "ada@example.com"}}});
            assert_eq!(session.post(answer.to_string()).await.status, 202);
            // Nobody waits for it any more. An error would be the end of the session for some clients.
            assert_eq!(session.post(answer.to_string()).await.status, 202);
        }
    }
    assert!(is_asked && text.contains("Ada"), "{path}: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_sessions_is_asked_by_any_server() {
    let new = Fixture::http("modern");
    let oldest = Fixture::sse();
    let servers = vec![
        remote("new", &new.url),
        process("kid", "modern"),
        process("child", "legacy"),
        sse("oldest", &oldest.url),
    ];
    let world = World::new(servers).await;
    asks_a_session(&world, "/mcp/new", "test_input_required_result_elicitation").await;
    asks_a_session(&world, "/mcp/kid", "test_input_required_result_elicitation").await;
    asks_a_session(&world, "/mcp/child", "test_elicitation").await;
    asks_a_session(&world, "/mcp/oldest", "test_elicitation").await;
    asks_a_session(&world, "/mcp", "new__test_input_required_result_elicitation").await;
    asks_a_session(&world, "/mcp", "child__test_elicitation").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_is_asked_by_a_server_with() {
    let old = Fixture::http("legacy");
    let oldest = Fixture::sse();
    let servers = vec![remote("old", &old.url), process("child", "legacy"), sse("oldest", &oldest.url)];
    let world = World::new(servers).await;
    for path in ["/mcp/old", "/mcp/child", "/mcp/oldest"] {
        let params = json!({"name": "test_elicitation", "arguments": {"message": "who?"}});
        let asked = modern(world.address, path, "tools/call", params.clone()).await.json();
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let (key, request) =
            asked["result"]["inputRequests"].as_object().and_then(|all| all.iter().next()).unwrap();
        assert_eq!(request["method"], "elicitation/create");
        let state = &asked["result"]["requestState"];
        let mut other = params.clone();
        other["arguments"]["message"] = json!("somebody else's call");
        other["requestState"] = state.clone();
        let refused = modern(world.address, path, "tools/call", other).await.json();
        assert_eq!(refused["error"]["code"], -32602, "another call may not go on in its place");
        let mut again = params;
        again["requestState"] = state.clone();
        again["inputResponses"][key] =
            json!({"action": "accept", "content": {"username": "Ada", "email": "a@example.com"}});
        // The client goes on with a request of its own, and it is this one that is answered.
        let (headers, body) = modern_request("tools/call", again);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = String::from_utf8_lossy(&body).replace("\"id\":1,", "\"id\":\"again\",");
        let done = send(world.address, "POST", path, &headers, body).await.json();
        assert_eq!(
            (&done["id"], &done["result"]["resultType"]),
            (&json!("again"), &json!("complete")),
            "{done}"
        );
        assert!(done.to_string().contains("Ada"), "{done}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_discovers_a_server_with() {
    let world = World::new(vec![process("child", "legacy")]).await;
    let answer = modern(world.address, "/mcp/child", "server/discover", json!({})).await.json();
    assert_eq!(answer["result"]["supportedVersions"], json!(["2026-07-28"]), "{answer}");
    assert!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string(), "{answer}");
    let listed = modern(world.address, "/mcp/child", "tools/list", json!({})).await.json();
    assert_eq!(
        (&listed["result"]["resultType"], &listed["result"]["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_two_addresses_is_one_of_all() {
    let oldest = Fixture::sse();
    let world = World::new(vec![sse("oldest", &oldest.url)]).await;
    let session = Session::open(world.address, "/mcp").await;
    let odd = r#"{"b":1.50,"a" :10000000000000000000001}"#;
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{{"name":"oldest__echo","arguments":{odd}}}}}"#
    );
    let answer = session.post(call).await;
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(text.contains(&format!("\"structuredContent\":{odd}")) && text.contains(r#""id":"x""#), "{text}");
    drop(oldest);
    let gone = session.request("tools/call", json!({"name": "oldest__echo", "arguments": {}})).await;
    assert!(gone["error"].is_object(), "{gone}");
}
