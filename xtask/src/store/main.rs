//! Tries the store: kills its writer, changes its files behind its back, measures its speed. Run by `cargo xtask`.

mod crash;
mod load;
mod postgres;
mod speed;
mod tamper;

use anyhow::{Context, Result, bail};
use portcullis_store::Level;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["crash", kills, level, work] => crash::run(kills.parse()?, level, Path::new(work)),
        ["writer", level, folder] => crash::write_until_killed(level_of(level)?, Path::new(folder)),
        ["crash-postgres", kills, restarts, work] => {
            postgres::run(kills.parse()?, restarts.parse()?, Path::new(work))
        }
        ["crash-postgres-at", kills, address, work] => {
            postgres::run_at(kills.parse()?, address, Path::new(work))
        }
        ["bench-postgres", work] => postgres::bench(Path::new(work)),
        ["postgres-writer", address, folder] => postgres::write_until_killed(address, Path::new(folder)),
        ["tamper", mutations, work] => tamper::run(mutations.parse()?, Path::new(work)),
        ["bench", records, work] => speed::run(records.parse()?, Path::new(work)),
        ["fill", records, folder] => speed::fill(records.parse()?, Path::new(folder)),
        _ => bail!("this is run by `cargo xtask crash|tamper|bench store`"),
    }
}

fn level_of(word: &str) -> Result<Level> {
    match word {
        "process" => Ok(Level::Process),
        "power" => Ok(Level::Power),
        _ => bail!("a level is process or power, not {word}"),
    }
}

/// Prints a line. A reader who went away is no reason to stop the work.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A folder below `work` that is empty now.
fn fresh(work: &Path, name: &str) -> Result<PathBuf> {
    let folder = work.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Ok(folder)
}

/// Numbers by lot, the same for the same seed.
struct Lot(u64);

impl Lot {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        // Xorshift: good enough to choose places.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
