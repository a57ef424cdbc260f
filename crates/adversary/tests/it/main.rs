//! The binary as clients and readers meet it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod commands;
mod conduct;
mod link;
mod triggers;
mod validity;

use std::process::{Command, Output};

/// The binary with arguments.
fn adversary(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis-adversary"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    adversary(arguments).output().unwrap()
}

/// What it says on stdout, having succeeded.
fn says(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says on stderr, having refused.
fn refuses(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// All scenarios, as `--list --json` shows them.
fn scenarios() -> Vec<serde_json::Value> {
    says(&["--list", "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
