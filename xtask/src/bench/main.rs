//! Measures the library and the binary in a release build; `cargo xtask bench` builds and calls it.
//!
//! Processor time is counted, not time on the wall, so that a busy machine does not change the figures much.

mod data;
mod figures;
mod guard;
mod input;
mod peers;
mod process;
mod registry;
mod speed;
mod synthesis;
mod worst;

use anyhow::{Context, Result};
use figures::Figures;
use std::io::Write;
use std::path::{Path, PathBuf};

// The scanner ships with this allocator; measured without it, its speed would be another program's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let mut next = || arguments.next().context("this is called by `cargo xtask bench`, not by hand");
    let which = next()?;
    let [data, scanner, root] = [PathBuf::from(next()?), PathBuf::from(next()?), PathBuf::from(next()?)];
    let is_json = next()? == "json";
    let with_peers = next()? == "peers";
    let figures = match which.to_str() {
        Some("scan") => scan(&data, &scanner)?,
        Some("guard") => guard::measure()?,
        Some("data") => sensitive_data(&scanner, with_peers)?,
        _ => registry::measure(&root.join("corpus"))?,
    };
    let text = if is_json { figures.json() } else { figures.table() };
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write the figures")
}

fn scan(data: &Path, scanner: &Path) -> Result<Figures> {
    let mut figures = Figures::default();
    // Processes first, while we are small: a child's peak of memory counts what its parent had when it started it.
    process::start_up(scanner, &mut figures)?;
    let tools = input::tools(data)?;
    process::whole_scan(scanner, &tools, &mut figures)?;
    speed::measure(&tools, &mut figures)?;
    worst::measure(&mut figures)?;
    Ok(figures)
}

fn sensitive_data(scanner: &Path, with_peers: bool) -> Result<Figures> {
    let mut figures = Figures::default();
    data::measure(&mut figures)?;
    peers::measure(scanner, &data::records(10 * data::MEGABYTE), with_peers, &mut figures)?;
    Ok(figures)
}
