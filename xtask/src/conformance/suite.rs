//! The suite itself: installed once by npm into the target folder, at pinned versions, and run from there without a
//! network.

use crate::{npm, tree};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What npm installs: the suite, and the Node it needs.
const PACKAGES: &str = r#"{
  "private": true,
  "dependencies": { "@modelcontextprotocol/conformance": "0.2.0-alpha.12", "node": "22.23.3" }
}
"#;

const PACKAGE: &str = "node_modules/@modelcontextprotocol/conformance";

/// Milliseconds for one scenario.
const TIMEOUT: &str = "30000";

pub(super) struct Suite {
    folder: PathBuf,
}

/// The suite, downloaded if it is not there yet or was another version.
pub(super) fn installed() -> Result<Suite> {
    let folder = tree::target()?.join("conformance");
    npm::install(&folder, PACKAGES).context("the suite is missing")?;
    Ok(Suite { folder })
}

impl Suite {
    /// Runs every scenario of a revision against a server; returns the folder with their results.
    pub(super) fn run(&self, revision: &str, url: &str) -> Result<PathBuf> {
        let results = self.folder.join("results").join(revision);
        if results.exists() {
            fs::remove_dir_all(&results)?;
        }
        fs::create_dir_all(&results)?;
        let log = fs::File::create(results.join("log.txt"))?;
        let mut command = Command::new(npm::node(&self.folder));
        command.arg(self.folder.join(PACKAGE).join("dist/index.js"));
        command.args(["server", "--url", url, "--requirements", revision, "--timeout", TIMEOUT, "-o"]);
        command.arg(&results).stdout(log.try_clone()?).stderr(log);
        // Its exit code also counts what is not required; the results say more.
        command.status().context("cannot start Node")?;
        Ok(results)
    }

    /// The scenarios a server must pass to conform to a revision.
    pub(super) fn scored(&self, revision: &str) -> Result<Vec<String>> {
        let path = self.folder.join(PACKAGE).join("requirements").join(format!("{revision}.yaml"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(list(&text, "server"))
    }
}

/// The entries of a list at the top level of a YAML file.
fn list(text: &str, key: &str) -> Vec<String> {
    let heading = format!("{key}:");
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let entries = lines.take_while(|line| line.is_empty() || line.starts_with([' ', '#']));
    entries.filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_it_was_asked_for() {
        let text = "# - no\nclient:\n  - a\n\nserver:\n  # why\n  - b\n  - c\n\nnot_scored:\n  - d\n";
        assert_eq!(list(text, "server"), ["b", "c"]);
        assert_eq!(list(text, "client"), ["a"]);
        assert!(list(text, "nothing").is_empty());
    }
}
