//! What npm installs for us into the target folder: packages at pinned versions, and the Node they need.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs what a `package.json` asks for, unless this very one was installed already.
pub(crate) fn install(folder: &Path, packages: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let manifest = folder.join("package.json");
    if fs::read_to_string(&manifest).is_ok_and(|text| text == packages) && node(folder).exists() {
        return Ok(());
    }
    // The manifest is written last, so that an installation that broke off is not taken for one.
    let fresh = folder.join("fresh");
    fs::create_dir_all(&fresh)?;
    fs::write(fresh.join("package.json"), packages)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&fresh);
    shell::run(&mut npm).context("npm could not install the packages; it needs its registry once")?;
    let modules = folder.join("node_modules");
    if modules.exists() {
        fs::remove_dir_all(&modules)?;
    }
    fs::rename(fresh.join("node_modules"), &modules)?;
    fs::remove_dir_all(&fresh)?;
    fs::write(&manifest, packages)?;
    Ok(())
}

/// The Node that was installed with the packages.
pub(crate) fn node(folder: &Path) -> PathBuf {
    folder.join("node_modules/node/bin").join(format!("node{}", std::env::consts::EXE_SUFFIX))
}
