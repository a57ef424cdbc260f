//! One client over standard input and output: each line is a message, and walks as one over HTTP does.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::body::{Body, Told};
use super::http::Target;
use super::{legacy, modern};
use crate::gate::Gate;
use crate::judge::Who;
use crate::ticket::Shown;
use crate::version;
use crate::wire::lines::{self, Line};
use crate::wire::{Fault, Field, Kind, Message, Reading, headers, read};

/// Lines that wait for a slow client.
const MOST_LINES: usize = 64;

/// Serves the client until its input ends.
pub(crate) async fn serve(
    gate: Arc<Gate>,
    target: Target,
    who: Who,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (lines, written) = mpsc::channel(MOST_LINES);
    let writer = tokio::spawn(write(output, written));
    let (shown, session, running, cancellable) = Default::default();
    let mut client = Client { gate, target, who, shown, lines, session, running, cancellable };
    client.read(input).await;
    // What was asked is still answered; a stream that never ends is not waited for.
    let timeout = client.gate.settings.timing.drain;
    let all = async { while client.running.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(timeout, all).await;
    drop(client);
    let _ = writer.await;
}

/// What whoever started us is called.
pub(crate) const STARTER: &str = "stdio";

struct Client {
    gate: Arc<Gate>,
    target: Target,
    who: Who,
    shown: Arc<Shown>,
    lines: mpsc::Sender<Bytes>,
    session: Option<HeaderValue>,
    running: JoinSet<()>,
    /// Requests of the revision without sessions, by id: there, to cancel is to stop listening.
    cancellable: HashMap<Bytes, AbortHandle>,
}

impl Client {
    async fn read(&mut self, mut input: impl AsyncRead + Unpin) {
        let limits = self.gate.settings.limits.message;
        let mut reader = lines::Reader::new(limits.bytes);
        while input.read_buf(reader.room()).await.is_ok_and(|count| count > 0) {
            while let Some(line) = reader.next_line() {
                let reading = match line {
                    Line::TooLong => Err(Fault::too_large(limits.bytes)),
                    Line::Whole(line) => read(line, limits),
                };
                match reading {
                    Ok(reading) => self.take(reading).await,
                    Err(fault) => tell(&self.lines, fault.answer(None)).await,
                }
            }
            while self.running.try_join_next().is_some() {}
            self.cancellable.retain(|_, running| !running.is_finished());
        }
    }

    async fn take(&mut self, reading: Reading) {
        match reading {
            Reading::One(message) if message.has(Field::MetaVersion) => self.take_modern(message),
            Reading::One(message) if self.session.is_none() && message.kind() == Kind::Notification => {
                if message.method() == "notifications/cancelled"
                    && let Some(running) =
                        self.cancellable.remove(message.raw(Field::RequestId).unwrap_or_default())
                {
                    running.abort();
                }
            }
            Reading::One(message) if message.method() == "initialize" => {
                let (none, reading) = (HeaderMap::new(), Reading::One(message));
                let response =
                    legacy::post(&self.gate, &self.shown, self.target.clone(), &self.who, &none, reading)
                        .await;
                self.session = response.headers().get(&headers::SESSION).cloned();
                pass_on(response, &self.lines).await;
                let (gate, target) = (Arc::clone(&self.gate), self.target.clone());
                let (headers, lines) = (self.headers(), self.lines.downgrade());
                tokio::spawn(listen(gate, target, headers, lines));
            }
            Reading::One(message) if message.kind() == Kind::Request => {
                let (gate, shown) = (Arc::clone(&self.gate), Arc::clone(&self.shown));
                let (target, headers, lines) = (self.target.clone(), self.headers(), self.lines.clone());
                let who = self.who.clone();
                self.running.spawn(async move {
                    let reading = Reading::One(message);
                    let response = legacy::post(&gate, &shown, target, &who, &headers, reading).await;
                    pass_on(response, &lines).await;
                });
            }
            // In their order: an answer or a word of cancelling must not overtake what it belongs to.
            reading => {
                let (target, headers) = (self.target.clone(), self.headers());
                let response =
                    legacy::post(&self.gate, &self.shown, target, &self.who, &headers, reading).await;
                pass_on(response, &self.lines).await;
            }
        }
    }

    fn take_modern(&mut self, message: Message) {
        let id = message.shared(Field::Id).unwrap_or_default();
        let (gate, target, lines) = (Arc::clone(&self.gate), self.target.clone(), self.lines.clone());
        let who = self.who.clone();
        let running = self.running.spawn(async move {
            pass_on(modern::post(&gate, target, &who, None, message).await, &lines).await;
        });
        self.cancellable.insert(id, running);
    }

    fn headers(&self) -> HeaderMap {
        let session = self.session.iter().map(|id| (headers::SESSION, id.clone()));
        session.chain([(headers::VERSION, HeaderValue::from_static(version::LEGACY[0]))]).collect()
    }
}

/// The stream of the session; it ends with the client.
async fn listen(gate: Arc<Gate>, target: Target, headers: HeaderMap, lines: mpsc::WeakSender<Bytes>) {
    let response = legacy::get(&gate, &Shown::default(), target, &headers).await;
    let Body::Events(mut events) = response.into_body() else { return };
    while let Some(told) = events.next().await {
        let Some(lines) = lines.upgrade() else { return };
        tell_one(told, &lines).await;
    }
}

/// Everything an answer holds, as lines.
async fn pass_on(response: Response<Body>, lines: &mpsc::Sender<Bytes>) {
    let status = response.status();
    match response.into_body() {
        Body::Whole(Some(bytes)) if !bytes.is_empty() => tell(lines, bytes).await,
        Body::Whole(_) => debug_assert!(status != StatusCode::OK, "an answer without a body"),
        Body::Events(mut events) => {
            while let Some(told) = events.next().await {
                tell_one(told, lines).await;
            }
        }
    }
}

async fn tell_one(told: Told, lines: &mpsc::Sender<Bytes>) {
    match told {
        Told::Answer(bytes, ..) | Told::Other(bytes, _) => tell(lines, bytes).await,
        Told::Hint(_) => {}
    }
}

async fn tell(to: &mpsc::Sender<Bytes>, message: Bytes) {
    // A client whose output is closed is about to be gone.
    let _ = to.send(lines::write(&message)).await;
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Bytes>) {
    while let Some(line) = lines.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
