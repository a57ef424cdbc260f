//! A server that is started for us, says where it answers, and is ended with us.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server has to end when it is asked to; then it is made to.
const GRACE: Duration = Duration::from_secs(10);

/// A server that runs; dropping it ends it.
pub(crate) struct Serving {
    url: String,
    child: Child,
}

impl Serving {
    /// Starts a server whose first line is where it answers.
    pub(crate) fn start(command: &mut Command) -> Result<Serving> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.with_context(|| format!("cannot start {command:?}"))?;
        let mut serving = Serving { url: String::new(), child };
        let stdout = serving.child.stdout.take().context("its output is piped")?;
        BufReader::new(stdout).read_line(&mut serving.url)?;
        serving.url.truncate(serving.url.trim_end().len());
        if serving.url.is_empty() {
            bail!("{command:?} ended before it served");
        }
        Ok(serving)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Asks it to read its file again.
    pub(crate) fn hang_up(&self) -> Result<()> {
        crate::shell::output(Command::new("kill").args(["-HUP", &self.child.id().to_string()])).map(drop)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Asked kindly it ends its own children as well.
        let is_asked = cfg!(unix)
            && crate::shell::succeeds(Command::new("kill").args(["-TERM", &self.child.id().to_string()]));
        let patience = Instant::now() + GRACE;
        while is_asked && Instant::now() < patience {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // One that has ended by itself is no trouble.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
