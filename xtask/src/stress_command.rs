//! `cargo xtask stress`: builds what tries the gateway and runs it.

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Result, bail};
use std::process::Command;

/// A trial, and how much of it: in full, and in `ready`.
struct Trial {
    name: &'static str,
    option: &'static str,
    full: &'static str,
    little: &'static str,
}

const TRIALS: [Trial; 5] = [
    Trial { name: "sessions", option: "--count", full: "10000", little: "2000" },
    Trial { name: "flows", option: "--count", full: "10000", little: "500" },
    Trial { name: "half-open", option: "--count", full: "1000", little: "300" },
    Trial { name: "large", option: "--megabytes", full: "100", little: "70" },
    Trial { name: "chaos", option: "--seconds", full: "60", little: "10" },
];

/// One trial or all of them, in the release profile.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let which = arguments.word();
    let chosen: Vec<&Trial> =
        TRIALS.iter().filter(|trial| which.as_deref().is_none_or(|name| name == trial.name)).collect();
    if chosen.is_empty() {
        bail!("the trials are sessions, flows, half-open, large and chaos");
    }
    let profile = if arguments.flag("--debug") { "debug" } else { "release" };
    let mut amounts = Vec::new();
    for trial in &chosen {
        amounts.push(arguments.value(trial.option)?.unwrap_or_else(|| trial.full.to_owned()));
    }
    arguments.end()?;
    build(profile)?;
    chosen.iter().zip(&amounts).try_for_each(|(trial, amount)| one(profile, trial.name, amount))
}

/// The gate before many servers, or the dashboard over them and a million records, in the release profile.
pub(crate) fn before_many(trial: &str, mut arguments: Arguments) -> Result<()> {
    let profile = if arguments.flag("--debug") { "debug" } else { "release" };
    let servers = arguments.value("--servers")?.unwrap_or_else(|| "1000".to_owned());
    arguments.end()?;
    build(profile)?;
    one(profile, trial, &servers)
}

/// Three gateways that share everything, in the release profile.
pub(crate) fn nodes(mut arguments: Arguments) -> Result<()> {
    let profile = if arguments.flag("--debug") { "debug" } else { "release" };
    let seconds = arguments.value("--seconds")?.unwrap_or_else(|| "300".to_owned());
    let seed = arguments.value("--seed")?;
    let only = arguments.value("--only")?;
    arguments.end()?;
    let part = match only.as_deref() {
        None => "nodes",
        Some("speed") => "nodes-speed",
        Some("chaos") => "nodes-chaos",
        Some(_) => bail!("the parts of nodes that can be tried by themselves are speed and chaos"),
    };
    build(profile)?;
    let mut stress = trial(profile, part, &seconds)?;
    shell::run(stress.args(seed))
}

/// What `ready` asks of the gateway: all trials, a little of each.
pub(crate) fn a_little() -> Result<()> {
    build("debug")?;
    TRIALS.iter().try_for_each(|trial| one("debug", trial.name, trial.little))?;
    // Nothing is killed here: that takes minutes, with `cargo xtask nodes`.
    one("debug", "nodes", "0")
}

fn build(profile: &str) -> Result<()> {
    let programs = ["stress", "store", "portcullis", "portcullis-fixture"];
    if profile == "debug" {
        return shell::build_as_tested(&programs);
    }
    let mut build = shell::cargo(&["build", "--quiet", "--release"]);
    shell::run(build.args(shell::AS_TESTED).args(programs.map(|name| format!("--bin={name}"))))
}

fn one(profile: &str, name: &str, amount: &str) -> Result<()> {
    shell::run(&mut trial(profile, name, amount)?)
}

fn trial(profile: &str, name: &str, amount: &str) -> Result<Command> {
    let target = tree::target()?;
    let binary = |name: &str| target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut stress = Command::new(binary("stress"));
    stress.args([binary("portcullis-fixture"), binary("portcullis"), target.join("tmp").join("stress")]);
    stress.args([name, amount]);
    Ok(stress)
}
