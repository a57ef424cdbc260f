//! What may be asked of `install` and `uninstall`.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};

use super::table::{CLIENTS, Client, by_id};
use crate::exit::Failure;
use crate::explain::nearest;

#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    #[command(flatten)]
    pub(super) place: ClientPlace,
    /// Only these servers, as the client calls them.
    #[arg(long = "server", value_name = "NAME", value_delimiter = ',', env = "PORTCULLIS_SERVERS")]
    pub(super) servers: Vec<String>,
    /// Also the files of this project.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_PROJECT")]
    pub(super) project: Option<PathBuf>,
    /// The program clients start [default: this one].
    #[arg(long, value_name = "PATH", env = "PORTCULLIS_PROGRAM")]
    pub(super) portcullis: Option<PathBuf>,
    /// The running gateway that remote servers are put behind, such as http://127.0.0.1:8930; without it this user's own.
    #[arg(long, value_name = "URL", requires = "token_file", env = "PORTCULLIS_GATEWAY_URL")]
    pub(super) gateway_url: Option<String>,
    /// A file with the token that lets agents in to that gateway.
    #[arg(long, value_name = "FILE", requires = "gateway_url", env = "PORTCULLIS_TOKEN_FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// Do not start the servers to read what they declare.
    #[arg(long, conflicts_with = "approve_clean", value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_NO_SCAN")]
    pub(super) no_scan: bool,
    /// Approve what scans clean, without asking.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_APPROVE_CLEAN")]
    pub(super) approve_clean: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArguments {
    #[command(flatten)]
    pub(super) place: ClientPlace,
}

/// Which clients, and where we remember what we did to them.
#[derive(Debug, Args)]
pub(super) struct ClientPlace {
    /// The client, such as cursor, or all.
    #[arg(long, value_name = "NAME|all", env = "PORTCULLIS_CLIENT")]
    client: String,
    /// Only show what would change.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_DRY_RUN")]
    pub(super) dry_run: bool,
    /// The data directory; without it the user's own.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_DATA")]
    pub(super) data: Option<PathBuf>,
}

impl ClientPlace {
    /// The clients that are meant.
    pub(super) fn clients(&self) -> Result<Vec<&'static Client>, Failure> {
        if self.client == "all" {
            return Ok(CLIENTS.iter().collect());
        }
        let unknown = || {
            let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
            let hint = nearest(&self.client, ids.iter().copied());
            let hint = hint.map(|id| format!(" (did you mean {id}?)")).unwrap_or_default();
            Failure::Usage(format!(
                "no client is called {:?}{hint}; known are all, {}",
                self.client,
                ids.join(", ")
            ))
        };
        by_id(&self.client).map(|client| vec![client]).ok_or_else(unknown)
    }
}
