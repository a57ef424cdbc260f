//! What may be asked of the record.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use portcullis_store::{Filter, Kind, Status};

use super::time::Time;
use crate::args::ListFormat;
use crate::exit::Failure;

#[derive(Debug, Args)]
pub(crate) struct ActivityArguments {
    /// The data directory; without it the user's own.
    #[arg(long, global = true, value_name = "DIR", env = "PORTCULLIS_DATA")]
    pub(super) data: Option<PathBuf>,
    /// The store, if it is not the data directory: such as postgres://user@host/database.
    #[arg(long, global = true, value_name = "ADDRESS", env = "PORTCULLIS_STORE", hide_env_values = true)]
    pub(super) store: Option<String>,
    #[command(subcommand)]
    pub(super) command: ActivityCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ActivityCommand {
    /// Check that every record is as it was written, and name the first that is not.
    Verify,
    /// List records, newest first.
    List(ListArguments),
    /// Show one record with its arguments and result.
    Show(ShowArguments),
    /// Show records as they come.
    Watch(WatchArguments),
    /// Count records by kind, status, risk, server, tool and sensitive type.
    Summary(SummaryArguments),
    /// Write records out for other programs, oldest first.
    Export(ExportArguments),
}

/// Which records are wanted.
#[derive(Debug, Args)]
pub(super) struct FilterArguments {
    /// Only these kinds, such as tool_call or rug_pull.
    #[arg(long = "type", value_delimiter = ',', value_name = "KIND", env = "PORTCULLIS_TYPE")]
    kinds: Vec<String>,
    /// Only these, such as refused or held.
    #[arg(long, value_delimiter = ',', env = "PORTCULLIS_STATUS")]
    status: Vec<String>,
    /// Only this server.
    #[arg(long, env = "PORTCULLIS_SERVER")]
    server: Option<String>,
    /// Only this tool.
    #[arg(long, env = "PORTCULLIS_TOOL")]
    tool: Option<String>,
    /// Only this session.
    #[arg(long, env = "PORTCULLIS_SESSION")]
    session: Option<String>,
    /// Only with this type of sensitive data, such as email.
    #[arg(long, value_name = "TYPE", env = "PORTCULLIS_SENSITIVE")]
    sensitive: Option<String>,
    /// Only this risk or more, 0 to 100.
    #[arg(long, default_value_t = 0, env = "PORTCULLIS_RISK")]
    risk: u8,
    /// Not before: a time such as 2026-11-16T02:00:00Z, or how long ago, such as 2h or 7d.
    #[arg(long, value_name = "TIME", env = "PORTCULLIS_SINCE")]
    since: Option<Time>,
    /// Before: a time, or how long ago.
    #[arg(long, value_name = "TIME", env = "PORTCULLIS_UNTIL")]
    until: Option<Time>,
    /// The same in one option: KEY is type, status, server, tool, session, sensitive, risk, since or until.
    #[arg(long = "filter", value_delimiter = ',', value_name = "KEY=VALUE", env = "PORTCULLIS_FILTER")]
    pairs: Vec<String>,
}

impl FilterArguments {
    pub(super) fn filter(&self) -> Result<Filter, Failure> {
        let mut filter = self.options()?;
        for pair in &self.pairs {
            narrow(&mut filter, pair)?;
        }
        Ok(filter)
    }

    fn options(&self) -> Result<Filter, Failure> {
        Ok(Filter {
            kinds: named(&self.kinds, Kind::ALL, Kind::word)?,
            statuses: named(&self.status, Status::ALL, Status::word)?,
            server: self.server.clone(),
            tool: self.tool.clone(),
            session: self.session.clone(),
            sensitive: self.sensitive.clone(),
            risk: self.risk,
            since_us: self.since.map(|time| time.0),
            until_us: self.until.map(|time| time.0),
        })
    }
}

/// Applies one `KEY=VALUE`.
fn narrow(filter: &mut Filter, pair: &str) -> Result<(), Failure> {
    let (key, value) =
        pair.split_once('=').ok_or_else(|| Failure::Usage(format!("`{pair}` is not KEY=VALUE")))?;
    let text = || Some(value.to_owned());
    let words = [value.to_owned()];
    let time = || value.parse::<Time>().map(|time| Some(time.0)).map_err(Failure::Usage);
    match key {
        "type" => filter.kinds.extend(named(&words, Kind::ALL, Kind::word)?),
        "status" => filter.statuses.extend(named(&words, Status::ALL, Status::word)?),
        "server" => filter.server = text(),
        "tool" => filter.tool = text(),
        "session" => filter.session = text(),
        "sensitive" => filter.sensitive = text(),
        "risk" => {
            let risk = value.parse().map_err(|_| Failure::Usage(format!("`{value}` is no risk of 0 to 100")));
            filter.risk = risk?;
        }
        "since" => filter.since_us = time()?,
        "until" => filter.until_us = time()?,
        _ => return Err(Failure::Usage(format!("records cannot be filtered by `{key}`"))),
    }
    Ok(())
}

fn named<T: Copy>(words: &[String], all: &[T], word: fn(T) -> &'static str) -> Result<Vec<T>, Failure> {
    let find = |wanted: &String| {
        let found = all.iter().copied().find(|one| word(*one) == wanted);
        found.ok_or_else(|| {
            let known: Vec<_> = all.iter().copied().map(word).collect();
            Failure::Usage(format!("`{wanted}` is none of {}", known.join(", ")))
        })
    };
    words.iter().map(find).collect()
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    pub(super) filter: FilterArguments,
    /// The most records.
    #[arg(long, default_value_t = 50, env = "PORTCULLIS_LIMIT")]
    pub(super) limit: usize,
    /// Only records before this number: where the page before ended.
    #[arg(long, value_name = "SEQ", env = "PORTCULLIS_BEFORE")]
    pub(super) before: Option<u64>,
    /// How to write the list.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(super) format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The number of the record.
    pub(super) seq: u64,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(super) format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct WatchArguments {
    #[command(flatten)]
    pub(super) filter: FilterArguments,
    /// Stop after so many records.
    #[arg(long, value_name = "N", env = "PORTCULLIS_COUNT")]
    pub(super) count: Option<u64>,
    /// How to write them.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(super) format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct SummaryArguments {
    /// From the day of this time on.
    #[arg(long, value_name = "TIME", env = "PORTCULLIS_SINCE")]
    pub(super) since: Option<Time>,
    /// Through the day of this time.
    #[arg(long, value_name = "TIME", env = "PORTCULLIS_UNTIL")]
    pub(super) until: Option<Time>,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(super) format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    #[command(flatten)]
    pub(super) filter: FilterArguments,
    /// How to write records.
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl, env = "PORTCULLIS_EXPORT_FORMAT")]
    pub(super) format: ExportFormat,
    /// Where to, instead of stdout.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_OUTPUT")]
    pub(super) output: Option<PathBuf>,
    /// Encrypt with a passphrase, as age does: the first line of --passphrase-file, or PORTCULLIS_PASSPHRASE.
    #[arg(long, env = "PORTCULLIS_ENCRYPT")]
    pub(super) encrypt: bool,
    /// Where the passphrase stands.
    #[arg(long, value_name = "FILE", requires = "encrypt", env = "PORTCULLIS_PASSPHRASE_FILE")]
    pub(super) passphrase_file: Option<PathBuf>,
}

/// How records are written for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// One JSON object a line, schema portcullis.activity/1.
    Jsonl,
    /// Comma-separated values.
    Csv,
}
