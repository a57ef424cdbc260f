//! The binary itself: what only a process has, such as pipes and environment variables.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::world::{HONEST, HOSTILE};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["scan", "-", "--format", "json"]).spawn().expect("the binary starts");
    drop(child.stdout.take());
    child.stdin.take().expect("a pipe").write_all(HOSTILE.as_bytes()).expect("the binary reads");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(1), "the finding still counts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn environment_variables_stand_in_for_flags() {
    let mut child = command(&["scan", "-"])
        .env("PORTCULLIS_FORMAT", "json")
        .env("PORTCULLIS_PERSONA", "auditor")
        .env("PORTCULLIS_EXIT_ZERO", "1")
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(HOSTILE.as_bytes()).expect("the binary reads");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["persona"], "auditor");
}

#[test]
fn a_pipe_gets_no_colours_and_no_progress() {
    let mut child = command(&["scan", "-"]).spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(HONEST.as_bytes()).expect("the binary reads");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.contains(&0x1b) && output.stderr.is_empty());
}
