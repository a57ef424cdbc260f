//! What servers say without being asked, as clients of each era hear it, also after they lost a stream.

use super::client::{Session, begin, modern, modern_request};
use super::world::{Fixture, World, process, remote};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::time::Duration;

const WATCHED: &str = "test://watched-resource";

/// A stream that is read message by message.
pub(crate) struct Stream {
    body: Incoming,
    text: String,
    read: usize,
}

impl Stream {
    /// What comes back for a request.
    pub(crate) fn of(response: Response<Incoming>) -> Stream {
        Stream { body: response.into_body(), text: String::new(), read: 0 }
    }

    /// The stream of a session, after an event if it is given.
    pub(crate) async fn listen(session: &Session, last: Option<&str>) -> Stream {
        let mut headers = vec![("mcp-session-id", session.id.as_str())];
        headers.extend(last.map(|last| ("last-event-id", last)));
        let response = begin(session.address, "GET", &session.path, &headers, Bytes::new()).await;
        assert_eq!(response.status(), 200);
        Stream::of(response)
    }

    /// The next event that holds a message: its id and the message.
    pub(crate) async fn next(&mut self) -> (String, Value) {
        loop {
            let events: Vec<&str> =
                self.text.split_inclusive("\n\n").filter(|one| one.ends_with("\n\n")).collect();
            if let Some(event) = events.get(self.read) {
                self.read += 1;
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = field("data: ") else { continue };
                let id = field("id: ").unwrap_or_default().to_owned();
                return (id, serde_json::from_str(data).unwrap());
            }
            let frame = tokio::time::timeout(Duration::from_secs(20), self.body.frame());
            let frame = frame.await.expect("something comes").expect("the stream goes on").unwrap();
            self.text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        }
    }

    pub(crate) async fn until(&mut self, method: &str) -> (String, Value) {
        loop {
            let (id, message) = self.next().await;
            if message["method"] == method {
                return (id, message);
            }
        }
    }
}

async fn touch(world: &World, server: &str) {
    let params = json!({"name": format!("{server}__touch"), "arguments": {"uri": WATCHED}});
    let answer = modern(world.address, "/mcp", "tools/call", params).await.json();
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_all_servers_hear_of_what_they_watch() {
    let (old, new) = (Fixture::http("legacy"), Fixture::http("modern"));
    let all = [
        ("old", remote("old", &old.url)),
        ("child", process("child", "legacy")),
        ("new", remote("new", &new.url)),
        ("kid", process("kid", "modern")),
    ];
    for (name, server) in all {
        let world = World::new(vec![server]).await;
        let session = Session::open(world.address, "/mcp").await;
        let mut stream = Stream::listen(&session, None).await;
        let done = session.request("resources/subscribe", json!({"uri": WATCHED})).await;
        assert!(done["result"].is_object(), "{name}: {done}");
        let late = async {
            loop {
                // A server over HTTP may still be about to be listened to.
                touch(&world, name).await;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        tokio::select! {
            (_, update) = stream.until("notifications/resources/updated") => {
                assert_eq!(update["params"]["uri"], WATCHED, "{name}");
                assert!(!update.to_string().contains("subscriptionId"), "a mark of ours: {update}");
            }
            () = late => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_hears_of_what_it_watches() {
    for (name, era) in [("child", "legacy"), ("kid", "modern")] {
        let world = World::new(vec![process(name, era)]).await;
        let wanted = json!({"toolsListChanged": true, "resourceSubscriptions": [WATCHED, "test://nobodys"]});
        let (headers, body) = modern_request("subscriptions/listen", json!({"notifications": wanted}));
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let response = begin(world.address, "POST", "/mcp", &headers, body).await;
        let mut stream = Stream::of(response);
        let (_, first) = stream.next().await;
        let agreed = &first["params"]["notifications"];
        assert_eq!(agreed["resourceSubscriptions"], json!([WATCHED]), "{first}");
        touch(&world, name).await;
        let (id, update) = stream.until("notifications/resources/updated").await;
        assert_eq!(update["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{update}");
        assert_eq!((update["params"]["uri"].as_str(), id.as_str()), (Some(WATCHED), ""));
        let params = json!({"name": format!("{name}__test_trigger_tool_change"), "arguments": {}});
        modern(world.address, "/mcp", "tools/call", params).await;
        stream.until("notifications/tools/list_changed").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_hears_what_was_missed() {
    let world = World::new(vec![process("child", "legacy")]).await;
    for path in ["/mcp/child", "/mcp"] {
        let session = Session::open(world.address, path).await;
        assert!(session.request("resources/subscribe", json!({"uri": WATCHED})).await["result"].is_object());
        let mut stream = Stream::listen(&session, None).await;
        touch(&world, "child").await;
        let (seen, _) = stream.until("notifications/resources/updated").await;
        drop(stream);
        touch(&world, "child").await;
        let mut again = Stream::listen(&session, Some(&seen)).await;
        let (next, _) = again.until("notifications/resources/updated").await;
        assert!(!seen.is_empty() && seen != next, "{path}: {seen} {next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_goes_on_without_its_client_and_is_taken_up_again() {
    let world = World::new(vec![process("child", "legacy"), process("kid", "modern")]).await;
    for (path, tool) in [
        ("/mcp/child", "test_tool_with_progress"),
        ("/mcp/kid", "test_tool_with_progress"),
        ("/mcp", "child__test_tool_with_progress"),
    ] {
        let session = Session::open(world.address, path).await;
        let call = json!({"jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": {
            "name": tool, "arguments": {}, "_meta": {"progressToken": "t"}}});
        let headers = [("mcp-session-id", session.id.as_str())];
        let response = begin(world.address, "POST", path, &headers, Bytes::from(call.to_string())).await;
        let mut stream = Stream::of(response);
        let (seen, first) = stream.next().await;
        assert_eq!(first["params"]["progress"], 0, "{first}");
        drop(stream);
        let mut again = Stream::listen(&session, Some(&seen)).await;
        let mut told = Vec::new();
        loop {
            let (_, message) = again.next().await;
            if message["id"] == "mine" {
                assert_eq!(message["result"]["content"][0]["text"], "All is done.", "{message}");
                break;
            }
            told.push(message["params"]["progress"].clone());
        }
        assert_eq!(told, [50, 100], "{path}");
    }
}
