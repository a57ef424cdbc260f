//! `cargo xtask fuzz`: builds the fuzz targets with coverage on stable Rust and runs them.
//!
//! `cargo fuzz` would ask for a nightly compiler. The coverage pass is part of the stable one too, and that, with
//! libFuzzer's own main, is all it takes.

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The targets, one for each parser.
const TARGETS: [&str; 13] = [
    "definition",
    "normalise",
    "decoder",
    "position",
    "guard",
    "sensitive",
    "sieve",
    "frame",
    "sse",
    "lines",
    "splice",
    "headers",
    "answer",
];

/// A message for each parser of the gateway to begin with.
const MESSAGES: [&str; 5] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1.50},"_meta":{"progressToken":"t"}}}"#,
    r#"{"jsonrpc":"2.0","id":"x","result":{"content":[],"resultType":"complete"}}"#,
    "[{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]",
    "event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\"}\r\n\r\n: \n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2;a=b\r\n{}\r\n0\r\nA: b\r\n\r\n",
];

/// What `cargo fuzz` would pass, in words stable Rust takes.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// Long enough for a whole hostile definition, short enough to try many.
const MOST_BYTES: &str = "-max_len=4096";

/// The runner tries all seeds before its clock starts to matter; this many take a second or two.
const MOST_SEEDS: usize = 200;

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let seconds = match arguments.value("--seconds")? {
        Some(text) => text.parse().context("--seconds needs a whole number")?,
        None => 10,
    };
    let input = arguments.value("--input")?;
    let named = arguments.rest()?;
    if let Some(unknown) = named.iter().find(|name| !TARGETS.contains(&name.as_str())) {
        bail!("no fuzz target is called `{unknown}`; there are {}", TARGETS.join(", "));
    }
    let is_wanted = |target: &&str| named.is_empty() || named.iter().any(|name| name == target);
    let wanted: Vec<&str> = TARGETS.iter().copied().filter(is_wanted).collect();
    let built = build()?;
    match input {
        Some(input) => {
            wanted.iter().try_for_each(|target| shell::run(Command::new(built.join(target)).arg(&input)))
        }
        None => wanted.iter().try_for_each(|target| fuzz(&built, target, seconds)),
    }
}

/// Runs every target for so many seconds.
pub(crate) fn all(seconds: u32) -> Result<()> {
    let built = build()?;
    TARGETS.iter().try_for_each(|target| fuzz(&built, target, seconds))
}

/// Builds the targets; the folder they are in. Naming the host as target keeps build scripts uninstrumented.
fn build() -> Result<PathBuf> {
    let host = shell::host()?;
    let folder = tree::target()?.join("fuzz");
    let mut cargo =
        shell::cargo(&["build", "--release", "--quiet", "--manifest-path=fuzz/Cargo.toml", "--bins"]);
    cargo.args(["--target", &host]).arg("--target-dir").arg(&folder);
    cargo.env("RUSTFLAGS", FLAGS.join(" ")).env_remove("CARGO_ENCODED_RUSTFLAGS");
    shell::run(&mut cargo)?;
    Ok(folder.join(host).join("release"))
}

fn fuzz(built: &Path, target: &str, seconds: u32) -> Result<()> {
    let home = tree::root().join("fuzz");
    let seeds = tree::target()?.join("fuzz/seeds").join(target);
    let found = home.join("corpus").join(target);
    let artifacts = home.join("artifacts").join(target);
    for folder in [&seeds, &found, &artifacts] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    sow(&seeds, target)?;
    let mut command = Command::new(built.join(target));
    command.args([&format!("-max_total_time={seconds}"), "-rss_limit_mb=2048", "-timeout=10", MOST_BYTES]);
    command.args(["-print_final_stats=1", "-verbosity=0"]);
    command.arg(format!("-dict={}", home.join("portcullis.dict").display()));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args([&found, &seeds]);
    shell::run(&mut command).with_context(|| reproduce(target, &artifacts))
}

/// What to type to see the failure again.
fn reproduce(target: &str, artifacts: &Path) -> String {
    let newest = tree::files(artifacts, &[""])
        .unwrap_or_default()
        .into_iter()
        .max_by_key(|path| path.metadata().and_then(|metadata| metadata.modified()).ok());
    match newest {
        Some(path) => {
            let path = tree::shown(&path);
            format!(
                "the fuzz target {target} failed on {path}; to see it again: cargo xtask fuzz {target} --input {path}"
            )
        }
        None => {
            format!("the fuzz target {target} failed without leaving an input in {}", tree::shown(artifacts))
        }
    }
}

/// Writes seeds from the corpus: the whole tool for the parser, the description for the others.
fn sow(folder: &Path, target: &str) -> Result<()> {
    let mut seeds = MESSAGES.map(str::to_owned).to_vec();
    for path in tree::files(&tree::root().join("corpus"), &[".json"])? {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)
            .with_context(|| format!("cannot read {}", tree::shown(&path)))?;
        for entry in file["entries"].as_array().into_iter().flatten() {
            let tool = if entry["after"].is_object() { &entry["after"] } else { &entry["tool"] };
            let description = tool["description"].as_str().unwrap_or_default();
            seeds.push(if target == "definition" { tool.to_string() } else { description.to_owned() });
        }
    }
    let step = seeds.len().div_ceil(MOST_SEEDS).max(1);
    for (index, seed) in seeds.iter().step_by(step).enumerate() {
        std::fs::write(folder.join(format!("{index:04}")), seed)?;
    }
    Ok(())
}
