//! Three gateways on one PostgreSQL: one of them runs a server's process, the others speak to it there, and another takes
//! over when it ends.

use super::client::{Session, begin, modern, send};
use super::cluster::Cluster;
use super::news::Stream;
use super::quarantine::asked;
use super::script::{Folder, eventually, lives};
use super::world::{World, process};
use bytes::Bytes;
use portcullis_gateway::settings::{NodeAddress, Server};
use portcullis_store::{Lease, Status, Store};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// When a node has died, everything works again after ten seconds; a machine that is busy has a little more.
const TAKEN_OVER: Duration = Duration::from_secs(15);

/// Gateways that share a database, and the folder their server runs in.
struct Nodes {
    worlds: Vec<World>,
    folder: Folder,
    database: String,
    server: Server,
}

impl Nodes {
    async fn three() -> Nodes {
        Nodes::with(3, |_| {}).await
    }

    async fn with(count: usize, change: impl FnOnce(&mut Server)) -> Nodes {
        let (folder, database) = (Folder::new(), database());
        let mut server = folder.server("desk", "exec fixture");
        change(&mut server);
        let mut nodes = Nodes { worlds: Vec::new(), folder, database, server };
        for _ in 0..count {
            let address = nodes.database.clone();
            nodes.add(&address).await;
        }
        nodes
    }

    /// One more gateway, which finds the database there.
    async fn add(&mut self, database: &str) {
        self.add_at(database, NodeAddress::Listening).await;
    }

    async fn add_at(&mut self, database: &str, node: NodeAddress) {
        let (store, folder) = store(database);
        let shared = Arc::clone(&store);
        let mut world = World::with(vec![self.server.clone()], |settings| {
            (settings.store, settings.node, settings.record_waits) = (shared, Some(node), true);
        })
        .await;
        let _ = std::fs::remove_dir_all(std::mem::replace(&mut world.folder, folder));
        world.store = store;
        self.worlds.push(world);
    }

    async fn session(&self, node: usize) -> Session {
        Session::open(self.worlds[node].address, "/mcp/desk").await
    }

    /// The processes that live now.
    fn living(&self) -> Vec<u32> {
        self.folder.pids("pids").into_iter().filter(|pid| lives(*pid)).collect()
    }
}

/// A store of its own in a database, as another machine would have it.
fn store(database: &str) -> (Arc<dyn Store>, PathBuf) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lease-{}-{number}", std::process::id()));
    let keys = folder.join("postgres/keys");
    std::fs::create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("chain.key"), KEY).unwrap();
    (Arc::from(portcullis_store::open(database, &folder, &Default::default()).unwrap()), folder)
}

/// The address of a database of its own.
fn database() -> String {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let cluster =
        CLUSTER.get_or_init(|| Cluster::start("leases", false).unwrap_or_else(|why| panic!("{why}")));
    cluster.database(&format!("lease_{}", NUMBER.fetch_add(1, Ordering::Relaxed))).unwrap()
}

async fn echo(session: &Session) -> Value {
    session.request("tools/call", json!({ "name": "echo", "arguments": { "a": 1 } })).await
}

/// Calls until it works, and says how long that took.
async fn recovers(session: &Session) -> Duration {
    let began = Instant::now();
    loop {
        let answer = echo(session).await;
        if answer["result"].is_object() {
            return began.elapsed();
        }
        assert!(began.elapsed() < 3 * TAKEN_OVER, "{answer}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Who is known to run the server.
async fn node_of(world: &World) -> Value {
    asked(world, "/servers/desk").await["node"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_passes_that_the_database_did_not_acknowledge_and_who_leaves_is_recorded() {
    let cluster = Cluster::start("acknowledged", false).unwrap_or_else(|why| panic!("{why}"));
    let (store, folder) = store(&cluster.database("acknowledged").unwrap());
    let shared = Arc::clone(&store);
    let mut world = World::with(vec![process("p", "modern")], |settings| {
        (settings.store, settings.record_waits) = (shared, true);
    })
    .await;
    let _ = std::fs::remove_dir_all(std::mem::replace(&mut world.folder, folder));
    world.store = store;
    let call = async |tool: &str| {
        modern(world.address, "/mcp/p", "tools/call", json!({ "name": tool, "arguments": {} })).await.json()
    };
    assert!(call("echo").await["result"].is_object());
    assert!(tokio::time::timeout(Duration::from_millis(1500), call("never")).await.is_err());
    let recorded: Vec<Status> = world.activity(4).await.iter().map(|entry| entry.status).collect();
    assert_eq!(recorded, [Status::Sent, Status::Answered, Status::Sent, Status::Failed]);
    cluster.crash().unwrap();
    let refused = call("echo").await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("cannot be recorded"), "{refused}");
    cluster.begin().unwrap();
    eventually("it passes again", async || call("echo").await["result"].is_object()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_serves_the_callers_of_all_nodes() {
    let nodes = Nodes::three().await;
    let sessions = [nodes.session(0).await, nodes.session(1).await, nodes.session(2).await];
    for _ in 0..3 {
        let (one, two, three) = tokio::join!(echo(&sessions[0]), echo(&sessions[1]), echo(&sessions[2]));
        for answer in [one, two, three] {
            assert!(answer["result"].is_object(), "{answer}");
        }
    }
    assert_eq!((nodes.living().len(), nodes.folder.pids("pids").len()), (1, 1));
    let owner = format!("http://{}", nodes.worlds[0].address);
    for world in &nodes.worlds {
        assert_eq!(node_of(world).await, owner.as_str());
        assert_eq!(world.store.registry().leases().unwrap()[0].address, owner);
    }
    let page = send(nodes.worlds[0].address, "GET", "/metrics", &[], "").await.body;
    let page = String::from_utf8_lossy(&page);
    assert!(page.contains("portcullis_leases 1\n"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_the_server_reaches_the_caller_that_made_it_ask() {
    let nodes = Nodes::three().await;
    let (owner, one, other) = (nodes.session(0).await, nodes.session(1).await, nodes.session(2).await);
    assert!(echo(&owner).await["result"].is_object() && echo(&other).await["result"].is_object());
    for (tool, method, result) in [
        (
            "test_sampling",
            "sampling/createMessage",
            json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "from the second node" } }),
        ),
        (
            "test_elicitation",
            "elicitation/create",
            json!({ "action": "accept", "content": { "username": "second", "email": "second@node.example" } }),
        ),
    ] {
        let arguments = json!({ "prompt": "say", "message": "who are you?" });
        let call = json!({ "jsonrpc": "2.0", "id": "mine", "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } });
        let headers = [("mcp-session-id", one.id.as_str())];
        let body = Bytes::from(call.to_string());
        let mut stream = Stream::of(begin(one.address, "POST", &one.path, &headers, body).await);
        let (_, question) = stream.until(method).await;
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        assert_eq!(one.post(answer.to_string()).await.status, 202);
        let (_, done) = stream.next().await;
        assert_eq!(done["id"], "mine", "{done}");
        assert!(done["result"].to_string().contains("second"), "{done}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_cancelling_pass_to_the_caller_and_the_server() {
    let nodes = Nodes::with(2, |_| {}).await;
    let (owner, session) = (nodes.session(0).await, nodes.session(1).await);
    assert!(echo(&owner).await["result"].is_object());
    let headers = [("mcp-session-id", session.id.as_str())];
    let call = |id: u32, tool: &str| {
        let params = json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": "token" } });
        Bytes::from(
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string(),
        )
    };
    let body = call(1, "test_tool_with_progress");
    let mut stream = Stream::of(begin(session.address, "POST", &session.path, &headers, body).await);
    for progress in [0, 50, 100] {
        let (_, told) = stream.until("notifications/progress").await;
        assert_eq!(
            (&told["params"]["progress"], &told["params"]["progressToken"]),
            (&json!(progress), &json!("token"))
        );
    }
    assert_eq!(stream.next().await.1["id"], 1);
    let cancelled = async || {
        let answer = owner.request("tools/call", json!({ "name": "cancelled", "arguments": {} })).await;
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(cancelled().await, "0");
    let never = tokio::spawn({
        let (address, path, id) = (session.address, session.path.clone(), session.id.clone());
        let body = call(2, "never");
        async move { send(address, "POST", &path, &[("mcp-session-id", &id)], body).await }
    });
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    eventually("the server hears that a call is cancelled", async || {
        session.post(cancel).await;
        cancelled().await == "1"
    })
    .await;
    never.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_tells_everybody_is_heard_on_every_node() {
    let nodes = Nodes::three().await;
    let (owner, other) = (nodes.session(0).await, nodes.session(2).await);
    assert!(echo(&owner).await["result"].is_object() && echo(&other).await["result"].is_object());
    let mut stream = Stream::listen(&other, None).await;
    let change = json!({ "name": "test_trigger_tool_change", "arguments": {} });
    assert!(owner.request("tools/call", change).await["result"].is_object());
    stream.until("notifications/tools/list_changed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stops_hands_its_servers_over_at_once() {
    let mut nodes = Nodes::three().await;
    let (first, second, third) = (nodes.session(0).await, nodes.session(1).await, nodes.session(2).await);
    for session in [&first, &second, &third] {
        assert!(echo(session).await["result"].is_object());
    }
    let before = nodes.living();
    // A call of another node that is under way is answered before the process ends.
    let slow = tokio::spawn(async move {
        second.request("tools/call", json!({ "name": "slow", "arguments": { "ms": 1500 } })).await
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    nodes.worlds[0].stop().await;
    let answer = slow.await.unwrap();
    assert!(answer["result"].is_object(), "{answer}");
    let took = recovers(&third).await;
    assert!(took < Duration::from_secs(5), "the lease is not waited for: {took:?}");
    let after = nodes.living();
    assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
    assert_eq!(node_of(&nodes.worlds[1]).await, format!("http://{}", nodes.worlds[2].address).as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_a_node_no_longer_has_is_handed_over() {
    let nodes = Nodes::with(2, |_| {}).await;
    let (first, second) = (nodes.session(0).await, nodes.session(1).await);
    assert!(echo(&first).await["result"].is_object() && echo(&second).await["result"].is_object());
    nodes.worlds[0].control.reload(Vec::new()).unwrap();
    let took = recovers(&second).await;
    assert!(took < TAKEN_OVER, "{took:?}");
    eventually("the second runs it", async || {
        echo(&second).await;
        node_of(&nodes.worlds[1]).await == format!("http://{}", nodes.worlds[1].address).as_str()
    })
    .await;
    assert_eq!(nodes.living().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_stuck_is_ended_by_its_node_when_another_waits_in_vain() {
    let nodes = Nodes::with(2, |server| server.answer = Some(Duration::from_millis(500))).await;
    let (owner, other) = (nodes.session(0).await, nodes.session(1).await);
    assert!(echo(&owner).await["result"].is_object() && echo(&other).await["result"].is_object());
    let stuck = nodes.living()[0];
    let frozen = std::process::Command::new("kill").args(["-STOP", &stuck.to_string()]).status();
    assert!(frozen.unwrap().success());
    let late = echo(&other).await;
    assert!(late["error"]["message"].as_str().unwrap().contains("in time"), "{late}");
    eventually("the process is ended", async || !lives(stuck)).await;
    recovers(&other).await;
    assert_eq!(nodes.living().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lease_of_a_node_that_died_is_taken_over() {
    let nodes = Nodes::three().await;
    let dead = Lease { name: "desk".into(), holder: "dead".into(), address: nobody() };
    let registry = nodes.worlds[0].store.registry();
    assert_eq!(registry.hold_lease(&dead, Duration::from_secs(6)).unwrap(), dead);
    let began = Instant::now();
    let (one, two) = tokio::join!(nodes.session(0), nodes.session(1));
    assert!(echo(&one).await["result"].is_object() && echo(&two).await["result"].is_object());
    let took = began.elapsed();
    assert!(took > Duration::from_secs(4) && took < TAKEN_OVER, "{took:?}");
    assert_eq!(nodes.living().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_lives_and_is_not_reached_keeps_its_lease() {
    let nodes = Nodes::with(1, |_| {}).await;
    let far = Lease { name: "desk".into(), holder: "far".into(), address: nobody() };
    nodes.worlds[0].store.registry().hold_lease(&far, Duration::from_secs(600)).unwrap();
    let opening = super::client::INITIALIZE;
    let answer = send(nodes.worlds[0].address, "POST", "/mcp/desk", &[], opening).await;
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("desk") && text.contains(&far.address), "{text}");
    assert_eq!(nodes.living().len(), 0);
}

/// An address where nobody listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_cut_off_from_the_database_ends_its_process_before_another_begins_one() {
    let mut nodes = Nodes::with(1, |_| {}).await;
    let (wire, database) = Wire::to_database(&nodes.database).await;
    nodes.add(&database).await;
    let (cut_off, other) = (nodes.session(1).await, nodes.session(0).await);
    for session in [&cut_off, &other] {
        let answer = echo(session).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    let before = nodes.living();
    assert_eq!(before.len(), 1);
    wire.cut();
    // At no time are there two.
    let watching = async {
        loop {
            assert!(nodes.living().len() < 2, "{:?}", nodes.living());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let moving = async {
        eventually("the process ends", async || !lives(before[0])).await;
        recovers(&other).await
    };
    let began = Instant::now();
    tokio::select! {
        () = watching => {}
        _ = moving => assert!(began.elapsed() < TAKEN_OVER, "{:?}", began.elapsed()),
    }
    let after = nodes.living();
    assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_away_nothing_runs_and_it_comes_back_by_itself() {
    let cluster = Cluster::start("leases-away", false).unwrap();
    let mut nodes = Nodes::with(0, |_| {}).await;
    nodes.database = cluster.database("away").unwrap();
    for _ in 0..2 {
        let database = nodes.database.clone();
        nodes.add(&database).await;
    }
    let (owner, other) = (nodes.session(0).await, nodes.session(1).await);
    assert!(echo(&owner).await["result"].is_object() && echo(&other).await["result"].is_object());
    cluster.crash().unwrap();
    eventually("the process ends", async || nodes.living().is_empty()).await;
    let answer = echo(&other).await;
    assert!(answer["result"].is_null(), "{answer}");
    cluster.begin().unwrap();
    assert!(recovers(&other).await < TAKEN_OVER && recovers(&owner).await < TAKEN_OVER);
    assert_eq!(nodes.living().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_prove_to_be_a_node_is_refused_and_a_proof_is_good_once() {
    let mut nodes = Nodes::with(0, |_| {}).await;
    let (wire, far) = Wire::new().await;
    let database = nodes.database.clone();
    nodes.add_at(&database, NodeAddress::At(wire.near("http://").parse().unwrap())).await;
    let owner = nodes.worlds[0].address;
    far.set(owner.to_string()).unwrap();
    nodes.add(&database).await;
    let first = nodes.session(0).await;
    assert!(echo(&first).await["result"].is_object());
    assert!(echo(&nodes.session(1).await).await["result"].is_object(), "through the address it was told");
    let upgrade = [("connection", "upgrade"), ("upgrade", "portcullis-relay")];
    let knock = async |path: &str, more: &[(&str, &str)]| {
        begin(owner, "GET", path, &[&upgrade[..], more].concat(), Bytes::new()).await.status().as_u16()
    };
    assert_eq!(begin(owner, "GET", "/relay/desk", &[], Bytes::new()).await.status(), 404);
    assert_eq!(knock("/relay/desk", &[]).await, 401);
    assert_eq!(knock("/relay/desk", &[("portcullis-proof", "AAAA")]).await, 401);
    let used = wire.proof();
    assert_eq!(knock("/relay/desk", &[("portcullis-proof", &used)]).await, 401);
    // One that was meant for another node, and never came there.
    let (elsewhere, _nobody) = Wire::new().await;
    nodes.worlds[0].stop().await;
    let lease = Lease { name: "desk".into(), holder: "far".into(), address: elsewhere.near("http://") };
    let registry = nodes.worlds[1].store.registry();
    assert_eq!(registry.hold_lease(&lease, Duration::from_secs(5)).unwrap(), lease);
    assert!(echo(&nodes.session(1).await).await["result"].is_object());
    let unused = elsewhere.proof();
    let second = nodes.worlds[1].address;
    let headers = [&upgrade[..], &[("portcullis-proof", &*unused)]].concat();
    assert_eq!(begin(second, "GET", "/relay/desk", &headers, Bytes::new()).await.status(), 401);
    let page = send(second, "GET", "/metrics", &[], "").await.body;
    assert!(String::from_utf8_lossy(&page).contains("portcullis_unauthorized_total 1\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_run_on_each_node() {
    let nodes = Nodes::with(3, |server| server.each_node = true).await;
    for node in 0..3 {
        assert!(echo(&nodes.session(node).await).await["result"].is_object());
    }
    assert_eq!(nodes.living().len(), 3);
    assert_eq!(nodes.worlds[0].store.registry().leases().unwrap(), []);
    assert_eq!(node_of(&nodes.worlds[0]).await, Value::Null);
}

/// A line that can be overheard, and cut.
struct Wire {
    near: SocketAddr,
    heard: Arc<Mutex<Vec<u8>>>,
    passing: JoinHandle<()>,
}

impl Wire {
    /// A line, and where its other end is to be said.
    async fn new() -> (Wire, Arc<OnceLock<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (near, far) = (listener.local_addr().unwrap(), Arc::<OnceLock<String>>::default());
        let (end, heard) = (Arc::clone(&far), Arc::<Mutex<Vec<u8>>>::default());
        let ears = Arc::clone(&heard);
        let passing = tokio::spawn(async move {
            let mut lines = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                lines.spawn(pass(stream, end.get().cloned(), Arc::clone(&ears)));
            }
        });
        (Wire { near, heard, passing }, far)
    }

    /// A line to a database.
    async fn to_database(address: &str) -> (Wire, String) {
        let (user, place) = address.split_once('@').unwrap();
        let (host, name) = place.split_once('/').unwrap();
        let (wire, far) = Wire::new().await;
        far.set(host.to_owned()).unwrap();
        let address = format!("{}/{name}", wire.near(&format!("{user}@")));
        (wire, address)
    }

    fn near(&self, before: &str) -> String {
        format!("{before}{}", self.near)
    }

    /// The last proof that went over it.
    fn proof(&self) -> String {
        let heard = self.heard.lock().unwrap();
        let text = String::from_utf8_lossy(&heard);
        let mut proofs = text.lines().filter_map(|line| line.strip_prefix("portcullis-proof: "));
        proofs.next_back().unwrap().trim().to_owned()
    }

    /// Everything that passes ends, and nobody takes anything new.
    fn cut(&self) {
        self.passing.abort();
    }
}

/// Passes everything on, if there is another end, and remembers what was said first.
async fn pass(mut near: TcpStream, far: Option<String>, heard: Arc<Mutex<Vec<u8>>>) {
    let mut first = vec![0; 4096];
    let count = near.read(&mut first).await.unwrap_or_default();
    heard.lock().unwrap().extend_from_slice(&first[..count]);
    let Some(far) = far else { return };
    let mut far = TcpStream::connect(&far).await.unwrap();
    far.write_all(&first[..count]).await.unwrap();
    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
}
