//! The files people wrote, with their text, in a fixed order.

use std::path::{Path, PathBuf};

/// Folders that hold what tools made.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "fuzz/corpus", "fuzz/artifacts"];

/// One file: its path from the root with forward slashes, and its text.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// The root of the repository, as cargo says at run time: it may have built us for another checkout.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().expect("xtask lies in the root").to_path_buf()
}

/// Every text file of the tree. Files that are not UTF-8 are pictures and the like; no rule speaks of them.
pub(crate) fn files() -> Vec<File> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 50, "the walk over the tree found next to nothing");
    found
}

/// The files below a folder.
pub(crate) fn below(folder: &str) -> Vec<File> {
    files().into_iter().filter(|file| file.path.starts_with(folder)).collect()
}

/// A made-up file, for the bad examples.
pub(crate) fn made_up(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

fn collect(folder: &Path, found: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).expect("the tree can be read") {
        let entry = entry.expect("the tree can be read");
        let path = entry.path();
        if entry.file_type().expect("a file has a type").is_dir() {
            if !SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
                collect(&path, found);
            }
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let path = path.strip_prefix(root()).expect("the walk began at the root");
            found.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
}
