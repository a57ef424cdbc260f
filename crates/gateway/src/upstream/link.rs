//! A conversation that several callers share: ids and tokens are ours on the way out and the callers' on the way back,
//! and what the server asks goes to the caller that made it ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::reply::{Renamed, number};
use crate::news::News;
use crate::wire::{Fault, Field, Kind, Message, lines};

/// Who calls: a session, or a single request where there are no sessions.
pub(crate) type Caller = u128;
/// We ourselves, who begin conversations and ask for signs of life.
pub(crate) const OURSELVES: Caller = 0;

/// A line for the server, and whose it is.
pub(crate) type Said = (Caller, Bytes);

/// Messages that wait for a slow client before further notifications are dropped.
const MOST_EVENTS: usize = 256;
/// Questions of a server that wait for an answer.
const MOST_ASKED: usize = 1024;
/// News that wait for another node before it misses some.
const MOST_NEWS: usize = 64;

/// The sending side of a conversation, and who waits for what.
pub(crate) struct Link {
    lines: mpsc::Sender<Said>,
    table: Mutex<Table>,
    news: Arc<News<Message>>,
    /// The same for other nodes, as far as the server itself said it here and unasked.
    unasked: broadcast::Sender<Message>,
    most_calls: usize,
    /// Whether nothing more will come.
    closed: watch::Sender<bool>,
}

#[derive(Default)]
struct Table {
    next: u64,
    is_closed: bool,
    /// Whether new calls belong into another conversation.
    is_retired: bool,
    waiting: HashMap<u64, Waiter>,
    /// Questions of the server, by its id for them.
    asked: HashMap<Bytes, Asked>,
}

/// A question of the server.
struct Asked {
    caller: Caller,
    /// Whether the calls it may have come from are over.
    is_late: bool,
}

struct Waiter {
    caller: Caller,
    id: Bytes,
    /// Whether it waits for news only, and so causes nothing.
    is_listening: bool,
    events: mpsc::Sender<Message>,
    answer: oneshot::Sender<Result<Message, Fault>>,
}

/// A call that waits. Dropping it before its answer cancels it.
pub(crate) struct Waiting {
    link: Arc<Link>,
    ours: u64,
    caller: Caller,
    events: mpsc::Receiver<Message>,
    answer: oneshot::Receiver<Result<Message, Fault>>,
    last: Option<Message>,
    is_answered: bool,
}

impl Link {
    pub(crate) fn new(lines: mpsc::Sender<Said>, news: Arc<News<Message>>, most_calls: usize) -> Link {
        let (unasked, _) = broadcast::channel(MOST_NEWS);
        Link { lines, table: Mutex::default(), news, unasked, most_calls, closed: watch::Sender::new(false) }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.table().is_closed
    }

    /// Nothing more will come: everybody who waits is told.
    pub(crate) fn close(&self) {
        let mut table = self.table();
        table.is_closed = true;
        table.waiting.clear();
        table.asked.clear();
        self.closed.send_replace(true);
    }

    /// Ready when the conversation is over.
    pub(crate) async fn closed(&self) {
        // INVARIANT: the sender is ours, so there is always a word.
        let _ = self.closed.subscribe().wait_for(|is_closed| *is_closed).await;
    }

    /// The other side will end soon: what is in flight goes on, new calls begin another conversation.
    pub(crate) fn retire(&self) {
        self.table().is_retired = true;
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.table().is_retired
    }

    /// Hears what the server says to everybody from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Message> {
        self.unasked.subscribe()
    }

    /// Something came that is no message. Where one caller waits alone it was the answer; else nobody can tell whose
    /// it was, and the one it was for waits until its time is over.
    pub(crate) fn garbled(&self, fault: Fault) {
        let mut table = self.table();
        let mut waiting = table.waiting.iter().filter(|(_, waiter)| !waiter.is_listening);
        if let (Some((ours, _)), None) = (waiting.next(), waiting.next()) {
            let ours = *ours;
            if let Some(waiter) = table.remove(ours) {
                let _ = waiter.answer.send(Err(fault));
            }
        }
    }

    /// Sends a request and says where its answer will be.
    pub(crate) async fn call(
        self: &Arc<Self>,
        message: &Message,
        caller: Caller,
    ) -> Result<(Waiting, Renamed), Fault> {
        let (events, from_events) = mpsc::channel(MOST_EVENTS);
        let (answer, from_answer) = oneshot::channel();
        let (ours, bytes, renamed) = {
            let mut table = self.table();
            if table.is_closed {
                return Err(gone());
            }
            if table.waiting.len() >= self.most_calls {
                return Err(Fault::internal("The server has too many calls in flight").with_status(503));
            }
            table.next += 1;
            let ours = table.next;
            let (bytes, renamed) = Renamed::request(message, ours);
            let id = message.shared(Field::Id).unwrap_or_default();
            let is_listening = message.method() == "subscriptions/listen";
            table.waiting.insert(ours, Waiter { caller, id, is_listening, events, answer });
            (ours, bytes, renamed)
        };
        let waiting = Waiting {
            link: Arc::clone(self),
            ours,
            caller,
            events: from_events,
            answer: from_answer,
            last: None,
            is_answered: false,
        };
        self.send(caller, &bytes).await?;
        Ok((waiting, renamed))
    }

    /// Sends what wants no answer, or is one.
    pub(crate) async fn send(&self, caller: Caller, bytes: &Bytes) -> Result<(), Fault> {
        self.lines.send((caller, lines::write(bytes))).await.map_err(|_| gone())
    }

    /// A caller cancels a request of its own: the notification names our id for it. Its call ends here, for a server
    /// need not answer what was cancelled.
    pub(crate) async fn cancel(&self, caller: Caller, notification: &Message) -> Result<(), Fault> {
        let Some(id) = notification.raw(Field::RequestId) else { return Ok(()) };
        let found = {
            let mut table = self.table();
            let mut waiting = table.waiting.iter();
            let found = waiting.find(|(_, waiter)| waiter.caller == caller && waiter.id == id);
            found.map(|(ours, _)| *ours).inspect(|ours| drop(table.remove(*ours)))
        };
        let Some(ours) = found else { return Ok(()) };
        let mut splice = crate::wire::Splice::new();
        splice.replace(notification.place(Field::RequestId), ours.to_string());
        self.send(caller, &splice.applied(notification.bytes())).await
    }

    /// A caller answers what the server asked it. What it was not asked goes nowhere, and no error says so: clients take
    /// one for the end of their session, and an answer may simply come too late.
    pub(crate) async fn answer(&self, caller: Caller, answer: &Message) -> Result<(), Fault> {
        let id = answer.shared(Field::Id).unwrap_or_default();
        let was_asked = {
            let mut table = self.table();
            let is_theirs = table.asked.get(&id).is_some_and(|asked| asked.caller == caller);
            is_theirs && table.asked.remove(&id).is_some()
        };
        match was_asked {
            true => self.send(caller, answer.bytes()).await,
            false => Ok(()),
        }
    }

    /// Takes a message of the server to whom it concerns. What comes back is to be sent to the server.
    pub(crate) fn dispatch(&self, message: Message) -> Option<Bytes> {
        match message.kind() {
            Kind::Response | Kind::Error => {
                // An id that comes back as text is not the one that was sent.
                let ours = message.id().filter(|id| !id.starts_with(b"\"")).and_then(number);
                let waiter = ours.and_then(|ours| self.table().remove(ours));
                if let Some(waiter) = waiter {
                    // Whoever waited may have left just now.
                    let _ = waiter.answer.send(Ok(message));
                }
                None
            }
            Kind::Request if message.method() == "ping" => {
                let id = message.id().unwrap_or(b"null");
                let answer = [b"{\"jsonrpc\":\"2.0\",\"id\":", id, b",\"result\":{}}"].concat();
                Some(Bytes::from(answer))
            }
            Kind::Request => self.ask(message),
            Kind::Notification => {
                self.notify(message);
                None
            }
        }
    }

    fn ask(&self, message: Message) -> Option<Bytes> {
        let id = message.shared(Field::Id).unwrap_or_default();
        let mut table = self.table();
        let found = table.cause().map(|(caller, events)| (caller, events.clone()));
        let (caller, events) = match found {
            Some(found) if table.has_room() => found,
            _ => {
                let fault = Fault::internal("The gateway cannot tell which agent this request concerns");
                return Some(fault.answer(Some(&id)));
            }
        };
        if events.try_send(message).is_err() {
            return Some(Fault::internal("The agent does not listen").answer(Some(&id)));
        }
        table.asked.insert(id, Asked { caller, is_late: false });
        None
    }

    fn notify(&self, message: Message) {
        let token = message.raw(Field::ProgressToken).or_else(|| message.raw(Field::MetaSubscriptionId));
        let method = message.method();
        let is_news = is_news(&method);
        if let Some(ours) = token.and_then(number) {
            if let Some(waiter) = self.table().waiting.get(&ours) {
                let _ = waiter.events.try_send(message);
            }
        } else if is_news {
            drop(method);
            // Most often no other node listens.
            let _ = self.unasked.send(message.clone());
            self.news.tell(message);
        } else if let Some((_, events)) = self.table().cause() {
            // A log line may hold what one agent may not know of another: only the one that caused it gets it.
            let _ = events.try_send(message);
        }
    }
}

impl Link {
    /// Takes a message that another node passes on to the call of ours it names, or to everybody: that node knows who
    /// made the server say it. What comes back is to be sent.
    pub(crate) fn deliver(&self, call: Option<u64>, message: Message) -> Option<Said> {
        let Some(ours) = call else {
            if message.kind() == Kind::Notification && is_news(&message.method()) {
                self.news.tell(message);
            }
            return None;
        };
        let mut table = self.table();
        if message.is_answer() {
            let waiter = table.remove(ours)?;
            // Whoever waited may have left just now.
            let _ = waiter.answer.send(Ok(message));
            return None;
        }
        let waiter = table.waiting.get(&ours)?;
        let (caller, events) = (waiter.caller, waiter.events.clone());
        let question = message.shared(Field::Id).filter(|_| message.kind() == Kind::Request);
        let is_heard = (question.is_none() || table.has_room()) && events.try_send(message).is_ok();
        let id = question?;
        if is_heard {
            table.asked.insert(id, Asked { caller, is_late: false });
            return None;
        }
        let fault = Fault::internal("The agent does not listen");
        Some((caller, lines::write(&fault.answer(Some(&id)))))
    }
}

/// Whether a notification concerns everybody.
fn is_news(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}

impl Table {
    /// Who made the server ask or say something: the one caller that has calls in flight, and its latest call. A caller
    /// that was asked already and has not answered is the cause only if there is no other.
    fn cause(&self) -> Option<(Caller, &mpsc::Sender<Message>)> {
        let waits = |waiter: &Waiter, asked: &Asked| asked.caller == waiter.caller && !asked.is_late;
        let is_idle = |waiter: &Waiter| !self.asked.values().any(|asked| waits(waiter, asked));
        self.only(|waiter| !waiter.is_listening && is_idle(waiter))
            .or_else(|| self.only(|waiter| !waiter.is_listening))
    }
}

impl Table {
    /// A call is over. What its caller was asked may have had another reason: the answer is still taken, but nobody waits
    /// for it who has no other call.
    fn remove(&mut self, ours: u64) -> Option<Waiter> {
        let waiter = self.waiting.remove(&ours)?;
        if !self.waiting.values().any(|other| other.caller == waiter.caller) {
            let theirs = self.asked.values_mut().filter(|asked| asked.caller == waiter.caller);
            theirs.for_each(|asked| asked.is_late = true);
        }
        Some(waiter)
    }

    /// Whether one more question can wait; those whose calls are over make room.
    fn has_room(&mut self) -> bool {
        if self.asked.len() >= MOST_ASKED {
            self.asked.retain(|_, asked| !asked.is_late);
        }
        self.asked.len() < MOST_ASKED
    }

    fn only(&self, is_meant: impl Fn(&Waiter) -> bool) -> Option<(Caller, &mpsc::Sender<Message>)> {
        let meant = || self.waiting.iter().filter(|(_, waiter)| is_meant(waiter));
        let latest = meant().max_by_key(|(ours, _)| **ours)?.1;
        let is_only = meant().all(|(_, waiter)| waiter.caller == latest.caller);
        is_only.then_some((latest.caller, &latest.events))
    }
}

impl Waiting {
    /// What comes next: events in their order, then the answer, then nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<Message>, Fault> {
        if let Ok(event) = self.events.try_recv() {
            return Ok(Some(event));
        }
        if self.is_answered {
            return Ok(self.last.take());
        }
        tokio::select! {
            biased;
            Some(event) = self.events.recv() => Ok(Some(event)),
            answer = &mut self.answer => {
                self.is_answered = true;
                self.last = match answer {
                    Ok(answer) => Some(answer?),
                    Err(_) if self.link.is_closed() => return Err(gone()),
                    // Without an answer it was cancelled.
                    Err(_) => None,
                };
                // What was sent before the answer comes before it.
                Ok(self.events.try_recv().ok().or_else(|| self.last.take()))
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let was_waiting = self.link.table().remove(self.ours).is_some();
        if was_waiting {
            let text = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":"the client left"}}}}"#,
                self.ours
            );
            // A server that takes no lines any more is about to be ended anyway.
            let _ = self.link.lines.try_send((self.caller, lines::write(&Bytes::from(text))));
        }
    }
}

pub(super) fn gone() -> Fault {
    Fault::internal("The server ended before it answered")
}
