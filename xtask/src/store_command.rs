//! `cargo xtask crash|tamper` and `bench store`: builds what tries the store in the release profile and runs it.

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Result, bail};
use std::process::Command;

/// Kills a writer again and again; in PostgreSQL also restarts the database under it.
pub(crate) fn crash(mut arguments: Arguments) -> Result<()> {
    let kills = arguments.value("--kills")?.unwrap_or_else(|| "20".into());
    let level = arguments.value("--level")?.unwrap_or_else(|| "process".into());
    let store = arguments.value("--store")?.unwrap_or_else(|| "sqlite".into());
    let restarts = arguments.value("--restarts")?.unwrap_or_else(|| "10".into());
    arguments.end()?;
    match store.as_str() {
        "sqlite" => run(&["crash", &kills, &level]),
        "postgres" => run(&["crash-postgres", &kills, &restarts]),
        address if address.starts_with("postgres://") => run(&["crash-postgres-at", &kills, address]),
        other => bail!("a store is sqlite, postgres (a server of our own) or postgres://…, not {other}"),
    }
}

/// What `ready` asks of the store: 20 kills at either level, some in PostgreSQL, and two restarts of it.
pub(crate) fn crash_a_little() -> Result<()> {
    ["process", "power"].iter().try_for_each(|level| run_as_tested(&["crash", "20", level]))?;
    run_as_tested(&["crash-postgres", "5", "2"])
}

/// What `ready` asks of the chain: 200 changes.
pub(crate) fn tamper_a_little() -> Result<()> {
    run_as_tested(&["tamper", "200"])
}

/// Changes a log behind its back.
pub(crate) fn tamper(mut arguments: Arguments) -> Result<()> {
    let mutations = arguments.value("--mutations")?.unwrap_or_else(|| "1000".into());
    arguments.end()?;
    run(&["tamper", &mutations])
}

/// Measures the store.
pub(crate) fn bench(mut arguments: Arguments) -> Result<()> {
    let records = arguments.value("--records")?.unwrap_or_else(|| "1000000".into());
    let store = arguments.value("--store")?.unwrap_or_else(|| "sqlite".into());
    arguments.end()?;
    match store.as_str() {
        "postgres" => run(&["bench-postgres"]),
        _ => run(&["bench", &records]),
    }
}

fn run(words: &[&str]) -> Result<()> {
    let build = ["build", "--release", "--quiet", "--package=xtask", "--features=store", "--bin=store"];
    shell::run(&mut shell::cargo(&build))?;
    run_built("release", words)
}

/// The same with what the tests were built with: `ready` need not build everything once more.
fn run_as_tested(words: &[&str]) -> Result<()> {
    shell::build_as_tested(&["store"])?;
    run_built("debug", words)
}

fn run_built(profile: &str, words: &[&str]) -> Result<()> {
    let target = tree::target()?;
    let binary = target.join(profile).join(format!("store{}", std::env::consts::EXE_SUFFIX));
    shell::run(Command::new(binary).args(words).arg(target.join("tmp").join("store")))
}
