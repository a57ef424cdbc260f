//! Servers and clients that are killed at random under load: nothing hangs, and afterwards nothing is left.

use crate::Figures;
use crate::client::{Client, parts};
use crate::random::Random;
use crate::subject::{Gateway, Process, Tools, descendants, marked, settles, signal, text};
use anyhow::{Context, Result};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Clients at a time.
const CLIENTS: u64 = 24;
/// What a request may take: reaching a server that does not begin, and waiting for an answer that does not come.
const START: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(3);
/// What comes on top on a machine that does all of this at once.
const MARGIN: Duration = Duration::from_secs(5);
/// How long everything may take to become quiet.
const SETTLE: Duration = Duration::from_secs(15);
/// Connections to servers are kept for the next call, at most so many to each.
const POOLED: u64 = 64;
/// Each of the two servers is a launcher, a shell and the fixture.
const PROCESSES: f64 = 6.0;
/// Stands in the environment of every server that is a child, and of what it starts.
const MARK: &str = "PORTCULLIS_CHAOS";

/// What the clients saw.
#[derive(Default)]
struct Tally {
    is_over: AtomicBool,
    answered: AtomicU64,
    failed: AtomicU64,
    left: AtomicU64,
    longest_ms: AtomicU64,
}

pub(crate) async fn run(tools: &Tools, time: Duration, figures: &mut Figures) -> Result<()> {
    let mark = format!("{MARK}={}", std::process::id());
    let mut remote = Some(Process::fixture(tools, "127.0.0.1:0")?);
    let url = remote.as_ref().map(|process| process.url.clone()).context("it runs")?;
    let gateway = Arc::new(gateway(tools, &url)?);
    gateway.warm(&["one", "two", "remote"]).await?;
    // The first who listens to all servers makes the gateway listen to the remote one, and that lasts.
    drop(listener(&gateway.url, Client::open(&gateway.url).await?.session).await?);
    let quiet = Quiet::of(&gateway).await?;
    let tally = Arc::new(Tally::default());
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(client(Arc::clone(&gateway), Arc::clone(&tally), number));
    }
    let kills = kill_for(time, tools, &gateway, &url, &mut remote, &mark).await?;
    tally.is_over.store(true, Ordering::Relaxed);
    let most = START + ANSWER + MARGIN;
    let all = async { while clients.join_next().await.is_some() {} };
    let is_ended = tokio::time::timeout(most, all).await.is_ok();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
    figures.told("kills", kills as f64, "kills");
    figures.told("calls answered", count(&tally.answered), "calls");
    figures.told("calls failed", count(&tally.failed), "calls");
    figures.told("clients that left in the middle", count(&tally.left), "clients");
    figures.at_most("clients that hang", if is_ended { 0.0 } else { clients.len() as f64 }, "clients", 0.0);
    figures.at_most("longest call", count(&tally.longest_ms) / 1000.0, "s", most.as_secs_f64());
    quiet.compare(&gateway, &mark, figures).await?;
    ends(gateway, &mark, figures).await
}

fn gateway(tools: &Tools, remote: &str) -> Result<Gateway> {
    // A shell before the fixture: what a server starts must end with it.
    let script = format!("'{}' --stdio --era legacy; true", text(&tools.fixture));
    let child = json!({
        "command": "sh", "args": ["-c", script], "env": { MARK: std::process::id().to_string() },
    });
    let timing = json!({
        "connect_ms": 2000, "start_ms": START.as_millis() as u64, "answer_ms": ANSWER.as_millis() as u64,
    });
    Gateway::start(
        tools,
        json!({ "timing": timing, "mcpServers": { "one": child, "two": child, "remote": { "url": remote } } }),
    )
}

/// Kills something every now and then; how often.
async fn kill_for(
    time: Duration,
    tools: &Tools,
    gateway: &Gateway,
    url: &str,
    remote: &mut Option<Process>,
    mark: &str,
) -> Result<u64> {
    let mut random = Random::new(7);
    let (host, _) = parts(url)?;
    let until = Instant::now() + time;
    let mut kills = 0;
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(100 + random.below(400))).await;
        kills += 1;
        match random.below(4) {
            0 => {
                drop(remote.take());
                tokio::time::sleep(Duration::from_millis(random.below(300))).await;
                *remote = Some(Process::fixture(tools, &host)?);
            }
            // One that is stopped is silent: it must be ended and started again.
            1 => one_of(&marked(mark), &mut random).into_iter().for_each(|pid| signal("STOP", pid)),
            _ => one_of(&descendants(gateway.id()), &mut random)
                .into_iter()
                .for_each(|pid| signal("KILL", pid)),
        }
    }
    Ok(kills)
}

fn one_of(pids: &[u32], random: &mut Random) -> Option<u32> {
    pids.get(usize::try_from(random.below(pids.len() as u64)).ok()?).copied()
}

/// One client after the other in the same place, each with a few calls.
async fn client(gateway: Arc<Gateway>, tally: Arc<Tally>, number: u64) {
    let mut random = Random::new(number + 100);
    while !tally.is_over.load(Ordering::Relaxed) {
        let url = match random.below(4) {
            0 => gateway.url.clone(),
            1 => gateway.server("one"),
            2 => gateway.server("two"),
            _ => gateway.server("remote"),
        };
        let prefix = if url == gateway.url { "one__" } else { "" };
        // Failures are what this is about; a client that fails begins again.
        let _ = visit(&url, prefix, &tally, &mut random).await;
        tokio::time::sleep(Duration::from_millis(random.below(20))).await;
    }
}

async fn visit(url: &str, prefix: &str, tally: &Tally, random: &mut Random) -> Result<()> {
    let mut client = timed(tally, Client::open(url)).await?;
    if random.below(4) == 0 {
        listener(url, client.session.clone()).await?;
    }
    for _ in 0..random.below(30) {
        let (tool, arguments) = match random.below(8) {
            0 => ("slow", json!({ "milliseconds": random.below(200) })),
            1 => ("test_tool_with_progress", json!({})),
            2 => ("bytes", json!({ "count": random.below(1 << 20) })),
            _ => ("echo", json!({ "a": 1 })),
        };
        let name = format!("{prefix}{tool}");
        let call = client.call(&name, arguments);
        if random.below(20) == 0 {
            // Leaves in the middle.
            let _ = tokio::time::timeout(Duration::from_micros(random.below(3000)), call).await;
            tally.left.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        timed(tally, async { call.await?.result() }).await?;
    }
    Ok(())
}

/// The stream of a session.
async fn listener(url: &str, session: Option<String>) -> Result<Client> {
    let mut listener = Client::connect(url).await?;
    listener.session = session;
    listener.listen().await?;
    Ok(listener)
}

async fn timed<T>(tally: &Tally, call: impl Future<Output = Result<T>>) -> Result<T> {
    let began = Instant::now();
    let outcome = call.await;
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    tally.longest_ms.fetch_max(took, Ordering::Relaxed);
    let counter = if outcome.is_ok() { &tally.answered } else { &tally.failed };
    counter.fetch_add(1, Ordering::Relaxed);
    outcome
}

/// What a gateway at rest has open.
struct Quiet {
    tasks: u64,
    descriptors: u64,
}

impl Quiet {
    async fn of(gateway: &Gateway) -> Result<Quiet> {
        let tasks = gateway.metric("portcullis_tasks").await?;
        Ok(Quiet { tasks, descriptors: gateway.descriptors()? as u64 })
    }

    /// What is left when everybody has gone.
    async fn compare(&self, gateway: &Gateway, mark: &str, figures: &mut Figures) -> Result<()> {
        // Servers that were stopped are found out by the next call; those that are gone are started by it.
        let is_well =
            settles(SETTLE * 2, async || gateway.warm(&["one", "two", "remote"]).await.is_ok()).await;
        figures.at_most("servers that do not come back", f64::from(u8::from(!is_well)), "servers", 0.0);
        let is_quiet = async || -> Result<bool> {
            Ok(gateway.metric("portcullis_in_flight").await? == 0
                && gateway.metric("portcullis_connections").await? <= 1
                && gateway.metric("portcullis_tasks").await? <= self.tasks)
        };
        settles(SETTLE, async || is_quiet().await.unwrap_or(false)).await;
        let left = gateway.metric("portcullis_in_flight").await?;
        figures.at_most("requests in flight afterwards", left as f64, "requests", 0.0);
        let tasks = gateway.metric("portcullis_tasks").await?;
        figures.at_most("tasks afterwards", tasks as f64, "tasks", self.tasks as f64);
        let descriptors = gateway.descriptors()? as f64;
        figures.at_most("descriptors afterwards", descriptors, "files", (self.descriptors + POOLED) as f64);
        figures.at_most("server processes afterwards", marked(mark).len() as f64, "processes", PROCESSES);
        Ok(())
    }
}

/// Stops the gateway: in time, and with everything it started.
async fn ends(gateway: Arc<Gateway>, mark: &str, figures: &mut Figures) -> Result<()> {
    let began = Instant::now();
    signal("TERM", gateway.id());
    let is_gone = settles(SETTLE, async || marked(mark).is_empty()).await;
    figures.told("ended within", began.elapsed().as_secs_f64(), "s");
    let left = if is_gone { 0 } else { marked(mark).len() };
    figures.at_most("server processes after the end", left as f64, "processes", 0.0);
    Ok(())
}
