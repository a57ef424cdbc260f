//! Open files: every connection is one, so the gateway takes as many as it may have.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Files that are open beside connections: the store's, the pipes of servers.
const BESIDE: u64 = 256;

/// What the process may open.
pub(super) struct OpenFiles {
    /// Before we asked for more; what servers we start should have.
    pub(super) before: Option<u64>,
    /// Now; `None` for no limit.
    pub(super) now: Option<u64>,
}

/// Asks for as many as the system allows.
pub(super) fn raise() -> OpenFiles {
    let before = getrlimit(Resource::Nofile);
    set(before.maximum);
    OpenFiles { before: before.current, now: getrlimit(Resource::Nofile).current }
}

/// What the system refuses stays as it was.
pub(super) fn set(number: Option<u64>) {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = number.or(limit.maximum);
    let _ = setrlimit(Resource::Nofile, limit);
}

impl OpenFiles {
    /// Connections of agents there may be at a time. Three in four are for them: most of theirs are idle, and only a call
    /// needs another one, to a server.
    pub(super) fn connections(&self) -> usize {
        let connections = self.now.map(|now| now.saturating_sub(BESIDE).max(4) / 4 * 3);
        connections.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_left_for_servers() {
        let check = |now, expected| assert_eq!(OpenFiles { before: None, now }.connections(), expected);
        check(Some(20_256), 15_000);
        check(Some(1024), 576);
        check(Some(10), 3);
        check(None, usize::MAX);
    }

    #[test]
    fn as_many_as_allowed() {
        let files = raise();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!((files.now, limit.current), (limit.maximum, limit.maximum));
    }
}
