//! The side of the node with the callers: it connects to the node that runs the process, proves who it is, and speaks to
//! the server as if the process were its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use portcullis_detect::fingerprint::Fingerprint;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::{debug, warn};

use super::line::{ALIVE, BEAT, First, Inward, LEAVING, SILENCE, outward, reader};
use super::proof::Asked;
use super::{Nodes, PATH, PROOF, PROTOCOL};
use crate::news::News;
use crate::settings::{Addresses, Credential, Limits, Remote, ServerName, Timing};
use crate::upstream::link::{Link, Said};
use crate::upstream::opening::Opening;
use crate::upstream::{Reach, Stream, reach};
use crate::version;
use crate::wire::lines::{self, Line};
use crate::wire::{self, Fault, Message};

/// Lines that wait to be written to the other node.
const MOST_LINES: usize = 64;
/// Words without a message that wait.
const MOST_CONTROLS: usize = 4;
/// How long a node is waited for that is not reached, or does not let us in: one that died must not hold up who could
/// take its place.
const LONGEST_CONNECT: Duration = Duration::from_secs(2);

/// The server that is wanted, and where it runs.
pub(crate) struct Wanted<'a> {
    pub(crate) server: &'a ServerName,
    /// How we would start it.
    pub(crate) launch: Fingerprint,
    /// Where the node that runs it is reached.
    pub(crate) owner: &'a str,
}

/// Why a node did not let us speak to its server.
pub(crate) enum Unreached {
    /// Nobody is there, or nobody who knows us.
    Away(Fault),
    /// It does not run the server any more, or not yet.
    Moving(Fault),
    /// It tried to run the server, and could not.
    Failed(Fault),
}

impl Unreached {
    fn away(wanted: &Wanted<'_>, why: &str) -> Unreached {
        let Wanted { server, owner, .. } = wanted;
        let what = format!("The server {} runs on the node at {owner}, {why}", server.as_str());
        Unreached::Away(Fault::internal(what).with_status(503))
    }

    /// The lease of this node is about to move.
    pub(crate) fn moving(server: &ServerName, owner: &str) -> Unreached {
        let server = server.as_str();
        let what = format!("The server {server} is being moved from the node at {owner}; try again shortly");
        Unreached::Moving(Fault::internal(what).with_status(503))
    }
}

/// A conversation with a server that another node runs.
pub(crate) struct Reached {
    pub(crate) link: Arc<Link>,
    pub(crate) opening: Opening,
    /// Takes words without a message.
    pub(crate) controls: mpsc::Sender<Bytes>,
    to_controls: mpsc::Receiver<Bytes>,
    server: ServerName,
    lines: mpsc::Sender<Said>,
    outgoing: mpsc::Receiver<Said>,
    stream: Stream,
    reader: lines::Reader,
    limits: wire::Limits,
}

impl Nodes {
    /// Connects to the node that runs a server, and hears what the server said of itself there.
    pub(crate) async fn reach(
        &self,
        wanted: &Wanted<'_>,
        news: &Arc<News<Message>>,
        limits: Limits,
        timing: Timing,
    ) -> Result<Reached, Unreached> {
        let unread = |_| Unreached::away(wanted, "whose address cannot be read");
        let url: Uri = wanted.owner.parse().map_err(unread)?;
        let no_random = || Unreached::Failed(Fault::internal("There are no random numbers"));
        let (asked, proof) =
            self.prove(wanted.server.as_str(), wanted.launch, wanted.owner).ok_or_else(no_random)?;
        let mut stream = connect(&url, timing).await.map_err(|error| {
            debug!(server = wanted.server.as_str(), node = wanted.owner, %error, "a node is not reached");
            Unreached::away(wanted, &format!("which is not reached from here: {}", error.kind()))
        })?;
        let broken = |_| Unreached::away(wanted, "which ended the connection");
        let late = |_| Unreached::away(wanted, "which does not answer in time");
        ask(&mut stream, &url, &asked, &proof).await.map_err(broken)?;
        let head = timeout(LONGEST_CONNECT, head(&mut stream)).await.map_err(late)?.map_err(broken)?;
        self.check(wanted, &asked, &head)?;
        let mut reader = reader(limits.message);
        // The other node may have to start the process first.
        let patience = timing.start + timing.connect;
        let first = timeout(patience, first(&mut stream, &mut reader)).await;
        let opening = opening(wanted, first.map_err(late)?.map_err(broken)?)?;
        let (lines, outgoing) = mpsc::channel(MOST_LINES);
        let (controls, to_controls) = mpsc::channel(MOST_CONTROLS);
        let link = Arc::new(Link::new(lines.clone(), Arc::clone(news), limits.calls));
        let (server, limits) = (wanted.server.clone(), limits.message);
        Ok(Reached { link, opening, controls, to_controls, server, lines, outgoing, stream, reader, limits })
    }

    /// Whether a node lets us in, and is one.
    fn check(&self, wanted: &Wanted<'_>, asked: &Asked, head: &Head) -> Result<(), Unreached> {
        let is_node = head.proof.as_ref().is_some_and(|proof| self.is_answered(asked, proof));
        match head.status {
            101 if is_node => Ok(()),
            503 => Err(Unreached::moving(wanted.server, wanted.owner)),
            401 => Err(Unreached::away(
                wanted,
                "which does not take us for one of its own: all nodes need the same `seal_key`, clocks that agree, and \
                 a `node_address` of their own",
            )),
            _ => Err(Unreached::away(wanted, "where nobody answers who knows it")),
        }
    }
}

async fn connect(url: &Uri, timing: Timing) -> io::Result<Stream> {
    let remote = Remote {
        url: url.clone(),
        headers: Vec::new(),
        credential: Credential::None,
        authorities: None,
        proxy: None,
        addresses: Addresses::written(Arc::default()),
    };
    let reach = Reach::new(&remote, timing.connect.min(LONGEST_CONNECT)).map_err(io::Error::other)?;
    reach.connect().await
}

async fn ask(stream: &mut Stream, url: &Uri, asked: &Asked, proof: &str) -> io::Result<()> {
    let host = url.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let request = format!(
        "GET {PATH}{} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: {PROTOCOL}\r\n{PROOF}: {proof}\r\n\r\n",
        asked.server
    );
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await
}

/// The head of an answer, as far as it matters.
struct Head {
    status: u16,
    proof: Option<String>,
}

async fn head(stream: &mut Stream) -> io::Result<Head> {
    let bytes = reach::head(stream).await?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|word| word.parse().ok());
    let mut headers = lines.filter_map(|line| line.split_once(':'));
    let proof = headers.find(|(name, _)| name.eq_ignore_ascii_case(PROOF.as_str()));
    let proof = proof.map(|(_, value)| value.trim().to_owned());
    Ok(Head { status: status.unwrap_or_default(), proof })
}

/// The first line. A node that starts a process says meanwhile that it lives.
async fn first(stream: &mut Stream, reader: &mut lines::Reader) -> io::Result<First> {
    let nothing = || io::Error::other("the node does not say what the server is");
    loop {
        match reader.next_line() {
            Some(Line::Whole(line)) => return First::read(&line).ok_or_else(nothing),
            Some(Line::TooLong) => return Err(nothing()),
            None => {}
        }
        let came = timeout(SILENCE, stream.read_buf(reader.room())).await;
        if came.map_err(|_| nothing())?? == 0 {
            return Err(nothing());
        }
    }
}

/// What the server said of itself, or why it did not.
fn opening(wanted: &Wanted<'_>, first: First) -> Result<Opening, Unreached> {
    match first {
        First::Opened(said, result) => {
            let is_modern = said == version::MODERN;
            let known = if is_modern { Some(version::MODERN) } else { version::legacy(&said) };
            let unknown = || Unreached::away(wanted, "which speaks a revision to it that is not known here");
            Ok(Opening { is_modern, version: known.ok_or_else(unknown)?, result })
        }
        First::Elsewhere => Err(Unreached::moving(wanted.server, wanted.owner)),
        First::OtherLaunch => Err(Unreached::away(
            wanted,
            "which starts it in another way: give all nodes the same configuration",
        )),
        // That node's words to its own callers.
        First::Failed(why) => Err(Unreached::Failed(Fault::internal(why).with_status(503))),
    }
}

impl Reached {
    /// Passes messages on until either side ends.
    pub(crate) async fn carry(self, mut ending: mpsc::Receiver<()>, mut ends: watch::Receiver<()>) {
        let (from, to) = tokio::io::split(self.stream);
        let link = Arc::clone(&self.link);
        let ending = async {
            let _ = ending.recv().await;
            // What is in flight goes on until the other node has stopped.
            if link.is_retired() {
                std::future::pending().await
            }
        };
        let hearing = Hearing {
            server: self.server,
            link: Arc::clone(&self.link),
            lines: self.lines,
            controls: self.controls,
            reader: self.reader,
            limits: self.limits,
        };
        tokio::select! {
            () = write(to, self.outgoing, self.to_controls) => {}
            () = hearing.read(from) => {}
            () = ending => {}
            _ = ends.changed() => {}
        }
        self.link.close();
    }
}

/// What hears the other node.
struct Hearing {
    server: ServerName,
    link: Arc<Link>,
    lines: mpsc::Sender<Said>,
    controls: mpsc::Sender<Bytes>,
    reader: lines::Reader,
    limits: wire::Limits,
}

impl Hearing {
    async fn read(mut self, mut from: ReadHalf<Stream>) {
        loop {
            while let Some(line) = self.reader.next_line() {
                if !self.take(line).await {
                    return;
                }
            }
            let came = timeout(SILENCE, from.read_buf(self.reader.room())).await;
            if !matches!(came, Ok(Ok(count)) if count > 0) {
                return;
            }
        }
    }

    /// Takes a line in; whether there may be more.
    async fn take(&mut self, line: Line) -> bool {
        let said = match &line {
            Line::Whole(line) => Inward::read(line),
            Line::TooLong => None,
        };
        let message = match said {
            Some(Inward::Leaving) => {
                self.link.retire();
                return self.controls.send(LEAVING).await.is_ok();
            }
            Some(Inward::Message(call, bytes)) => {
                Message::one(bytes, self.limits).map(|message| (call, message))
            }
            None => Err(Fault::too_large(self.limits.bytes)),
        };
        match message {
            Ok((call, message)) => match self.link.deliver(call, message) {
                Some(answer) => self.lines.send(answer).await.is_ok(),
                None => true,
            },
            // The line itself may hold secrets and is not shown.
            Err(fault) => {
                warn!(server = self.server.as_str(), reason = %fault.message, "a line of a node is no message");
                self.link.garbled(fault);
                true
            }
        }
    }
}

/// Writes messages and words, and that we live when there are none.
async fn write(
    mut to: WriteHalf<Stream>,
    mut outgoing: mpsc::Receiver<Said>,
    mut controls: mpsc::Receiver<Bytes>,
) {
    loop {
        let line = tokio::select! {
            Some((caller, line)) = outgoing.recv() => outward(caller, &line),
            Some(word) = controls.recv() => word,
            () = tokio::time::sleep(BEAT) => ALIVE,
        };
        if to.write_all(&line).await.is_err() || (outgoing.is_empty() && to.flush().await.is_err()) {
            return;
        }
    }
}
