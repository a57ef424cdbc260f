//! Servers that are started for a measurement and end with it.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take until it can be reached.
const PATIENCE: Duration = Duration::from_secs(60);

/// Servers that end with us.
#[derive(Default)]
pub(crate) struct Servers(Vec<Child>);

impl Servers {
    /// Starts a server; its first line is its address.
    pub(crate) fn start(&mut self, command: &mut Command) -> Result<String> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("its output is piped")?;
        self.0.push(child);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Starts a server that says nothing about itself and listens on this port; returns when it can be reached.
    pub(crate) fn start_on(&mut self, port: u16, command: &mut Command) -> Result<()> {
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = silent.spawn().with_context(|| format!("cannot start {command:?}"))?;
        self.0.push(child);
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let has_ended = self.0.last_mut().is_some_and(|child| !matches!(child.try_wait(), Ok(None)));
            if has_ended || begin.elapsed() > PATIENCE {
                bail!("{command:?} does not listen on port {port}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// A port nobody listens on, for servers that cannot choose one themselves.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
