//! What comes back from a server: messages one by one, and how each is to be written for its client.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};

use super::in_flight::Flight;
use super::link::Waiting;
use super::pool::Exchange;
use super::trouble::late;
use crate::wire::{self, Fault, Field, Kind, Message, Span, Splice, sse};

/// One message on its way back.
pub(crate) struct Reply {
    pub(crate) message: Message,
    /// What is to be written anew in it.
    pub(crate) splice: Splice,
    /// The server's name for the event that carried it.
    pub(crate) event: Option<Bytes>,
    /// The HTTP status it has if it is told alone, where the revision asks for one.
    pub(crate) status: Option<StatusCode>,
    /// Whether the gateway itself says it.
    pub(crate) is_ours: bool,
}

/// What comes out of an answer.
pub(crate) enum Item {
    Message(Box<Reply>),
    /// An event without a message: an id to resume after, or a time to wait.
    Hint(sse::Event),
}

/// Everything that comes back for one request.
pub(crate) struct Replies {
    /// The status of the HTTP answer; 200 if there is none.
    pub(crate) status: StatusCode,
    /// The session the server opened.
    pub(crate) session: Option<HeaderValue>,
    source: Source,
    renamed: Option<Renamed>,
    /// The call in a session of ours that waits for its answer.
    flight: Option<Box<Flight>>,
    silence: Duration,
    limits: wire::Limits,
}

enum Source {
    /// Nothing to come: a notification was taken.
    Nothing,
    /// An answer that was not streamed.
    Whole(VecDeque<Message>),
    Events {
        exchange: Box<Exchange>,
        reader: sse::Reader,
        ready: VecDeque<sse::Event>,
    },
    Link(Box<Waiting>),
}

/// Names we gave for the time of a call: the id, and the progress token if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Renamed {
    ours: u64,
    id: Bytes,
    token: Option<Bytes>,
}

impl Renamed {
    /// The request with a name of ours, and how to undo it.
    pub(crate) fn request(message: &Message, ours: u64) -> (Bytes, Renamed) {
        let mut splice = Splice::new();
        let name = Bytes::from(ours.to_string());
        splice.replace(message.place(Field::Id), name.clone());
        let token = message.shared(Field::MetaProgressToken);
        if token.is_some() {
            splice.replace(message.place(Field::MetaProgressToken), name);
        }
        let id = message.shared(Field::Id).unwrap_or_default();
        (splice.applied(message.bytes()), Renamed { ours, id, token })
    }

    /// Another request of the client goes on where the first waited: the answer is to that one.
    fn continued(&mut self, by: &Message) {
        self.id = by.shared(Field::Id).unwrap_or_default();
        self.token = by.shared(Field::MetaProgressToken).or(self.token.take());
    }

    /// What must be written anew for the client.
    fn undo(&self, message: &Message, splice: &mut Splice) {
        let is_ours = |field| message.raw(field).and_then(number) == Some(self.ours);
        let mut restore = |field, name: &Bytes| {
            if is_ours(field) {
                splice.replace(message.place(field), name.clone());
            }
        };
        if message.is_answer() {
            restore(Field::Id, &self.id);
            restore(Field::ResultSubscriptionId, &self.id);
        } else if message.kind() == Kind::Notification {
            restore(Field::MetaSubscriptionId, &self.id);
            if let Some(token) = &self.token {
                restore(Field::ProgressToken, token);
            }
        }
    }
}

/// A name of ours, if it is one.
pub(crate) fn number(raw: &[u8]) -> Option<u64> {
    let raw = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")).unwrap_or(raw);
    std::str::from_utf8(raw).ok()?.parse().ok()
}

impl Replies {
    pub(crate) fn nothing(status: StatusCode) -> Replies {
        Replies::new(status, Source::Nothing, Duration::ZERO, wire::Limits::default())
    }

    pub(crate) fn link(
        waiting: Waiting,
        renamed: Renamed,
        silence: Duration,
        limits: wire::Limits,
    ) -> Replies {
        let mut replies = Replies::new(StatusCode::OK, Source::Link(Box::new(waiting)), silence, limits);
        replies.renamed = Some(renamed);
        replies
    }

    pub(crate) fn whole(status: StatusCode, messages: Vec<Message>) -> Replies {
        Replies::new(status, Source::Whole(messages.into()), Duration::ZERO, wire::Limits::default())
    }

    pub(crate) fn events(exchange: Exchange, silence: Duration, limits: wire::Limits) -> Replies {
        let status = exchange.status;
        let reader = sse::Reader::new(limits.bytes);
        let source = Source::Events { exchange: Box::new(exchange), reader, ready: VecDeque::new() };
        Replies::new(status, source, silence, limits)
    }

    fn new(status: StatusCode, source: Source, silence: Duration, limits: wire::Limits) -> Replies {
        Replies { status, session: None, source, renamed: None, flight: None, silence, limits }
    }

    pub(crate) fn renamed(mut self, renamed: Renamed, flight: Flight) -> Replies {
        self.renamed = Some(renamed);
        self.flight = Some(Box::new(flight));
        self
    }

    /// Another request of the client goes on with what this one began.
    pub(crate) fn continued(&mut self, by: &Message) {
        if let Some(renamed) = &mut self.renamed {
            renamed.continued(by);
        }
    }

    /// Waits without limit: for streams that may be silent for hours.
    pub(crate) fn patient(mut self) -> Replies {
        self.silence = Duration::MAX;
        self
    }

    /// Whether the server answered with a stream of its own.
    pub(crate) fn is_events(&self) -> bool {
        matches!(self.source, Source::Events { .. })
    }

    /// Whether everything has come already.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.source, Source::Nothing | Source::Whole(_))
    }

    /// What comes next; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Item>, Fault> {
        loop {
            let Some(mut item) = self.next_in_time().await? else { return Ok(None) };
            let Some(renamed) = &self.renamed else { return Ok(Some(item)) };
            // In a conversation of ours, only we could resume a stream.
            let Item::Message(reply) = &mut item else { continue };
            reply.event = None;
            if reply.message.is_answer()
                && let Some(mut flight) = self.flight.take()
            {
                flight.answered();
            }
            renamed.undo(&reply.message, &mut reply.splice);
            return Ok(Some(item));
        }
    }

    async fn next_in_time(&mut self) -> Result<Option<Item>, Fault> {
        if self.silence == Duration::MAX || self.is_whole() {
            return self.next_slowly().await;
        }
        tokio::time::timeout(self.silence, self.next_slowly()).await.map_err(|_| late())?
    }

    async fn next_slowly(&mut self) -> Result<Option<Item>, Fault> {
        let limits = self.limits;
        match &mut self.source {
            Source::Nothing => Ok(None),
            Source::Whole(messages) => Ok(messages.pop_front().map(Item::plain)),
            Source::Link(waiting) => Ok(waiting.next().await?.map(Item::plain)),
            Source::Events { exchange, reader, ready } => loop {
                if let Some(event) = ready.pop_front() {
                    return Item::of(event, limits).map(Some);
                }
                let broken = |_| Fault::internal("The connection to the server broke");
                match exchange.chunk().await.map_err(broken)? {
                    None => return Ok(None),
                    Some(chunk) => reader.feed(chunk, &mut |event| ready.push_back(event))?,
                }
            },
        }
    }
}

/// The answer among what comes back.
pub(crate) async fn answer_of(mut replies: Replies) -> Result<Message, Fault> {
    while let Some(item) = replies.next().await? {
        if let Item::Message(reply) = item
            && reply.message.is_answer()
        {
            return Ok(reply.message);
        }
    }
    Err(Fault::internal("The server gave no answer"))
}

impl Item {
    fn plain(message: Message) -> Item {
        Item::Message(Box::new(Reply { is_ours: false, ..Reply::of(message) }))
    }

    fn of(event: sse::Event, limits: wire::Limits) -> Result<Item, Fault> {
        let Some(data) = event.data.as_ref().filter(|data| !data.is_empty()) else {
            return Ok(Item::Hint(event));
        };
        let bad =
            |fault: Fault| Fault::internal(format!("The server sent no valid message: {}", fault.message));
        let message = Message::one(data.clone(), limits).map_err(bad)?;
        Ok(Item::Message(Box::new(Reply { event: event.id, is_ours: false, ..Reply::of(message) })))
    }
}

impl Reply {
    /// A message of our own.
    pub(crate) fn of(message: Message) -> Reply {
        Reply { message, splice: Splice::new(), event: None, status: None, is_ours: true }
    }

    /// The bytes for the client.
    pub(crate) fn into_bytes(self) -> Bytes {
        if self.splice.is_empty() {
            self.message.into_bytes()
        } else {
            self.splice.applied(self.message.bytes())
        }
    }

    /// Writes a whole member anew, whatever is to be written anew in it.
    pub(crate) fn rewrite(&mut self, field: Field, text: Bytes, limits: wire::Limits) -> Result<(), Fault> {
        let settled = std::mem::take(&mut self.splice).applied(self.message.bytes());
        let settled = Message::one(settled, limits)?;
        let mut splice = Splice::new();
        splice.replace(settled.place(field), text);
        self.message = settled.spliced(splice, limits)?;
        Ok(())
    }

    /// Where a member is that must be written anew.
    pub(crate) fn replace(&mut self, place: Span, text: impl Into<Bytes>) {
        self.splice.replace(place, text);
    }
}
