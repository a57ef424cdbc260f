//! A server's process: its pipes, the task that ends it, and by when it must be gone.

use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tracing::{info, warn};

use super::launch::command;
use super::link::{Link, OURSELVES, Said};
use crate::news::News;
use crate::nodes::Hold;
use crate::settings::{GRACE, Launch, Launcher, Limits, ServerName};
use crate::wire::lines::{self, Line};
use crate::wire::{self, Fault, Message};

/// Lines that wait to be written to the process.
const MOST_LINES: usize = 64;
/// How much longer a launcher has: it ends the process first, and then what that left behind.
const GRACE_OF_LAUNCHER: Duration = Duration::from_secs(3);
/// The most of a line of stderr that is kept.
const MOST_OF_STDERR: u64 = 4096;

/// How a process is started, and for whom.
pub(super) struct Starting<'a> {
    pub(super) name: &'a ServerName,
    pub(super) launch: &'a Launch,
    pub(super) launcher: Option<&'a Launcher>,
    pub(super) limits: Limits,
    pub(super) news: &'a Arc<News<Message>>,
    /// Says that all processes of the server are to end.
    pub(super) ends: watch::Receiver<()>,
    /// What lets it run here, where only one node may.
    pub(super) hold: Option<Arc<Hold>>,
}

/// A process that runs.
pub(super) struct Started<F> {
    pub(super) link: Arc<Link>,
    /// When the last of these is gone, the process is ended.
    pub(super) end: mpsc::Sender<()>,
    /// Ready when the process has ended.
    pub(super) supervision: F,
}

impl Starting<'_> {
    /// Starts the process.
    pub(super) fn start(self) -> Result<Started<impl Future<Output = ()> + Send + 'static>, Fault> {
        let failed = |error: std::io::Error| {
            warn!(server = self.name.as_str(), %error, "the server cannot be started");
            Fault::internal(format!("The server cannot be started: {}", error.kind()))
        };
        let mut process = command(self.launch, self.launcher).spawn().map_err(failed)?;
        let (stdin, stdout, stderr) =
            (process.stdin().take(), process.stdout().take(), process.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(Fault::internal("The server has no pipes"));
        };
        let (to_process, outgoing) = mpsc::channel(MOST_LINES);
        let (end, ending) = mpsc::channel(1);
        let link = Arc::new(Link::new(to_process.clone(), Arc::clone(self.news), self.limits.calls));
        tokio::spawn(keep_errors(self.name.clone(), stderr));
        tokio::spawn(write(stdin, outgoing, Arc::clone(&link)));
        tokio::spawn(read(Arc::clone(&link), stdout, to_process, self.limits.message));
        let guard = Guard { process, link: Arc::clone(&link), is_launched: self.launcher.is_some() };
        let supervision = supervise(self.name.clone(), guard, ending, self.ends, self.hold);
        Ok(Started { link, end, supervision })
    }
}

/// INVARIANT: when this goes, whatever the reason, the process goes with everything it started: its input is closed, and a
/// launcher ends it then. Without one the process group is all that can be ended.
struct Guard {
    process: Box<dyn ChildWrapper>,
    link: Arc<Link>,
    is_launched: bool,
}

impl Guard {
    fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.process.start_kill();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.link.close();
        if !self.is_launched {
            self.kill();
        }
    }
}

/// Waits for the end of the process, or ends it: first by closing its input, then by force. What lets it run here is
/// given back when it has ended, not before.
async fn supervise(
    name: ServerName,
    mut guard: Guard,
    mut ending: mpsc::Receiver<()>,
    mut ends: watch::Receiver<()>,
    hold: Option<Arc<Hold>>,
) {
    let ending = async {
        tokio::select! {
            _ = ending.recv() => {}
            _ = ends.changed() => {}
        }
    };
    let by = tokio::select! {
        ended = guard.process.wait() => {
            return info!(server = name.as_str(), status = ?ended.ok(), "the server ended");
        }
        () = ending => {
            let grace = if guard.is_launched { GRACE + GRACE_OF_LAUNCHER } else { GRACE };
            Instant::now() + grace
        }
        by = lost(hold.as_deref()) => by,
    };
    guard.link.close();
    let by = async {
        tokio::select! {
            () = tokio::time::sleep_until(by) => {}
            // Whoever takes the lease next must not find this process still running.
            by = lost(hold.as_deref()) => tokio::time::sleep_until(by).await,
        }
    };
    let is_ended = tokio::select! {
        _ = guard.process.wait() => true,
        () = by => false,
    };
    if !is_ended {
        guard.kill();
        // What is killed ends; the lease waits for it.
        let _ = tokio::time::timeout(GRACE, guard.process.wait()).await;
    }
}

/// Ready when the process may soon no longer run here: by when it must be gone.
async fn lost(hold: Option<&Hold>) -> Instant {
    match hold {
        Some(hold) => hold.lost().await,
        None => std::future::pending().await,
    }
}

/// Writes until the conversation ends; then the input is closed, which is how a process is asked to end.
async fn write(mut stdin: ChildStdin, mut outgoing: mpsc::Receiver<Said>, link: Arc<Link>) {
    let writing = async {
        while let Some((_, line)) = outgoing.recv().await {
            if stdin.write_all(&line).await.is_err() {
                return;
            }
            if outgoing.is_empty() && stdin.flush().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = writing => {}
        () = link.closed() => {}
    }
}

async fn read(link: Arc<Link>, mut stdout: ChildStdout, answers: mpsc::Sender<Said>, limits: wire::Limits) {
    let mut reader = lines::Reader::new(limits.bytes);
    while stdout.read_buf(reader.room()).await.is_ok_and(|count| count > 0) {
        while let Some(line) = reader.next_line() {
            let message = match line {
                Line::TooLong => Err(Fault::too_large(limits.bytes)),
                Line::Whole(line) => Message::one(line, limits),
            };
            match message {
                Ok(message) => {
                    if let Some(answer) = link.dispatch(message)
                        && answers.send((OURSELVES, lines::write(&answer))).await.is_err()
                    {
                        return;
                    }
                }
                // The line itself may hold secrets and is not shown.
                Err(fault) => {
                    warn!(reason = %fault.message, "a line of the server is no message");
                    link.garbled(fault);
                }
            }
        }
    }
    link.close();
}

async fn keep_errors(name: ServerName, stderr: ChildStderr) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MOST_OF_STDERR).read_until(b'\n', &mut line).await {
            Ok(count) if count > 0 => {
                let text = String::from_utf8_lossy(line.trim_ascii_end());
                info!(server = name.as_str(), stderr = %text.escape_debug());
            }
            _ => return,
        }
    }
}
