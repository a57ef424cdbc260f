//! Where decisions are made: the gateway that runs, or the data directory when none does.

use std::path::{Path, PathBuf};

use clap::Args;
use http::Method;
use portcullis_gateway::api::{Desk, Refused};
use portcullis_store::Vault;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::activity::data_directory;
use crate::config::Config;
use crate::exit::Failure;
use crate::{config, serve};

/// Where the gateway's data are.
#[derive(Debug, Args)]
pub(crate) struct DeskPlace {
    /// The data directory; without it the user's own.
    #[arg(long, global = true, value_name = "DIR", env = "PORTCULLIS_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The file the gateway is started with, if it is not portcullis.json here.
    #[arg(long, global = true, value_name = "FILE", env = "PORTCULLIS_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// A desk that can be asked.
pub(crate) struct Asking {
    desk: Desk,
    runtime: Runtime,
}

impl DeskPlace {
    /// The desk of the gateway that runs on this data directory, or of the directory itself.
    pub(crate) fn open(&self) -> Result<Asking, Failure> {
        let config = config::load_or_usual(self.config.as_deref(), &|name| std::env::var(name).ok())?;
        let directory = data_directory(self.data.as_deref().or(config.data_dir.as_deref()))?;
        Asking::on(&directory, config)
    }

    /// The desk of the gateway that runs: a data directory alone does not know what is asked.
    pub(crate) fn running(&self) -> Result<Asking, Failure> {
        let desk = self.open()?;
        if desk.is_there() {
            return Ok(desk);
        }
        Err(Failure::Usage("no gateway runs on this data directory: start `portcullis serve`".to_owned()))
    }
}

impl Asking {
    /// The desk of this user's gateway, or of the data directory itself: nothing a project's folder says counts.
    pub(crate) fn of_user(directory: &Path) -> Result<Asking, Failure> {
        Asking::on(directory, config::of_user(directory, &|name| std::env::var(name).ok())?)
    }

    /// A desk that was found.
    pub(crate) fn of(desk: Desk) -> Result<Asking, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        Ok(Asking { desk, runtime })
    }

    fn on(directory: &Path, mut config: Config) -> Result<Asking, Failure> {
        config.servers.clear();
        match Desk::there(&Vault::door(directory)?) {
            Some(desk) => Asking::of(desk),
            None => Asking::of(Desk::here(serve::settings(config, Some(directory), None)?)?),
        }
    }

    /// Does something that asks several things at a time.
    pub(crate) fn at_once<'a, F: Future>(&'a self, act: impl FnOnce(&'a Desk) -> F) -> F::Output {
        self.runtime.block_on(act(&self.desk))
    }

    /// Whether a gateway runs.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self.desk, Desk::There(_))
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, Failure> {
        self.ask(Method::GET, path, &Value::Null)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.ask(Method::POST, path, body)
    }

    pub(crate) fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, Failure> {
        let refused = |refused: Refused| Failure::Usage(refused.message);
        self.runtime.block_on(self.desk.ask(method, path, body)).map_err(refused)
    }
}

/// A name as one part of a path.
pub(crate) fn part(name: &str) -> String {
    let mut part = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                part.push(char::from(byte))
            }
            _ => part.push_str(&format!("%{byte:02X}")),
        }
    }
    part
}
