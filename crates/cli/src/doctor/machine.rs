//! What the gateway stands on: how many files it may open, and what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Line;

/// Files for the connections of a few hundred agents.
#[cfg(unix)]
const ENOUGH_FILES: u64 = 4096;
/// 2026-01-01: before this program was written, in seconds since 1970.
const WRITTEN_S: u64 = 1_767_225_600;

pub(super) fn machine() -> Vec<Line> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut lines = Vec::new();
    if now < WRITTEN_S {
        let message = "it is earlier than this program; certificates and tokens will not be judged rightly";
        lines.push(Line::fail("clock", message, "set the clock, for example by `timedatectl set-ntp true`"));
    }
    lines.extend(files());
    lines
}

#[cfg(unix)]
fn files() -> Option<Line> {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    Some(match most {
        Some(most) if most < ENOUGH_FILES => {
            let message = format!("only {most} files may be open, so few agents can connect at a time");
            Line::warn("files", message, "raise `ulimit -Hn`, or LimitNOFILE= of the service")
        }
        Some(most) => Line::ok("files", format!("{most} may be open")),
        None => Line::ok("files", "any number may be open"),
    })
}

#[cfg(not(unix))]
fn files() -> Option<Line> {
    None
}
