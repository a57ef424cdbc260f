//! How a process is started: with its own environment, in a group of its own, and ended with us.

use std::process::Stdio;

use process_wrap::tokio::CommandWrap;
use tokio::process::Command;

use crate::settings::{Launch, Launcher};

/// What a process needs of our environment to run at all; nothing else of it is a server's business.
const INHERITED: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "TERM",
    "SYSTEMROOT",
    "APPDATA",
    "LOCALAPPDATA",
    "TEMP",
    "USERPROFILE",
    "PATHEXT",
];

/// The command, ready to be started.
pub(super) fn command(launch: &Launch, launcher: Option<&Launcher>) -> CommandWrap {
    let mut command = match launcher {
        None => Command::new(&launch.command),
        Some(launcher) => {
            let mut command = Command::new(&launcher.program);
            command.args(&launcher.arguments).arg(&launch.command);
            command
        }
    };
    command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear();
    match &launch.inherited {
        Some(inherited) => command.envs(inherited.iter().map(|(name, value)| (name, value))),
        None => command.envs(INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))),
    };
    command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    // A launcher that is killed can end nothing any more.
    command.kill_on_drop(launcher.is_none());
    if let Some(directory) = &launch.directory {
        command.current_dir(directory);
    }
    let mut wrapped = CommandWrap::from(command);
    #[cfg(unix)]
    wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    wrapped.wrap(process_wrap::tokio::JobObject);
    wrapped
}
