//! The list of what is linked into the programs, as CycloneDX has it: what `cargo tree` shows for the target, with the licences
//! of `cargo metadata` and the sums of `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use cargo_metadata::Metadata;
use serde_json::{Value, json};

use crate::{shell, tree};

/// The document, for this time in seconds since 1970.
pub(super) fn document(version: &str, target: &str, epoch: u64) -> Result<String> {
    let lock = std::fs::read_to_string(tree::root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let sums = sums(&lock);
    let metadata = metadata(target)?;
    let linked = linked(target)?;
    let purl = |name: &str, version: &str| format!("pkg:cargo/{name}@{version}");
    let mut components = BTreeMap::new();
    for package in &metadata.packages {
        let (name, version) = (package.name.as_str(), package.version.to_string());
        if name == "portcullis" || !linked.contains(&format!("{name} v{version}")) {
            continue;
        }
        let mut component = json!({
            "type": "library", "bom-ref": purl(name, &version), "name": name, "version": version,
            "purl": purl(name, &version),
        });
        if let Some(licence) = &package.license {
            // The old spelling of a choice is not SPDX.
            component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
        }
        if let Some(sum) = sums.get(&(name.to_owned(), version.clone())) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        components.insert((name.to_owned(), version), component);
    }
    let components: Vec<Value> = components.into_values().collect();
    let document = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "timestamp": time(epoch),
            "component": {
                "type": "application", "bom-ref": purl("portcullis", version), "name": "portcullis",
                "version": version, "purl": purl("portcullis", version),
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
            "properties": [{ "name": "portcullis:target", "value": target }],
        },
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn metadata(target: &str) -> Result<Metadata> {
    let mut command = cargo_metadata::MetadataCommand::new();
    command.current_dir(tree::root());
    command.other_options(vec!["--locked".to_owned(), "--filter-platform".to_owned(), target.to_owned()]);
    command.exec().context("cargo metadata failed")
}

/// The packages whose code is in the programs, as `NAME vVERSION`. `cargo metadata` would also name what only compiles: macros,
/// and packages that a feature nobody asked for would bring.
fn linked(target: &str) -> Result<BTreeSet<String>> {
    let mut cargo = shell::cargo(&["tree", "--locked", "--prefix=none", "--format={p}"]);
    cargo.args(super::PROGRAMS.map(|name| format!("--package={name}")));
    cargo.args(["--edges=normal,no-proc-macro", &format!("--target={target}")]);
    let tree = shell::output(&mut cargo)?;
    // Packages of our own are followed by their folder, repetitions by a mark.
    Ok(tree.lines().filter_map(|line| line.split(" (").next()).map(str::to_owned).collect())
}

/// The sums of a lock file, by name and version.
fn sums(lock: &str) -> BTreeMap<(String, String), String> {
    let one = |package: &str| {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
            Some(line.trim_end_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    lock.split("[[package]]").filter_map(one).collect()
}

/// A time as ISO 8601 writes it, by the rules of the Gregorian calendar counted from March.
fn time(epoch: u64) -> String {
    let (days, seconds) = (epoch / 86_400, epoch % 86_400);
    let since_march_of_0 = days + 719_468;
    let era = since_march_of_0 / 146_097;
    let day_of_era = since_march_of_0 % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_linked_is_there_with_its_sum() {
        let target = shell::host().unwrap();
        let document: Value = serde_json::from_str(&document("1.2.3", &target, 0).unwrap()).unwrap();
        let components = document["components"].as_array().unwrap();
        let listed: BTreeSet<String> = components
            .iter()
            .map(|one| format!("{} v{}", one["name"].as_str().unwrap(), one["version"].as_str().unwrap()))
            .collect();
        let has = |name: &str| listed.iter().any(|one| one.starts_with(&format!("{name} v")));
        for linked in ["portcullis-gateway", "rustls", "libsqlite3-sys", "serde_json"] {
            assert!(has(linked), "{linked} is linked");
        }
        for other in ["portcullis", "proptest", "serde_derive", "syn", "cc", "defmt"] {
            assert!(!has(other), "{other} is not linked");
        }
        for one in components.iter().filter(|one| !one["name"].as_str().unwrap().starts_with("portcullis-")) {
            assert_eq!(one["hashes"][0]["content"].as_str().map(str::len), Some(64), "{one}");
            assert!(one["licenses"][0]["expression"].is_string(), "{one}");
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        for (epoch, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
        ] {
            assert_eq!(time(epoch), expected);
        }
    }
}
