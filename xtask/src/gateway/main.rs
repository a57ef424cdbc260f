//! Measures a call through the gateway beside the same call without it, beside the least a proxy can do, and beside
//! other proxies.
//!
//! One JSON line per path and number of connections: {"path", "connections", "p50_us", "p99_us", "rps"}; the last line
//! holds the ratios.

mod load;
mod pass;
mod peers;
mod processes;
mod summary;

use anyhow::{Context, Result, bail};
use load::Times;
use processes::Servers;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use summary::{CONNECTIONS, Figures};

/// Paths take turns, so that a machine that becomes slower does so for all of them.
const ROUNDS: u32 = 5;

/// One way to the server.
pub(crate) struct Way {
    name: String,
    url: String,
    /// What the echo tool is called there.
    tool: &'static str,
}

impl Way {
    pub(crate) fn new(name: &str, url: String) -> Way {
        Way { name: name.to_owned(), url, tool: "echo" }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().with_context(|| format!("which {what}?"));
    match next("work: pass or measure")?.as_str() {
        "pass" => pass::serve(&next("target")?).await,
        "measure" => {
            let (fixture, portcullis, folder) = (next("fixture")?, next("portcullis")?, next("folder")?);
            let time = Duration::from_secs(next("number of seconds")?.parse()?);
            let mut servers = Servers::default();
            let folder = Path::new(&folder);
            let mut ways = our_ways(&mut servers, &fixture, &portcullis, folder)?;
            let target = ways.first().map(|way| way.url.clone()).unwrap_or_default();
            for other in arguments {
                ways.push(peers::way(&mut servers, &other, &target, &fixture, folder)?);
            }
            measure(&ways, time).await
        }
        other => bail!("`{other}` is no work of ours"),
    }
}

/// The server itself, the least proxy and the gateway, each a process of its own.
fn our_ways(servers: &mut Servers, fixture: &str, portcullis: &str, folder: &Path) -> Result<Vec<Way>> {
    let direct = servers.start(Command::new(fixture).args(["--http", "127.0.0.1:0"]))?;
    let passed = servers.start(Command::new(std::env::current_exe()?).args(["pass", &direct]))?;
    let gateway = servers.start(&mut gateway(portcullis, folder, &direct)?)?;
    Ok(vec![
        Way::new("direct", direct),
        Way::new("pass-through", passed),
        Way::new("portcullis", format!("{gateway}/fixture")),
    ])
}

async fn measure(ways: &[Way], time: Duration) -> Result<()> {
    let mut all = BTreeMap::new();
    for connections in CONNECTIONS {
        let mut times: BTreeMap<&str, Times> = BTreeMap::new();
        for _ in 0..ROUNDS {
            for way in ways {
                let round = load::run(way, connections, time / ROUNDS).await;
                let round = round.with_context(|| format!("{} fails", way.name))?;
                times.entry(&way.name).or_default().extend(round);
            }
        }
        for way in ways {
            let Some(times) = times.remove(way.name.as_str()) else { continue };
            let figures = Figures::of(times, time);
            say(&line(&way.name, connections, &figures));
            all.insert((way.name.as_str(), connections), figures);
        }
    }
    if let Some(summary) = summary::of(&all) {
        say(&summary.to_string());
    }
    Ok(())
}

fn line(path: &str, connections: usize, figures: &Figures) -> String {
    let us = |ns: f64| (ns / 1e3).round();
    json!({ "path": path, "connections": connections, "p50_us": us(figures.p50_ns), "p99_us": us(figures.p99_ns),
        "rps": figures.per_second.round() })
    .to_string()
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
