//! Builds the pure crates for a target that has no std, so that not even a dependency of theirs can do I/O.

use super::Outcome;
use crate::shell;
use std::path::Path;
use std::process::Command;

const TARGET: &str = "x86_64-unknown-none";

pub(super) fn run() -> Outcome {
    if !is_installed() && !shell::succeeds(Command::new("rustup").args(["target", "add", TARGET])) {
        let note = format!(
            "skipped: {TARGET} is not installed and cannot be added; the dependency test alone stands guard"
        );
        return Ok(Some(note));
    }
    let pure = ["--package=portcullis-detect", "--package=portcullis-decide"];
    let mut build = shell::cargo(&["build", "--quiet", "--no-default-features", "--target", TARGET]);
    shell::run(build.args(pure)).map(|()| None)
}

/// Whether the compiler has the target's core library.
fn is_installed() -> bool {
    let mut rustc = Command::new("rustc");
    let folder = shell::output(rustc.args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}
