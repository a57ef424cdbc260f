//! What the suite is let loose on: an address, or a server started for it and ended with it.

use crate::{shell, tree};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server to judge.
pub(super) struct Subject {
    url: String,
    /// Ended when the subject is dropped.
    processes: Vec<Child>,
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
            "mcpServers": { "fixture": { "url": subject.url } },
        });
        let file = folder.join("portcullis.json");
        std::fs::write(&file, config.to_string())?;
        let mut command = Command::new(tree::portcullis()?);
        command.args(["serve", "--config"]).arg(&file);
        let url = subject.start(&mut command)?;
        subject.url = format!("{url}/fixture");
        Ok(subject)
    }

    /// The fixture by itself.
    pub(super) fn fixture() -> Result<Subject> {
        let build = ["build", "--quiet", "--package=portcullis-fixture"];
        shell::run(&mut shell::cargo(&build))?;
        let binary = format!("portcullis-fixture{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(tree::target()?.join("debug").join(binary));
        command.args(["--http", "127.0.0.1:0", "--era", "both"]);
        let mut subject = Subject::at(String::new());
        subject.url = subject.start(&mut command)?;
        Ok(subject)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Starts a server and returns its first line, which is where it answers.
    fn start(&mut self, command: &mut Command) -> Result<String> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let stdout = child.as_mut().ok().and_then(|child| child.stdout.take());
        self.processes.push(child.with_context(|| format!("cannot start {command:?}"))?);
        let mut line = String::new();
        BufReader::new(stdout.context("its output is piped")?).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        for child in self.processes.iter_mut().rev() {
            // One that has ended by itself is no trouble.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
