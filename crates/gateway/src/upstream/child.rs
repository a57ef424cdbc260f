//! A server with one conversation for all callers, most often a child process: begun when it is needed, begun again when
//! it ends, ended with us.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::{info, warn};

use super::events::{self, Begun};
use super::link::{self, Caller, Link};
use super::opening::{self, Opening};
use super::pause::Pause;
use super::process::Starting;
use super::reply::Replies;
use crate::news::News;
use crate::nodes::{Hold, Nodes, SUSPICION};
use crate::settings::{Launch, Launcher, Limits, Means, Remote, ServerName, Timing};
use crate::wire::{Fault, Message};

/// The longest pause between two starts of a process that does not begin.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A process that lived for less than this has not begun either, whatever it said.
const SHORT_LIFE: Duration = Duration::from_secs(2);
/// How long a silent process has to show that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// The longest pause where only one node runs the process: another may take over any moment.
const LONGEST_PAUSE_OF_NODES: Duration = Duration::from_secs(1);

/// How a conversation is begun.
pub(crate) enum Start {
    /// With a process of our own, or of the one node that may run it.
    Process(Launch),
    /// With a stream of events of the older HTTP.
    Events(Box<Remote>),
}

/// A server with one conversation for all callers.
pub(crate) struct Child {
    pub(super) name: ServerName,
    pub(super) start: Start,
    launcher: Option<Launcher>,
    pub(super) timing: Timing,
    pub(super) limits: Limits,
    pub(super) news: Arc<News<Message>>,
    /// The other nodes, if only one of all runs the process.
    pub(super) nodes: Option<Arc<Nodes>>,
    running: Mutex<Option<Running>>,
    starting: tokio::sync::Mutex<Starts>,
    /// Whether somebody looks for a sign of life already.
    is_suspected: AtomicBool,
    /// Tells all processes to end, also those that have not begun yet.
    pub(super) ends: watch::Sender<()>,
    /// The processes that run or are being ended.
    supervised: Mutex<JoinSet<()>>,
}

#[derive(Clone)]
pub(super) struct Running {
    pub(super) link: Arc<Link>,
    pub(super) opening: Arc<Opening>,
    pub(super) since: Instant,
    /// When the last of these is gone, the process is ended.
    pub(super) _end: mpsc::Sender<()>,
    /// Where the node that runs the process is told what is no message, if that is another.
    pub(super) elsewhere: Option<mpsc::Sender<Bytes>>,
}

/// Who wants the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A caller of this node.
    Caller,
    /// Another node, for callers of its own: what runs elsewhere it reaches itself.
    Node,
}

/// Why there is no conversation.
pub(super) enum Unbegun {
    /// The process does not begin here.
    Here(Fault),
    /// The node that runs it is not reached, or who that is cannot be known.
    Elsewhere(Fault),
    /// Another node asked for what is not ours to give.
    NotOurs(Fault),
}

/// What is known from earlier starts.
#[derive(Default)]
pub(super) struct Starts {
    pause: Pause,
    /// The server ends if it is asked which revisions it speaks.
    is_never_probed: bool,
}

impl Child {
    pub(crate) fn new(
        name: &ServerName,
        start: Start,
        means: &Means,
        nodes: Option<&Arc<Nodes>>,
        news: &Arc<News<Message>>,
    ) -> Child {
        let (running, starting, is_suspected, supervised) = Default::default();
        Child {
            name: name.clone(),
            start,
            launcher: means.launcher.clone(),
            timing: means.timing,
            limits: means.limits,
            news: Arc::clone(news),
            nodes: nodes.cloned(),
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
        let running = self.running(Asker::Caller).await?;
        // A process that reads nothing fills its pipe, and then nothing can be said to it either.
        let call = tokio::time::timeout(silence, running.link.call(message, caller));
        let late = |_| Fault::internal("The server did not read the request in time").with_status(504);
        let (waiting, renamed) = call.await.map_err(late)??;
        Ok(Replies::link(waiting, renamed, silence, self.limits.message))
    }

    /// The conversation, started if it is not there.
    pub(crate) async fn link(self: &Arc<Self>) -> Result<Arc<Link>, Fault> {
        Ok(self.running(Asker::Caller).await?.link)
    }

    /// What the server said of itself when the conversation began.
    pub(crate) async fn opening(self: &Arc<Self>) -> Result<Arc<Opening>, Fault> {
        Ok(self.running(Asker::Caller).await?.opening)
    }

    /// The conversation for another node, if this one runs the process, or may.
    pub(crate) async fn own(self: &Arc<Self>) -> Result<(Arc<Link>, Arc<Opening>), Fault> {
        // INVARIANT: what runs is not kept, or a process that is silent could not be ended.
        let Running { link, opening, .. } = self.running(Asker::Node).await?;
        Ok((link, opening))
    }

    /// Whether only one node runs the process.
    pub(crate) fn is_leased(&self) -> bool {
        self.nodes.is_some()
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
        if let Some(node) = &running.elsewhere {
            // Who runs the process looks for a sign of life. Whether that node lives is seen without this.
            let _ = node.try_send(SUSPICION);
            return;
        }
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
        self.slot().clone().filter(|running| !running.link.is_closed() && !running.link.is_retired())
    }

    async fn running(self: &Arc<Self>, asker: Asker) -> Result<Running, Fault> {
        if let Some(running) = self.live() {
            return running.for_asker(asker);
        }
        // A task of its own: a client that loses patience must not take back a start others wait for.
        let (child, came) = (Arc::clone(self), Instant::now());
        let started = tokio::spawn(async move { child.started(came, asker).await }).await;
        started.unwrap_or_else(|_| Err(not_running()))
    }

    async fn started(&self, came: Instant, asker: Asker) -> Result<Running, Fault> {
        let mut starts = self.starting.lock().await;
        if let Some(running) = self.live() {
            return running.for_asker(asker);
        }
        starts.pause.check(came)?;
        // How long another node's process lived is that node's business.
        let before = self.slot().take().filter(|before| before.elsewhere.is_none());
        match before.map(|before| before.since.elapsed() < SHORT_LIFE) {
            // A process that ends at once, again and again, is started less and less often.
            Some(true) => {
                starts.pause.failed(&not_running(), LONGEST_PAUSE);
                return Err(not_running());
            }
            Some(false) => starts.pause.succeeded(),
            None => {}
        }
        let begun = match &self.nodes {
            Some(nodes) => self.begin_among(nodes, &mut starts, asker).await,
            None => self.begin(&mut starts, None).await.map_err(Unbegun::Here),
        };
        match begun {
            Ok(running) => {
                if running.elsewhere.is_some() {
                    starts.pause.succeeded();
                }
                *self.slot() = Some(running.clone());
                Ok(running)
            }
            Err(Unbegun::Here(fault)) => {
                starts.pause.failed(&not_running(), LONGEST_PAUSE);
                Err(fault)
            }
            Err(Unbegun::Elsewhere(fault)) => {
                starts.pause.failed(&fault, LONGEST_PAUSE_OF_NODES);
                Err(fault)
            }
            Err(Unbegun::NotOurs(fault)) => Err(fault),
        }
    }

    /// Starts the process, probed unless it is known to end of that.
    pub(super) async fn begin(&self, starts: &mut Starts, hold: Option<Arc<Hold>>) -> Result<Running, Fault> {
        let ends = self.ends.subscribe();
        if !starts.is_never_probed
            && let Some(running) = self.start(true, hold.clone()).await?
        {
            return Ok(running);
        }
        // One that we ended did not end of the question.
        if ends.has_changed().unwrap_or(true) {
            return Err(not_running());
        }
        let running = self.start(false, hold).await?.ok_or_else(link::gone)?;
        starts.is_never_probed = true;
        Ok(running)
    }

    /// Starts the process, or the stream of events; `None` if it ended when it was probed.
    async fn start(&self, is_probed: bool, hold: Option<Arc<Hold>>) -> Result<Option<Running>, Fault> {
        let timeout = self.timing.start;
        let (link, end, opening) = match &self.start {
            Start::Process(launch) => {
                let (link, end) = self.start_process(launch, hold)?;
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
        let (opening, since) = (Arc::new(opening), Instant::now());
        Ok(Some(Running { link, opening, since, _end: end, elsewhere: None }))
    }

    fn start_process(&self, launch: &Launch, hold: Option<Arc<Hold>>) -> Result<Begun, Fault> {
        let starting = Starting {
            name: &self.name,
            launch,
            launcher: self.launcher.as_ref(),
            limits: self.limits,
            news: &self.news,
            ends: self.ends.subscribe(),
            hold,
        };
        let started = starting.start()?;
        self.supervise(started.supervision);
        Ok((started.link, started.end))
    }

    /// Keeps what must end with us.
    pub(super) fn supervise(&self, supervision: impl Future<Output = ()> + Send + 'static) {
        let mut supervised = self.supervised();
        while supervised.try_join_next().is_some() {}
        supervised.spawn(supervision);
    }
}

impl Running {
    /// The same for who asks: another node is not led on to a third.
    fn for_asker(self, asker: Asker) -> Result<Running, Fault> {
        match asker == Asker::Node && self.elsewhere.is_some() {
            true => Err(crate::nodes::elsewhere()),
            false => Ok(self),
        }
    }
}

pub(super) fn not_running() -> Fault {
    Fault::internal("The server does not run; the gateway will start it again shortly").with_status(503)
}
