//! `portcullis posture`: whether private data, untrusted content and a way out meet, in text, JSON or a picture.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, ValueEnum};
use portcullis_decide::posture::{Member, posture as found};
use portcullis_report::posture::{PostureReport, write_dot, write_svg};
use portcullis_report::safe_line;

use super::profiles;
use crate::Streams;
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::security::desk::DeskPlace;

#[derive(Debug, Args)]
pub(crate) struct PostureArguments {
    /// Files with what servers declare, as for `scan`; - for stdin.
    #[arg(required_unless_present = "running", conflicts_with = "running", value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// Ask the gateway that runs about the tools it exposes now.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_RUNNING")]
    running: bool,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = PostureFormat::Plain, env = "PORTCULLIS_POSTURE_FORMAT")]
    format: PostureFormat,
    #[command(flatten)]
    place: DeskPlace,
}

/// How a posture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PostureFormat {
    /// Text for people.
    Plain,
    /// JSON, schema portcullis.posture/1.
    Json,
    /// A picture.
    Svg,
    /// A graph for Graphviz.
    Dot,
}

/// Runs the command.
pub(crate) fn posture(arguments: &PostureArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let report = if arguments.running { running(&arguments.place)? } else { declared(arguments, streams)? };
    let written = match arguments.format {
        PostureFormat::Plain => report.write_plain(streams.out),
        PostureFormat::Json => writeln!(streams.out, "{}", safe_line(&report)),
        PostureFormat::Svg => write_svg(&report, streams.out),
        PostureFormat::Dot => write_dot(&report, streams.out),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    Ok(Exit::Clean)
}

fn declared(arguments: &PostureArguments, streams: &mut Streams<'_>) -> Result<PostureReport, Failure> {
    let tools = profiles(&arguments.inputs, streams)?;
    let members: Vec<Member<'_>> =
        tools.iter().map(|tool| Member::of(&tool.server, &tool.tool, &tool.profile)).collect();
    Ok(PostureReport::of(&members, &found(&members)))
}

fn running(place: &DeskPlace) -> Result<PostureReport, Failure> {
    let answer = place.running()?.get("/posture")?;
    serde_json::from_value(answer)
        .map_err(|error| Failure::Usage(format!("the gateway that runs is of another version: {error}")))
}
