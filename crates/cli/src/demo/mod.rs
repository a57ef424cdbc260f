//! `portcullis demo`: a gateway of its own, honest and hostile servers behind it and a scripted agent before it, and what
//! happens then. Nothing of the user's own is touched.

mod agent;
mod stage;
mod story;
mod voice;

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};

use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use stage::Stage;
use voice::Voice;

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Do not pause between the scenes.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_FAST")]
    fast: bool,
    /// The hostile server; without it portcullis-adversary beside this program, or on the path.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_ADVERSARY")]
    adversary: Option<PathBuf>,
}

/// Runs the command: exit code 1 if something did not go as it is told.
pub(crate) fn run(
    arguments: &DemoArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let adversary = stage::adversary(arguments.adversary.as_deref())?;
    let is_coloured = shared.is_coloured(streams.is_out_coloured);
    // Who cannot be seen reading needs no pauses.
    let is_paced = !arguments.fast && streams.can_answer;
    let mut voice = Voice::new(&mut *streams.input, &mut *streams.out, is_coloured, is_paced);
    voice.title("A gate between an agent and its MCP servers")?;
    let stage = Stage::set(&adversary)?;
    let is_as_told = story::told(&stage, &mut voice)?;
    // Without anybody to look at it, the gateway is gone before the dashboard could be opened.
    if streams.can_answer {
        if let Some(link) = stage.dashboard() {
            voice.line(&format!("The dashboard shows the same: {link}"))?;
        }
        voice.wait("Enter ends the gateway and removes its data.")?;
    }
    Ok(if is_as_told { Exit::Clean } else { Exit::Findings })
}
