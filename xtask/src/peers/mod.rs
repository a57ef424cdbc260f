//! `cargo xtask peers`: real clients through the gateway to real servers, held against the same without it.

mod client;
mod kit;
mod scene;
mod verdict;

use crate::arguments::Arguments;
use crate::serving::Serving;
use crate::shell::say;
use crate::tree;
use anyhow::{Context, Result, anyhow, bail};
use client::{CLIENTS, Client, Sdk, Walk};
use kit::Kit;
use scene::Scene;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use verdict::Verdict;

/// All clients, for people to read.
pub(crate) fn all() -> Result<()> {
    conclude(&verdicts(&CLIENTS.iter().collect::<Vec<_>>())?, false)
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
    conclude(&verdicts(&chosen(&only)?)?, is_json)
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

/// Sets everything up and lets the clients walk. Through the gateway one after the other: a server that asks something
/// while it works for several clients could not be told apart. Without it all at once, meanwhile.
fn verdicts(clients: &[&'static Client]) -> Result<Vec<Verdict>> {
    let portcullis = tree::portcullis()?;
    let kit = Kit::installed()?;
    let scene = Scene::set(kit.folder.join("scene"))?;
    let gateway = gateway(&portcullis, &scene.config(&kit, "gateway")?, &scene)?;
    let stdio = json!({
        "command": portcullis,
        "args": ["serve", "--stdio", "--config", scene.config(&kit, "stdio")?],
    });
    let (kit, scene) = (&kit, &scene);
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

fn gateway(portcullis: &Path, config: &Path, scene: &Scene) -> Result<Serving> {
    let log = File::create(scene.place("gateway.log"))?;
    Serving::start(Command::new(portcullis).args(["serve", "--config"]).arg(config).stderr(log))
}

fn conclude(verdicts: &[Verdict], is_json: bool) -> Result<()> {
    let passed = verdicts.iter().filter(|verdict| verdict.is_passed()).count();
    if is_json {
        let clients: Vec<Value> = verdicts.iter().map(Verdict::as_json).collect();
        say(&json!({ "passed": passed == verdicts.len(), "clients": clients }).to_string());
    } else {
        say(&verdict::table(verdicts));
    }
    let summary = format!("{passed} of {} clients get what they get without the gateway", verdicts.len());
    if passed < verdicts.len() {
        bail!("{summary}; what they said is in {}", tree::shown(&tree::target()?.join("peers/scene")));
    }
    if !is_json {
        say(&summary);
    }
    Ok(())
}
