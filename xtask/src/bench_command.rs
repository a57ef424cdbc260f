//! `cargo xtask bench`: builds the benchmark and the scanner in the release profile and runs the one on the other.

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let which = arguments
        .word()
        .context("which one? cargo xtask bench scan|registry|data|guard|store|gateway|gate|dashboard")?;
    if which == "gateway" {
        return gateway(arguments);
    }
    if ["gate", "dashboard"].contains(&which.as_str()) {
        return crate::stress_command::before_many(&which, arguments);
    }
    if which == "store" {
        return crate::store_command::bench(arguments);
    }
    if !["scan", "registry", "data", "guard"].contains(&which.as_str()) {
        bail!(
            "no benchmark is called `{which}`; there are scan, registry, data, guard, store, gateway, gate and dashboard"
        );
    }
    let data = match arguments.value("--data")? {
        Some(folder) => {
            PathBuf::from(&folder).canonicalize().with_context(|| format!("cannot find {folder}"))?
        }
        None => tree::root().join("corpus"),
    };
    let format = if arguments.flag("--json") { "json" } else { "text" };
    let peers = if arguments.flag("--peers") { "peers" } else { "alone" };
    arguments.end()?;
    let portcullis = tree::portcullis_to_measure()?;
    shell::run(&mut shell::cargo(&[
        "build",
        "--release",
        "--quiet",
        "--package=xtask",
        "--features=bench",
        "--bin=bench",
    ]))?;
    let built = tree::target()?.join("release");
    let suffix = std::env::consts::EXE_SUFFIX;
    let mut bench = Command::new(built.join(format!("bench{suffix}")));
    bench.arg(which).arg(data).arg(portcullis).arg(tree::root()).args([format, peers]);
    shell::run(&mut bench)
}

/// Calls through the gateway, beside the same without it, through the least a proxy can do, and through others.
fn gateway(mut arguments: Arguments) -> Result<()> {
    let seconds = arguments.value("--seconds")?.unwrap_or_else(|| "5".into());
    let mut others = arguments.values("--beside")?;
    let has_peers = arguments.flag("--peers");
    arguments.end()?;
    let packages = ["--package=portcullis", "--package=portcullis-fixture", "--package=xtask"];
    let mut build = shell::cargo(&["build", "--release", "--quiet", "--features=xtask/gateway"]);
    shell::run(build.args(packages))?;
    if has_peers {
        others.extend(crate::proxies::installed()?);
    }
    let target = tree::target()?;
    let binary = |name: &str| target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut bench = Command::new(binary("gateway"));
    bench.arg("measure");
    bench.args([binary("portcullis-fixture"), binary("portcullis"), target.join("tmp").join("gateway")]);
    shell::run(bench.arg(seconds).args(others))
}
