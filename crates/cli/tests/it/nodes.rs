//! Several gateways as processes of their own on one database: one runs a server's process, and another takes over when
//! it is killed.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::fixture::FIXTURE;
use crate::serving::{Gateway, eventually, lives};
use crate::world::World;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const ECHO: &str =
    r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}"#;

/// One of several gateways; they write the processes of their server into one file.
fn node(database: &str, name: &str, pids: &str) -> (World, Gateway) {
    let world = World::new(name);
    // The chains of all gateways are keyed alike.
    fs::create_dir_all(world.path("data/postgres/keys")).expect("a folder can be made");
    fs::write(world.path("data/postgres/keys/chain.key"), KEY).expect("a key can be written");
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("there is a free port").port();
    let script = format!("echo $$ >> '{pids}'; exec '{}' --stdio --era legacy", FIXTURE.display());
    let members = serde_json::json!({
        "listen": format!("127.0.0.1:{port}"), "data_dir": "data",
        "store": database, "seal_key": KEY, "node_address": format!("http://127.0.0.1:{port}"),
        "mcpServers": { "s": { "command": "sh", "args": ["-c", script] } },
        "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } },
    });
    let gateway = Gateway::start_with(&world, members.to_string());
    (world, gateway)
}

fn living(pids: &str) -> Vec<String> {
    let text = fs::read_to_string(pids).unwrap_or_default();
    text.lines().filter(|pid| lives(pid)).map(str::to_owned).collect()
}

#[test]
fn when_the_gateway_that_runs_a_server_is_killed_another_takes_over() {
    let cluster = Cluster::start("cli-nodes", false).unwrap_or_else(|error| panic!("{error}"));
    let database = cluster.database("nodes").expect("a database can be made");
    let shared = World::new("nodes_shared");
    let pids = shared.path("pids");
    let mut nodes: Vec<(World, Gateway)> =
        (0..3).map(|number| node(&database, &format!("nodes_{number}"), &pids)).collect();
    let sessions: Vec<String> = nodes.iter().map(|(_, gateway)| gateway.open()).collect();
    for ((_, gateway), session) in nodes.iter().zip(&sessions) {
        let answer = gateway.post(session, ECHO);
        assert!(answer.contains("\"result\""), "{answer}");
    }
    let before = living(&pids);
    assert_eq!(before.len(), 1, "{before:?}");
    let (_world, owner) = nodes.remove(0);
    owner.signal("-KILL");
    let killed = Instant::now();
    eventually("its process ends with it", || !lives(&before[0]));
    for ((_, gateway), session) in nodes.iter().zip(&sessions[1..]) {
        eventually("another node serves", || {
            assert!(living(&pids).len() < 2);
            gateway.post(session, ECHO).contains("\"result\"")
        });
    }
    // Ten seconds are promised; a machine that is busy has a little more.
    assert!(killed.elapsed() < Duration::from_secs(15), "{:?}", killed.elapsed());
    assert_eq!(living(&pids).len(), 1);
}
