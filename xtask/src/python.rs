//! Packages of PyPI: installed by pip into an environment of their own below the target folder.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells a Python what we install runs on, which can make environments.
pub(crate) const USABLE_PYTHON: [&str; 3] =
    ["python3", "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"];

/// An environment that holds exactly these packages and what they need.
pub(crate) fn install(folder: &Path, wanted: &[String]) -> Result<()> {
    let stamp = folder.join("installed.txt");
    let wanted_text = wanted.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted_text) {
        return Ok(());
    }
    let [python, is_usable @ ..] = USABLE_PYTHON;
    if !shell::succeeds(Command::new(python).args(is_usable)) {
        bail!("python3 3.10 or newer with venv is needed: apt-get install python3 python3-venv");
    }
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let mut pip = Command::new(program(folder, "python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(wanted);
    shell::run(&mut pip).context("pip could not install the packages; it needs its registry once")?;
    // Written last, so that an installation that broke off is not taken for one.
    Ok(fs::write(&stamp, wanted_text)?)
}

/// A program of an environment.
pub(crate) fn program(environment: &Path, program: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
}
