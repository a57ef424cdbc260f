//! Nodes, Valkey and PostgreSQL, killed and started again at random under load that never stops.
//!
//! Every call carries a mark of its own, so that what agents heard can be held against what was recorded: an answer that
//! came has its records, and a call that the policy refuses was never sent, whoever heard what.

use super::ledger::Ledger;
use super::scene::{At, DESK, FORBIDDEN, NODES, SHED, Scene, order};
use crate::Figures;
use crate::random::Random;
use crate::subject::settles;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::task::{JoinSet, LocalSet, spawn_blocking};

/// Everything works again so soon after whatever was killed runs again.
const RECOVERY: Duration = Duration::from_secs(10);
/// When the node that ran a process is dead, another runs it within this: its lease, and what the start takes.
const TAKEN_OVER: Duration = Duration::from_secs(10);
/// Agents at a time.
const AGENTS: u64 = 8;
/// Calls in a session, after the note was read.
const CALLS: u64 = 6;
/// An agent tries a call again, on any node, for so long: the longest something is away, and what recovery may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest pause before a call is tried again.
const PAUSE_MS: u64 = 100;

/// What can be killed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Node(usize),
    /// The node below which the process runs.
    Owner(usize),
    Valkey,
    Postgres,
}

impl Victim {
    /// Any of those that are left in the bag, which is filled when it is empty: no kind is spared for long.
    fn any(bag: &mut Vec<Victim>, random: &mut Random, scene: &Scene) -> Victim {
        let node = random.below(NODES as u64) as usize;
        if bag.is_empty() {
            *bag = vec![Victim::Node(node), Victim::Owner(node), Victim::Valkey, Victim::Postgres];
        }
        match bag.swap_remove(random.below(bag.len() as u64) as usize) {
            // Who it is, is known only now.
            Victim::Owner(_) => scene.owner().map_or(Victim::Node(node), Victim::Owner),
            victim => victim,
        }
    }

    /// Whether both are one node, which dies only once.
    fn is_same(&self, other: &Victim) -> bool {
        match (self, other) {
            (Victim::Node(one) | Victim::Owner(one), Victim::Node(other) | Victim::Owner(other)) => {
                one == other
            }
            (one, other) => one == other,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Victim::Node(_) => "kills of a node",
            Victim::Owner(_) => "kills of the node that runs the process",
            Victim::Valkey => "kills of Valkey",
            Victim::Postgres => "kills of PostgreSQL",
        }
    }

    fn kill(self, scene: &Scene) -> Result<()> {
        match self {
            Victim::Node(node) | Victim::Owner(node) => scene.kill(node),
            Victim::Valkey => scene.valkey().crash(),
            Victim::Postgres => scene.cluster.crash().map_err(anyhow::Error::msg)?,
        }
        Ok(())
    }

    fn revive(self, scene: &Scene) -> Result<()> {
        match self {
            Victim::Node(node) | Victim::Owner(node) => scene.revive(node),
            Victim::Valkey => scene.valkey().begin().map_err(anyhow::Error::msg),
            Victim::Postgres => scene.cluster.begin().map_err(anyhow::Error::msg),
        }
    }
}

pub(super) async fn run(scene: &Arc<Scene>, time: Duration, seed: u64, figures: &mut Figures) -> Result<()> {
    let ledger = Rc::new(Ledger::default());
    // Agents mostly wait: one thread is enough for all of them.
    let (havoc, hanging) = LocalSet::new().run_until(under_load(scene, &ledger, time, seed)).await;
    havoc?.tell(figures);
    figures.at_most("agents that hang", hanging as f64, "agents", 0.0);
    ledger.tell(figures);
    ledger.judge(&scene.recorded()?, figures);
    scene.shed.tell(figures)?;
    scene.verify()
}

/// Lets agents work from before the first kill until after the last; what was done, and how many of them never ended.
async fn under_load(
    scene: &Arc<Scene>,
    ledger: &Rc<Ledger>,
    time: Duration,
    seed: u64,
) -> (Result<Havoc>, usize) {
    let mut agents = JoinSet::new();
    for number in 0..AGENTS {
        let random = Random::new(seed.wrapping_mul(31).wrapping_add(number + 1));
        agents.spawn_local(agent(Arc::clone(scene), Rc::clone(ledger), number, random));
    }
    let havoc = havoc(scene, time, &mut Random::new(seed)).await;
    ledger.is_over.store(true, Ordering::Relaxed);
    let all = async { while agents.join_next().await.is_some() {} };
    let is_ended = tokio::time::timeout(PATIENCE * 2, all).await.is_ok();
    (havoc, if is_ended { 0 } else { agents.len() })
}

/// What was done, and how soon all was well.
#[derive(Default)]
struct Havoc {
    kills: BTreeMap<&'static str, u32>,
    together: u32,
    longest: Duration,
    /// The longest from the death of the node that ran the process until the process answered elsewhere.
    taken_over: Duration,
}

impl Havoc {
    fn tell(&self, figures: &mut Figures) {
        for (kind, count) in &self.kills {
            figures.told(kind, f64::from(*count), "kills");
        }
        figures.told("of them two at a time", f64::from(self.together), "times");
        let taken_over = self.taken_over.as_secs_f64();
        figures.at_most(
            "longest until a process of a dead node ran elsewhere",
            taken_over,
            "s",
            TAKEN_OVER.as_secs_f64(),
        );
        figures.at_most("longest recovery", self.longest.as_secs_f64(), "s", RECOVERY.as_secs_f64());
    }
}

/// Kills something every now and then, sometimes two at a time, and starts it again.
async fn havoc(scene: &Arc<Scene>, time: Duration, random: &mut Random) -> Result<Havoc> {
    let (until, mut havoc, mut bag) = (Instant::now() + time, Havoc::default(), Vec::new());
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(random.below(1000))).await;
        let mut victims = vec![Victim::any(&mut bag, random, scene)];
        if random.below(4) == 0 {
            victims.push(Victim::any(&mut bag, random, scene));
            victims.sort_unstable();
            victims.dedup_by(|one, other| one.is_same(other));
        }
        havoc.together += u32::from(victims.len() > 1);
        for victim in &victims {
            *havoc.kills.entry(victim.kind()).or_default() += 1;
            apart(scene, *victim, Victim::kill).await?;
        }
        // Without the database nobody knows who runs a process.
        if let [Victim::Owner(node)] | [Victim::Owner(node), Victim::Valkey] = *victims {
            havoc.taken_over = havoc.taken_over.max(taken_over(scene, node).await?);
        }
        tokio::time::sleep(Duration::from_millis(200 + random.below(2500))).await;
        // What nodes need at their start comes before them.
        for victim in victims.iter().rev() {
            apart(scene, *victim, Victim::revive).await?;
        }
        let took = scene.ready(RECOVERY * 3).await.context("after a kill")?;
        havoc.longest = havoc.longest.max(took);
    }
    Ok(havoc)
}

/// Waits until the process of a node that was killed just now answers on another node; how long that took.
async fn taken_over(scene: &Scene, dead: usize) -> Result<Duration> {
    let (began, node) = (Instant::now(), (dead + 1) % NODES);
    // Reading passes whatever else is away.
    let is_there = settles(TAKEN_OVER * 3, async || scene.reads(node, SHED).await.unwrap_or(false)).await;
    ensure!(is_there, "the process of a node that was killed runs nowhere else");
    Ok(began.elapsed())
}

/// Does something that takes its time, while agents go on.
async fn apart(scene: &Arc<Scene>, victim: Victim, act: fn(Victim, &Scene) -> Result<()>) -> Result<()> {
    let scene = Arc::clone(scene);
    spawn_blocking(move || act(victim, &scene)).await?
}

/// One agent after the other in the same place, until all is over.
async fn agent(scene: Arc<Scene>, ledger: Rc<Ledger>, place: u64, mut random: Random) {
    let mut visits = 0;
    while !ledger.is_over.load(Ordering::Relaxed) {
        visits += 1;
        let server = if random.below(2) == 0 { DESK } else { SHED };
        let mark = format!("v{place}n{visits}");
        let visit = Visit { scene: &scene, ledger: &ledger, server, mark };
        // What no node took is counted; the next agent begins anew.
        let _ = visit.take(&mut random).await;
    }
}

/// A session, with an order in it that must not be followed.
struct Visit<'a> {
    scene: &'a Scene,
    ledger: &'a Ledger,
    server: &'static str,
    mark: String,
}

impl Visit<'_> {
    async fn take(&self, random: &mut Random) -> Result<()> {
        let session = self.again(random, async |node| self.scene.session(node, self.server).await).await?;
        let note = json!({ "name": "NOTE" });
        let read = self.calls(&session, random, "surroundings", note, "read").await?;
        // Reading is never refused; and only what was read is followed.
        ensure!(read, "the note cannot be read");
        for number in 0..CALLS {
            match random.below(4) {
                0 => self.refused(&session, random, order(), "order").await?,
                1 => self.refused(&session, random, json!({ "text": FORBIDDEN }), "forbidden").await?,
                _ => {
                    let hello = json!({ "text": "hello" });
                    self.calls(&session, random, "echo", hello, &format!("hello{number}")).await?;
                }
            }
        }
        Ok(())
    }

    /// A call that the policy refuses.
    async fn refused(&self, session: &str, random: &mut Random, arguments: Value, name: &str) -> Result<()> {
        self.ledger.must_not_pass(&self.marked(name));
        self.calls(session, random, "echo", arguments, name).await.map(drop)
    }

    /// Calls a tool, on any node that takes it; whether the gate let it pass.
    async fn calls(
        &self,
        session: &str,
        random: &mut Random,
        tool: &str,
        mut arguments: Value,
        name: &str,
    ) -> Result<bool> {
        let mark = self.marked(name);
        arguments["mark"] = json!(mark);
        let at = At { server: self.server, session };
        let said = self
            .again(random, async |node| self.scene.call(&at, node, tool, arguments.clone()).await)
            .await?;
        match said {
            Some(_) => self.ledger.answered(&mark),
            None => self.ledger.refused(),
        }
        Ok(said.is_some())
    }

    fn marked(&self, name: &str) -> String {
        format!("{}{name}", self.mark)
    }

    /// Asks any node, and as long as it fails another, as a client would.
    async fn again<T>(&self, random: &mut Random, ask: impl AsyncFn(usize) -> Result<T>) -> Result<T> {
        let began = Instant::now();
        loop {
            let failure = match ask(random.below(NODES as u64) as usize).await {
                Ok(said) => {
                    self.ledger.waited(began.elapsed());
                    return Ok(said);
                }
                Err(failure) => failure,
            };
            if began.elapsed() > PATIENCE {
                self.ledger.gave_up(&self.mark, &failure);
                return Err(failure);
            }
            self.ledger.tried_again();
            tokio::time::sleep(Duration::from_millis(random.below(PAUSE_MS))).await;
        }
    }
}
