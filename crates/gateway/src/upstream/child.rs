//! A server with one conversation for all callers, most often a child process: begun when it is needed, begun again when
//! it ends, ended with us.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use process_wrap::tokio::ChildWrapper;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::{info, warn};

use super::events::{self, Begun};
use super::launch::command;
use super::link::{self, Caller, Link};
use super::opening::{self, Opening};
use super::pause::Pause;
use super::reply::Replies;
use crate::news::News;
use crate::settings::{GRACE, Launch, Launcher, Limits, Means, Remote, ServerName, Timing};
use crate::wire::lines::{self, Line};
use crate::wire::{self, Fault, Message};

/// Lines that wait to be written to the process.
const MOST_LINES: usize = 64;
/// The longest pause between two starts of a process that does not begin.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A process that lived for less than this has not begun either, whatever it said.
const SHORT_LIFE: Duration = Duration::from_secs(2);
/// How much longer a launcher has: it ends the process first, and then what that left behind.
const GRACE_OF_LAUNCHER: Duration = Duration::from_secs(3);
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
    launcher: Option<Launcher>,
    timing: Timing,
    limits: Limits,
    news: Arc<News<Message>>,
    running: Mutex<Option<Running>>,
    starting: tokio::sync::Mutex<Starts>,
    /// Whether somebody looks for a sign of life already.
    is_suspected: AtomicBool,
    /// Tells all processes to end, also those that have not begun yet.
    ends: watch::Sender<()>,
    /// The processes that run or are being ended.
    supervised: Mutex<JoinSet<()>>,
}

#[derive(Clone)]
struct Running {
    link: Arc<Link>,
    opening: Arc<Opening>,
    since: Instant,
    /// When the last of these is gone, the process is ended.
    _end: mpsc::Sender<()>,
}

/// What is known from earlier starts.
#[derive(Default)]
struct Starts {
    pause: Pause,
    /// The server ends if it is asked which revisions it speaks.
    is_never_probed: bool,
}

impl Child {
    pub(crate) fn new(name: &ServerName, start: Start, means: &Means, news: &Arc<News<Message>>) -> Child {
        let (running, starting, is_suspected, supervised) = Default::default();
        Child {
            name: name.clone(),
            start,
            launcher: means.launcher.clone(),
            timing: means.timing,
            limits: means.limits,
            news: Arc::clone(news),
            running,
            starting,
            is_suspected,
            ends: watch::Sender::new(()),
            supervised,
        }
    }

    /// Sends a request over the shared conversation.
    pub(crate) async fn call(
        self: &Arc<Self>,
        message: &Message,
        caller: Caller,
        silence: Duration,
    ) -> Result<Replies, Fault> {
        let running = self.running().await?;
        // A process that reads nothing fills its pipe, and then nothing can be said to it either.
        let call = tokio::time::timeout(silence, running.link.call(message, caller));
        let late = |_| Fault::internal("The server did not read the request in time").with_status(504);
        let (waiting, renamed) = call.await.map_err(late)??;
        Ok(Replies::link(waiting, renamed, silence, self.limits.message))
    }

    /// The conversation, started if it is not there.
    pub(crate) async fn link(self: &Arc<Self>) -> Result<Arc<Link>, Fault> {
        Ok(self.running().await?.link)
    }

    /// What the server said of itself when the conversation began.
    pub(crate) async fn opening(self: &Arc<Self>) -> Result<Arc<Opening>, Fault> {
        Ok(self.running().await?.opening)
    }

    /// Ends the process, if it runs or is being started.
    pub(crate) fn end(&self) {
        *self.slot() = None;
        self.ends.send_replace(());
    }

    /// Ready when no process of this server is left.
    pub(crate) async fn ended(&self) {
        let mut supervised = std::mem::take(&mut *self.supervised());
        while supervised.join_next().await.is_some() {}
    }

    /// Something took too long. If the process shows no sign of life it is ended; the next call starts it again.
    pub(crate) fn suspect(self: &Arc<Self>) {
        let Some(running) = self.slot().clone() else { return };
        if self.is_suspected.swap(true, Ordering::AcqRel) {
            return;
        }
        let child = Arc::clone(self);
        tokio::spawn(async move {
            let sign = opening::sign_of_life(&running.link, &running.opening);
            let sign = tokio::time::timeout(SIGN_OF_LIFE.min(child.timing.answer), sign).await;
            child.is_suspected.store(false, Ordering::Release);
            if sign.is_ok_and(|sign| sign.is_ok()) {
                return;
            }
            warn!(server = child.name.as_str(), "the server is silent and is ended");
            let mut slot = child.slot();
            if slot.as_ref().is_some_and(|now| Arc::ptr_eq(&now.link, &running.link)) {
                *slot = None;
            }
        });
    }

    fn supervised(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.supervised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> Option<Running> {
        self.slot().clone().filter(|running| !running.link.is_closed())
    }

    async fn running(self: &Arc<Self>) -> Result<Running, Fault> {
        if let Some(running) = self.live() {
            return Ok(running);
        }
        // A task of its own: a client that loses patience must not take back a start others wait for.
        let (child, came) = (Arc::clone(self), Instant::now());
        let started = tokio::spawn(async move { child.started(came).await }).await;
        started.unwrap_or_else(|_| Err(not_running()))
    }

    async fn started(&self, came: Instant) -> Result<Running, Fault> {
        let mut starts = self.starting.lock().await;
        if let Some(running) = self.live() {
            return Ok(running);
        }
        starts.pause.check(came)?;
        let before = self.slot().take();
        match before.map(|before| before.since.elapsed() < SHORT_LIFE) {
            // A process that ends at once, again and again, is started less and less often.
            Some(true) => {
                starts.pause.failed(&not_running(), LONGEST_PAUSE);
                return Err(not_running());
            }
            Some(false) => starts.pause.succeeded(),
            None => {}
        }
        match self.begin(&mut starts).await {
            Ok(running) => {
                *self.slot() = Some(running.clone());
                Ok(running)
            }
            Err(fault) => {
                starts.pause.failed(&not_running(), LONGEST_PAUSE);
                Err(fault)
            }
        }
    }

    /// Starts the process, probed unless it is known to end of that.
    async fn begin(&self, starts: &mut Starts) -> Result<Running, Fault> {
        let ends = self.ends.subscribe();
        if !starts.is_never_probed
            && let Some(running) = self.start(true).await?
        {
            return Ok(running);
        }
        // One that we ended did not end of the question.
        if ends.has_changed().unwrap_or(true) {
            return Err(not_running());
        }
        let running = self.start(false).await?.ok_or_else(link::gone)?;
        starts.is_never_probed = true;
        Ok(running)
    }

    /// Starts the process, or the stream of events; `None` if it ended when it was probed.
    async fn start(&self, is_probed: bool) -> Result<Option<Running>, Fault> {
        let timeout = self.timing.start;
        let (link, end, opening) = match &self.start {
            Start::Process(launch) => {
                let (link, end) = self.start_process(launch)?;
                let opening = match is_probed {
                    true => opening::open(&link, timeout).await?,
                    false => Some(opening::initialise(&link, timeout).await?),
                };
                (link, end, opening)
            }
            Start::Events(remote) => {
                let begun = events::begin(&self.name, remote, self.limits, self.timing, &self.news);
                let (link, end) = begun.await?;
                let opening = opening::initialise(&link, timeout).await?;
                (link, end, Some(opening))
            }
        };
        let Some(opening) = opening else { return Ok(None) };
        info!(server = self.name.as_str(), revision = opening.version, "the server runs");
        Ok(Some(Running { link, opening: Arc::new(opening), since: Instant::now(), _end: end }))
    }

    fn start_process(&self, launch: &Launch) -> Result<Begun, Fault> {
        let failed = |error: std::io::Error| {
            warn!(server = self.name.as_str(), %error, "the server cannot be started");
            Fault::internal(format!("The server cannot be started: {}", error.kind()))
        };
        let mut process = command(launch, self.launcher.as_ref()).spawn().map_err(failed)?;
        let (stdin, stdout, stderr) =
            (process.stdin().take(), process.stdout().take(), process.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(Fault::internal("The server has no pipes"));
        };
        let (to_process, outgoing) = mpsc::channel(MOST_LINES);
        let (end, ending) = mpsc::channel(1);
        let link = Arc::new(Link::new(to_process.clone(), Arc::clone(&self.news), self.limits.calls));
        tokio::spawn(keep_errors(self.name.clone(), stderr));
        tokio::spawn(write(stdin, outgoing, Arc::clone(&link)));
        tokio::spawn(read(Arc::clone(&link), stdout, to_process, self.limits.message));
        let mut supervised = self.supervised();
        while supervised.try_join_next().is_some() {}
        let guard = Guard { process, link: Arc::clone(&link), is_launched: self.launcher.is_some() };
        supervised.spawn(supervise(self.name.clone(), guard, ending, self.ends.subscribe()));
        drop(supervised);
        Ok((link, end))
    }
}

fn not_running() -> Fault {
    Fault::internal("The server does not run; the gateway will start it again shortly").with_status(503)
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

/// Waits for the end of the process, or ends it: first by closing its input, then by force.
async fn supervise(
    name: ServerName,
    mut guard: Guard,
    mut ending: mpsc::Receiver<()>,
    mut ends: watch::Receiver<()>,
) {
    let ending = async {
        tokio::select! {
            _ = ending.recv() => {}
            _ = ends.changed() => {}
        }
    };
    tokio::select! {
        ended = guard.process.wait() => {
            info!(server = name.as_str(), status = ?ended.ok(), "the server ended");
        }
        () = ending => {
            guard.link.close();
            let grace = if guard.is_launched { GRACE + GRACE_OF_LAUNCHER } else { GRACE };
            if tokio::time::timeout(grace, guard.process.wait()).await.is_err() {
                guard.kill();
            }
        }
    }
}

/// Writes until the conversation ends; then the input is closed, which is how a process is asked to end.
async fn write(mut stdin: ChildStdin, mut outgoing: mpsc::Receiver<Bytes>, link: Arc<Link>) {
    let writing = async {
        while let Some(line) = outgoing.recv().await {
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
