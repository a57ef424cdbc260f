//! Servers that are shell scripts, in a folder of the test's own, and the processes they become.

use super::world::FIXTURE;
use portcullis_gateway::settings::{Launch, Server, ServerName, Transport};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A folder scripts run in.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("script-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// A server that is a script; `fixture` in it is the fixture over stdio. Its process ids are in `pids`.
    pub(crate) fn server(&self, name: &str, script: &str) -> Server {
        let fixture = format!("'{}' --stdio --era legacy", FIXTURE.display());
        let script = format!("echo $$ >> pids; {}", script.replace("fixture", &fixture));
        let launch = Launch {
            command: "sh".into(),
            arguments: vec!["-c".into(), script],
            directory: Some(self.0.clone()),
            environment: Vec::new(),
            inherited: None,
        };
        Server {
            name: ServerName::parse(name).unwrap(),
            transport: Transport::Stdio(launch),
            answer: None,
            trust: None,
            each_node: false,
        }
    }

    /// The numbers in a file.
    pub(crate) fn pids(&self, file: &str) -> Vec<u32> {
        let text = std::fs::read_to_string(self.0.join(file)).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a process is there and has not ended.
pub(crate) fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Waits until something holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) -> impl Future<Output = ()> {
    let (what, place) = (what.to_owned(), std::panic::Location::caller());
    async move {
        let began = Instant::now();
        while !holds().await {
            assert!(began.elapsed() < Duration::from_secs(30), "{place}: not in time: {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
