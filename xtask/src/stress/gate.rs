//! The gate before a thousand servers with a hundred tools each: starting, one server that changes, and the reviewer's list.

use crate::Figures;
use crate::client::Client;
use crate::crowd::{Crowd, TOOLS, name};
use crate::subject::{Gateway, Tools, settles};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything here may take at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// How often the same is measured; the median counts.
pub(crate) const ROUNDS: usize = 9;

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;

pub(crate) async fn run(tools: &Tools, servers: u32, figures: &mut Figures) -> Result<()> {
    crate::subject::open_files();
    let crowd = Crowd::start(servers).await?;
    // Everything is seen and approved once, which is not measured.
    let config = json!({ "mcpServers": crowd.configured(),
        "security": { "tool_quarantine": { "auto_quarantine_new_tools": false, "recheck_s": 86_400 } } });
    let all = servers * TOOLS;
    let first = Gateway::start(tools, config)?;
    ensure!(
        settles(PATIENCE, async || listed(&first.url).await.is_ok_and(|(count, _)| count == all)).await,
        "not all tools are exposed"
    );
    first.end();
    let began = Instant::now();
    let gateway = Gateway::restart(tools)?;
    figures.told("start until it listens", ms(began), "ms");
    let (count, bytes) = listed(&gateway.url).await?;
    figures.at_most("start until all is listed", ms(began), "ms", 5000.0);
    ensure!(count == all, "{count} of {all} tools are listed");
    figures.told("that list", bytes as f64 / 1e6, "MB");
    let again = Instant::now();
    listed(&gateway.url).await?;
    figures.told("the same list again", ms(again), "ms");
    figures.told("resident memory", gateway.memory()?.0 as f64 / 1e6, "MB");
    changes(&crowd, &gateway, figures).await?;
    figures.at_most("security list, gateway running", reviewed(tools)?, "ms", 200.0);
    gateway.end();
    figures.at_most("security list, data directory", reviewed(tools)?, "ms", 200.0);
    Ok(())
}

/// One server after the other gets a tool more: how long until an agent that is told of it can see it.
async fn changes(crowd: &Crowd, gateway: &Gateway, figures: &mut Figures) -> Result<()> {
    let mut listener = Client::open(&gateway.url).await?;
    listener.listen().await?;
    let count = usize::try_from(crate::subject::open_files())?.min(crowd.len());
    ensure!(
        settles(PATIENCE, async || crowd.listened_to() >= count).await,
        "the gateway does not listen to all"
    );
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for number in 0..ROUNDS {
        let server = gateway.server(&name(number));
        let mut agent = Client::open(&server).await?;
        let before = tools_of(&agent.post(LIST).await?.result()?)?;
        let mut everybody = Client::open(&gateway.url).await?;
        let began = Instant::now();
        crowd.grow(number);
        let mut told = Vec::new();
        listener.read_chunk(&mut told).await?;
        while tools_of(&agent.post(LIST).await?.result()?)? == before {
            ensure!(began.elapsed() < PATIENCE, "the new tool is never seen");
        }
        near.push(ms(began));
        everybody.post(LIST).await?;
        far.push(ms(began));
    }
    figures.at_most("list_changed until the server's new list", median(near), "ms", 50.0);
    figures.told("list_changed until the new list of all", median(far), "ms");
    Ok(())
}

/// How many tools an agent sees on the path of all servers, and in how many bytes.
pub(crate) async fn listed(url: &str) -> Result<(u32, usize)> {
    let mut client = Client::open(url).await?;
    let answer = client.post(LIST).await?;
    let count = tools_of(&answer.result()?)?;
    Ok((u32::try_from(count)?, answer.body.len()))
}

/// How many tools of servers there are; the gateway's own is not counted.
fn tools_of(result: &Value) -> Result<usize> {
    let tools = result["tools"].as_array().context("a list of tools")?;
    Ok(tools.iter().filter(|tool| tool["name"] != "quarantine_security").count())
}

/// The time `security list` takes, as whoever types it waits for it.
fn reviewed(tools: &Tools) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut command = Command::new(&tools.portcullis);
        command.args(["security", "list", "--config"]).arg(tools.folder.join("portcullis.json"));
        let began = Instant::now();
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
        if !status.success() {
            bail!("{command:?} failed");
        }
        times.push(ms(began));
    }
    Ok(median(times))
}

pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
