//! `portcullis doctor`: everything about an installation that could be wrong, a line each, with what to do.
//!
//! The map: `data` looks at the data directory or the database, `running` at the gateway that runs, `machine` at what
//! both stand on. Nothing is started, made or changed.

mod data;
mod machine;
mod running;

use std::path::{Path, PathBuf};

use clap::Args;
use portcullis_detect::escape_line;
use serde_json::json;

use crate::args::ListFormat;
use crate::clients::{self, Counts};
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::{Streams, activity};

/// Characters of one message: names and reasons may come from anywhere.
const LONGEST_LINE: usize = 600;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// The data directory; without it what the file says, or the user's own.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_DATA")]
    data: Option<PathBuf>,
    /// The file the gateway is started with, if it is not portcullis.json here.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_CONFIG")]
    config: Option<PathBuf>,
    /// The store, if it is not what the file says: such as postgres://user@host/database.
    #[arg(long, value_name = "ADDRESS", env = "PORTCULLIS_STORE", hide_env_values = true)]
    store: Option<String>,
    /// How to write the lines.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    format: ListFormat,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Ok,
    /// It works, and somebody should look.
    Warn,
    /// It does not work.
    Fail,
}

impl Health {
    fn word(self) -> &'static str {
        match self {
            Health::Ok => "ok",
            Health::Warn => "warn",
            Health::Fail => "fail",
        }
    }
}

/// One thing that was looked at.
struct Line {
    health: Health,
    what: &'static str,
    message: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Line {
    fn ok(what: &'static str, message: impl Into<String>) -> Line {
        Line { health: Health::Ok, what, message: message.into(), advice: None }
    }

    fn warn(what: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Line {
        Line { health: Health::Warn, what, message: message.into(), advice: Some(advice.into()) }
    }

    fn fail(what: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Line {
        Line { health: Health::Fail, ..Line::warn(what, message, advice) }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &DoctorArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let (line, config) = configuration(arguments.config.as_deref());
    let mut lines = vec![line];
    let named = arguments.data.as_deref().or(config.as_ref().and_then(|config| config.data_dir.as_deref()));
    let directory = activity::data_directory(named)?;
    let database = config.as_ref().and_then(|config| config.database.clone());
    let store = arguments.store.clone().or(database).filter(|address| !address.starts_with("sqlite:"));
    lines.extend(match &store {
        Some(address) => data::database(address, &directory),
        None => data::directory(&directory),
    });
    lines.extend(running::gateway(&directory));
    lines.extend(before_the_gate(&directory)?);
    lines.extend(machine::machine());
    write(&lines, arguments.format, streams)?;
    let is_well = lines.iter().all(|line| line.health != Health::Fail);
    Ok(if is_well { Exit::Clean } else { Exit::Findings })
}

fn configuration(named: Option<&Path>) -> (Line, Option<Config>) {
    let file = named.map(Path::to_path_buf).or_else(config::usual_file);
    match config::load_or_usual(named, &|name| std::env::var(name).ok()) {
        Ok(config) => {
            let message = match &file {
                Some(file) => format!("{} can be used: {} servers", file.display(), config.servers.len()),
                None => "no portcullis.json is here: the usual settings hold".to_owned(),
            };
            (Line::ok("config", message), Some(config))
        }
        Err(failure) => {
            let advice = "repair the file; `portcullis serve --check` says whether it can be used";
            (Line::fail("config", failure.to_string().replace('\n', "; "), advice), None)
        }
    }
}

/// The clients of this machine, and whether they go around the gate.
fn before_the_gate(directory: &Path) -> Result<Vec<Line>, Failure> {
    let line = |standing: &clients::Standing| match &standing.counts {
        Ok(Counts { bypassing: 0, .. }) => Line::ok("client", standing.to_string()),
        Ok(_) => {
            Line::warn("client", standing.to_string(), format!("portcullis install --client {}", standing.id))
        }
        Err(_) => Line::warn("client", standing.to_string(), "repair the file, or ask its client to"),
    };
    Ok(clients::standings(directory)?.iter().map(line).collect())
}

fn write(lines: &[Line], format: ListFormat, streams: &mut Streams<'_>) -> Result<(), Failure> {
    if format == ListFormat::Json {
        let check = |line: &Line| json!({ "check": line.what, "status": line.health.word(), "message": line.message, "advice": line.advice });
        let checks: Vec<_> = lines.iter().map(check).collect();
        let is_well = lines.iter().all(|line| line.health != Health::Fail);
        let report = json!({ "schema": "portcullis.doctor/1", "healthy": is_well, "checks": checks });
        return Ok(writeln!(streams.out, "{report}")?);
    }
    for line in lines {
        let message = escape_line(&line.message, LONGEST_LINE);
        writeln!(streams.out, "{:<4}  {}: {message}", line.health.word(), line.what)?;
        if let Some(advice) = &line.advice {
            writeln!(streams.out, "        = help: {}", escape_line(advice, LONGEST_LINE))?;
        }
    }
    let count = |health: Health| lines.iter().filter(|line| line.health == health).count();
    let (warned, failed) = (count(Health::Warn), count(Health::Fail));
    Ok(writeln!(streams.out, "{} looked at, {warned} to look after, {failed} that do not work", lines.len())?)
}
