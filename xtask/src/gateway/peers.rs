//! Other proxies, before the same server: those that are installed are started here, others run already.

use super::Way;
use super::processes::{Servers, free_port};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The way through a proxy: `crate=BINARY`, `pypi=BINARY`, or `NAME=http://…` for one that runs already.
pub(crate) fn way(
    servers: &mut Servers,
    given: &str,
    target: &str,
    fixture: &str,
    folder: &Path,
) -> Result<Way> {
    let (name, place) = given.split_once('=').with_context(|| format!("`{given}` is not NAME=URL"))?;
    match name {
        "crate" => of_crate(servers, place, target, folder),
        "pypi" => of_pypi(servers, place, fixture),
        name => Ok(Way::new(name, place.to_owned())),
    }
}

/// `mcp-proxy` of crates.io, with nothing switched on; it reaches the server over HTTP as we do.
fn of_crate(servers: &mut Servers, binary: &str, target: &str, folder: &Path) -> Result<Way> {
    let port = free_port()?;
    let config = format!(
        "[proxy]\nname = \"bench\"\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\
         [[backends]]\nname = \"fixture\"\ntransport = \"http\"\nurl = \"{target}\"\n\
         [observability]\nlog_level = \"warn\"\n"
    );
    let file = folder.join("mcp-proxy.toml");
    std::fs::write(&file, config)?;
    servers.start_on(port, Command::new(binary).arg("--config").arg(file))?;
    let url = format!("http://127.0.0.1:{port}/");
    Ok(Way { tool: "fixture/echo", ..Way::new("mcp-proxy (crate)", url) })
}

/// `mcp-proxy` of PyPI; towards the server it knows stdio only when it listens itself.
fn of_pypi(servers: &mut Servers, binary: &str, fixture: &str) -> Result<Way> {
    let port = free_port()?;
    let mut command = Command::new(binary);
    command.args(["--log-level", "ERROR", "--port", &port.to_string(), "--", fixture, "--stdio"]);
    servers.start_on(port, &mut command)?;
    Ok(Way::new("mcp-proxy (pypi)", format!("http://127.0.0.1:{port}/mcp")))
}
