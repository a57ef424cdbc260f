//! What the suite is let loose on: an address, or a server started for it and ended with it.

use crate::serving::Serving;
use crate::{shell, tree};
use anyhow::Result;
use std::process::Command;

/// A server to judge.
pub(super) struct Subject {
    url: String,
    /// The gateway before the server behind it: they are ended in this order.
    processes: Vec<Serving>,
}

impl Subject {
    /// A server that runs already.
    pub(super) fn at(url: String) -> Subject {
        Subject { url, processes: Vec::new() }
    }

    /// The gateway with the fixture behind it, which is reached over HTTP as the server `fixture`.
    pub(super) fn gateway() -> Result<Subject> {
        let mut subject = Subject::fixture()?;
        let folder = tree::target()?.join("conformance/gateway");
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let config = serde_json::json!({
            "listen": "127.0.0.1:0",
            "data_dir": "data",
            "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } },
            "mcpServers": { "fixture": { "url": subject.url } },
        });
        let file = folder.join("portcullis.json");
        std::fs::write(&file, config.to_string())?;
        let mut command = Command::new(tree::portcullis()?);
        command.args(["serve", "--config"]).arg(&file);
        let gateway = Serving::start(&mut command)?;
        subject.url = format!("{}/fixture", gateway.url());
        subject.processes.insert(0, gateway);
        Ok(subject)
    }

    /// The fixture by itself.
    pub(super) fn fixture() -> Result<Subject> {
        shell::build_as_tested(&["portcullis-fixture"])?;
        let binary = format!("portcullis-fixture{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(tree::target()?.join("debug").join(binary));
        command.args(["--http", "127.0.0.1:0", "--era", "both"]);
        let fixture = Serving::start(&mut command)?;
        Ok(Subject { url: fixture.url().to_owned(), processes: vec![fixture] })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}
