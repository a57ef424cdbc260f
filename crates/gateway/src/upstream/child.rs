//! A server with one conversation for all callers, most often a child process: begun when it is needed, begun again when
//! it ends, ended with us.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tracing::{info, warn};

use super::events::{self, Begun};
use super::link::{self, Caller, Link};
use super::opening::{self, Opening};
use super::reply::Replies;
use crate::news::News;
use crate::settings::{Launch, Limits, Remote, ServerName, Timing};
use crate::wire::lines::{self, Line};
use crate::wire::{self, Fault, Message};

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
/// Lines that wait to be written to the process.
const MOST_LINES: usize = 64;
/// The first pause after a failed start; it doubles up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(60);
/// How long a process has to end after its input was closed.
const GRACE: Duration = Duration::from_secs(2);
/// How long a silent process has to show that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// The most of a line of stderr that is kept.
const MOST_OF_STDERR: u64 = 4096;

/// How a conversation is begun.
pub(crate) enum Start {
    /// With a process of our own.
    Process(Launch),
    /// With a stream of events of the older HTTP.
    Events(Box<Remote>),
}

/// A server with one conversation for all callers.
pub(crate) struct Child {
    name: ServerName,
    start: Start,
    timing: Timing,
    limits: Limits,
    news: Arc<News<Message>>,
    running: Mutex<Option<Running>>,
    starting: tokio::sync::Mutex<Starts>,
}

#[derive(Clone)]
struct Running {
    link: Arc<Link>,
    opening: Arc<Opening>,
    /// When the last of these is gone, the process is ended.
    _end: mpsc::Sender<()>,
}

/// What is known from earlier starts.
#[derive(Default)]
struct Starts {
    failures: u32,
    /// No earlier than this again.
    until: Option<Instant>,
    /// The server ends if it is asked which revisions it speaks.
    is_never_probed: bool,
}

impl Child {
    pub(crate) fn new(
        name: &ServerName,
        start: Start,
        timing: Timing,
        limits: Limits,
        news: &Arc<News<Message>>,
    ) -> Child {
        let (name, news) = (name.clone(), Arc::clone(news));
        Child { name, start, timing, limits, news, running: Mutex::default(), starting: Default::default() }
    }

    /// Sends a request over the shared conversation.
    pub(crate) async fn call(
        &self,
        message: &Message,
        caller: Caller,
        silence: Duration,
    ) -> Result<Replies, Fault> {
        let running = self.running().await?;
        let (waiting, renamed) = running.link.call(message, caller).await?;
        Ok(Replies::link(waiting, renamed, silence, self.limits.message))
    }

    /// The conversation, started if it is not there.
    pub(crate) async fn link(&self) -> Result<Arc<Link>, Fault> {
        Ok(self.running().await?.link)
    }

    /// What the server said of itself when the conversation began.
    pub(crate) async fn opening(&self) -> Result<Arc<Opening>, Fault> {
        Ok(self.running().await?.opening)
    }

    /// Ends the process, if it runs.
    pub(crate) fn end(&self) {
        *self.slot() = None;
    }

    /// Something took too long. If the process shows no sign of life it is ended; the next call starts it again.
    pub(crate) fn suspect(self: &Arc<Self>) {
        let Some(running) = self.slot().clone() else { return };
        let child = Arc::clone(self);
        tokio::spawn(async move {
            let sign = opening::sign_of_life(&running.link, &running.opening);
            if tokio::time::timeout(SIGN_OF_LIFE, sign).await.is_ok_and(|sign| sign.is_ok()) {
                return;
            }
            warn!(server = child.name.as_str(), "the server is silent and is ended");
            let mut slot = child.slot();
            if slot.as_ref().is_some_and(|now| Arc::ptr_eq(&now.link, &running.link)) {
                *slot = None;
            }
        });
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> Option<Running> {
        self.slot().clone().filter(|running| !running.link.is_closed())
    }

    async fn running(&self) -> Result<Running, Fault> {
        if let Some(running) = self.live() {
            return Ok(running);
        }
        let mut starts = self.starting.lock().await;
        if let Some(running) = self.live() {
            return Ok(running);
        }
        if starts.until.is_some_and(|until| Instant::now() < until) {
            return Err(Fault::internal("The server does not run; the gateway will start it again shortly")
                .with_status(503));
        }
        // A process that ends at once, again and again, is started less and less often.
        starts.until =
            Some(Instant::now() + LAST_PAUSE.min(FIRST_PAUSE * 2u32.saturating_pow(starts.failures.min(10))));
        starts.failures += 1;
        let probed = if starts.is_never_probed { None } else { self.start(true).await? };
        let running = match probed {
            Some(running) => running,
            None => {
                let running = self.start(false).await?.ok_or_else(link::gone)?;
                starts.is_never_probed = true;
                running
            }
        };
        *self.slot() = Some(running.clone());
        starts.failures = 0;
        Ok(running)
    }

    /// Begins the conversation; `None` if a process ended when it was probed.
    async fn start(&self, is_probed: bool) -> Result<Option<Running>, Fault> {
        let ((link, end), is_probed) = match &self.start {
            Start::Process(launch) => (self.start_process(launch)?, is_probed),
            // The transport says which era it is.
            Start::Events(remote) => {
                let begun = events::begin(&self.name, remote, self.limits, self.timing, &self.news);
                (begun.await?, false)
            }
        };
        let opening = match is_probed {
            true => opening::open(&link, self.timing.connect).await?,
            false => Some(opening::initialise(&link, self.timing.connect).await?),
        };
        let Some(opening) = opening else { return Ok(None) };
        info!(server = self.name.as_str(), revision = opening.version, "the server runs");
        Ok(Some(Running { link, opening: Arc::new(opening), _end: end }))
    }

    fn start_process(&self, launch: &Launch) -> Result<Begun, Fault> {
        let failed = |error: std::io::Error| {
            warn!(server = self.name.as_str(), %error, "the server cannot be started");
            Fault::internal(format!("The server cannot be started: {}", error.kind()))
        };
        let mut process = command(launch).spawn().map_err(failed)?;
        let (stdin, stdout, stderr) =
            (process.stdin().take(), process.stdout().take(), process.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(Fault::internal("The server has no pipes"));
        };
        let (to_process, outgoing) = mpsc::channel(MOST_LINES);
        let (end, ending) = mpsc::channel(1);
        let link = Arc::new(Link::new(to_process.clone(), Arc::clone(&self.news), self.limits.calls));
        tokio::spawn(keep_errors(self.name.clone(), stderr));
        tokio::spawn(write(stdin, outgoing));
        tokio::spawn(read(Arc::clone(&link), stdout, to_process, self.limits.message));
        tokio::spawn(supervise(self.name.clone(), Guard(process), Arc::clone(&link), ending));
        Ok((link, end))
    }
}

fn command(launch: &Launch) -> CommandWrap {
    let mut command = Command::new(&launch.command);
    command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear();
    command.envs(INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.kill_on_drop(true);
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

/// INVARIANT: when this goes, whatever the reason, the whole process group goes.
struct Guard(Box<dyn ChildWrapper>);

impl Drop for Guard {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.start_kill();
    }
}

/// Waits for the end of the process, or ends it: first by closing its input, then by force.
async fn supervise(name: ServerName, mut guard: Guard, link: Arc<Link>, mut ending: mpsc::Receiver<()>) {
    tokio::select! {
        ended = guard.0.wait() => {
            info!(server = name.as_str(), status = ?ended.ok(), "the server ended");
            link.close();
        }
        _ = ending.recv() => {
            link.close();
            drop(link);
            let _ = tokio::time::timeout(GRACE, guard.0.wait()).await;
        }
    }
}

async fn write(mut stdin: ChildStdin, mut outgoing: mpsc::Receiver<Bytes>) {
    while let Some(line) = outgoing.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
        if outgoing.is_empty() && stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read(link: Arc<Link>, mut stdout: ChildStdout, answers: mpsc::Sender<Bytes>, limits: wire::Limits) {
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
                        && answers.send(lines::write(&answer)).await.is_err()
                    {
                        return;
                    }
                }
                // Whoever waits for it will wait in vain; the line itself may hold secrets and is not shown.
                Err(fault) => warn!(reason = %fault.message, "a line of the server is no message"),
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
