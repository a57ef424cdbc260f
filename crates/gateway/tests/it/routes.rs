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
    let tools = names(&listed, "tools");
    let (own, others) = tools.split_last().unwrap();
    assert!(!others.is_empty() && others.iter().all(|name| name.starts_with("child__")), "{others:?}");
    assert_eq!(own, "quarantine_security");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_gives_its_instructions_under_its_name() {
    let world = World::new(vec![process("child", "legacy"), process("kid", "modern")]).await;
    let session = Session::open(world.address, "/mcp").await;
    let text = session.opened["result"]["instructions"].as_str().unwrap().to_owned();
    let (child, kid) = (text.find("Server child").unwrap(), text.find("Server kid").unwrap());
    assert!(child < kid && text.matches("> A test server.").count() == 2, "{text}");
    let found = modern(world.address, "/mcp", "server/discover", json!({})).await.json();
    assert_eq!(found["result"]["instructions"], json!(text));
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_resources_and_completions_find_their_servers() {
    for server in [process("s", "legacy"), process("s", "modern")] {
        let world = World::new(vec![server]).await;
        let session = Session::open(world.address, "/mcp").await;
        let argument = json!({"name": "arg1", "value": "par"});
        for (method, params, pointer, expected) in [
            ("prompts/list", json!({}), "/prompts/0/name", json!("s__test_simple_prompt")),
            ("prompts/get", json!({"name": "s__test_simple_prompt"}), "/messages/0/role", json!("user")),
            ("resources/list", json!({}), "/resources/0/uri", json!("test://static-text")),
            ("resources/templates/list", json!({}), "/resourceTemplates/0/name", json!("template")),
            (
                "resources/read",
                json!({"uri": "test://static-text"}),
                "/contents/0/mimeType",
                json!("text/plain"),
            ),
            (
                "resources/read",
                json!({"uri": "test://template/7/data"}),
                "/contents/0/uri",
                json!("test://template/7/data"),
            ),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "s__test_prompt_with_arguments"}, "argument": argument}),
                "/completion/values/0",
                json!("paris"),
            ),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/resource", "uri": "test://template/{id}/data"}, "argument": argument}),
                "/completion/values/0",
                json!("paris"),
            ),
        ] {
            for answer in [
                session.request(method, params.clone()).await,
                modern(world.address, "/mcp", method, params).await.json(),
            ] {
                assert_eq!(answer["result"].pointer(pointer), Some(&expected), "{method}: {answer}");
            }
        }
    }
}

/// The levels of the lines a session hears from a call.
async fn lines(session: &Session, tool: &str) -> usize {
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}});
    let messages = session.post(call.to_string()).await.messages();
    messages.iter().filter(|one| one["method"] == "notifications/message").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_session_hears_the_log_lines_it_asked_for() {
    let world = World::new(vec![process("child", "legacy"), process("kid", "modern")]).await;
    for (path, tool) in [
        ("/mcp/child", "test_tool_with_logging"),
        ("/mcp", "child__test_tool_with_logging"),
        ("/mcp", "kid__test_tool_with_logging"),
    ] {
        let (quiet, loud) =
            (Session::open(world.address, path).await, Session::open(world.address, path).await);
        for (session, level) in [(&loud, "debug"), (&quiet, "error")] {
            let done = session.request("logging/setLevel", json!({"level": level})).await;
            assert_eq!(done["result"], json!({}), "{done}");
        }
        assert_eq!((lines(&quiet, tool).await, lines(&loud, tool).await), (0, 3), "{path} {tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_of_their_revision_pass_on_every_path() {
    let old = Fixture::http("legacy");
    let world =
        World::new(vec![remote("old", &old.url), process("child", "legacy"), process("kid", "modern")]).await;
    for (path, tool) in [
        ("/mcp/old", "echo"),
        ("/mcp/child", "echo"),
        ("/mcp/kid", "echo"),
        ("/mcp", "child__echo"),
        ("/mcp", "kid__echo"),
        ("/mcp/router", "retrieve_tools"),
    ] {
        let session = Session::open_at(world.address, path, "2025-03-26").await;
        let call = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {"query": id}}});
        let batch =
            json!([call(1), {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}, call(2)]);
        let answer = session.post(batch.to_string()).await;
        let ids: Vec<Value> = answer.messages().iter().map(|message| message["id"].clone()).collect();
        assert_eq!(ids, [1, 2], "{path}: {:?}", answer.body);
        assert!(answer.messages().iter().all(|one| one["result"].is_object()), "{path}: {:?}", answer.body);
        let told = json!([{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}]);
        assert_eq!(session.post(told.to_string()).await.status, 202, "{path}");
        let opening = json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}]);
        assert_eq!(session.post(opening.to_string()).await.status, 400, "{path}");
        let newer = Session::open(world.address, path).await;
        assert_eq!(newer.post(batch.to_string()).await.status, 400, "{path}");
    }
}
