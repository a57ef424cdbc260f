//! Reviewing, as an operator does it: with a gateway that runs, and without one.

use crate::gate::{Running, Upstream};
use crate::relay::{Relay, SHELL};
use crate::world::{HONEST, HOSTILE, Outcome, World, run};
use serde_json::json;

const CHANGED: &str =
    r#"{"name":"roll_dice","description":"Rolls dice, and adds them up.","inputSchema":{"type":"object"}}"#;

fn configured(world: &World, servers: &[(&str, &str)]) -> String {
    let servers: serde_json::Map<_, _> =
        servers.iter().map(|(name, url)| ((*name).to_owned(), json!({ "url": url }))).collect();
    world.file("portcullis.json", json!({ "listen": "127.0.0.1:0", "mcpServers": servers }).to_string())
}

fn command(world: &World, arguments: &[&str]) -> Outcome {
    let data = world.path("data");
    let config = world.path("portcullis.json");
    run(&[arguments, &["--data", &data, "--config", &config]].concat())
}

fn done(world: &World, arguments: &[&str]) -> String {
    let outcome = command(world, arguments);
    assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.err);
    outcome.out
}

#[test]
fn a_reviewer_holds_approves_and_sees_what_changed() {
    let world = World::new("security_review");
    let upstream = Upstream::new(&[HONEST, HOSTILE]);
    let gateway = Running::start(&world, &configured(&world, &[("dice", &upstream.url)]));
    gateway.sees("/mcp/dice", &[]);
    let listed = done(&world, &["security", "list", "dice"]);
    assert!(listed.contains("roll_dice  quarantined") && listed.contains("[unicode.hidden]"), "{listed}");
    let shown = done(&world, &["security", "inspect", "dice", "hide_dice"]);
    assert!(shown.contains("U+200B") && !shown.contains('\u{200b}'), "{shown}");

    let approved = done(&world, &["security", "approve", "dice", "--all-clean"]);
    assert!(approved.contains("approved roll_dice") && approved.contains("left hide_dice"), "{approved}");
    gateway.sees("/mcp/dice", &["roll_dice"]);
    let refused = command(&world, &["security", "approve", "dice", "hide_dice"]);
    assert!(refused.code == 2 && refused.err.contains("unicode.hidden"), "{}", refused.err);
    let accept =
        ["security", "approve", "dice", "hide_dice", "--accept", "unicode.hidden", "--reason", "known"];
    done(&world, &accept);
    gateway.sees("/mcp/dice", &["roll_dice", "hide_dice"]);

    upstream.declare(&[CHANGED]);
    gateway.sees("/mcp/dice", &[]);
    let shown = done(&world, &["security", "inspect", "dice", "roll_dice"]);
    assert!(shown.contains("rug_pull") && shown.contains("changed at /description"), "{shown}");
    upstream.declare(&[HONEST]);
    gateway.sees("/mcp/dice", &["roll_dice"]);
    done(&world, &["security", "block", "dice", "roll_dice", "--reason", "no more dice"]);
    gateway.sees("/mcp/dice", &[]);
}

#[test]
fn what_is_decided_without_a_gateway_holds_when_one_runs() {
    let world = World::new("security_offline");
    let upstream = Upstream::new(&[HONEST]);
    let file = configured(&world, &[("dice", &upstream.url)]);
    let gateway = Running::start(&world, &file);
    gateway.sees("/mcp/dice", &[]);
    gateway.stop();
    assert!(done(&world, &["security", "list"]).contains("1 quarantined"));
    let refused = command(&world, &["security", "scan", "dice"]);
    assert!(refused.code == 2 && refused.err.contains("no gateway runs"), "{}", refused.err);
    done(&world, &["security", "approve", "dice", "roll_dice"]);
    let gateway = Running::start(&world, &file);
    gateway.sees("/mcp/dice", &["roll_dice"]);
    done(&world, &["security", "quarantine", "dice", "--reason", "holiday"]);
    gateway.sees("/mcp/dice", &[]);
    done(&world, &["security", "unquarantine", "dice"]);
    gateway.sees("/mcp/dice", &["roll_dice"]);
}

#[test]
fn a_file_that_changes_brings_servers_and_takes_them() {
    let world = World::new("security_reload");
    let (one, other) = (Upstream::new(&[HONEST]), Upstream::new(&[CHANGED]));
    let gateway = Running::start(&world, &configured(&world, &[("one", &one.url)]));
    gateway.sees("/mcp/one", &[]);
    done(&world, &["security", "approve", "one", "--all-clean"]);
    gateway.sees("/mcp", &["one__roll_dice"]);
    configured(&world, &[("one", &one.url), ("two", &other.url)]);
    let wait = std::time::Instant::now();
    while !done(&world, &["security", "list"]).contains("two  ") {
        assert!(wait.elapsed().as_secs() < 30, "the new server is taken in");
    }
    assert_eq!(gateway.tools("/mcp/two"), [""; 0], "whichever way it came");
    gateway.sees("/mcp", &["one__roll_dice"]);
    configured(&world, &[("one", &other.url), ("two", &other.url)]);
    gateway.sees("/mcp", &[]);
    let listed = done(&world, &["security", "list"]);
    assert!(listed.contains("HELD: its server is launched in another way"), "{listed}");
    done(&world, &["security", "confirm-launch", "one"]);
    let refused = gateway.ask("/mcp/one", "tools/call", &json!({ "name": "roll_dice", "arguments": {} }));
    assert!(refused.to_string().contains("changed since it was approved"), "{refused}");
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let world = World::new("security_tokens");
    configured(&world, &[]);
    let token = done(&world, &["token", "create", "--role", "agent", "--name", "editor"]);
    assert!(token.starts_with("pcl_") && token.trim().len() > 40, "{token}");
    let listed = done(&world, &["token", "list"]);
    assert!(listed.contains("agent  editor") && !listed.contains(token.trim()), "{listed}");
    let id = listed.split_whitespace().next().expect("a line");
    done(&world, &["token", "revoke", id]);
    assert_eq!(done(&world, &["token", "list"]), "");
    let wrong = command(&world, &["token", "create", "--role", "king"]);
    assert!(wrong.code == 2 && wrong.err.contains("one of agent, viewer"), "{}", wrong.err);
}

#[test]
fn twelve_relays_share_one_gateway_and_what_is_approved() {
    let world = World::new("security_wrap");
    configured(&world, &[]);
    let mut relays: Vec<Relay> =
        (0..12).map(|number| Relay::start(&world, &format!("dice-{number}"), SHELL)).collect();
    for relay in &mut relays {
        relay.open();
        assert_eq!(relay.tools(), 0, "what a client starts is held as everything is");
    }
    let listed = done(&world, &["security", "list"]);
    assert_eq!(listed.lines().filter(|line| line.contains("1 quarantined")).count(), 12, "{listed}");
    done(&world, &["security", "approve", "dice-7", "--all-clean"]);
    assert_eq!((relays[7].tools(), relays[8].tools()), (1, 0));
    let mut again = Relay::start(&world, "dice-7", SHELL);
    again.open();
    assert_eq!(again.tools(), 1, "the same launch is the same server");
    let mut other = Relay::start(&world, "dice-7", &format!("{SHELL}\n:"));
    other.open();
    assert_eq!(other.tools(), 0, "another launch under the same name is another server");
    drop((relays, again, other));
    stop(&world);
}

#[test]
fn a_wrapped_server_stays_as_long_as_one_of_its_clients_does() {
    let world = World::new("security_siblings");
    configured(&world, &[]);
    let began = world.path("began");
    let script = format!("echo $$ >> '{began}'\n{SHELL}");
    let mut first = Relay::start(&world, "dice", &script);
    first.open();
    let mut second = Relay::start(&world, "dice", &script);
    second.open();
    drop(first);
    let process = std::fs::read_to_string(&began).expect("both said who they are");
    let process = process.lines().next().expect("the first did").to_owned();
    let lives = || {
        let mut kill = std::process::Command::new("kill");
        kill.args(["-0", &process]).stderr(std::process::Stdio::null()).status().expect("kill runs").success()
    };
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while lives() {
        assert!(std::time::Instant::now() < end, "the first process never ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    done(&world, &["security", "scan", "dice"]);
    assert!(done(&world, &["security", "list"]).contains("dice  manual  read"));
    done(&world, &["security", "approve", "dice", "--all-clean"]);
    assert_eq!(second.tools(), 1);
    drop(second);
    stop(&world);
}

/// Ends the gateway that relays started.
fn stop(world: &World) {
    let pid = std::fs::read_to_string(world.path("data/lock")).expect("a gateway holds the store");
    let pid: String =
        pid.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    assert!(std::process::Command::new("kill").arg(&pid).status().expect("kill runs").success());
}
