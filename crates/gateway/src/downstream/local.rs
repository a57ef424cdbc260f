//! What a node remembers of a session: subscriptions, a log level, questions that wait for the client's answer.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, oneshot, watch};

use super::resume::{Kept, MOST_STREAMS};
use crate::upstream::hearing::Watching;
use crate::wire::{Fault, Field, Kind, Message};

/// Questions one client may have open, and resources it may watch.
const MOST: usize = 1024;

/// Levels of log lines, the least important first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A level's place among the levels.
pub(crate) fn rank(level: &str) -> Option<usize> {
    LEVELS.iter().position(|known| *known == level)
}

/// What a node remembers of a session.
pub(crate) struct Local {
    /// When it was last used, in seconds of the gateway's age.
    pub(crate) seen: AtomicU64,
    state: Mutex<State>,
    /// Changes with every subscription.
    pub(crate) watched: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// Server and address of resources, and what keeps the server telling of them.
    subscribed: BTreeMap<(String, String), Option<Watching>>,
    level: Option<String>,
    asked: HashMap<Bytes, oneshot::Sender<Message>>,
    /// Questions of servers that were passed on, by server and the server's id.
    expected: HashSet<(String, Bytes)>,
    running: HashMap<Bytes, Arc<Notify>>,
    /// Streams the client may come back for, the oldest first.
    kept: VecDeque<Arc<Kept>>,
}

/// What a session makes of a message before its server sees it.
pub(crate) enum Own {
    /// It is answered: there is nothing to say.
    Done,
    Refused(Fault),
    /// The session watches a resource now; the server may have to know.
    Subscribed,
    /// It is none of the session's own.
    Other,
}

impl Local {
    /// Answers what a session itself can: who it is to, and what it watches.
    pub(crate) fn own(&self, server: &str, message: &Message) -> Own {
        if message.kind() != Kind::Request {
            return Own::Other;
        }
        let uri = message.text(Field::Uri).unwrap_or_default();
        match &*message.method() {
            "ping" => Own::Done,
            "resources/subscribe" => match self.subscribe(server, &uri) {
                Ok(()) => Own::Subscribed,
                Err(refusal) => Own::Refused(refusal),
            },
            // Others may still listen to the resource; this session hears no more of it.
            "resources/unsubscribe" => {
                self.unsubscribe(server, &uri);
                Own::Done
            }
            _ => Own::Other,
        }
    }

    pub(crate) fn new(now: u64) -> Local {
        Local { seen: AtomicU64::new(now), state: Mutex::default(), watched: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn subscribe(&self, server: &str, uri: &str) -> Result<(), Fault> {
        let mut state = self.state();
        if state.subscribed.len() >= MOST {
            return Err(Fault::internal("Too many subscriptions in this session"));
        }
        state.subscribed.entry((server.to_owned(), uri.to_owned())).or_default();
        drop(state);
        self.watched.send_modify(|count| *count += 1);
        Ok(())
    }

    fn unsubscribe(&self, server: &str, uri: &str) {
        self.state().subscribed.remove(&(server.to_owned(), uri.to_owned()));
        self.watched.send_modify(|count| *count += 1);
    }

    pub(crate) fn subscribed(&self, server: &str) -> Vec<String> {
        let state = self.state();
        state.subscribed.keys().filter(|(of, _)| of == server).map(|(_, uri)| uri.clone()).collect()
    }

    /// Keeps a resource watched as long as the session subscribes to it.
    pub(crate) fn hold(&self, server: &str, uri: &str, watching: Watching) {
        if let Some(held) = self.state().subscribed.get_mut(&(server.to_owned(), uri.to_owned())) {
            *held = Some(watching);
        }
    }

    /// Whether news of a server concern this session.
    pub(crate) fn wants(&self, server: &str, news: &Message) -> bool {
        if news.method() != "notifications/resources/updated" {
            return true;
        }
        let uri = news.text(Field::Uri).unwrap_or_default();
        self.state().subscribed.contains_key(&(server.to_owned(), uri.into_owned()))
    }

    pub(crate) fn set_level(&self, level: &str) {
        self.state().level = Some(level.to_owned());
    }

    pub(crate) fn level(&self) -> Option<String> {
        self.state().level.clone()
    }

    /// Whether the session wants to hear this: a log line may be less important than it asked for.
    pub(crate) fn hears(&self, message: &Message) -> bool {
        if message.kind() != Kind::Notification || message.method() != "notifications/message" {
            return true;
        }
        let least = self.state().level.as_deref().and_then(rank);
        least.is_none_or(|least| message.text(Field::Level).and_then(|level| rank(&level)) >= Some(least))
    }

    /// A question under this id waits for the client's answer.
    pub(crate) fn ask(&self, id: Bytes) -> Result<oneshot::Receiver<Message>, Fault> {
        let mut state = self.state();
        if state.asked.len() >= MOST {
            return Err(Fault::internal("Too many open questions in this session"));
        }
        let (sender, receiver) = oneshot::channel();
        state.asked.insert(id, sender);
        Ok(receiver)
    }

    /// Nobody waits for that answer any more; whether anybody did.
    pub(crate) fn unask(&self, id: &[u8]) -> bool {
        self.state().asked.remove(id).is_some()
    }

    /// The client's answer to a question of ours; it comes back if there is none.
    pub(crate) fn answer(&self, answer: Message) -> Option<Message> {
        let sender = answer.id().and_then(|id| self.state().asked.remove(id));
        match sender {
            None => Some(answer),
            Some(sender) => {
                // Whoever asked may have given up.
                let _ = sender.send(answer);
                None
            }
        }
    }

    /// A question of a server was passed on to the client.
    pub(crate) fn expect(&self, server: &str, id: Bytes) {
        let mut state = self.state();
        if state.expected.len() < MOST {
            state.expected.insert((server.to_owned(), id));
        }
    }

    /// Whether the client was asked this; it may answer once.
    pub(crate) fn expected(&self, server: &str, id: &[u8]) -> bool {
        self.state().expected.remove(&(server.to_owned(), Bytes::copy_from_slice(id)))
    }

    /// Keeps a stream in the place of the oldest.
    pub(crate) fn keep(&self, kept: Arc<Kept>) {
        let mut state = self.state();
        if state.kept.len() == MOST_STREAMS {
            state.kept.pop_front();
        }
        state.kept.push_back(kept);
    }

    /// A stream that is kept.
    pub(crate) fn kept(&self, number: u64) -> Option<Arc<Kept>> {
        self.state().kept.iter().find(|kept| kept.number() == number).cloned()
    }

    /// A request is under way and can be cancelled under this id.
    pub(crate) fn run(&self, id: Bytes) -> Arc<Notify> {
        let notify = Arc::new(Notify::new());
        let mut state = self.state();
        if state.running.len() < MOST {
            state.running.insert(id, Arc::clone(&notify));
        }
        notify
    }

    pub(crate) fn ran(&self, id: &[u8]) {
        self.state().running.remove(id);
    }

    pub(crate) fn cancel(&self, id: &[u8]) {
        if let Some(notify) = self.state().running.remove(id) {
            notify.notify_one();
        }
    }
}
