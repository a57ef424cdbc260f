//! Bodies of answers: whole, or a stream that is worked on only while somebody reads it.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

use super::resume::Kept;
use crate::wire::sse;

/// The body of an answer.
pub(crate) enum Body {
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// One thing to tell a client.
pub(crate) enum Told {
    /// The answer to its request, and the status it has if it is told alone.
    Answer(Bytes, StatusCode, Option<Bytes>),
    /// Something on the way, with the name of its event.
    Other(Bytes, Option<Bytes>),
    /// An event without a message.
    Hint(sse::Event),
}

/// Where the work tells what is to be told. It waits when the client is slow.
pub(crate) type Teller = mpsc::Sender<Told>;

/// Work that tells things. INVARIANT: it runs only when it is polled; who drops it stops it.
pub(crate) struct Work {
    future: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    told: mpsc::Receiver<Told>,
}

/// Work that tells nothing.
impl Default for Work {
    fn default() -> Work {
        Work { future: None, told: mpsc::channel(1).1 }
    }
}

impl Work {
    pub(crate) fn new<F: Future<Output = ()> + Send + 'static>(work: impl FnOnce(Teller) -> F) -> Work {
        let (teller, told) = mpsc::channel(4);
        Work { future: Some(Box::pin(work(teller))), told }
    }

    pub(crate) async fn next(&mut self) -> Option<Told> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Told>> {
        if let Poll::Ready(Some(told)) = self.told.poll_recv(cx) {
            return Poll::Ready(Some(told));
        }
        if let Some(future) = &mut self.future
            && future.as_mut().poll(cx).is_ready()
        {
            self.future = None;
        }
        self.told.poll_recv(cx)
    }
}

/// Work as a stream of events, with comments when it is silent.
pub(crate) struct Events {
    work: Work,
    first: Option<Told>,
    silence: Pin<Box<Sleep>>,
    keep_alive: Duration,
    /// When the gateway stops, a stream that only listens ends; one that owes an answer does not.
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Where what is told is kept, if the client may come back for it.
    kept: Option<Arc<Kept>>,
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.first.take().map(|first| kept.keep(first));
            kept.finish(std::mem::take(&mut self.work));
        }
    }
}

impl Body {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
        Body::Whole(Some(bytes.into()))
    }

    pub(crate) fn events(work: Work, first: Option<Told>, keep_alive: Duration) -> Body {
        let silence = Box::pin(tokio::time::sleep(keep_alive));
        Body::Events(Box::new(Events { work, first, silence, keep_alive, stop: None, kept: None }))
    }

    /// The same stream, which can be taken up again.
    pub(crate) fn kept(mut self, kept: Arc<Kept>) -> Body {
        if let Body::Events(events) = &mut self {
            events.kept = Some(kept);
        }
        self
    }

    /// The same stream, ended by `stop`.
    pub(crate) fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Body {
        if let Body::Events(events) = &mut self {
            events.stop = Some(Box::pin(stop));
        }
        self
    }
}

impl Events {
    /// What is told next, for a client that does not speak HTTP.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.work.next().await,
        }
    }

    fn event(&self, told: Told) -> Bytes {
        match &self.kept {
            Some(kept) => kept.keep(told).event(),
            None => told.event(),
        }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(self.event(first)));
        }
        if self.stop.as_mut().is_some_and(|stop| stop.as_mut().poll(cx).is_ready()) {
            self.stop = None;
            return Poll::Ready(None);
        }
        if let Poll::Ready(told) = self.work.poll_next(cx) {
            self.silence.as_mut().reset(Instant::now() + self.keep_alive);
            return Poll::Ready(told.map(|told| self.event(told)));
        }
        if self.silence.as_mut().poll(cx).is_ready() {
            self.silence.as_mut().reset(Instant::now() + self.keep_alive);
            // Registers the new time with this task.
            let _ = self.silence.as_mut().poll(cx);
            return Poll::Ready(Some(sse::KEEP_ALIVE));
        }
        Poll::Pending
    }
}

impl Told {
    fn event(self) -> Bytes {
        let name = || Some(Bytes::from_static(b"message"));
        match self {
            Told::Answer(data, _, id) | Told::Other(data, id) => {
                sse::write(&sse::Event { id, name: name(), retry: None, data: Some(data) })
            }
            Told::Hint(event) => sse::write(&event),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Body::Whole(bytes) => Poll::Ready(
                bytes.take().filter(|bytes| !bytes.is_empty()).map(|bytes| Ok(Frame::data(bytes))),
            ),
            Body::Events(events) => {
                events.poll_event(cx).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(bytes) if bytes.as_ref().is_none_or(Bytes::is_empty))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Body::Events(_) => SizeHint::default(),
        }
    }
}
