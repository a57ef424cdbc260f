//! The gateway as a process of its own, and what the system says of it.

use crate::client::{Client, parts};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What is measured, and where it may write.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) fixture: PathBuf,
    pub(crate) portcullis: PathBuf,
    pub(crate) folder: PathBuf,
}

/// A server that ends with us.
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
}

impl Process {
    /// Starts a server whose first line is its address.
    pub(crate) fn start(command: &mut Command) -> Result<Process> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("its output is piped")?;
        let mut process = Process { child, url: String::new() };
        BufReader::new(stdout).read_line(&mut process.url)?;
        process.url = process.url.trim().to_owned();
        if process.url.is_empty() {
            bail!("{command:?} did not start");
        }
        Ok(process)
    }

    /// The fixture over HTTP; port 0 takes a free one.
    pub(crate) fn fixture(tools: &Tools, address: &str) -> Result<Process> {
        Process::start(Command::new(&tools.fixture).args(["--http", address, "--era", "legacy"]))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended by itself is no trouble.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A gateway with a configuration of its own.
pub(crate) struct Gateway {
    process: Process,
    pub(crate) url: String,
}

impl Gateway {
    /// Starts one; `config` holds everything but where it listens and writes.
    pub(crate) fn start(tools: &Tools, mut config: Value) -> Result<Gateway> {
        if tools.folder.exists() {
            fs::remove_dir_all(&tools.folder)?;
        }
        fs::create_dir_all(&tools.folder)?;
        config["listen"] = json!("127.0.0.1:0");
        config["data_dir"] = json!("data");
        config["telemetry"] = json!({ "log": "error" });
        // What is tried is the way of a message, unless a trial is about what is held.
        if config.get("security").is_none() {
            config["security"] = json!({ "tool_quarantine": { "auto_quarantine_new_tools": false } });
        }
        fs::write(tools.folder.join("portcullis.json"), config.to_string())?;
        Gateway::restart(tools)
    }

    /// Starts one with the configuration and the data of the last.
    pub(crate) fn restart(tools: &Tools) -> Result<Gateway> {
        let mut command = Command::new(&tools.portcullis);
        command.args(["serve", "--config"]).arg(tools.folder.join("portcullis.json"));
        let process = Process::start(&mut command)?;
        let url = process.url.clone();
        Ok(Gateway { process, url })
    }

    /// Ends it as a service manager would, and waits.
    pub(crate) fn end(mut self) {
        signal("TERM", self.id());
        // One that cannot be waited for has ended.
        let _ = self.process.child.wait();
    }

    /// Where one server is reached through it.
    pub(crate) fn server(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Resident memory now, and the most there ever was, in bytes.
    pub(crate) fn memory(&self) -> Result<(u64, u64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let figure = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib * 1024)
        };
        Ok((figure("VmRSS:").context("no VmRSS")?, figure("VmHWM:").context("no VmHWM")?))
    }

    /// Forgets the most there ever was.
    pub(crate) fn forget_peak(&self) -> Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.id()), "5")?)
    }

    pub(crate) fn descriptors(&self) -> Result<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.id()))?.count())
    }

    /// A figure of the page for Prometheus.
    pub(crate) async fn metric(&self, name: &str) -> Result<u64> {
        let (host, _) = parts(&self.url)?;
        let mut stream = TcpStream::connect(&host).await?;
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut page = String::new();
        stream.read_to_string(&mut page).await?;
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no {name} on the page"))?.parse()?)
    }

    /// One session and one call, so that what is made once is made.
    pub(crate) async fn warm(&self, servers: &[&str]) -> Result<()> {
        for server in servers {
            let mut client = Client::open(&self.server(server)).await?;
            client.call("echo", json!({ "a": 1 })).await?.result()?;
        }
        Ok(())
    }
}

/// The processes below one, and those below them.
pub(crate) fn descendants(of: u32) -> Vec<u32> {
    let all: Vec<(u32, u32)> = processes().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(&above) = found.get(next) {
        found.extend(all.iter().filter(|(_, parent)| *parent == above).map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

/// The processes that were started with this word in their environment.
pub(crate) fn marked(word: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
    };
    processes().filter(has).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may hold anything; what follows its last bracket is numbers.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Sends a process a signal, as `kill` names it. It may have ended just before.
pub(crate) fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until something holds; whether it did in time.
pub(crate) async fn settles(most: Duration, mut holds: impl AsyncFnMut() -> bool) -> bool {
    let until = Instant::now() + most;
    loop {
        if holds().await {
            return true;
        }
        if Instant::now() > until {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// How many files this process may open, after it asked for as many as it may have.
pub(crate) fn open_files() -> u64 {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What is refused stays as it was.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// A path as a text for a configuration.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
