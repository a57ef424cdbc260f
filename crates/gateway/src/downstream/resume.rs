//! Streams that a client with a session can take up again where it lost them.
//!
//! As long as the client reads, it sets the pace. When it is gone its call goes on, as the revisions ask, and what is
//! told is kept until the client comes back for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::body::{Body, Told, Work};
use super::telling::{empty, json, stream};
use crate::gate::Gate;
use crate::ticket::Ticket;
use crate::upstream::link::Caller;
use crate::wire::headers;

/// Streams of a session that are kept, and what is kept of each; the oldest go first.
pub(crate) const MOST_STREAMS: usize = 8;
const MOST_EVENTS: usize = 64;
const MOST_BYTES: usize = 256 << 10;

/// What was told on one stream.
pub(crate) struct Kept {
    node: Caller,
    number: u64,
    told: Mutex<Events>,
    /// How many events there were; changes with each, and at the end.
    count: watch::Sender<u64>,
}

#[derive(Default)]
struct Events {
    /// In their order; the last has the number `count`.
    last: VecDeque<(u64, Bytes)>,
    bytes: usize,
    is_over: bool,
}

impl Kept {
    fn new(node: Caller, number: u64) -> Kept {
        Kept { node, number, told: Mutex::default(), count: watch::Sender::new(0) }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what is told, and names it.
    pub(crate) fn keep(&self, told: Told) -> Told {
        let (bytes, status) = match told {
            Told::Answer(bytes, status, _) => (bytes, Some(status)),
            Told::Other(bytes, _) => (bytes, None),
            hint @ Told::Hint(_) => return hint,
        };
        let mut events = self.events();
        let number = *self.count.borrow() + 1;
        events.bytes += bytes.len();
        events.last.push_back((number, bytes.clone()));
        while events.last.len() > MOST_EVENTS || events.bytes > MOST_BYTES {
            let Some((_, oldest)) = events.last.pop_front() else { break };
            events.bytes -= oldest.len();
        }
        events.is_over |= status.is_some();
        self.count.send_replace(number);
        drop(events);
        let name = Some(self.name(number));
        match status {
            Some(status) => Told::Answer(bytes, status, name),
            None => Told::Other(bytes, name),
        }
    }

    fn name(&self, number: u64) -> Bytes {
        Bytes::from(format!("{:032x}-{}-{number}", self.node, self.number))
    }

    fn end(&self) {
        self.events().is_over = true;
        self.count.send_modify(|_| {});
    }

    /// Goes on in the place of a client that left.
    pub(crate) fn finish(self: Arc<Self>, mut work: Work) {
        let (false, Ok(runtime)) = (self.events().is_over, Handle::try_current()) else { return };
        runtime.spawn(async move {
            while let Some(told) = work.next().await {
                self.keep(told);
            }
            self.end();
        });
    }

    /// What came after a number, and then what comes.
    fn after(self: Arc<Self>, mut seen: u64) -> Work {
        Work::new(|teller| async move {
            let mut count = self.count.subscribe();
            loop {
                let (missed, is_over) = {
                    let events = self.events();
                    let missed: Vec<(u64, Bytes)> =
                        events.last.iter().filter(|(number, _)| *number > seen).cloned().collect();
                    (missed, events.is_over)
                };
                for (number, bytes) in missed {
                    seen = number;
                    if teller.send(Told::Other(bytes, Some(self.name(number)))).await.is_err() {
                        return;
                    }
                }
                if is_over || count.changed().await.is_err() {
                    return;
                }
            }
        })
    }
}

/// Work for a client with a session as an answer: one text, or a stream that can be taken up again.
pub(crate) async fn respond(gate: &Arc<Gate>, ticket: &Ticket, mut work: Work) -> Response<Body> {
    match work.next().await {
        None => empty(StatusCode::ACCEPTED),
        Some(Told::Answer(bytes, status, None)) => json(bytes, status),
        Some(first) => {
            let kept = Arc::new(Kept::new(gate.lot.node, gate.number()));
            if let Some(local) = gate.local(ticket.id) {
                local.keep(Arc::clone(&kept));
            }
            stream(gate, work, Some(first)).map(|body| body.kept(kept))
        }
    }
}

/// The rest of a stream that a client lost, if it asks for one of this node.
pub(crate) fn taken_up(gate: &Arc<Gate>, ticket: &Ticket, given: &HeaderMap) -> Option<Response<Body>> {
    let (number, seen) = lost(gate.lot.node, given.get(&headers::LAST_EVENT)?)?;
    let Some(kept) = gate.local(ticket.id).and_then(|local| local.kept(number)) else {
        return Some(empty(StatusCode::NOT_FOUND));
    };
    Some(stream(gate, kept.after(seen), None))
}

/// The stream and the event that a name names.
fn lost(node: Caller, name: &HeaderValue) -> Option<(u64, u64)> {
    let mut parts = name.to_str().ok()?.split('-');
    let is_ours = Caller::from_str_radix(parts.next()?, 16).ok()? == node;
    let place = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_ours.then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(text: &'static str) -> Told {
        Told::Other(Bytes::from_static(text.as_bytes()), None)
    }

    #[tokio::test]
    async fn what_was_missed_is_told_again() {
        let kept = Arc::new(Kept::new(7, 3));
        let Told::Other(_, Some(name)) = kept.keep(other("a")) else { panic!("an event has a name") };
        let name = HeaderValue::from_bytes(&name).unwrap();
        assert_eq!((lost(7, &name), lost(8, &name)), (Some((3, 1)), None));
        kept.keep(other("b"));
        let mut work = Arc::clone(&kept).after(1);
        assert!(matches!(work.next().await, Some(Told::Other(bytes, _)) if bytes == "b"));
        kept.keep(Told::Answer(Bytes::from_static(b"c"), StatusCode::OK, None));
        assert!(matches!(work.next().await, Some(Told::Other(bytes, _)) if bytes == "c"));
        assert!(work.next().await.is_none());
    }

    #[tokio::test]
    async fn no_more_is_kept_than_may_be() {
        let kept = Arc::new(Kept::new(7, 3));
        (0..1000).for_each(|_| drop(kept.keep(other("a"))));
        assert_eq!(kept.events().last.len(), MOST_EVENTS);
        kept.keep(Told::Other(Bytes::from(vec![b'x'; MOST_BYTES + 1]), None));
        let room = kept.events().bytes;
        assert_eq!((kept.events().last.len(), room), (0, 0));
        kept.end();
        assert!(kept.after(0).next().await.is_none());
    }
}
