//! Nodes, Valkey and PostgreSQL, killed and started again at random under load.

use super::MOST;
use super::scene::{FORBIDDEN, NODES, Scene, order};
use crate::Figures;
use crate::random::Random;
use anyhow::{Context, Result, anyhow};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Everything works again so soon after whatever was killed runs again.
const RECOVERY: Duration = Duration::from_secs(10);

/// What the agents saw.
#[derive(Default)]
struct Tally {
    is_over: AtomicBool,
    /// Calls whose result came.
    answered: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    /// Calls that passed and must not, each with the way there.
    wrong: Mutex<Vec<String>>,
    /// What was killed last.
    killed: Mutex<String>,
}

pub(super) async fn run(scene: &mut Scene, time: Duration, figures: &mut Figures) -> Result<()> {
    let before = answered(scene)?;
    let (until, tally) = (Instant::now() + time, Tally::default());
    let mut random = Random::new(11);
    let (mut kills, mut longest) = (0, Duration::ZERO);
    while Instant::now() < until {
        let took = round(scene, &tally, &mut random).await?;
        longest = longest.max(took);
        kills += 1;
    }
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
    figures.told("kills", f64::from(kills), "kills");
    figures.told("calls answered meanwhile", count(&tally.answered), "calls");
    figures.told("calls refused", count(&tally.refused), "calls");
    figures.told("calls failed", count(&tally.failed), "calls");
    let wrong = std::mem::take(&mut *locked(&tally.wrong));
    wrong.iter().for_each(|way| crate::say(way));
    figures.at_most("calls that passed against the policy", wrong.len() as f64, "calls", 0.0);
    figures.at_most("longest recovery", longest.as_secs_f64(), "s", RECOVERY.as_secs_f64());
    let recorded = answered(scene)? - before;
    let lost = (tally.answered.load(Ordering::Relaxed)).saturating_sub(recorded);
    figures.at_most("answers without a record", lost as f64, "records", 0.0);
    scene.verify()
}

/// Something is killed under load and started again; how long until all is well.
async fn round(scene: &mut Scene, tally: &Tally, random: &mut Random) -> Result<Duration> {
    let victim = random.below(NODES as u64 + 2);
    let away = Duration::from_millis(200 + random.below(1500));
    let seed = random.below(1 << 30);
    *locked(&tally.killed) = match victim.checked_sub(NODES as u64) {
        None => format!("node {}", victim + 1),
        Some(0) => "Valkey".to_owned(),
        Some(_) => "PostgreSQL".to_owned(),
    };
    match usize::try_from(victim).ok().filter(|node| *node < NODES) {
        Some(node) => {
            under_load(scene, tally, seed, away, || scene.kill(node)).await;
            scene.revive(node)?;
        }
        None if victim == NODES as u64 => {
            scene.valkey.crash();
            under_load(scene, tally, seed, away, || ()).await;
            scene.valkey.begin().map_err(|error| anyhow!(error))?;
        }
        None => {
            scene.cluster.crash().map_err(|error| anyhow!(error))?;
            under_load(scene, tally, seed, away, || ()).await;
            scene.cluster.begin().map_err(|error| anyhow!(error))?;
        }
    }
    let back = Instant::now();
    locked(&tally.killed).push_str(", which is back");
    under_load(scene, tally, seed + 1, Duration::from_millis(500), || ()).await;
    scene.ready(MOST).await.context("after a kill")?;
    Ok(back.elapsed())
}

/// Lets agents work for a while, during which something is done.
async fn under_load(scene: &Scene, tally: &Tally, seed: u64, time: Duration, act: impl FnOnce()) {
    let over = async {
        tokio::time::sleep(time / 2).await;
        act();
        tokio::time::sleep(time / 2).await;
        tally.is_over.store(true, Ordering::Relaxed);
    };
    tally.is_over.store(false, Ordering::Relaxed);
    let agent = |number: u64| agent(scene, tally, seed.wrapping_mul(31) + number);
    tokio::join!(over, agent(0), agent(1), agent(2), agent(3), agent(4), agent(5), agent(6), agent(7));
}

/// One agent after the other in the same place, each with a few calls, each through any node.
async fn agent(scene: &Scene, tally: &Tally, seed: u64) {
    let mut random = Random::new(seed);
    while !tally.is_over.load(Ordering::Relaxed) {
        // Failures are what this is about; an agent that fails begins again.
        if visit(scene, tally, &mut random).await.is_err() {
            tally.failed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn visit(scene: &Scene, tally: &Tally, random: &mut Random) -> Result<()> {
    let node = |random: &mut Random| usize::try_from(random.below(NODES as u64)).unwrap_or_default();
    let agent = scene.agent(node(random)).await?;
    let first = node(random);
    agent.reads(first).await?;
    let mut way = format!("read at {}", first + 1);
    tally.answered.fetch_add(1, Ordering::Relaxed);
    for _ in 0..4 {
        let at = node(random);
        let (passed, must_not) = match random.below(4) {
            0 => (agent.sends(at, &order()).await?, true),
            1 => (agent.says(at, FORBIDDEN).await?, true),
            _ => (agent.says(at, "hello").await?, false),
        };
        let counter = if passed.is_some() { &tally.answered } else { &tally.refused };
        counter.fetch_add(1, Ordering::Relaxed);
        way = format!(
            "{way}, {} {}at {}",
            if must_not { "order" } else { "hello" },
            if passed.is_some() { "passed " } else { "" },
            at + 1
        );
        if must_not && passed.is_some() {
            locked(&tally.wrong).push(format!("{way}; killed was {}", locked(&tally.killed)));
        }
    }
    Ok(())
}

/// How many answers the database knows of.
fn answered(scene: &Scene) -> Result<u64> {
    let count = "SELECT count(*) FROM portcullis.activity WHERE status = 'answered'";
    let count = scene.cluster.sql("nodes", count).map_err(|error| anyhow!(error))?;
    Ok(count.trim().parse()?)
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
