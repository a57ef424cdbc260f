//! What a node remembers of a session: subscriptions, a log level, questions that wait for the client's answer.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, oneshot, watch};

use crate::wire::{Fault, Field, Message};

/// Questions one client may have open, and resources it may watch.
const MOST: usize = 1024;

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
    /// Server and address of resources.
    subscribed: BTreeSet<(String, String)>,
    level: Option<String>,
    asked: HashMap<Bytes, oneshot::Sender<Message>>,
    /// Questions of servers that were passed on, by server and the server's id.
    expected: HashSet<(String, Bytes)>,
    running: HashMap<Bytes, std::sync::Arc<Notify>>,
}

impl Local {
    pub(crate) fn new(now: u64) -> Local {
        Local { seen: AtomicU64::new(now), state: Mutex::default(), watched: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self, server: &str, uri: &str) -> Result<(), Fault> {
        let mut state = self.state();
        if state.subscribed.len() >= MOST {
            return Err(Fault::internal("Too many subscriptions in this session"));
        }
        state.subscribed.insert((server.to_owned(), uri.to_owned()));
        drop(state);
        self.watched.send_modify(|count| *count += 1);
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, server: &str, uri: &str) {
        self.state().subscribed.remove(&(server.to_owned(), uri.to_owned()));
        self.watched.send_modify(|count| *count += 1);
    }

    pub(crate) fn subscribed(&self, server: &str) -> Vec<String> {
        let state = self.state();
        state.subscribed.iter().filter(|(of, _)| of == server).map(|(_, uri)| uri.clone()).collect()
    }

    /// Whether news of a server concern this session.
    pub(crate) fn wants(&self, server: &str, news: &Message) -> bool {
        if news.method() != "notifications/resources/updated" {
            return true;
        }
        let uri = news.text(Field::Uri).unwrap_or_default();
        self.state().subscribed.contains(&(server.to_owned(), uri.into_owned()))
    }

    pub(crate) fn set_level(&self, level: &str) {
        self.state().level = Some(level.to_owned());
    }

    pub(crate) fn level(&self) -> Option<String> {
        self.state().level.clone()
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

    /// A request is under way and can be cancelled under this id.
    pub(crate) fn run(&self, id: Bytes) -> std::sync::Arc<Notify> {
        let notify = std::sync::Arc::new(Notify::new());
        let mut state = self.state();
        if state.running.len() < MOST {
            state.running.insert(id, std::sync::Arc::clone(&notify));
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
