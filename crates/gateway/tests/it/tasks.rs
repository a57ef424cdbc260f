//! Tasks of both forms, on the path of one server and among all.

use super::client::{Session, modern_request, send};
use super::world::{Fixture, World, process, remote};
use serde_json::{Value, json};
use std::time::Duration;

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

async fn ends(mut look: impl AsyncFnMut() -> Value) -> Value {
    let looking = async {
        loop {
            let task = look().await;
            assert!(task["error"].is_null(), "{task}");
            if task["result"]["status"] != "working" {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("the task ends")
}

/// The form of 2025-11-25: the client asks for a task, and for its result.
async fn with_session(world: &World, path: &str, prefix: &str, marked: Option<&str>) {
    let session = Session::open(world.address, path).await;
    assert!(session.opened["result"]["capabilities"]["tasks"]["requests"]["tools"]["call"].is_object());
    let begin = |milliseconds: u32| json!({"name": format!("{prefix}take_your_time"), "arguments": {"milliseconds": milliseconds}, "task": {"ttl": 60000}});
    let begun = session.request("tools/call", begin(10)).await;
    let id = begun["result"]["task"]["taskId"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    assert_eq!(id.split_once(':').map(|(server, _)| server), marked, "{id}");
    let task = ends(async || session.request("tasks/get", json!({"taskId": id})).await).await;
    assert_eq!((&task["result"]["taskId"], &task["result"]["status"]), (&json!(id), &json!("completed")));
    let done = session.request("tasks/result", json!({"taskId": id})).await;
    assert_eq!(done["result"]["content"][0]["text"], "It took its time.", "{done}");
    assert_eq!(done["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], json!(id));
    let begun = session.request("tools/call", begin(60_000)).await;
    let id = &begun["result"]["task"]["taskId"];
    let cancelled = session.request("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!((&cancelled["result"]["taskId"], &cancelled["result"]["status"]), (id, &json!("cancelled")));
    let unknown = session.request("tasks/get", json!({"taskId": "nobody:1"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_session_gets_tasks() {
    let old = Fixture::http("legacy");
    let world = World::new(vec![remote("old", &old.url), process("child", "legacy")]).await;
    with_session(&world, "/mcp/old", "", None).await;
    with_session(&world, "/mcp/child", "", None).await;
    with_session(&world, "/mcp", "old__", Some("old")).await;
    with_session(&world, "/mcp", "child__", Some("child")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_the_tasks_of_others() {
    let world = World::new(vec![process("child", "legacy")]).await;
    for path in ["/mcp/child", "/mcp"] {
        let session = Session::open(world.address, path).await;
        let listed = session.request("tasks/list", json!({})).await;
        assert_eq!(listed["error"]["code"], -32601, "{path}: {listed}");
    }
}

/// The form of 2026-07-28: the server decides, the result is in the task.
async fn without_sessions(world: &World, path: &str, prefix: &str, marked: Option<&str>) {
    let ask = async |method: &str, mut params: Value| {
        let id = params["taskId"].as_str().map(str::to_owned);
        params["_meta"] = json!({});
        let (mut headers, body) = modern_request(method, params);
        let mut body: Value = serde_json::from_slice(&body).unwrap();
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {EXTENSION: {}}});
        headers.extend(id.map(|id| ("mcp-name", id)));
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        send(world.address, "POST", path, &headers, body.to_string()).await.json()
    };
    let found = ask("server/discover", json!({})).await;
    assert!(found["result"]["capabilities"]["extensions"][EXTENSION].is_object(), "{found}");
    let begin = |milliseconds: u32| json!({"name": format!("{prefix}take_your_time"), "arguments": {"milliseconds": milliseconds}});
    let begun = ask("tools/call", begin(10)).await;
    assert_eq!(begun["result"]["resultType"], "task", "{begun}");
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(id.split_once(':').map(|(server, _)| server), marked, "{id}");
    let task = ends(async || ask("tasks/get", json!({"taskId": id})).await).await;
    assert_eq!(task["result"]["taskId"], json!(id));
    assert_eq!(task["result"]["result"]["content"][0]["text"], "It took its time.", "{task}");
    let begun = ask("tools/call", begin(60_000)).await;
    let id = begun["result"]["taskId"].clone();
    let taken = ask("tasks/update", json!({"taskId": id, "inputResponses": {}})).await;
    assert_eq!(taken["result"]["resultType"], "complete", "{taken}");
    let cancelled = ask("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    let task = ask("tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["result"]["status"], "cancelled", "{task}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_gets_tasks() {
    let new = Fixture::http("modern");
    let world = World::new(vec![remote("new", &new.url), process("kid", "modern")]).await;
    without_sessions(&world, "/mcp/new", "", None).await;
    without_sessions(&world, "/mcp/kid", "", None).await;
    without_sessions(&world, "/mcp", "new__", Some("new")).await;
    without_sessions(&world, "/mcp", "kid__", Some("kid")).await;
}
