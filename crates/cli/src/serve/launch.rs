//! A server's own small parent: it starts the server, and when the gateway is gone, however it went, it ends the server
//! with everything the server started.
//!
//! The gateway ends its servers itself; this is for the one case in which it cannot, because it was killed. It watches the
//! process, not the thread that started us, as the kernel's own signal would: the gateway's threads come and go.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use clap::Args;
use portcullis_gateway::settings::Launcher;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpgrp, getppid, kill_process_group, pidfd_open};

use super::descriptors;
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct LaunchArguments {
    /// The process that must live for the server to live.
    #[arg(long, value_name = "PID")]
    gateway: i32,
    /// The number of files the server may have open.
    #[arg(long, value_name = "NUMBER")]
    open_files: Option<u64>,
    /// The server.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// How the gateway starts servers. The program is ours even if its file was replaced since we were started.
pub(super) fn launcher(open_files: Option<u64>) -> Launcher {
    let mut arguments = vec!["launch".to_owned(), format!("--gateway={}", std::process::id())];
    arguments.extend(open_files.map(|number| format!("--open-files={number}")));
    arguments.push("--".to_owned());
    Launcher { program: "/proc/self/exe".into(), arguments }
}

pub(crate) fn run(arguments: &LaunchArguments) -> Result<Exit, Failure> {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err(Failure::Usage("launch what?".to_owned()));
    };
    descriptors::set(arguments.open_files);
    let mut command = Command::new(program);
    command.args(rest);
    let failed = |error: io::Error| Failure::Usage(format!("cannot start {}: {error}", program.display()));
    let gateway = Pid::from_raw(arguments.gateway);
    let Some(watched) = gateway.and_then(|gateway| pidfd_open(gateway, PidfdFlags::empty()).ok()) else {
        // A kernel that cannot watch: the server takes our place, and hears of the gateway's end by its input alone.
        return Err(failed(command.exec()));
    };
    // Who looked too late watches nobody, or somebody else.
    if getppid() != gateway {
        return Ok(Exit::Clean);
    }
    let mut server = command.spawn().map_err(failed)?;
    until_one_ends(&watched, &server)?;
    match server.try_wait()? {
        Some(status) => Ok(Exit::Server(status.code().and_then(|code| code.try_into().ok()).unwrap_or(1))),
        // INVARIANT: we are in the group of the server, so nothing after this line runs.
        None => {
            Ok(kill_process_group(getpgrp(), Signal::KILL).map(|()| Exit::Clean).map_err(io::Error::from)?)
        }
    }
}

fn until_one_ends(gateway: &impl std::os::fd::AsFd, server: &Child) -> io::Result<()> {
    let server = pidfd_open(Pid::from_child(server), PidfdFlags::empty())?;
    let mut watched = [PollFd::new(gateway, PollFlags::IN), PollFd::new(&server, PollFlags::IN)];
    loop {
        match poll(&mut watched, None) {
            Err(Errno::INTR) => {}
            outcome => return Ok(outcome.map(drop)?),
        }
    }
}
