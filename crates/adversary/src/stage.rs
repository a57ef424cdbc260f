//! A server on stage: what it counts, who listens for changes, and which answers of clients it waits for.

use crate::clock::Clock;
use crate::scenario::{Era, Server, State};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Only so many requests taken back are remembered.
const MOST_CANCELLED: usize = 256;

/// Listeners beyond this get no news.
const MOST_LISTENERS: usize = 256;

pub(crate) struct Stage {
    /// The scenario's id: the seed of made-up secrets.
    pub(crate) scenario: String,
    pub(crate) server: Server,
    pub(crate) eras: Vec<Era>,
    clock: Arc<dyn Clock>,
    calls: AtomicU64,
    lists: AtomicU64,
    /// The version last announced.
    announced: AtomicUsize,
    asked: AtomicU64,
    listeners: Mutex<Vec<Sender<()>>>,
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    /// The conversations and ids of requests that clients took back.
    cancelled: Mutex<VecDeque<(String, String)>>,
    is_cancelled: Condvar,
}

impl Stage {
    pub(crate) fn new(scenario: &str, eras: Vec<Era>, server: Server, clock: Arc<dyn Clock>) -> Stage {
        Stage {
            scenario: scenario.to_owned(),
            server,
            eras,
            clock,
            calls: AtomicU64::new(0),
            lists: AtomicU64::new(0),
            announced: AtomicUsize::new(0),
            asked: AtomicU64::new(0),
            listeners: Mutex::default(),
            waiting: Mutex::default(),
            cancelled: Mutex::default(),
            is_cancelled: Condvar::new(),
        }
    }

    /// What was counted before this request, which is then counted too.
    pub(crate) fn enter(&self, method: &str, client: &str) -> State {
        let count = |counter: &AtomicU64, counted: &str| {
            if method == counted {
                counter.fetch_add(1, Ordering::SeqCst)
            } else {
                counter.load(Ordering::SeqCst)
            }
        };
        State {
            calls: count(&self.calls, "tools/call"),
            lists: count(&self.lists, "tools/list"),
            seconds: self.clock.seconds(),
            client: client.to_owned(),
        }
    }

    /// Tells listeners if what is declared has changed since they were told last.
    pub(crate) fn announce(&self, client: &str) {
        let (version, _) = self.server.declared_in(&self.enter("", client));
        if self.announced.swap(version, Ordering::SeqCst) == version {
            return;
        }
        let times = version.checked_sub(1).and_then(|index| self.server.versions.get(index));
        let times = times.map_or(0, |version| version.announce);
        locked(&self.listeners).retain(|listener| (0..times).all(|_| listener.send(()).is_ok()));
    }

    /// One word for every change that is announced from now on.
    pub(crate) fn listen(&self) -> Receiver<()> {
        let (sender, receiver) = channel();
        let mut listeners = locked(&self.listeners);
        if listeners.len() < MOST_LISTENERS {
            listeners.push(sender);
        }
        receiver
    }

    /// The id of a request of ours, and where the client's answer to it arrives.
    pub(crate) fn ask(&self) -> (u64, Receiver<Value>) {
        let id = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let (sender, receiver) = channel();
        locked(&self.waiting).insert(id, sender);
        (id, receiver)
    }

    /// A client's answer.
    pub(crate) fn answered(&self, id: Option<&str>, outcome: Value) {
        let waiting = id.and_then(|id| id.parse().ok()).and_then(|id: u64| locked(&self.waiting).remove(&id));
        if let Some(waiting) = waiting {
            // Who asked may have given up.
            let _ = waiting.send(outcome);
        }
    }

    /// A client takes a request back. Ids are unique in a conversation only.
    pub(crate) fn cancel(&self, conversation: &str, id: &Value) {
        let mut cancelled = locked(&self.cancelled);
        if cancelled.len() == MOST_CANCELLED {
            cancelled.pop_front();
        }
        cancelled.push_back((conversation.to_owned(), id.to_string()));
        self.is_cancelled.notify_all();
    }

    /// Waits, at most so long; whether this request was taken back.
    pub(crate) fn is_cancelled_within(&self, conversation: &str, id: &str, pause: Duration) -> bool {
        let is_it = |(known, taken): &(String, String)| known == conversation && taken == id;
        let is_waiting = |cancelled: &mut VecDeque<(String, String)>| !cancelled.iter().any(is_it);
        let waited = self.is_cancelled.wait_timeout_while(locked(&self.cancelled), pause, is_waiting);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    pub(crate) fn gave_up(&self, id: u64) {
        locked(&self.waiting).remove(&id);
    }
}

/// A panic elsewhere does not make what the lock guards worse.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    /// A clock that stands still until it is set.
    #[derive(Default)]
    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn seconds(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
    }

    fn stage(id: &str) -> (Stage, Arc<Hand>) {
        let library = Library::load(&[]).unwrap_or_else(|mistakes| unreachable!("{mistakes:?}"));
        let scenario = library.find(id).unwrap();
        let hand = Arc::new(Hand::default());
        (
            Stage::new(
                id,
                scenario.eras.clone(),
                scenario.server.clone(),
                Arc::clone(&hand) as Arc<dyn Clock>,
            ),
            hand,
        )
    }

    #[test]
    fn a_version_holds_from_its_moment_on() {
        let (stage, hand) = stage("rug-time");
        let version = |seconds: u64| {
            hand.0.store(seconds, Ordering::SeqCst);
            stage.server.declared_in(&stage.enter("tools/list", "")).0
        };
        assert_eq!([version(0), version(86_399), version(86_400), version(u64::MAX)], [0, 0, 1, 1]);
    }

    #[test]
    fn counts_come_before_the_request_that_is_counted() {
        let (stage, _) = stage("rug-revert-one-field");
        let version = |method: &str| stage.server.declared_in(&stage.enter(method, "")).0;
        assert_eq!(
            ["tools/list", "tools/call", "tools/list", "tools/list", "tools/call"].map(version),
            [0, 0, 1, 2, 2]
        );
    }

    #[test]
    fn listeners_hear_of_a_change_once() {
        let (stage, _) = stage("rug-description");
        let changes = stage.listen();
        for _ in 0..9 {
            stage.enter("tools/call", "");
            stage.announce("");
        }
        assert_eq!(changes.try_iter().count(), 1);
    }

    #[test]
    fn waits_for_what_is_taken_back() {
        let (stage, _) = stage("rug-time");
        let is_cancelled =
            |conversation: &str, id: &str| stage.is_cancelled_within(conversation, id, Duration::ZERO);
        assert!(!is_cancelled("a", "1"));
        (0..MOST_CANCELLED).for_each(|id| stage.cancel("a", &serde_json::json!(id)));
        assert!(is_cancelled("a", "1") && !is_cancelled("b", "1"));
        stage.cancel("a", &serde_json::json!("x"));
        assert!(is_cancelled("a", "\"x\"") && !is_cancelled("a", "0"));
    }
}
