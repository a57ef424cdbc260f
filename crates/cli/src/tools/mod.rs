//! `portcullis labels` and `portcullis posture`: what tools can do, alone and together.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use portcullis_decide::posture::{Member, Posture, posture};
use portcullis_detect::call::{Label, Override, ToolProfile};
use portcullis_detect::{Kind, escape_line};
use serde::Serialize;

use crate::Streams;
use crate::args::ListFormat;
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::input::load::load;

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

fn profiles(arguments: &ToolsArguments, streams: &mut Streams<'_>) -> Result<Vec<Profiled>, Failure> {
    let loaded = load(&arguments.inputs, streams.input)?;
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
    let tools = profiles(arguments, streams)?;
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

#[derive(Serialize)]
struct PostureOut<'a> {
    schema: &'static str,
    complete: bool,
    severity: Option<&'static str>,
    witnesses: Vec<WitnessOut<'a>>,
    single_servers: &'a [String],
    breaking: Vec<BreakingOut<'a>>,
}

#[derive(Serialize)]
struct WitnessOut<'a> {
    reads_private: String,
    sees_untrusted: String,
    can_send: String,
    servers: Vec<&'a str>,
}

#[derive(Serialize)]
struct BreakingOut<'a> {
    server: &'a str,
    tool: Option<&'a str>,
}

/// Says whether private data, untrusted content and a way out meet, and what would keep them apart.
pub(crate) fn show_posture(arguments: &ToolsArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let tools = profiles(arguments, streams)?;
    let members: Vec<Member<'_>> = tools
        .iter()
        .map(|tool| Member {
            server: &tool.server,
            tool: &tool.tool,
            reads_private: tool.profile.has(Label::ReadsPrivate),
            sees_untrusted: tool.profile.has(Label::SeesUntrusted),
            can_send: tool.profile.has(Label::CanSend) || tool.profile.has(Label::Executes),
        })
        .collect();
    let found = posture(&members);
    let written = match arguments.format {
        ListFormat::Json => write_json(&posture_out(&found), streams.out),
        ListFormat::Plain => write_posture(&found, streams.out),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    Ok(Exit::Clean)
}

fn posture_out<'a>(found: &'a Posture<'a>) -> PostureOut<'a> {
    PostureOut {
        schema: "portcullis.posture/1",
        complete: found.is_complete(),
        severity: found.is_complete().then_some("high"),
        witnesses: found
            .witnesses
            .iter()
            .map(|witness| WitnessOut {
                reads_private: witness.private.full_name(),
                sees_untrusted: witness.untrusted.full_name(),
                can_send: witness.sender.full_name(),
                servers: witness.servers(),
            })
            .collect(),
        single_servers: &found.single_servers,
        breaking: found.breaking.iter().map(|(server, tool)| BreakingOut { server, tool: *tool }).collect(),
    }
}

fn write_posture(found: &Posture<'_>, out: &mut dyn Write) -> io::Result<()> {
    if !found.is_complete() {
        return writeln!(out, "private data, untrusted content and a way out do not meet");
    }
    writeln!(out, "private data, untrusted content and a way out meet:")?;
    for witness in &found.witnesses {
        let name = |member: &Member<'_>| escape_line(&member.full_name(), 120);
        let (private, untrusted, sender) =
            (name(&witness.private), name(&witness.untrusted), name(&witness.sender));
        writeln!(out, "  {private} -> {sender}, led by {untrusted}")?;
    }
    for server in &found.single_servers {
        writeln!(out, "{} alone has all three", escape_line(server, 60))?;
    }
    for (server, tool) in &found.breaking {
        let tool = tool.map(|tool| format!("/{}", escape_line(tool, 80))).unwrap_or_default();
        writeln!(out, "without {}{tool} they no longer meet", escape_line(server, 60))?;
    }
    Ok(())
}
