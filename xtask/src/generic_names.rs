//! `cargo xtask generic-names`: asks real servers for their tools and writes the tables of generic names.
//!
//! The script beside us does the work; only names and words are kept, nothing else of what the servers said.

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let work = match arguments.value("--work")? {
        Some(folder) => PathBuf::from(folder),
        None => tree::target()?.join("generic-names"),
    };
    let root = tree::root();
    let script = root.join("xtask/generic-names/harvest.mjs");
    let harvest = || {
        let mut node = Command::new("node");
        node.arg(&script).arg("--work").arg(&work);
        node
    };
    shell::run(harvest().args(arguments.untouched()))?;
    let tables = work.join("tables");
    shell::run(harvest().arg("--table").arg("--out").arg(&tables))?;
    for table in ["names.txt", "tokens.txt"] {
        let place = format!("crates/detect/data/generic-{table}");
        std::fs::copy(tables.join(table), root.join(&place))
            .with_context(|| format!("cannot write {place}"))?;
        shell::say(&format!("wrote {place}"));
    }
    Ok(())
}
