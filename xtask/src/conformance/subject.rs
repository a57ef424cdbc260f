//! What the suite is let loose on: an address, or a server started for it and ended with it.

use crate::fleet::{Engines, Fleet};
use crate::ports;
use crate::serving::Serving;
use crate::{shell, tree};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server to judge.
pub(super) struct Subject {
    url: String,
    /// The gateway before the server behind it: they are ended in this order.
    processes: Vec<Serving>,
    /// What several gateways share; it ends after them.
    shared: Option<(Engines, Fleet)>,
}

impl Subject {
    /// A server that runs already.
    pub(super) fn at(url: String) -> Subject {
        Subject { url, processes: Vec::new(), shared: None }
    }

    /// The gateway with the fixture behind it, which is reached over HTTP as the server `fixture`.
    pub(super) fn gateway() -> Result<Subject> {
        let mut subject = Subject::fixture()?;
        let gateway = started(&emptied("conformance/gateway")?, &subject.config())?;
        subject.url = format!("{}/fixture", gateway.url());
        subject.processes.insert(0, gateway);
        Ok(subject)
    }

    /// So many gateways that share everything, with the fixture behind all of them; each request goes to any of them.
    pub(super) fn nodes(count: usize) -> Result<Subject> {
        let mut subject = Subject::fixture()?;
        let folder = emptied("conformance/nodes")?;
        let fleet = Fleet::start("conformance", count)?;
        let engines = fleet.engines()?;
        let mut nodes = Vec::new();
        for number in 1..=count {
            let folder = folder.join(format!("node-{number}"));
            engines.prepare(&folder)?;
            let port = ports::free()?;
            nodes.push(started(&folder, &engines.shared(&subject.config(), port))?);
        }
        let balancer = fleet.balance(&nodes)?;
        subject.url = format!("{}/fixture", balancer.url());
        subject.processes.splice(0..0, std::iter::once(balancer).chain(nodes));
        subject.shared = Some((engines, fleet));
        Ok(subject)
    }

    /// The fixture by itself.
    pub(super) fn fixture() -> Result<Subject> {
        shell::build_as_tested(&["portcullis-fixture"])?;
        let binary = format!("portcullis-fixture{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(tree::target()?.join("debug").join(binary));
        command.args(["--http", "127.0.0.1:0", "--era", "both"]);
        let fixture = Serving::start(&mut command)?;
        Ok(Subject { url: fixture.url().to_owned(), processes: vec![fixture], shared: None })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// How a gateway is told of the server, which is reached over HTTP.
    fn config(&self) -> Value {
        json!({
            "listen": "127.0.0.1:0",
            "data_dir": "data",
            "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } },
            "mcpServers": { "fixture": { "url": self.url } },
        })
    }
}

/// A folder below the target folder with nothing in it.
fn emptied(name: &str) -> Result<PathBuf> {
    let folder = tree::target()?.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A gateway of this configuration, in this folder.
fn started(folder: &Path, config: &Value) -> Result<Serving> {
    let file = folder.join("portcullis.json");
    std::fs::write(&file, config.to_string())?;
    let mut command = Command::new(tree::portcullis()?);
    Serving::start(command.args(["serve", "--config"]).arg(&file))
}
