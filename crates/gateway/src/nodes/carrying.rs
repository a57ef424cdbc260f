//! The side of the node that runs a process: it passes on what callers of another node say, and what the server says to
//! them. Nothing is judged here; that node did.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{debug, warn};

use super::ELSEWHERE;
use super::line::{ALIVE, BEAT, First, LEAVING, Outward, SILENCE, inward, reader};
use crate::settings::ServerName;
use crate::upstream::link::{Caller, Link};
use crate::upstream::reply::{Item, Replies, number};
use crate::upstream::{Child, Upstream};
use crate::wire::lines::Line;
use crate::wire::{Fault, Kind, Limits, Message};

/// Lines that wait to be written to the other node.
const MOST_LINES: usize = 256;
/// How long a process may take to read a message.
const UNREAD: Duration = Duration::from_secs(5);
/// What is written already has so long to go when the conversation ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A connection that becomes the way of another node to a server.
pub(crate) struct Carried {
    pub(crate) upgrade: OnUpgrade,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) child: Arc<Child>,
    /// Whether both nodes would start it in the same way.
    pub(crate) is_alike: bool,
    pub(crate) limits: Limits,
}

impl Carried {
    /// Passes messages on until either side ends, or we stop and the other node knows.
    pub(crate) async fn carry(self, stop: watch::Receiver<bool>) {
        let name = self.upstream.name.clone();
        let upgraded = match self.upgrade.await {
            Ok(upgraded) => upgraded,
            Err(error) => return debug!(%error, "a node left at once"),
        };
        debug!(server = name.as_str(), "another node speaks to a server here");
        let (from, to) = tokio::io::split(TokioIo::new(upgraded));
        let (lines, outgoing) = mpsc::channel(MOST_LINES);
        let mut writing = std::pin::pin!(write(to, outgoing));
        // The process may have to be started first; the other node hears meanwhile that we live.
        let (first, link) = tokio::select! {
            () = writing.as_mut() => return,
            begun = begun(&self.child, self.is_alike) => begun,
        };
        // INVARIANT: nothing waits yet, so there is room.
        let _ = lines.try_send(first.write());
        let Some(link) = link else {
            drop(lines);
            let _ = timeout(FAREWELL, writing).await;
            return;
        };
        let unasked = link.listen();
        let passing = Passing {
            name,
            child: self.child,
            link: Arc::clone(&link),
            lines,
            calls: JoinSet::new(),
            listening: JoinSet::new(),
            limits: self.limits,
            is_leaving: false,
        };
        tokio::select! {
            () = writing.as_mut() => {}
            () = link.closed() => {}
            () = passing.read(from, unasked, stop) => {
                let _ = timeout(FAREWELL, writing).await;
            }
        }
    }
}

/// What comes of asking for the server, and the conversation with it.
async fn begun(child: &Arc<Child>, is_alike: bool) -> (First, Option<Arc<Link>>) {
    if !is_alike {
        return (First::OtherLaunch, None);
    }
    match child.own().await {
        Ok((link, opening)) => {
            (First::Opened(opening.version.to_owned(), opening.result.clone()), Some(link))
        }
        Err(fault) if fault.status == ELSEWHERE => (First::Elsewhere, None),
        Err(fault) => (First::Failed(fault.message.into_owned()), None),
    }
}

/// What is under way for another node.
struct Passing {
    name: ServerName,
    child: Arc<Child>,
    link: Arc<Link>,
    lines: mpsc::Sender<Bytes>,
    /// One task for each call: one that is slow to be taken holds up no other.
    calls: JoinSet<()>,
    /// Those that only listen, and last as long as anybody does: nobody waits for their end.
    listening: JoinSet<()>,
    limits: Limits,
    /// Whether the other node knows that we stop.
    is_leaving: bool,
}

impl Passing {
    async fn read(
        mut self,
        mut from: impl AsyncRead + Unpin,
        mut unasked: broadcast::Receiver<Message>,
        mut stop: watch::Receiver<bool>,
    ) {
        let mut reader = reader(self.limits);
        let mut is_told = false;
        while !(self.is_leaving && self.calls.is_empty()) {
            tokio::select! {
                came = timeout(SILENCE, from.read_buf(reader.room())) => {
                    if !matches!(came, Ok(Ok(count)) if count > 0) {
                        return;
                    }
                }
                Some(_) = self.calls.join_next(), if !self.calls.is_empty() => {}
                news = unasked.recv() => {
                    // Who is too slow misses some, as a client would.
                    if let Ok(news) = news {
                        let _ = self.lines.try_send(inward(None, news.bytes()));
                    }
                }
                () = async { drop(stop.wait_for(|is_stopping| *is_stopping).await) }, if !is_told => {
                    is_told = true;
                    if self.lines.send(LEAVING).await.is_err() {
                        return;
                    }
                }
            }
            while let Some(line) = reader.next_line() {
                match line {
                    Line::Whole(line) => self.take(&line).await,
                    Line::TooLong => warn!(server = self.name.as_str(), "a line of a node is too long"),
                }
            }
        }
    }

    /// Takes a line in. In order: what is cancelled was sent before.
    async fn take(&mut self, line: &Bytes) {
        match Outward::read(line) {
            Some(Outward::Suspicion) => self.child.suspect(),
            Some(Outward::Leaving) => self.is_leaving = true,
            Some(Outward::Message(caller, bytes)) => match Message::one(bytes, self.limits) {
                Ok(message) => self.pass_in_time(caller, &message).await,
                Err(fault) => {
                    warn!(server = self.name.as_str(), reason = %fault.message, "no message of a node")
                }
            },
            None => warn!(server = self.name.as_str(), "a line of a node is none"),
        }
    }

    /// A process that reads nothing would hold up everything, also what the other node says about that.
    async fn pass_in_time(&mut self, caller: Caller, message: &Message) {
        if timeout(UNREAD, self.pass(caller, message)).await.is_ok() {
            return;
        }
        self.child.suspect();
        if let Some(call) = message.id().and_then(number).filter(|_| message.kind() == Kind::Request) {
            let late = Fault::internal("The server did not read the request in time").with_status(504);
            tell(call, &late, &self.lines).await;
        }
    }

    async fn pass(&mut self, caller: Caller, message: &Message) {
        let passed = match message.kind() {
            Kind::Request => return self.call(caller, message).await,
            Kind::Notification if message.method() == "notifications/cancelled" => {
                self.link.cancel(caller, message).await
            }
            Kind::Notification => self.link.send(caller, message.bytes()).await,
            Kind::Response | Kind::Error => self.link.answer(caller, message).await,
        };
        if let Err(fault) = passed {
            debug!(server = self.name.as_str(), reason = %fault.message, "a message of a node was not passed on");
        }
    }

    async fn call(&mut self, caller: Caller, message: &Message) {
        let Some(call) = message.id().and_then(number) else { return };
        match self.link.call(message, caller).await {
            Ok((waiting, renamed)) => {
                let replies = Replies::link(waiting, renamed, Duration::MAX, self.limits);
                while self.listening.try_join_next().is_some() {}
                let is_listening = message.method() == "subscriptions/listen";
                let tasks = if is_listening { &mut self.listening } else { &mut self.calls };
                tasks.spawn(answer(call, replies, self.lines.clone()));
            }
            Err(fault) => tell(call, &fault, &self.lines).await,
        }
    }
}

/// Passes on everything that comes back for one call.
async fn answer(call: u64, mut replies: Replies, lines: mpsc::Sender<Bytes>) {
    loop {
        match replies.next().await {
            Ok(Some(Item::Message(reply))) => {
                if lines.send(inward(Some(call), &reply.into_bytes())).await.is_err() {
                    return;
                }
            }
            Ok(Some(Item::Hint(_))) => {}
            Ok(None) => return,
            Err(fault) => return tell(call, &fault, &lines).await,
        }
    }
}

/// Says why a call has no answer.
async fn tell(call: u64, fault: &Fault, lines: &mpsc::Sender<Bytes>) {
    let answer = fault.answer(Some(call.to_string().as_bytes()));
    // The other node may be gone.
    let _ = lines.send(inward(Some(call), &answer)).await;
}

/// Writes lines, and that we live when there are none.
async fn write(mut to: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Bytes>) {
    loop {
        let line = match timeout(BEAT, lines.recv()).await {
            Ok(Some(line)) => line,
            Ok(None) => {
                // Whoever reads sees the end either way.
                let _ = to.shutdown().await;
                return;
            }
            Err(_) => ALIVE,
        };
        if to.write_all(&line).await.is_err() || (lines.is_empty() && to.flush().await.is_err()) {
            return;
        }
    }
}
