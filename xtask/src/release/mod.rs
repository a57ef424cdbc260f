//! `cargo xtask release`: what is handed out: static programs, archives of them, the packages they were made of, and the sums.
//!
//! The map: `build` makes the programs, `archive` writes tar, gzip and ar, `deb` a Debian package, `sbom` the list of what is
//! linked. The same tree and toolchain give the same bytes: names are sorted, times are the last commit's, owners are root.

mod archive;
mod build;
mod deb;
mod sbom;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use archive::{Entry, gzip, tar};
use sha2::{Digest, Sha256};

use crate::arguments::Arguments;
use crate::shell::{self, say};
use crate::tree;

/// The programs: the gate, and the hostile server its `demo` needs.
const PROGRAMS: [&str; 2] = ["portcullis", "portcullis-adversary"];
/// What comes with them, from the root: where it lies, and whether it may be run.
const WITH_IT: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];
/// Folders that come whole.
const FOLDERS: [&str; 2] = ["docs", "packaging"];

/// What is released.
struct Release {
    version: String,
    target: String,
    /// Seconds since 1970 that every file is said to be of.
    epoch: u64,
    /// By name.
    programs: Vec<(&'static str, Vec<u8>)>,
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let named = arguments.value("--binary")?.map(PathBuf::from);
    let target = match arguments.value("--target")? {
        Some(target) => target,
        None => build::usual_target()?,
    };
    let out = arguments.value("--out")?.map(PathBuf::from);
    arguments.end()?;
    let built = match named {
        Some(built) => built,
        None => build::programs(&target)?,
    };
    let release = Release { version: version()?, target, epoch: epoch()?, programs: programs(&built)? };
    let folder = match out {
        Some(folder) => folder,
        None => tree::target()?.join("release-files"),
    };
    write(&folder, &files(&release)?)
}

/// The programs of the folder in which the gate lies.
fn programs(built: &Path) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let read = |name: &'static str| {
        let file = if name == "portcullis" { built.to_owned() } else { built.with_file_name(name) };
        Ok((name, std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?))
    };
    PROGRAMS.into_iter().map(read).collect()
}

/// All files of a release with their sums, by name.
fn files(release: &Release) -> Result<Vec<(String, Vec<u8>)>> {
    let Release { version, target, epoch, programs } = release;
    let folder = format!("portcullis-{version}-{target}");
    let program = |(name, bytes): &(&str, Vec<u8>)| Entry::program(format!("{folder}/{name}"), bytes.clone());
    let mut entries: Vec<Entry> = programs.iter().map(program).collect();
    for path in accompanying()? {
        let text = std::fs::read(tree::root().join(&path)).with_context(|| format!("cannot read {path}"))?;
        entries.push(Entry::file(format!("{folder}/{path}"), text));
    }
    let mut files = vec![
        (format!("{folder}.tar.gz"), gzip(&tar(entries, *epoch)?)),
        (format!("{folder}.cdx.json"), sbom::document(version, target, *epoch)?.into_bytes()),
    ];
    if let Some(architecture) = deb::architecture(target) {
        let name = format!("portcullis_{version}_{architecture}.deb");
        files.push((name, deb::package(version, architecture, *epoch, programs)?));
    }
    files.sort();
    let sums: String = files.iter().map(|(name, bytes)| format!("{}  {name}\n", sum(bytes))).collect();
    files.push(("SHA256SUMS".to_owned(), sums.into_bytes()));
    Ok(files)
}

/// What comes with the programs, sorted.
fn accompanying() -> Result<Vec<String>> {
    let root = tree::root();
    let mut paths: Vec<String> = WITH_IT.iter().map(|path| (*path).to_owned()).collect();
    for folder in FOLDERS {
        paths.extend(tree::files(&root.join(folder), &[""])?.iter().map(|path| tree::shown(path)));
    }
    paths.sort();
    Ok(paths)
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        say(&format!("{:>10}  {}", bytes.len(), path.display()));
    }
    Ok(())
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The version all our crates share.
fn version() -> Result<String> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(tree::root()).no_deps().exec()?;
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "portcullis");
    Ok(package.context("there is no package called portcullis")?.version.to_string())
}

/// The time of the release: what the environment says, as other tools take it, or that of the last commit.
fn epoch() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => {
            let mut git = Command::new("git");
            shell::output(git.args(["log", "-1", "--format=%ct"]).current_dir(tree::root()))?
        }
    };
    text.trim().parse().with_context(|| format!("`{}` is no time in seconds since 1970", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_tree_gives_the_same_files_and_their_sums() {
        let release = || Release {
            version: "1.2.3".to_owned(),
            target: "x86_64-unknown-linux-musl".to_owned(),
            epoch: 1_700_000_000,
            programs: PROGRAMS.map(|name| (name, b"a program".to_vec())).to_vec(),
        };
        let once = files(&release()).unwrap();
        assert!(once == files(&release()).unwrap(), "not reproducible");
        let names: Vec<&str> = once.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "portcullis-1.2.3-x86_64-unknown-linux-musl.cdx.json",
                "portcullis-1.2.3-x86_64-unknown-linux-musl.tar.gz",
                "portcullis_1.2.3_amd64.deb",
                "SHA256SUMS",
            ]
        );
        let sums = String::from_utf8(once[3].1.clone()).unwrap();
        assert_eq!(sums.lines().count(), 3);
        assert!(sums.contains(&format!("{}  portcullis_1.2.3_amd64.deb\n", sum(&once[2].1))));
    }

    #[test]
    fn tar_reads_the_archive() {
        let entries = vec![
            Entry::program("p/portcullis".to_owned(), vec![7; 1000]),
            Entry::file("p/LICENSE-MIT".to_owned(), b"text".to_vec()),
        ];
        let path = std::env::temp_dir().join(format!("portcullis-release-{}.tar.gz", std::process::id()));
        std::fs::write(&path, gzip(&tar(entries, 1_700_000_000).unwrap())).unwrap();
        let listed = shell::output(Command::new("tar").arg("-tvzf").arg(&path).env("TZ", "UTC")).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<String> =
            listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines,
            [
                "drwxr-xr-x root/root 0 2023-11-14 22:13 p/",
                "-rw-r--r-- root/root 4 2023-11-14 22:13 p/LICENSE-MIT",
                "-rwxr-xr-x root/root 1000 2023-11-14 22:13 p/portcullis",
            ]
        );
    }
}
