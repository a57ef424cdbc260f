//! Three gateways in front of a server over HTTP and one that is a process, with PostgreSQL and Valkey behind them, each
//! request to any node: what one saw or decided every other knows, and whatever is killed comes back without anything lost or
//! wrongly let pass.

mod chaos;
mod ledger;
mod scene;
mod shed;
mod speed;

use crate::Figures;
use crate::subject::{Tools, settles};
use anyhow::{Context, Result};
use scene::{DESK, FORBIDDEN, SERVERS, Scene, order};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What one node is told every other knows within this.
const KNOWN: Duration = Duration::from_secs(1);
/// How long anything may take that must come.
const MOST: Duration = Duration::from_secs(20);

pub(crate) async fn run(tools: &Tools, time: Duration, seed: u64, figures: &mut Figures) -> Result<()> {
    let scene = Arc::new(Scene::start(tools)?);
    scene.ready(MOST).await?;
    flow(&scene, figures).await?;
    decision(&scene, figures).await?;
    switch(&scene, figures).await?;
    speed::run(&scene, figures).await?;
    chaos::run(&scene, time, seed, figures).await
}

/// Only what dies.
pub(crate) async fn chaos(tools: &Tools, time: Duration, seed: u64, figures: &mut Figures) -> Result<()> {
    let scene = Arc::new(Scene::start(tools)?);
    scene.ready(MOST).await?;
    chaos::run(&scene, time, seed, figures).await
}

/// Only what sharing costs.
pub(crate) async fn speed(tools: &Tools, figures: &mut Figures) -> Result<()> {
    let scene = Scene::start(tools)?;
    scene.ready(MOST).await?;
    speed::run(&scene, figures).await
}

/// An order that was read through one node is not followed through another.
async fn flow(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let mut missed = 0;
    for (first, server) in (0..3).flat_map(|first| SERVERS.map(|server| (first, server))) {
        let agent = scene.agent(first, server).await?;
        agent.reads(first + 1).await?;
        missed += u32::from(agent.sends(first + 2, &order()).await?.is_some());
    }
    figures.at_most("flows split over three nodes that were not noticed", f64::from(missed), "flows", 0.0);
    Ok(())
}

/// A call that one node holds is decided on the second and passes on the third.
async fn decision(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let agent = scene.agent(0, DESK).await?;
    agent.reads(0).await?;
    agent.sends(0, &order()).await?;
    let waiting = scene.say(1, &["approvals", "list"])?;
    // The other server has a call of its own that waits.
    let place = format!("{DESK}/");
    let id = waiting.lines().rev().find_map(|line| {
        let mut words = line.split_whitespace();
        let id = words.next().filter(|word| word.starts_with("call-"))?;
        words.next()?.starts_with(&place).then(|| id.to_owned())
    });
    let id = id.with_context(|| format!("the second node shows no call that waits:\n{waiting}"))?;
    scene.say(1, &["approvals", "decide", &id, "allow-once"])?;
    let decided = Instant::now();
    let passes =
        settles(MOST, async || agent.sends(2, &order()).await.is_ok_and(|said| said.is_some())).await;
    let took = if passes { decided.elapsed() } else { MOST };
    figures.at_most(
        "from a decision on one node to the call on another",
        took.as_secs_f64(),
        "s",
        KNOWN.as_secs_f64(),
    );
    let again = agent.sends(0, &order()).await?.is_some();
    figures.at_most("calls that used a decision twice", f64::from(u8::from(again)), "calls", 0.0);
    Ok(())
}

/// The switch is thrown on one node and works on all.
async fn switch(scene: &Scene, figures: &mut Figures) -> Result<()> {
    let agent = scene.agent(0, DESK).await?;
    scene.say(0, &["stop-calls"])?;
    let thrown = Instant::now();
    let is_stopped =
        settles(MOST, async || agent.says(2, "hello").await.is_ok_and(|said| said.is_none())).await;
    let took = if is_stopped { thrown.elapsed() } else { MOST };
    figures.at_most(
        "from the switch on one node to refusals on another",
        took.as_secs_f64(),
        "s",
        KNOWN.as_secs_f64(),
    );
    scene.say(1, &["stop-calls", "--resume"])?;
    settles(MOST, async || agent.says(2, "hello").await.is_ok_and(|said| said.is_some())).await;
    let refused = agent.says(2, FORBIDDEN).await?.is_none();
    figures.at_most("forbidden calls that passed", f64::from(u8::from(!refused)), "calls", 0.0);
    Ok(())
}
