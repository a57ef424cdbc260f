//! Every dependency's licence must be on the list in `deny.toml`; the file is read, `cargo deny` is not needed.

use super::{Outcome, spdx};
use crate::{shell, tree};
use anyhow::{Context, Result, bail};

/// A dependency and what it says about its licence.
struct Dependency {
    name: String,
    licence: Option<String>,
}

pub(super) fn run() -> Outcome {
    let path = tree::root().join("deny.toml");
    let text = std::fs::read_to_string(&path).context("cannot read deny.toml")?;
    let accepted = allowed(&text)?;
    let dependencies = dependencies()?;
    let refused = refused(&dependencies, &accepted);
    if !refused.is_empty() {
        bail!("not on the list in deny.toml: {}", refused.join("; "));
    }
    Ok(Some(format!("{} dependencies", dependencies.len())))
}

/// Every package of the lock file that is not ours. Without a network, only those this platform needs: the others
/// may never have been downloaded.
fn dependencies() -> Result<Vec<Dependency>> {
    let mut command = cargo_metadata::MetadataCommand::new();
    command.current_dir(tree::root());
    if std::env::var("CARGO_NET_OFFLINE").is_ok_and(|value| value == "true") {
        command.other_options(vec!["--filter-platform".to_owned(), shell::host()?]);
    }
    let metadata = command.exec().context("cargo metadata failed")?;
    let foreign = metadata.packages.iter().filter(|package| package.source.is_some());
    Ok(foreign
        .map(|package| Dependency {
            name: format!("{} {}", package.name, package.version),
            licence: package.license.clone(),
        })
        .collect())
}

/// The dependencies whose licence cannot be satisfied by the list, each with the reason.
fn refused(dependencies: &[Dependency], accepted: &[String]) -> Vec<String> {
    let reason = |dependency: &Dependency| match &dependency.licence {
        None => Some(format!("{} names no licence", dependency.name)),
        Some(licence) => match spdx::is_accepted(licence, accepted) {
            Ok(true) => None,
            Ok(false) => Some(format!("{} is under {licence}", dependency.name)),
            Err(error) => Some(format!("{}: {error}", dependency.name)),
        },
    };
    dependencies.iter().filter_map(reason).collect()
}

/// The strings of `allow = […]` in the section `[licenses]`.
fn allowed(text: &str) -> Result<Vec<String>> {
    let uncommented: String = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    let section = uncommented.split("[licenses]").nth(1).context("deny.toml has no [licenses]")?;
    let list = section.split("allow").nth(1).and_then(|rest| rest.split(['[', ']']).nth(1));
    let list = list.context("[licenses] in deny.toml has no `allow = […]`")?;
    let names: Vec<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    if names.is_empty() {
        bail!("deny.toml allows no licence at all");
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "# \"GPL-2.0\"\n[licenses]\nversion = 2\nallow = [\n  \"MIT\", # \"Zlib\"\n  \"ISC\",\n]\n[bans]\nx = [\"no\"]\n";

    #[test]
    fn reads_the_list_and_not_the_comments() {
        assert_eq!(allowed(DENY).unwrap(), ["MIT", "ISC"]);
        assert!(allowed("[bans]\nallow = [\"MIT\"]").is_err());
        assert!(allowed("[licenses]\nallow = []").is_err());
    }

    #[test]
    fn names_the_crate_and_its_licence() {
        let dependency = |name: &str, licence: Option<&str>| Dependency {
            name: name.to_owned(),
            licence: licence.map(str::to_owned),
        };
        let dependencies = [
            dependency("good 1.0", Some("MIT OR GPL-3.0")),
            dependency("bad 2.0", Some("GPL-3.0")),
            dependency("mute 3.0", None),
        ];
        let refused = refused(&dependencies, &allowed(DENY).unwrap());
        assert_eq!(refused, ["bad 2.0 is under GPL-3.0", "mute 3.0 names no licence"]);
    }
}
