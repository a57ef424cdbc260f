//! `portcullis dashboard`: a way into the dashboard of the gateway that runs.

use clap::Args;
use serde_json::json;

use crate::Streams;
use crate::exit::{Exit, Failure};
use crate::security::desk::DeskPlace;

#[derive(Debug, Args)]
pub(crate) struct DashboardArguments {
    #[command(flatten)]
    place: DeskPlace,
}

/// Runs the command. The link is all there is on stdout, so that a browser can be started with it.
pub(crate) fn run(arguments: &DashboardArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let made = arguments.place.open()?.post("/sign-in-links", &json!({}))?;
    writeln!(streams.out, "{}", made["link"].as_str().unwrap_or_default())?;
    let minutes = made["seconds"].as_u64().unwrap_or_default() / 60;
    writeln!(streams.err, "it signs you in once, within {minutes} minutes")?;
    Ok(Exit::Clean)
}
