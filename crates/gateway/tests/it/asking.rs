//! Questions and answers between the eras arrive as they were written.

use super::client::{Session, begin, modern, modern_request, send};
use super::world::{World, script};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};

const QUESTION: &str = r#"{"z":1.50,"message":"who?","a":{"y":1E2,"b":12345678901234567890}}"#;
const ANSWER: &str = r#"{"content":{"z":-0,"name":"Ada","a":1.0},"action":"accept"}"#;

/// A server with sessions that asks in the middle of a call, and shows what it was told.
const OLDER: &str = r#"
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
while read -r line; do case "$line" in
*'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$(id "$line")" ;;
*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$(id "$line")" ;;
*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}\n' "$(id "$line")" ;;
*'"tools/call"'*) call=$(id "$line"); printf '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":QUESTION}\n' ;;
*'"id":"q"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"heard":%s}}\n' "$call" "$line" ;;
esac; done"#;

/// The same without sessions.
const NEWER: &str = r#"
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
while read -r line; do case "$line" in
*'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}\n' "$(id "$line")" ;;
*'"inputResponses"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[],"heard":%s}}\n' "$(id "$line")" "$line" ;;
*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}}\n' "$(id "$line")" ;;
*'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":QUESTION}},"requestState":"s"}}\n' "$(id "$line")" ;;
esac; done"#;

fn call() -> Value {
    json!({"name": "t", "arguments": {}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_and_a_server_with() {
    let world = World::new(vec![script("s", &OLDER.replace("QUESTION", QUESTION))]).await;
    let asked = modern(world.address, "/mcp/s", "tools/call", call()).await;
    assert!(String::from_utf8_lossy(&asked.body).contains(QUESTION), "{:?}", asked.body);
    let mut again = call();
    again["requestState"] = asked.json()["result"]["requestState"].clone();
    again["inputResponses"] = json!({"question-1": "ANSWER"});
    let (headers, body) = modern_request("tools/call", again);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = String::from_utf8_lossy(&body).replace("\"ANSWER\"", ANSWER);
    let done = send(world.address, "POST", "/mcp/s", &headers, body).await;
    assert!(String::from_utf8_lossy(&done.body).contains(ANSWER), "{:?}", done.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_sessions_and_a_server_without() {
    let world = World::new(vec![script("s", &NEWER.replace("QUESTION", QUESTION))]).await;
    let session = Session::open(world.address, "/mcp/s").await;
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call()});
    let headers = [("mcp-session-id", session.id.as_str())];
    let call = begin(world.address, "POST", "/mcp/s", &headers, Bytes::from(call.to_string())).await;
    let mut body = call.into_body();
    let mut text = String::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.unwrap().into_data() else { continue };
        let is_asked = !text.contains(QUESTION);
        text.push_str(std::str::from_utf8(&data).unwrap());
        if is_asked && text.contains(QUESTION) {
            let question = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            let id = &serde_json::from_str::<Value>(question).unwrap()["id"];
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{ANSWER}}}"#);
            assert_eq!(session.post(answer).await.status, 202);
        }
    }
    assert!(text.contains(QUESTION) && text.contains(ANSWER), "{text}");
}
