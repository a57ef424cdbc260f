//! `portcullis sessions`: which sessions a gateway serves, and what happened in them, call by call.

use std::io::Write;

use clap::{Args, Subcommand};
use portcullis_detect::escape_line;
use portcullis_report::safe_line;
use serde_json::Value;

use crate::Streams;
use crate::args::ListFormat;
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::security::desk::{DeskPlace, part};

/// Characters of a text on a line.
const LONGEST: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    #[command(flatten)]
    place: DeskPlace,
    /// How to write the answer.
    #[arg(long, global = true, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    format: ListFormat,
    #[command(subcommand)]
    command: SessionsCommand,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List the sessions that came to the gateway, the last to be seen first.
    List {
        /// How many at most.
        #[arg(long, default_value_t = 100, value_name = "N", env = "PORTCULLIS_LIMIT")]
        limit: usize,
    },
    /// Show the calls of a session in order, whose data moved where, and which rules fired.
    Show {
        /// The session, as `list` and the activity name it.
        id: String,
    },
}

/// Runs the command.
pub(crate) fn run(arguments: &SessionsArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.running()?;
    let answer = match &arguments.command {
        SessionsCommand::List { limit } => desk.get(&format!("/sessions?limit={limit}"))?,
        SessionsCommand::Show { id } => desk.get(&format!("/sessions/{}/flow", part(id)))?,
    };
    let written = match (arguments.format, &arguments.command) {
        (ListFormat::Json, _) => writeln!(streams.out, "{}", safe_line(&answer)),
        (ListFormat::Plain, SessionsCommand::List { .. }) => {
            each(&answer["sessions"]).try_for_each(|session| list_line(session, streams.out))
        }
        (ListFormat::Plain, SessionsCommand::Show { .. }) => show(&answer, streams.out),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    Ok(Exit::Clean)
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    escape_line(value.as_str().unwrap_or("-"), LONGEST)
}

fn words(value: &Value) -> String {
    let all: Vec<String> = each(value).map(text).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(", ") }
}

fn list_line(session: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    let ended = if session["ended"] == true { "  ended" } else { "" };
    writeln!(
        out,
        "{}  {:<20} {:<24} {} calls  last {}{ended}",
        text(&session["session"]),
        text(&session["route"]),
        text(&session["client"]),
        session["calls"],
        text(&session["last_seen"]),
    )
}

/// The calls as a table, and under each what of earlier results is in it.
fn show(flow: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    let state =
        if flow["clean"] == true { "nothing was asked about or denied" } else { "something was raised" };
    writeln!(out, "session {}, agent {}: {state}", text(&flow["session"]), text(&flow["agent"]))?;
    if flow["forgotten"]["calls"] != 0 {
        writeln!(
            out,
            "{} earlier calls are no longer kept; the activity has their records",
            flow["forgotten"]["calls"]
        )?;
    }
    for call in each(&flow["calls"]) {
        let name = format!("{}/{}", text(&call["server"]), text(&call["tool"]));
        let (verdict, result) = (&call["verdict"], &call["result"]);
        writeln!(
            out,
            "{:>4}  {name:<32} {:<12} {:<9} {:<8} risk {:<3} {}",
            call["call"].to_string(),
            text(&call["operation"]),
            text(&call["status"]),
            text(&verdict["act"]),
            verdict["risk"].to_string(),
            words(&call["labels"]),
        )?;
        for (what, said) in [("call", verdict), ("result", result)] {
            if each(&said["rules"]).next().is_some() {
                writeln!(out, "        {what}: {} by {}", text(&said["act"]), words(&said["rules"]))?;
            }
        }
        for edge in each(&flow["edges"]).filter(|edge| edge["to"] == call["call"]) {
            write_edge(edge, out)?;
        }
    }
    Ok(())
}

fn write_edge(edge: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    let what = match edge["evidence"].as_str() {
        Some("order") => "follows an order",
        Some("value") => "uses a value",
        Some("atom") => "takes an address or id",
        Some("code") => "takes a long number or token",
        _ => "takes words",
    };
    let hidden = if edge["encoded"] == true { ", encoded" } else { "" };
    match edge["check"].as_str() {
        Some(check) => writeln!(
            out,
            "        {what} of call {}{hidden}: {}, risk {}",
            edge["from"],
            escape_line(check, LONGEST),
            edge["risk"]
        ),
        None => writeln!(out, "        {what} of call {}{hidden}", edge["from"]),
    }
}
