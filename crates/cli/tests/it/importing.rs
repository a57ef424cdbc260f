//! `serve` for the first time: no file, what it says, and the servers of clients taken in.
#![cfg(unix)]

use std::process::Command;

use serde_json::json;

use crate::gate::{Running, Upstream};
use crate::home::Home;
use crate::relay::SHELL;
use crate::world::HONEST;

fn serve(home: &Home, arguments: &[&str]) -> Running {
    let mut command: Command = home.command(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments).current_dir(home.world.path("home"));
    Running::spawn(&home.world, command)
}

/// What `security list` says of all servers.
fn listed(home: &Home) -> String {
    home.done(&["security", "list"])
}

fn home_of_two(name: &str, url: &str) -> Home {
    let home = Home::new(name);
    home.program("uvx", SHELL);
    let cursor = json!({ "mcpServers": {
        "Dice": { "command": "uvx", "args": ["dice"], "env": { "KEY": "not-for-you" } },
        "off": { "command": "uvx", "disabled": true },
    } });
    home.write(".cursor/mcp.json", &cursor.to_string());
    let kiro = json!({ "mcpServers": {
        "tickets": { "url": url, "headers": { "Authorization": "Bearer not-for-you" } },
        "dice": { "command": "uvx", "args": ["dice"], "env": { "KEY": "not-for-you" } },
    } });
    home.write(".kiro/settings/mcp.json", &kiro.to_string());
    home
}

#[test]
fn a_start_without_a_file_says_where_everything_is_and_asks_nothing() {
    let home = home_of_two("importing_offer", "http://127.0.0.1:9/mcp");
    let gateway = serve(&home, &[]);
    assert_eq!(gateway.tools("/mcp"), [""; 0]);
    let address = gateway.address.clone();
    gateway.stop();
    let said = home.world.relative(&home.world.read("gateway.log")).replace(&address, "ADDRESS");
    for line in [
        "agents: http://ADDRESS/mcp",
        "API: http://ADDRESS/api/v1",
        "data: data",
        "client: Cursor, 0 of 2 servers through the gate: home/.cursor/mcp.json",
        "client: Kiro, 0 of 2 servers through the gate: home/.kiro/settings/mcp.json",
        "portcullis serve --import",
        "the first token, of the role admin",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(listed(&home), "", "an offer takes nothing");
}

#[test]
fn imported_servers_are_held_and_come_once() {
    let upstream = Upstream::new(&[HONEST]);
    let home = home_of_two("importing_twice", &upstream.url);
    let gateway = serve(&home, &["--import"]);
    wait(&home, "2 imported, 1 already here, 1 left");
    assert_eq!(gateway.tools("/mcp"), [""; 0], "whichever way a server comes, it is held");
    let first = listed(&home);
    assert!(first.contains("dice  manual  read  1 quarantined"), "{first}");
    assert!(first.contains("tickets  manual  read  1 quarantined"), "{first}");
    home.done(&["security", "approve", "tickets", "--all-clean"]);
    gateway.sees("/mcp", &["tickets__roll_dice"]);
    gateway.stop();
    let said = home.world.read("gateway.log");
    assert!(said.contains("imported Dice of Cursor as dice") && !said.contains("not-for-you"), "{said}");

    let gateway = serve(&home, &["--import"]);
    wait(&home, "0 imported, 3 already here, 1 left");
    gateway.sees("/mcp", &["tickets__roll_dice"]);
    assert_eq!(listed(&home).lines().count(), 2, "{}", listed(&home));
    gateway.stop();
    let kept = std::fs::read(home.world.path("data/registry.sqlite")).expect("it is there");
    let is_clear = kept.windows(11).any(|bytes| bytes == b"not-for-you");
    assert!(!is_clear, "what is kept is sealed");
}

/// Waits until the gateway has said something.
#[track_caller]
fn wait(home: &Home, line: &str) {
    let began = std::time::Instant::now();
    while !home.world.read("gateway.log").contains(line) {
        assert!(began.elapsed().as_secs() < 30, "not said: {line}: {}", home.world.read("gateway.log"));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
