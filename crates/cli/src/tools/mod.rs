//! `portcullis labels` and `portcullis posture`: what tools can do, alone and together.

mod posture;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use portcullis_detect::call::{Override, ToolProfile};
use portcullis_detect::{Kind, escape_line};
use serde::Serialize;

use crate::Streams;
use crate::args::ListFormat;
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::input::load::load;
pub(crate) use posture::{PostureArguments, posture};

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// Files with what servers declare, as for `scan`; - for stdin.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub(crate) inputs: Vec<PathBuf>,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(crate) format: ListFormat,
}

/// A tool and its profile.
struct Profiled {
    server: String,
    tool: String,
    profile: ToolProfile,
}

fn profiles(inputs: &[PathBuf], streams: &mut Streams<'_>) -> Result<Vec<Profiled>, Failure> {
    let loaded = load(inputs, streams.input)?;
    for gap in &loaded.gaps {
        writeln!(streams.err, "incomplete: {}: {}", gap.subject, gap.reason)?;
    }
    let tools = loaded.servers.iter().flat_map(|server| {
        let tools = server.definitions.iter().filter(|definition| definition.kind() == Kind::Tool);
        tools.map(|definition| Profiled {
            server: server.name.clone(),
            tool: definition.name().to_owned(),
            profile: ToolProfile::of(definition, &Override::default()),
        })
    });
    Ok(tools.collect())
}

#[derive(Serialize)]
struct LabelRow<'a> {
    server: &'a str,
    tool: &'a str,
    operation: &'static str,
    labels: Vec<LabelCell>,
}

#[derive(Serialize)]
struct LabelCell {
    label: &'static str,
    origin: String,
}

/// Says what every tool can do, and why.
pub(crate) fn labels(arguments: &ToolsArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let tools = profiles(&arguments.inputs, streams)?;
    let rows = tools.iter().map(|tool| LabelRow {
        server: &tool.server,
        tool: &tool.tool,
        operation: tool.profile.operation.as_str(),
        labels: tool
            .profile
            .labels()
            .iter()
            .map(|(label, origin)| LabelCell { label: label.as_str(), origin: origin.to_string() })
            .collect(),
    });
    let rows: Vec<LabelRow<'_>> = rows.collect();
    let written = match arguments.format {
        ListFormat::Json => write_json(&rows, streams.out),
        ListFormat::Plain => rows.iter().try_for_each(|row| write_labels(row, streams.out)),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    Ok(Exit::Clean)
}

fn write_labels(row: &LabelRow<'_>, out: &mut dyn Write) -> io::Result<()> {
    let name = format!("{}/{}", escape_line(row.server, 60), escape_line(row.tool, 80));
    writeln!(out, "{name}: {}", row.operation)?;
    row.labels.iter().try_for_each(|cell| writeln!(out, "  {:<15} by {}", cell.label, cell.origin))
}

fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
