//! What may be asked of `lock` and `diff`.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};

use crate::args::ListFormat;

/// Where the lock is.
#[derive(Debug, Args)]
pub(crate) struct LockPlace {
    /// The lock: what was expected of servers, to be committed.
    #[arg(long, value_name = "FILE", default_value = "portcullis.lock", env = "PORTCULLIS_LOCK")]
    pub(crate) lock: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LockArguments {
    /// Files with definitions, as `scan` reads them.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: LockPlace,
    /// Accept what the files say now. Servers they do not name stay as they are.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_UPDATE")]
    pub(crate) update: bool,
    /// Accept only this one; * stands for any run of characters.
    #[arg(
        long,
        requires = "update",
        value_name = "SERVER/TOOL",
        value_delimiter = ',',
        env = "PORTCULLIS_ONLY"
    )]
    pub(crate) only: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// Files with definitions, as `scan` reads them.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: LockPlace,
    /// Compare with these earlier definitions instead of the lock, word by word.
    #[arg(
        long,
        value_name = "FILE|DIR",
        value_delimiter = ',',
        conflicts_with = "lock",
        env = "PORTCULLIS_AGAINST"
    )]
    pub(crate) against: Vec<PathBuf>,
    /// How to write the differences.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_DIFF_FORMAT")]
    pub(crate) format: ListFormat,
}
