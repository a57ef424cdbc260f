//! `portcullis token`: who may talk to the gateway, and as what.

use clap::{Args, Subcommand};
use http::Method;
use portcullis_detect::escape_line;
use portcullis_gateway::api::Role;
use portcullis_store::time_text;
use serde_json::{Value, json};

use crate::Streams;
use crate::exit::{Exit, Failure};
use crate::security::desk::{DeskPlace, part};

/// Characters of a name on a line.
const LONGEST_NAME: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    #[command(flatten)]
    place: DeskPlace,
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token; it is shown this once.
    Create {
        /// What it opens: agent, viewer, auditor, operator or admin.
        #[arg(long, value_parser = role, env = "PORTCULLIS_ROLE")]
        role: Role,
        /// Whose it is, or what for.
        #[arg(long, default_value = "", env = "PORTCULLIS_NAME")]
        name: String,
        /// After how many days it ends; without it never.
        #[arg(long, value_name = "DAYS", env = "PORTCULLIS_DAYS")]
        days: Option<u64>,
    },
    /// List tokens, without what would open anything.
    List,
    /// Revoke a token.
    Revoke {
        /// The token's id, as `list` shows it.
        id: String,
    },
}

fn role(word: &str) -> Result<Role, String> {
    Role::named(word).ok_or_else(|| format!("one of {}", Role::ALL.map(Role::as_str).join(", ")))
}

/// Runs the command. A new token is all there is on stdout, so that a script can keep it.
pub(crate) fn run(arguments: &TokenArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.open()?;
    match &arguments.command {
        TokenCommand::Create { role, name, days } => {
            let name = if name.is_empty() { role.as_str() } else { name };
            let made = desk.post("/tokens", &json!({ "name": name, "role": role.as_str(), "days": days }))?;
            writeln!(streams.out, "{}", made["token"].as_str().unwrap_or_default())?;
            let id = made["id"].as_str().unwrap_or_default();
            writeln!(streams.err, "keep it: it is not shown again; `portcullis token revoke {id}` ends it")?;
        }
        TokenCommand::List => {
            let answer = desk.get("/tokens")?;
            for token in answer["tokens"].as_array().into_iter().flatten() {
                writeln!(streams.out, "{}", line(token))?;
            }
        }
        TokenCommand::Revoke { id } => {
            desk.ask(Method::DELETE, &format!("/tokens/{}", part(id)), &json!({}))?;
            writeln!(streams.err, "revoked")?;
        }
    }
    Ok(Exit::Clean)
}

fn line(token: &Value) -> String {
    let text = |key: &str| escape_line(token[key].as_str().unwrap_or_default(), LONGEST_NAME);
    let time = |key: &str| token[key].as_i64().map(|at| time_text(at.saturating_mul(1000)));
    let expires = time("expires").map_or("no end".to_owned(), |time| format!("until {time}"));
    let created = time("created").unwrap_or_default();
    format!("{}  {}  {}  since {created}, {expires}", text("id"), text("role"), text("name"))
}
