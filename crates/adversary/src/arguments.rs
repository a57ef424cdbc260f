//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A hostile MCP server for tests of gates and clients: it performs attacks from scenario files.
#[derive(Debug, Parser)]
#[command(name = "portcullis-adversary", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) serve: Serve,

    /// Also read the scenarios in this folder; may be repeated
    #[arg(long, global = true, value_name = "DIR", env = "PORTCULLIS_ADVERSARY_DIR")]
    pub(crate) dir: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print what a scenario's servers declare, for a scanner
    Definitions {
        id: String,
        /// The version: 0 is the first one
        #[arg(long, value_name = "N", default_value_t = 0)]
        version: usize,
    },
    /// Write the table of measured rates beside the expected ones, as Markdown
    Report {
        /// JSON lines: {"scenario": ID, "reached": true or false, "why": TEXT}
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// List the scenarios
    #[arg(long, group = "task")]
    pub(crate) list: bool,

    /// Say what a scenario does and what a gate should make of it
    #[arg(long, group = "task", value_name = "ID")]
    pub(crate) describe: Option<String>,

    /// Serve these scenarios
    #[arg(long, group = "task", value_name = "ID", num_args = 1..)]
    pub(crate) scenario: Vec<String>,

    /// Serve all scenarios, each at its own path
    #[arg(long, group = "task")]
    pub(crate) all: bool,

    /// With --list and --describe: one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,

    /// Speak over stdin and stdout; for one scenario
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,

    /// Listen at this address; each scenario is at /ID/mcp, its peers at /ID/PEER/mcp
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,

    /// With --stdio: be this honest peer of the scenario instead
    #[arg(long, value_name = "NAME", requires = "stdio")]
    pub(crate) peer: Option<String>,

    /// Speak the revisions of one era only, of those the scenario has
    #[arg(long, value_name = "ERA", value_parser = ["legacy", "modern"])]
    pub(crate) era: Option<String>,

    /// How many seconds of a trigger pass in one second
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) speed: u64,

    /// Changes nothing; makes one launch differ from another
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,

    /// Listen beyond this machine: others will then reach a server that attacks them
    #[arg(long)]
    pub(crate) i_know: bool,
}
