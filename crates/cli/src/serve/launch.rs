//! A server's own small parent: it starts the server, and when the server ends, is asked to end, or the gateway is gone,
//! however it went, it ends the server with everything the server started.
//!
//! It watches the gateway's process, not the thread that started us, as the kernel's own signal would: the gateway's
//! threads come and go. What the server leaves behind becomes a child of this process, whatever session or group it made
//! for itself, so nothing gets away.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use portcullis_gateway::settings::{GRACE, Launcher};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, pidfd_open,
    pidfd_send_signal, set_child_subreaper, wait,
};

use super::descriptors;
use crate::exit::{Exit, Failure};

/// How long what a server left behind has to be gone once it was killed.
const LONGEST_END: Duration = Duration::from_secs(2);
/// The pause between two looks at what is left.
const PAUSE: Duration = Duration::from_millis(5);

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

/// How this process starts servers. The program is ours even if its file was replaced since we were started.
pub(crate) fn launcher(open_files: Option<u64>) -> Launcher {
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
    set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    let server = Pid::from_child(&command.spawn().map_err(failed)?);
    let handle = pidfd_open(server, PidfdFlags::empty()).map_err(io::Error::from)?;
    thread::spawn(move || end_in_time(&watched, &handle));
    let status = ended(server)?;
    end_what_is_left();
    Ok(Exit::Server(status.exit_status().and_then(|code| code.try_into().ok()).unwrap_or(1)))
}

/// Ends the server when the gateway is gone, or some time after it closed the server's input.
fn end_in_time(gateway: &OwnedFd, server: &OwnedFd) {
    let input = io::stdin();
    // The server reads its input; here only its end counts, which is always told.
    let mut watched =
        [PollFd::new(gateway, PollFlags::IN), PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty())];
    until_one_is_ready(&mut watched, None);
    if watched[0].revents().is_empty() {
        let mut watched = [PollFd::new(gateway, PollFlags::IN), PollFd::new(server, PollFlags::IN)];
        until_one_is_ready(&mut watched, Some(GRACE));
    }
    // It may have ended by itself.
    let _ = pidfd_send_signal(server, Signal::KILL);
}

fn until_one_is_ready(watched: &mut [PollFd<'_>], patience: Option<Duration>) {
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    while poll(watched, patience.as_ref()) == Err(Errno::INTR) {}
}

/// Waits for the end of the server, and for that of everything it left behind until then.
fn ended(server: Pid) -> io::Result<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child == server => return Ok(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ends what the server left behind. What those had started becomes ours in turn, until nothing is left.
fn end_what_is_left() {
    let deadline = Instant::now() + LONGEST_END;
    while has_children() && Instant::now() < deadline {
        for child in children() {
            // It may be gone already, or belong to somebody else by now.
            let _ = kill_process(child, Signal::KILL);
        }
        thread::sleep(PAUSE);
    }
}

/// Whether anything is left, once everything that has ended is out of the way.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// The processes whose parent this one is.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().to_string();
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let names = processes.flatten().filter_map(|process| process.file_name().into_string().ok());
    let is_ours = |process: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name stands in brackets and may hold anything; the state and the parent follow the last of them.
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)) == Some(own.as_str())
    };
    names.filter_map(|name| name.parse().ok()).filter(is_ours).filter_map(Pid::from_raw).collect()
}
