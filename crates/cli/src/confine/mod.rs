//! The sandbox of a server that a scan starts: a process that gives up what the server must not have, for good, and then
//! becomes the server.
//!
//! It needs no privileges and no namespaces, which many systems refuse: Landlock keeps the process from files, seccomp
//! from sockets and from what Landlock does not know.

mod calls;
mod files;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use clap::Args;

use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct ConfineArguments {
    /// The only folder the server may change.
    #[arg(long, value_name = "DIR")]
    home: PathBuf,
    /// The user's own folder; of it the server may read its programs and what it is given.
    #[arg(long, value_name = "DIR")]
    hidden: Option<PathBuf>,
    /// Start the server even if the kernel refuses a part of this.
    #[arg(long)]
    lenient: bool,
    /// The server.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// The beginning of the command line that starts a server confined.
pub(crate) fn command_line(home: &Path, is_lenient: bool) -> Vec<String> {
    let mut line = vec!["/proc/self/exe".to_owned(), "confine".to_owned()];
    line.push(format!("--home={}", home.display()));
    line.extend(std::env::home_dir().map(|hidden| format!("--hidden={}", hidden.display())));
    line.extend(is_lenient.then(|| "--lenient".to_owned()));
    line.push("--".to_owned());
    line
}

/// What of the sandbox the kernel refuses: tried by a thread, which is all that is ever confined by it.
pub(crate) fn missing() -> Vec<String> {
    let tried = thread::spawn(|| confine(&[], &[])).join();
    tried.unwrap_or_else(|_| vec!["the sandbox cannot be tried".to_owned()])
}

pub(crate) fn run(arguments: &ConfineArguments) -> Result<Exit, Failure> {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err(Failure::Usage("confine what?".to_owned()));
    };
    let readable = files::readable(arguments.hidden.as_deref(), &arguments.command);
    let missing = confine(&readable, &[&arguments.home]);
    if !missing.is_empty() && !arguments.lenient {
        return Err(Failure::Usage(missing.join("; ")));
    }
    let error = Command::new(program).args(rest).exec();
    Err(Failure::Usage(format!("cannot start {}: {error}", program.display())))
}

/// Confines the calling thread and what it starts, as far as the kernel allows; returns what it refuses.
fn confine(readable: &[PathBuf], writable: &[&Path]) -> Vec<String> {
    let files = files::confine(readable, writable)
        .err()
        .map(|why| format!("Landlock, which keeps it from your files ({why})"));
    let calls = calls::confine().err().map(|why| format!("seccomp, which keeps it from the network ({why})"));
    files.into_iter().chain(calls).collect()
}
