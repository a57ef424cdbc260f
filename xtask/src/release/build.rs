//! The programs that are handed out: static, stripped, and without the paths of the machine that built them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{self, say};
use crate::tree;

/// What is built for unless told otherwise.
const MUSL: &str = "x86_64-unknown-linux-musl";

/// musl if this machine can build for it, else this machine's own.
pub(super) fn usual_target() -> Result<String> {
    let sysroot = shell::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let has_std = Path::new(sysroot.trim()).join("lib/rustlib").join(MUSL).join("lib").is_dir();
    let has_compiler = shell::succeeds(Command::new("musl-gcc").arg("--version"));
    if has_std && has_compiler {
        return Ok(MUSL.to_owned());
    }
    let host = shell::host()?;
    say(&format!(
        "no {MUSL} here (rustup target add {MUSL}; apt install musl-tools): building for {host}, linked statically against its C library"
    ));
    Ok(host)
}

/// Builds them and says where the gate is; the others lie beside it.
pub(super) fn programs(target: &str) -> Result<PathBuf> {
    let target_flag = format!("--target={target}");
    let mut cargo = shell::cargo(&["build", "--release", "--locked"]);
    for name in super::PROGRAMS {
        cargo.args([format!("--package={name}"), format!("--bin={name}")]);
    }
    cargo.arg(&target_flag).env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    let (root, home) = (tree::root(), cargo_home()?);
    let moved = [(root.as_path(), "/portcullis"), (home.as_path(), "/cargo")];
    let mut flags: Vec<String> =
        moved.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect();
    // musl is static by itself; of the others only glibc has to be asked.
    if target.ends_with("linux-gnu") {
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    let mut c_flags: Vec<String> =
        moved.iter().map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display())).collect();
    if target.ends_with("linux-musl") {
        // musl's compiler knows no headers of the kernel, which the allocator wants; they come after musl's own.
        let machine = target.split('-').next().unwrap_or_default();
        c_flags.extend([
            "-idirafter/usr/include".to_owned(),
            format!("-idirafter/usr/include/{machine}-linux-gnu"),
        ]);
        let name = target.replace('-', "_");
        cargo.env(format!("CC_{name}"), "musl-gcc");
    }
    cargo.env("CFLAGS", c_flags.join(" "));
    shell::run(&mut cargo)?;
    Ok(tree::target()?.join(target).join("release/portcullis"))
}

/// Where the sources of dependencies are.
fn cargo_home() -> Result<PathBuf> {
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(usual).context("no home directory is known")
}
