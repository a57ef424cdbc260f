//! The clients and servers themselves: installed once by npm and pip into the target folder, at pinned versions, and
//! run from there.

use crate::{npm, python, tree};
use anyhow::{Context, Result, anyhow};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The newest of each kind of client.
pub(super) const PYTHON_1: &str = "1.30.0";
pub(super) const PYTHON_2: &str = "2.3.0";
pub(super) const TYPESCRIPT_1: &str = "1.32.2";
pub(super) const TYPESCRIPT_2: &str = "2.4.0";
pub(super) const INSPECTOR: &str = "2.12.0";

/// What npm installs.
fn packages() -> String {
    let packages = json!({ "private": true, "dependencies": {
        "@modelcontextprotocol/client": TYPESCRIPT_2,
        "@modelcontextprotocol/inspector": INSPECTOR,
        "@modelcontextprotocol/sdk": TYPESCRIPT_1,
        "@modelcontextprotocol/server-everything": "2026.8.31",
        "@modelcontextprotocol/server-filesystem": "2026.8.31",
        "@modelcontextprotocol/server-memory": "2026.8.31",
        "node": "22.23.3",
    } });
    packages.to_string()
}

/// What pip installs: an environment for each SDK. The servers are written with the newer one.
fn environments() -> [(&'static str, Vec<String>); 2] {
    let servers = ["mcp-server-fetch==2026.10.24", "mcp-server-git==2026.10.19"].map(str::to_owned);
    let newer = std::iter::once(format!("mcp=={PYTHON_2}")).chain(servers).collect();
    [("python-1", vec![format!("mcp=={PYTHON_1}")]), ("python-2", newer)]
}

/// The scripts lie beside the packages, because that is where Node looks for them.
const SCRIPTS: [(&str, &str); 8] = [
    ("hostile.py", include_str!("../../peers/hostile.py")),
    ("inspector.mjs", include_str!("../../peers/inspector.mjs")),
    ("python_1.py", include_str!("../../peers/python_1.py")),
    ("python_2.py", include_str!("../../peers/python_2.py")),
    ("typescript_1.mjs", include_str!("../../peers/typescript_1.mjs")),
    ("typescript_2.mjs", include_str!("../../peers/typescript_2.mjs")),
    ("walk.mjs", include_str!("../../peers/walk.mjs")),
    ("walk.py", include_str!("../../peers/walk.py")),
];

/// Everything that was installed.
pub(crate) struct Kit {
    pub(crate) folder: PathBuf,
}

impl Kit {
    /// The kit, downloaded if it is not there yet or had other versions.
    pub(crate) fn installed() -> Result<Kit> {
        let folder = tree::target()?.join("peers");
        fs::create_dir_all(&folder)?;
        std::thread::scope(|scope| {
            let pip = environments().map(|(name, wanted)| {
                let place = folder.join(name);
                scope.spawn(move || python::install(&place, &wanted))
            });
            let npm = npm::install(&folder, &packages());
            let pip = pip.map(|one| one.join().unwrap_or_else(|_| Err(anyhow!("pip was not run"))));
            [npm].into_iter().chain(pip).collect::<Result<()>>()
        })
        .context("the clients and servers are missing")?;
        for (name, text) in SCRIPTS {
            fs::write(folder.join(name), text)?;
        }
        Ok(Kit { folder })
    }

    pub(crate) fn node(&self) -> PathBuf {
        npm::node(&self.folder)
    }

    /// A program of the environment of an SDK.
    pub(crate) fn python(&self, sdk: u8, program: &str) -> PathBuf {
        python::program(&self.folder.join(format!("python-{sdk}")), program)
    }

    /// The script that starts a server of the reference servers in JavaScript.
    pub(super) fn server(&self, name: &str) -> PathBuf {
        self.folder.join(format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js"))
    }
}
