//! Other proxies the gateway is measured beside: installed once into the target folder, at pinned versions.

use crate::{python, shell, tree};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// `mcp-proxy` of crates.io.
const OF_CRATE: &str = "0.6.0";
/// `mcp-proxy` of PyPI, another program.
const OF_PYPI: &str = "0.13.0";

/// The proxies that could be installed, as the benchmark takes them. One that could not is named and left out.
pub(crate) fn installed() -> Result<Vec<String>> {
    let folder = tree::target()?.join("proxies");
    let found = [("crate", shell::installed(&folder, "mcp-proxy", OF_CRATE)), ("pypi", of_pypi(&folder))];
    let mut proxies = Vec::new();
    for (name, binary) in found {
        match binary {
            Ok(binary) => proxies.push(format!("{name}={}", binary.display())),
            Err(error) => shell::say(&format!("mcp-proxy ({name}) is not measured: {error:#}")),
        }
    }
    Ok(proxies)
}

fn of_pypi(folder: &Path) -> Result<PathBuf> {
    let environment = folder.join("pypi");
    python::install(&environment, &[format!("mcp-proxy=={OF_PYPI}")])?;
    Ok(python::program(&environment, "mcp-proxy"))
}
