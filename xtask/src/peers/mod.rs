//! `cargo xtask peers`: real clients through the gateway to real servers, held against the same without it; and to a
//! hostile one, whose tools a reviewer holds and approves.

mod client;
mod kit;
mod review;
mod scene;
mod verdict;

use crate::arguments::Arguments;
use crate::serving::Serving;
use crate::shell::say;
use crate::tree;
use anyhow::{Context, Result, anyhow, bail};
use client::{CLIENTS, Client, Sdk, Walk};
pub(crate) use kit::Kit;
use review::Review;
use scene::Scene;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use verdict::Verdict;

/// All clients, for people to read.
pub(crate) fn all() -> Result<()> {
    conclude(&Outcome::of(&CLIENTS.iter().collect::<Vec<_>>())?, false)
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let only = arguments.values("--only")?;
    let format = arguments.value("--format")?;
    arguments.end()?;
    let is_json = match format.as_deref() {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => bail!("no format is called {other}; there are text and json"),
    };
    conclude(&Outcome::of(&chosen(&only)?)?, is_json)
}

/// The clients that were asked for; all of them if none was named.
fn chosen(only: &[String]) -> Result<Vec<&'static Client>> {
    if let Some(unknown) = only.iter().find(|name| !CLIENTS.iter().any(|client| client.name == **name)) {
        let names = CLIENTS.map(|client| client.name).join(", ");
        bail!("no client is called {unknown}; there are {names}");
    }
    let is_chosen = |client: &&Client| only.is_empty() || only.iter().any(|name| name == client.name);
    Ok(CLIENTS.iter().filter(is_chosen).collect())
}

/// How all of it went.
struct Outcome {
    verdicts: Vec<Verdict>,
    reviews: Vec<Review>,
}

impl Outcome {
    /// Sets everything up and lets the clients walk.
    fn of(clients: &[&'static Client]) -> Result<Outcome> {
        let portcullis = tree::portcullis()?;
        let kit = Kit::installed()?;
        let scene = Scene::set(kit.folder.join("scene"))?;
        let verdicts = verdicts(clients, &portcullis, &kit, &scene)?;
        let reviewed = clients.iter().filter(|client| Review::is_for(client));
        let reviews = reviewed.map(|client| Review::of(client, &portcullis, &kit, &scene));
        Ok(Outcome { verdicts, reviews: reviews.collect::<Result<_>>()? })
    }
}

/// Through the gateway the clients walk one after the other: a server that asks something while it works for several
/// clients could not be told apart. Without it all at once, meanwhile.
fn verdicts(
    clients: &[&'static Client],
    portcullis: &Path,
    kit: &Kit,
    scene: &Scene,
) -> Result<Vec<Verdict>> {
    let gateway = gateway(portcullis, &scene.config(kit, "gateway")?, &scene.place("gateway.log"))?;
    let stdio = json!({
        "command": portcullis,
        "args": ["serve", "--stdio", "--config", scene.config(kit, "stdio")?],
    });
    std::thread::scope(|scope| {
        let beside: BTreeSet<Sdk> = clients.iter().map(|client| client.sdk.beside()).collect();
        let walkers: BTreeMap<Sdk, _> = beside
            .into_iter()
            .map(|sdk| (sdk, scope.spawn(move || Walk::direct(sdk, kit, scene)?.taken(kit, scene))))
            .collect();
        let mut through = Vec::new();
        for client in clients {
            let walk = Walk::through(client, gateway.url(), &stdio, scene)?;
            let lines = walk.taken(kit, scene)?;
            through.push((*client, walk, lines));
        }
        let mut direct = BTreeMap::new();
        for (sdk, walker) in walkers {
            let lines = walker.join().map_err(|_| anyhow!("the walk without the gateway broke off"))??;
            direct.insert(sdk, lines);
        }
        through
            .iter()
            .map(|(client, walk, lines)| {
                let direct = direct.get(&client.sdk.beside()).context("every client has one beside it")?;
                Ok(Verdict::of(client, walk, lines, direct))
            })
            .collect()
    })
}

fn gateway(portcullis: &Path, config: &Path, log: &Path) -> Result<Serving> {
    let log = File::create(log)?;
    Serving::start(Command::new(portcullis).args(["serve", "--config"]).arg(config).stderr(log))
}

fn conclude(outcome: &Outcome, is_json: bool) -> Result<()> {
    let Outcome { verdicts, reviews } = outcome;
    let passed = verdicts.iter().filter(|verdict| verdict.is_passed()).count();
    let reviewed = reviews.iter().filter(|review| review.is_passed()).count();
    let is_passed = passed == verdicts.len() && reviewed == reviews.len();
    if is_json {
        let clients: Vec<Value> = verdicts.iter().map(Verdict::as_json).collect();
        let reviews: Vec<Value> = reviews.iter().map(Review::as_json).collect();
        say(&json!({ "passed": is_passed, "clients": clients, "reviews": reviews }).to_string());
    } else {
        say(&verdict::table(verdicts));
        reviews.iter().flat_map(Review::complaints).for_each(|complaint| say(&complaint));
    }
    let mut summary =
        vec![format!("{passed} of {} clients get what they get without the gateway", verdicts.len())];
    if !reviews.is_empty() {
        summary.push(format!(
            "{reviewed} of {} get of a hostile server what a reviewer approved, as long as it stays that",
            reviews.len()
        ));
    }
    if !is_passed {
        let scene = tree::shown(&tree::target()?.join("peers/scene"));
        bail!("{}; what they said is in {scene}", summary.join("; "));
    }
    if !is_json {
        summary.iter().for_each(|line| say(line));
    }
    Ok(())
}
