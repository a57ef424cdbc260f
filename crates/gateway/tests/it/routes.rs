//! All servers as one.

use super::client::{Session, modern};
use super::world::{Fixture, World, process, remote};
use serde_json::{Value, json};

fn names(answer: &Value, list: &str) -> Vec<String> {
    let entries = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
    entries.iter().map(|entry| entry["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_lead_to_their_servers_in_both_eras() {
    let (old, new) = (Fixture::http("legacy"), Fixture::http("modern"));
    let servers = vec![
        remote("old", &old.url),
        process("child", "legacy"),
        remote("new", &new.url),
        process("kid", "modern"),
    ];
    let world = World::new(servers).await;
    let session = Session::open(world.address, "/mcp").await;
    let listed = session.request("tools/list", json!({})).await;
    let tools = names(&listed, "tools");
    let first_of =
        |server: &str| tools.iter().position(|name| name.starts_with(&format!("{server}__"))).unwrap();
    assert!(
        first_of("old") < first_of("child")
            && first_of("child") < first_of("new")
            && first_of("new") < first_of("kid")
    );
    let again = modern(world.address, "/mcp", "tools/list", json!({})).await.json();
    assert_eq!(names(&again, "tools"), tools, "the same for everybody");
    assert_eq!(again["result"]["cacheScope"], "private");
    for server in ["old", "child", "new", "kid"] {
        let params = json!({"name": format!("{server}__echo"), "arguments": {"from": server}});
        for answer in [
            session.request("tools/call", params.clone()).await,
            modern(world.address, "/mcp", "tools/call", params).await.json(),
        ] {
            let text = answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap_or_else(|| panic!("{server}: {answer}"));
            assert_eq!(text, json!({"from": server}).to_string());
        }
    }
    let unknown = session.request("tools/call", json!({"name": "echo", "arguments": {}})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_does_not_take_the_others_with_it() {
    let world = World::new(vec![remote("gone", "http://127.0.0.1:9/mcp"), process("child", "legacy")]).await;
    let session = Session::open(world.address, "/mcp").await;
    let listed = session.request("tools/list", json!({})).await;
    assert!(names(&listed, "tools").iter().all(|name| name.starts_with("child__")));
}
