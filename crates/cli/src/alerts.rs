//! `portcullis alerts`: whether alerts arrive where they should.

use clap::{Args, Subcommand};
use portcullis_detect::escape_line;
use serde_json::{Value, json};

use crate::Streams;
use crate::exit::{Exit, Failure};
use crate::security::desk::DeskPlace;

/// Characters of a text on a line.
const LONGEST: usize = 400;

#[derive(Debug, Args)]
pub(crate) struct AlertsArguments {
    #[command(flatten)]
    place: DeskPlace,
    #[command(subcommand)]
    command: AlertsCommand,
}

#[derive(Debug, Subcommand)]
enum AlertsCommand {
    /// Send a test alert, and say what the receiver answered.
    Test,
}

/// Runs the command. An alert that does not arrive is a finding.
pub(crate) fn run(arguments: &AlertsArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let AlertsCommand::Test = arguments.command;
    let answer = arguments.place.open()?.post("/alerts/test", &json!({}))?;
    let mut exit = Exit::Clean;
    for place in ["webhook", "desktop"] {
        let went = &answer[place];
        if went.is_null() {
            continue;
        }
        writeln!(streams.out, "{place}: {}", told(went))?;
        if went["delivered"] != true {
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}

/// How it went, on one line.
fn told(went: &Value) -> String {
    let text = |key: &str| went[key].as_str().map(|text| escape_line(text, LONGEST)).unwrap_or_default();
    let mut line =
        if went["delivered"] == true { "delivered".to_owned() } else { "not delivered".to_owned() };
    if let Some(status) = went["status"].as_u64() {
        line.push_str(&format!(", answered {status}"));
    }
    for (before, part) in [(": ", text("why")), (": ", text("answer"))] {
        if !part.is_empty() {
            line.push_str(before);
            line.push_str(&part);
        }
    }
    line
}
