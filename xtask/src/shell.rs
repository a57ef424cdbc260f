//! Runs other programs and speaks to the person who called us.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints a line. A reader who went away is no reason to stop the work.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// The cargo that started us, so that a chosen toolchain stays chosen.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(crate::tree::root());
    command
}

/// What the tests are built with: whatever else is built with it is built already.
pub(crate) const AS_TESTED: [&str; 2] = ["--workspace", "--features=xtask/bench,xtask/store,xtask/gateway"];

/// Builds programs as the tests are built, if they are not yet.
pub(crate) fn build_as_tested(programs: &[&str]) -> Result<()> {
    let mut build = cargo(&["build", "--quiet"]);
    build.args(AS_TESTED).args(programs.iter().map(|name| format!("--bin={name}")));
    run(&mut build)
}

/// A program of crates.io at a pinned version, installed once below `folder`.
pub(crate) fn installed(folder: &Path, package: &str, version: &str) -> Result<PathBuf> {
    let root = folder.join(format!("{package}-{version}"));
    let binary = root.join("bin").join(format!("{package}{}", std::env::consts::EXE_SUFFIX));
    if !binary.exists() {
        let exact = format!("={version}");
        let mut install = cargo(&["install", "--locked", "--quiet", package, "--version", &exact]);
        install.arg("--root").arg(&root).arg("--target-dir").arg(folder.join("build"));
        run(&mut install)?;
    }
    Ok(binary)
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    say(&format!("$ {shown}"));
    let status = command.status().with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs a command and returns what it wrote to stdout; its stderr goes where ours goes.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("could not start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` did not write UTF-8"))
}

/// Whether a command can be started and ends well; what it prints is thrown away.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The triple of this machine, such as `x86_64-unknown-linux-gnu`.
pub(crate) fn host() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// The command as one would type it.
fn show(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(Command::new("/bin/sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().starts_with("`sh -c exit 3` ended with"), "{error}");
        assert!(output(&mut Command::new("no-such-program-here")).is_err());
    }

    #[test]
    fn output_is_what_was_written() {
        assert_eq!(output(Command::new("/bin/sh").args(["-c", "echo yes"])).unwrap(), "yes\n");
    }
}
