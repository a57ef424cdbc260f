//! Where things lie in the repository, and a walk over its files in a fixed order.

use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Folders that hold what tools made, not what people wrote.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "artifacts", "fuzz/corpus"];

/// The root of the repository. Cargo says at run time where we are; what it said when it built us may be another
/// checkout that shares our target folder.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = PathBuf::from(here);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// The folder cargo builds into.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root()).no_deps().exec();
    Ok(metadata.context("cargo metadata failed")?.target_directory.into())
}

/// The `portcullis` binary, freshly built in the profile everything in `ready` uses.
pub(crate) fn portcullis() -> Result<PathBuf> {
    shell::build_as_tested(&["portcullis"])?;
    Ok(target()?.join("debug").join(format!("portcullis{}", std::env::consts::EXE_SUFFIX)))
}

/// The `portcullis` binary as it is handed out, freshly built: what is measured.
pub(crate) fn portcullis_to_measure() -> Result<PathBuf> {
    let wanted = ["build", "--release", "--quiet", "--package=portcullis", "--bin=portcullis"];
    shell::run(&mut shell::cargo(&wanted))?;
    Ok(target()?.join("release").join(format!("portcullis{}", std::env::consts::EXE_SUFFIX)))
}

/// Every file below `folder` whose name ends with one of `endings`, ordered by path.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, endings, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
                collect(&path, endings, found)?;
            }
        } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            found.push(path);
        }
    }
    Ok(())
}

/// A path as shown to people: from the root, with forward slashes.
pub(crate) fn shown(path: &Path) -> String {
    let root = root();
    path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_this_file_and_nothing_built() {
        let found = files(&root(), &[".rs"]).unwrap();
        let found: Vec<String> = found.iter().map(|path| shown(path)).collect();
        assert!(found.contains(&"xtask/src/tree.rs".to_owned()));
        assert!(!found.iter().any(|path| path.starts_with("target/")));
    }
}
