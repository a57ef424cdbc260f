//! What sharing costs: the same calls through a gateway by itself, one that shares flows, and one of three.

use super::scene::{NODES, Scene};
use crate::Figures;
use crate::client::Client;
use crate::subject::{Gateway, settles};
use anyhow::{Context, Result};
use serde_json::json;
use std::time::{Duration, Instant};

/// Calls of one measurement, one after the other.
const CALLS: usize = 400;
const ROUNDS: usize = 3;

/// What calls took.
struct Took {
    /// The middle one, in milliseconds.
    p50: f64,
    /// Of the gateway, for each call, in milliseconds.
    cpu: f64,
}

pub(super) async fn run(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let alone = scene.beside("alone", json!({}))?;
    let sharing = scene.beside("sharing", json!({ "flow_store": scene.valkey.address() }))?;
    let ways = [("by itself", alone), ("that shares flows", sharing)];
    let mut best = [None, None];
    for _ in 0..ROUNDS {
        for ((_, gateway), best) in ways.iter().zip(&mut best) {
            let took = measured(gateway).await?;
            let is_better = best.as_ref().is_none_or(|best: &Took| took.p50 < best.p50);
            *best = if is_better { Some(took) } else { best.take() };
        }
    }
    let [Some(alone), Some(sharing)] = best else { return Ok(()) };
    figures.told("p50 of a call through a gateway by itself", alone.p50, "ms");
    figures.told("the same through one that shares flows", sharing.p50, "ms");
    figures.told("CPU of a gateway by itself for a call", alone.cpu, "ms");
    figures.told("CPU of one that shares flows / by itself", sharing.cpu / alone.cpu.max(0.001), "times");
    let began = Instant::now();
    let calls = through_all(scene).await?;
    figures.told(
        "calls a second through three nodes, eight agents",
        calls / began.elapsed().as_secs_f64(),
        "calls/s",
    );
    Ok(())
}

/// Calls one after the other over one connection.
async fn measured(gateway: &Gateway) -> Result<Took> {
    let url = gateway.server("desk");
    let passes = async || match Client::open(&url).await {
        Ok(mut client) => {
            let answer = client.call("echo", json!({ "text": "hello" })).await;
            answer.and_then(|answer| answer.result()).is_ok_and(|result| result["isError"] != true)
        }
        Err(_) => false,
    };
    settles(Duration::from_secs(20), passes).await;
    let mut client = Client::open(&url).await?;
    let before = cpu_ms(gateway.id())?;
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let began = Instant::now();
        client.call("echo", json!({ "text": "hello" })).await?.result()?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    let p50 = times.get(CALLS / 2).copied().unwrap_or_default().as_secs_f64() * 1000.0;
    Ok(Took { p50, cpu: (cpu_ms(gateway.id())? - before) / CALLS as f64 })
}

/// Calls of eight agents, each through every node in turn; how many there were.
async fn through_all(scene: &Scene) -> Result<f64> {
    let work = |first: usize| async move {
        let agent = scene.agent(first).await?;
        for turn in 0..CALLS / 8 {
            agent.says(first + turn, "hello").await?;
        }
        anyhow::Ok(())
    };
    let (a, b, c, d, e, f, g, h) =
        tokio::join!(work(0), work(1), work(2), work(0), work(1), work(2), work(0), work(1));
    for done in [a, b, c, d, e, f, g, h] {
        done.with_context(|| format!("a call through one of {NODES} nodes"))?;
    }
    Ok((CALLS / 8 * 8) as f64)
}

/// What a process has used, in milliseconds; the system counts in hundredths of a second.
fn cpu_ms(pid: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = stat.rsplit_once(") ").context("a line of numbers")?.1;
    let ticks = rest.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap_or_default());
    Ok(ticks.sum::<f64>() * 10.0)
}
