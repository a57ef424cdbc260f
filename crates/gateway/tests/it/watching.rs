//! What a service manager, a load balancer and Prometheus see.

use super::client::{Session, send};
use super::world::{World, process};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_by_server_method_and_outcome() {
    let world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    session.request("tools/call", json!({"name": "echo", "arguments": {}})).await;
    session.request("made/up", json!({})).await;
    let page = get(&world, "/metrics").await;
    for line in [
        r#"portcullis_requests_total{server="p",method="tools/call",outcome="answered"} 1"#,
        r#"portcullis_requests_total{server="p",method="other",outcome="answered"} 1"#,
        r#"portcullis_server_up{server="p"} 1"#,
        "portcullis_sessions 1",
        "portcullis_flows 1",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
    }
    assert_eq!(get(&world, "/healthz").await, r#"{"status":"ok"}"#);
    assert_eq!(get(&world, "/readyz").await, r#"{"status":"ok"}"#);
}

async fn get(world: &World, path: &str) -> String {
    let answer = send(world.address, "GET", path, &[], "").await;
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body.to_vec()).unwrap()
}
