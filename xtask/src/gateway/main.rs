//! Measures a call through the gateway beside the same call without it, and beside the least a proxy can do.
//!
//! One JSON line per path and number of connections: {"path", "connections", "p50_us", "p99_us", "rps"}.

mod load;
mod pass;

use anyhow::{Context, Result};
use load::Figures;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// One connection shows what is added to a call, many show what the machine can carry.
const CONNECTIONS: [usize; 2] = [1, 32];

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().with_context(|| format!("which {what}?"));
    let (fixture, portcullis, folder) = (next("fixture")?, next("portcullis")?, next("folder")?);
    let time = Duration::from_secs(next("number of seconds")?.parse()?);
    let mut servers = Servers::default();
    let direct = servers.start(Command::new(fixture).args(["--http", "127.0.0.1:0"]))?;
    let gateway = servers.start(&mut gateway(&portcullis, Path::new(&folder), &direct)?)?;
    let passed = pass::start(&direct).await?;
    let mut peers =
        vec![("direct", direct), ("pass-through", passed), ("portcullis", format!("{gateway}/fixture"))];
    // Servers that run already: name=http://…
    let others: Vec<String> = arguments.collect();
    peers.extend(
        others.iter().filter_map(|other| other.split_once('=')).map(|(name, url)| (name, url.to_owned())),
    );
    let mut all = BTreeMap::new();
    for connections in CONNECTIONS {
        for (path, url) in &peers {
            let figures = load::run(url, connections, time).await.with_context(|| format!("{path} fails"))?;
            say(&line(path, connections, &figures));
            all.insert((*path, connections), figures);
        }
    }
    if let Some(verdict) = verdict(&all) {
        say(&verdict);
    }
    Ok(())
}

fn line(path: &str, connections: usize, figures: &Figures) -> String {
    json!({ "path": path, "connections": connections, "p50_us": figures.p50_us, "p99_us": figures.p99_us,
        "rps": figures.per_second.round() })
    .to_string()
}

/// What the gateway costs beside the least a proxy can do.
fn verdict(all: &BTreeMap<(&str, usize), Figures>) -> Option<String> {
    let p50 = |path| all.get(&(path, CONNECTIONS[0])).map(|figures| figures.p50_us as f64);
    let (direct, least, ours) = (p50("direct")?, p50("pass-through")?, p50("portcullis")?);
    let rate = |path| all.get(&(path, CONNECTIONS[1])).map(|figures| figures.per_second);
    let share = rate("portcullis")? / rate("pass-through")?;
    Some(
        json!({ "added_p50_us": ours - direct, "added_by_pass_through_us": least - direct,
            "added_ratio": ((ours - direct) / (least - direct) * 100.0).round() / 100.0,
            "throughput_share": (share * 100.0).round() / 100.0 })
        .to_string(),
    )
}

fn gateway(portcullis: &str, folder: &Path, target: &str) -> Result<Command> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let config = json!({ "listen": "127.0.0.1:0", "data_dir": "data", "telemetry": { "log": "warn" },
        "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } },
            "mcpServers": { "fixture": { "url": target } } });
    let file = folder.join("portcullis.json");
    std::fs::write(&file, config.to_string())?;
    let mut command = Command::new(portcullis);
    command.args(["serve", "--config"]).arg(file);
    Ok(command)
}

fn say(line: &str) {
    // A reader who went away is no reason to stop measuring.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Servers that end with us.
#[derive(Default)]
struct Servers(Vec<Child>);

impl Servers {
    /// Starts a server; its first line is its address.
    fn start(&mut self, command: &mut Command) -> Result<String> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("its output is piped")?;
        self.0.push(child);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
