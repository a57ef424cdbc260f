//! Whether servers are started in a sandbox, and what is missing where the system has none.

use std::path::Path;

use clap::ValueEnum;
use portcullis_gateway::settings::Launcher;

#[cfg(target_os = "linux")]
use crate::{confine, serve::launch};

/// When servers are started in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// Servers run as you do, but for their environment.
    Never,
    /// As far as this system allows it; what is missing is told.
    Try,
    /// Where this system has no whole sandbox, servers are not started.
    Required,
}

impl Sandbox {
    /// What this system lacks of the sandbox that was asked for.
    pub(super) fn missing(self) -> Option<String> {
        #[cfg(target_os = "linux")]
        let missing = if self == Sandbox::Never { Vec::new() } else { confine::missing() };
        #[cfg(not(target_os = "linux"))]
        let missing =
            if self == Sandbox::Never { Vec::new() } else { vec!["Linux, which alone has one".to_owned()] };
        (!missing.is_empty()).then(|| missing.join(" and "))
    }

    /// What starts a server whose private home this is.
    #[cfg(target_os = "linux")]
    pub(super) fn launcher(self, home: &Path) -> Option<Launcher> {
        let mut launcher = launch::launcher(None);
        if self != Sandbox::Never {
            launcher.arguments.extend(confine::command_line(home, self == Sandbox::Try));
        }
        Some(launcher)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn launcher(self, _home: &Path) -> Option<Launcher> {
        None
    }
}
