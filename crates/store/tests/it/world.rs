//! A data directory of its own for every test, gone when the test is over.

use portcullis_store::{
    ActivityLog, ActivityReader, Draft, Entry, Kind, Level, Options, Page, Status, StoreError, Verdict,
    verify,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A noon long after the log itself was made, in microseconds.
pub(crate) const NOON: i64 = 4_000_017_600_000_000;
pub(crate) const DAY: i64 = 86_400_000_000;

pub(crate) struct World {
    folder: PathBuf,
}

impl World {
    pub(crate) fn new() -> World {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        World { folder }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn log(&self) -> ActivityLog {
        let until = Instant::now() + Duration::from_secs(5);
        loop {
            match ActivityLog::open(&self.folder, &options(Level::Process)) {
                // A process that another test is just starting has our files for a moment, and the lock with them.
                Err(StoreError::Locked { .. }) if Instant::now() < until => std::thread::yield_now(),
                opened => return opened.unwrap(),
            }
        }
    }

    pub(crate) fn reader(&self) -> ActivityReader {
        ActivityReader::open(&self.folder).unwrap()
    }

    pub(crate) fn verdict(&self) -> Verdict {
        verify(&self.folder).unwrap()
    }

    /// The number of the first bad record.
    pub(crate) fn first_bad(&self) -> Option<u64> {
        self.verdict().bad.map(|bad| bad.seq)
    }

    /// The files of the log with an ending, oldest first.
    pub(crate) fn segments(&self, ending: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
        files.sort();
        files
    }

    /// Every file of the data directory.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn options(level: Level) -> Options {
    Options { level, ..Options::default() }
}

/// A call; `number` makes it different from others.
pub(crate) fn call(log: &ActivityLog, number: u64, at_us: i64) -> u64 {
    let arguments = format!("{{\"query\":\"number {number}\"}}");
    let (server, tool) = (format!("server-{}", number % 3), format!("tool-{}", number % 7));
    let draft = Draft {
        server: &server,
        tool: &tool,
        session: "session",
        risk: (number % 101) as u8,
        arguments: Some(arguments.as_bytes()),
        ..Draft::new(
            Kind::ToolCall,
            if number.is_multiple_of(2) { Status::Sent } else { Status::Refused },
            at_us,
        )
    };
    log.append(&draft).unwrap()
}

/// Fills more than one segment: 30 MB in calls of 8 KB.
pub(crate) fn fill(log: &ActivityLog, calls: u64, at_us: i64) {
    let long = "lorem ipsum ".repeat(400);
    for number in 0..calls {
        let arguments = format!("{{\"number\":{number},\"text\":\"{long}\"}}");
        let draft = Draft {
            server: "server",
            tool: "tool",
            arguments: Some(arguments.as_bytes()),
            result: Some(arguments.as_bytes()),
            ..Draft::new(Kind::ToolCall, Status::Answered, at_us + number as i64)
        };
        log.append(&draft).unwrap();
    }
}

/// What a question finds, page after page.
pub(crate) fn all_pages(mut list: impl FnMut(Option<u64>) -> Result<Page, StoreError>) -> Vec<Entry> {
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let page = list(before).unwrap();
        found.extend(page.entries);
        before = page.next;
        if before.is_none() {
            return found;
        }
    }
}
