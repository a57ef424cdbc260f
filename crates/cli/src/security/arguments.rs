//! What a reviewer may ask and decide.

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, Subcommand, ValueEnum};

use super::desk::DeskPlace;
use crate::args::ListFormat;

#[derive(Debug, Args)]
pub(crate) struct SecurityArguments {
    #[command(flatten)]
    pub(super) place: DeskPlace,
    /// How to write the answer.
    #[arg(long, global = true, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_FORMAT")]
    pub(super) format: ListFormat,
    #[command(subcommand)]
    pub(super) command: SecurityCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum SecurityCommand {
    /// List servers, or what one of them declares, with what is held and why.
    List {
        /// The server; without it all of them.
        server: Option<String>,
        #[command(flatten)]
        kind: KindArgument,
    },
    /// Show one tool in full: what it says, what was found, what changed since it was approved.
    Inspect(Named),
    /// Read everything a server declares again, and scan it.
    Scan {
        /// The server.
        server: String,
    },
    /// Show all findings on a server.
    Report {
        /// The server.
        server: String,
        /// Write SARIF.
        #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_SARIF")]
        sarif: bool,
    },
    /// Approve exactly what a tool says now, or all that scan clean.
    Approve(Approve),
    /// Hold a tool, with a reason.
    Reject(Reasoned),
    /// Hold a tool for good.
    Block(Reasoned),
    /// Lift a block; the tool waits for approval again.
    Unblock(Named),
    /// Switch a tool on.
    Enable(Named),
    /// Switch a tool off.
    Disable(Named),
    /// Hold a whole server.
    Quarantine {
        /// The server.
        server: String,
        /// Why, for whoever reads it later.
        #[arg(long, value_name = "TEXT", env = "PORTCULLIS_REASON")]
        reason: String,
    },
    /// Lift that.
    Unquarantine {
        /// The server.
        server: String,
    },
    /// Confirm how a server is launched now, after you read it.
    ConfirmLaunch {
        /// The server.
        server: String,
    },
}

/// Which definition.
#[derive(Debug, Args)]
pub(super) struct Named {
    /// The server.
    pub(super) server: String,
    /// The tool.
    pub(super) name: String,
    #[command(flatten)]
    pub(super) kind: KindArgument,
}

/// Which definition, and why.
#[derive(Debug, Args)]
pub(super) struct Reasoned {
    #[command(flatten)]
    pub(super) named: Named,
    /// Why, for whoever reads it later.
    #[arg(long, value_name = "TEXT", env = "PORTCULLIS_REASON")]
    pub(super) reason: String,
}

#[derive(Debug, Args)]
pub(super) struct Approve {
    /// The server.
    pub(super) server: String,
    /// The tool.
    #[arg(required_unless_present = "all_clean")]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) kind: KindArgument,
    /// Approve everything that waits and scans clean; they are listed.
    #[arg(long, conflicts_with_all = ["name", "accept", "fingerprint"], value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_ALL_CLEAN")]
    pub(super) all_clean: bool,
    /// Only say what --all-clean would approve.
    #[arg(long, requires = "all_clean", value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_DRY_RUN")]
    pub(super) dry_run: bool,
    /// The fingerprint you read, as `inspect` shows it; without it what the tool says now is shown and approved.
    #[arg(long, value_name = "FINGERPRINT", env = "PORTCULLIS_FINGERPRINT")]
    pub(super) fingerprint: Option<String>,
    /// A hard finding to accept, by its check; repeat it for several.
    #[arg(long, value_name = "CHECK", requires = "reason", env = "PORTCULLIS_ACCEPT", value_delimiter = ',')]
    pub(super) accept: Vec<String>,
    /// Why; needed to accept a hard finding.
    #[arg(long, value_name = "TEXT", env = "PORTCULLIS_REASON")]
    pub(super) reason: Option<String>,
}

/// What kind of thing is meant.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct KindArgument {
    /// What is meant, if not a tool.
    #[arg(long, value_enum, default_value_t = KindWord::Tools, env = "PORTCULLIS_KIND")]
    pub(super) kind: KindWord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KindWord {
    /// Tools.
    Tools,
    /// Prompts.
    Prompts,
    /// Resources.
    Resources,
    /// Templates of resources.
    Templates,
    /// A server's instructions, which are called `instructions`.
    Instructions,
}

impl KindArgument {
    /// The part of a path that means it.
    pub(super) fn part(self) -> &'static str {
        match self.kind {
            KindWord::Tools => "tools",
            KindWord::Prompts => "prompts",
            KindWord::Resources => "resources",
            KindWord::Templates => "templates",
            KindWord::Instructions => "instructions",
        }
    }
}
