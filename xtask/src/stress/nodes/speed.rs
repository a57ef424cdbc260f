//! What sharing costs: the same calls through a gateway by itself and through one that shares everything, and how many
//! calls a second pass one node and all of them.
//!
//! A gateway by itself does not wait for the disk with each record, PostgreSQL does. What sharing costs is therefore taken
//! with a PostgreSQL that does not either; what the disk of this machine adds is told beside it.

use super::scene::{NODES, Scene};
use crate::Figures;
use crate::client::Client;
use crate::subject::{Gateway, settles};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Calls of one measurement, one after the other.
const CALLS: usize = 400;
/// The ways take turns, so that a machine that becomes slower does so for all.
const ROUNDS: usize = 5;
const LOADED_ROUNDS: usize = 3;
/// What sharing may cost at most, in a release build: processor time of the gateway, and time of the agent.
const MOST_CPU: f64 = 1.5;
const MOST_MS: f64 = 1.0;
/// Agents at a time, and for how long, where calls a second are counted. The more of them, the more travel together.
const AGENTS: usize = 16;
const MANY_AGENTS: usize = 64;
const TIME: Duration = Duration::from_secs(3);

/// What a call took.
#[derive(Clone, Copy)]
struct Took {
    /// The middle one, in milliseconds.
    p50: f64,
    /// Of the gateway, for each call, in milliseconds.
    cpu: f64,
}

/// What calls of many agents came to.
#[derive(Clone, Copy)]
struct Load {
    calls_a_second: f64,
    /// Of the gateway, for each call, in milliseconds.
    cpu: f64,
}

pub(super) async fn run(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let embedded = scene.beside("embedded", json!({}))?;
    let sharing = scene.beside("sharing", scene.engines())?;
    one_by_one(scene, &embedded, &sharing, figures).await?;
    scene.waits_for_disk(false)?;
    for agents in [AGENTS, MANY_AGENTS] {
        let (by_itself, shared) = by_turns(&embedded, &sharing, agents).await?;
        let what = |figure: &str| format!("{figure}, {agents} agents");
        figures.told(&what("CPU of a gateway by itself for a call"), by_itself.cpu * 1000.0, "µs");
        figures.told(&what("CPU of one that shares everything"), shared.cpu * 1000.0, "µs");
        let times = shared.cpu / by_itself.cpu;
        bar(figures, &what("CPU for a call: sharing / by itself"), times, "times", MOST_CPU);
        figures.told(
            &what("calls a second through a gateway by itself"),
            by_itself.calls_a_second,
            "calls/s",
        );
        figures.told(&what("calls a second through one that shares"), shared.calls_a_second, "calls/s");
    }
    scene.waits_for_disk(true)?;
    throughput(scene, figures).await
}

/// Many agents, at one gateway and then at the other.
async fn by_turns(embedded: &Gateway, sharing: &Gateway, agents: usize) -> Result<(Load, Load)> {
    let (mut of_embedded, mut of_sharing) = (Vec::new(), Vec::new());
    for _ in 0..LOADED_ROUNDS {
        of_embedded.push(loaded(embedded, agents).await?);
        of_sharing.push(loaded(sharing, agents).await?);
    }
    let middle = |mut rounds: Vec<Load>| {
        rounds.sort_by(|one, other| one.cpu.total_cmp(&other.cpu));
        rounds.get(rounds.len() / 2).copied().context("nothing was measured")
    };
    Ok((middle(of_embedded)?, middle(of_sharing)?))
}

/// One agent, one call after the other.
async fn one_by_one(
    scene: &Scene,
    embedded: &Gateway,
    sharing: &Gateway,
    figures: &mut Figures,
) -> Result<()> {
    let (mut of_embedded, mut of_sharing, mut of_disk) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_embedded.push(measured(embedded).await?);
        of_disk.push(measured(sharing).await?);
        scene.waits_for_disk(false)?;
        of_sharing.push(measured(sharing).await?);
        scene.waits_for_disk(true)?;
    }
    let (embedded, sharing, disk) = (middle(&of_embedded)?, middle(&of_sharing)?, middle(&of_disk)?);
    figures.told("p50 of a call through a gateway by itself", embedded.p50, "ms");
    figures.told("p50 through one that shares everything", sharing.p50, "ms");
    figures.told("the same with a database that waits for this disk", disk.p50, "ms");
    bar(figures, "p50 added by sharing", sharing.p50 - embedded.p50, "ms", MOST_MS);
    figures.told("CPU of a gateway by itself for a call, one agent", embedded.cpu * 1000.0, "µs");
    figures.told("CPU of one that shares everything, one agent", sharing.cpu * 1000.0, "µs");
    figures.told("CPU for a call: sharing / by itself, one agent", sharing.cpu / embedded.cpu, "times");
    Ok(())
}

/// A build that is not the one handed out is measured, not judged.
fn bar(figures: &mut Figures, figure: &str, value: f64, unit: &str, bar: f64) {
    if cfg!(debug_assertions) {
        figures.told(figure, value, unit);
    } else {
        figures.speed(figure, value, unit, bar);
    }
}

/// The middle round: the best may have been lucky.
fn middle(rounds: &[Took]) -> Result<Took> {
    let of = |part: fn(&Took) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(part).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let (p50, cpu) = of(|took| took.p50).zip(of(|took| took.cpu)).context("nothing was measured")?;
    ensure!(cpu > 0.0, "the system does not say what a process uses");
    Ok(Took { p50, cpu })
}

/// Calls one after the other over one connection.
async fn measured(gateway: &Gateway) -> Result<Took> {
    let url = gateway.server("desk");
    let passes = async || match Client::open(&url).await {
        Ok(mut client) => hello(&mut client).await.is_ok(),
        Err(_) => false,
    };
    settles(Duration::from_secs(20), passes).await;
    let mut client = Client::open(&url).await?;
    let before = cpu_ms(gateway.id())?;
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let began = Instant::now();
        hello(&mut client).await?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    let p50 = times.get(CALLS / 2).copied().unwrap_or_default().as_secs_f64() * 1000.0;
    Ok(Took { p50, cpu: (cpu_ms(gateway.id())? - before) / CALLS as f64 })
}

/// A call that acts and must pass.
async fn hello(client: &mut Client) -> Result<()> {
    let result = client.call("echo", json!({ "text": "hello" })).await?.result()?;
    ensure!(result["isError"] != true, "an honest call does not pass");
    Ok(())
}

/// Calls a second through one node, and through all of them.
async fn throughput(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let one = through(scene.urls(1)?, AGENTS).await?;
    let all = through(scene.urls(NODES)?, AGENTS).await?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    figures.told("calls a second through one node that shares", one, "calls/s");
    figures.told("calls a second through three nodes", all, "calls/s");
    let figure = format!("calls a second: three nodes / one, all on {cores} cores with what they share");
    figures.told(&figure, all / one.max(1.0), "times");
    Ok(())
}

/// Many agents at one gateway.
async fn loaded(gateway: &Gateway, agents: usize) -> Result<Load> {
    let (before, began) = (cpu_ms(gateway.id())?, Instant::now());
    let calls_a_second = through(vec![gateway.server("desk")], agents).await?;
    let calls = calls_a_second * began.elapsed().as_secs_f64();
    Ok(Load { calls_a_second, cpu: (cpu_ms(gateway.id())? - before) / calls })
}

/// How many calls of all agents a second are answered, each through the next of these.
async fn through(urls: Vec<String>, count: usize) -> Result<f64> {
    let mut agents = JoinSet::new();
    let began = Instant::now();
    for number in 0..count {
        agents.spawn(busy(urls.clone(), number));
    }
    let mut calls = 0;
    while let Some(done) = agents.join_next().await {
        calls += done?.with_context(|| format!("a call through one of {} nodes", urls.len()))?;
    }
    Ok(f64::from(calls) / began.elapsed().as_secs_f64())
}

/// An agent with a connection to each gateway, and one session on all of them.
async fn busy(mut urls: Vec<String>, number: usize) -> Result<u32> {
    // Not all agents begin at the same one.
    let first = number % urls.len().max(1);
    urls.rotate_left(first);
    let (mut clients, mut session) = (Vec::new(), None);
    for url in &urls {
        let mut client = match session {
            None => Client::open(url).await?,
            Some(_) => Client::connect(url).await?,
        };
        client.session = session.or(client.session);
        session = client.session.clone();
        clients.push(client);
    }
    let (began, mut calls) = (Instant::now(), 0);
    while began.elapsed() < TIME {
        for client in &mut clients {
            hello(client).await?;
            calls += 1;
        }
    }
    Ok(calls)
}

/// What a process has used, in milliseconds: the system counts for each of its threads, in nanoseconds.
fn cpu_ms(pid: u32) -> Result<f64> {
    let mut ns = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        // A thread may have ended meanwhile.
        let used = fs::read_to_string(thread?.path().join("schedstat")).unwrap_or_default();
        ns += used.split(' ').next().and_then(|used| used.parse::<u64>().ok()).unwrap_or_default();
    }
    Ok(ns as f64 / 1e6)
}
