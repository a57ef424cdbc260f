//! Hearing what a server tells everybody, and which of its resources anybody here watches.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use portcullis_decide::{Standing, admit};
use serde_json::json;
use tokio::sync::watch;

use super::reply::{Item, Replies};
use super::{Lane, Outgoing, Route, Upstream, http, opening};
use crate::wire::{Fault, Field, Kind, Message, Splice};

/// Resources of one server that are watched at a time.
const MOST: usize = 1024;
/// The pause before a stream that ended is opened again.
const BETWEEN: Duration = Duration::from_secs(1);
/// How long a server may take to agree that a resource is watched.
const PATIENCE: Duration = Duration::from_secs(5);

/// Held by whoever watches a resource.
pub(crate) type Watching = Arc<()>;

/// Which resources are watched, and how far the server knows.
pub(crate) struct Hearing {
    is_on: AtomicBool,
    watched: Mutex<BTreeMap<String, Weak<()>>>,
    /// Counts changes of what is watched.
    asked: watch::Sender<u64>,
    /// The last of them that the server agreed to.
    agreed: watch::Sender<u64>,
}

impl Default for Hearing {
    fn default() -> Hearing {
        Hearing {
            is_on: AtomicBool::new(false),
            watched: Mutex::default(),
            asked: watch::Sender::new(0),
            agreed: watch::Sender::new(0),
        }
    }
}

impl Hearing {
    /// Notes that a resource is watched.
    fn add(&self, uri: &str) -> Result<(Watching, u64), Fault> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watching) = watched.get(uri).and_then(Weak::upgrade) {
            return Ok((watching, *self.asked.borrow()));
        }
        watched.retain(|_, watching| watching.strong_count() > 0);
        if watched.len() >= MOST {
            return Err(Fault::internal("Too many resources of this server are watched"));
        }
        let watching = Watching::default();
        watched.insert(uri.to_owned(), Arc::downgrade(&watching));
        self.asked.send_modify(|count| *count += 1);
        Ok((watching, *self.asked.borrow()))
    }

    fn uris(&self) -> Vec<String> {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.iter().filter(|(_, one)| one.strong_count() > 0).map(|(uri, _)| uri.clone()).collect()
    }
}

impl Upstream {
    /// Watches a resource as long as what comes back is held: its updates are among the news.
    pub(crate) async fn watch(self: &Arc<Self>, uri: &str) -> Result<Watching, Fault> {
        if self.modern().await?.is_none() {
            let answer = self.ask("resources/subscribe", json!({ "uri": uri })).await?;
            return match answer.kind() {
                Kind::Error => Err(Fault::internal("The server does not let this resource be watched")),
                _ => Ok(Watching::default()),
            };
        }
        let (watching, asked) = self.hearing.add(uri)?;
        self.gather_news();
        let mut agreed = self.hearing.agreed.subscribe();
        let agreed = agreed.wait_for(|agreed| *agreed >= asked);
        // A server that says nothing of it may send updates all the same.
        let _ = tokio::time::timeout(PATIENCE, agreed).await;
        Ok(watching)
    }

    /// Listens to what a server tells everybody, as long as anybody here listens. What a process with sessions says
    /// without being asked is heard in any case.
    pub(crate) fn gather_news(self: &Arc<Self>) {
        if self.hearing.is_on.swap(true, Ordering::AcqRel) {
            return;
        }
        let upstream = Arc::clone(self);
        tokio::spawn(async move {
            while upstream.hear_once().await {
                tokio::time::sleep(BETWEEN).await;
                // One of the listeners is the gate's own.
                if upstream.news.listeners() <= 1 {
                    break;
                }
            }
            upstream.hearing.is_on.store(false, Ordering::Release);
        });
    }

    /// Listens until the stream ends; whether there is anything to listen to.
    async fn hear_once(&self) -> bool {
        match (self.modern().await, &self.route) {
            (Ok(Some(_)), _) => {
                let mut asked = self.hearing.asked.subscribe();
                loop {
                    let count = *asked.borrow_and_update();
                    let Ok(replies) = self.subscribe().await else { return true };
                    tokio::select! {
                        () = self.hear(replies, Some(count)) => return true,
                        changed = asked.changed() => if changed.is_err() { return false },
                    }
                }
            }
            (Ok(None), Route::Http(http)) => {
                if let Ok(replies) = http.listen_own().await {
                    self.hear(replies, None).await;
                }
                true
            }
            (Ok(None), Route::Child(_)) => false,
            (Err(_), _) => true,
        }
    }

    /// A subscription of ours to everything, for a server without sessions.
    async fn subscribe(&self) -> Result<Replies, Fault> {
        let params = json!({ "_meta": opening::meta(), "notifications": {
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": self.hearing.uris(),
        } });
        let message = opening::request("subscriptions/listen", &params)?;
        let lane = Lane::Stateless(http::stateless_headers(&message));
        let admitted = admit(Outgoing { message, lane }, Standing::Exposed);
        self.forward(admitted.map_err(|_| Fault::internal("The request may not leave"))?).await
    }

    /// Passes on what a stream says. The first word agrees to what was `asked` for.
    async fn hear(&self, mut replies: Replies, asked: Option<u64>) {
        while let Ok(Some(item)) = replies.next().await {
            let Item::Message(reply) = item else { continue };
            if reply.message.method() == "notifications/subscriptions/acknowledged" {
                self.hearing.agreed.send_replace(asked.unwrap_or_default());
            } else if reply.message.kind() == Kind::Notification {
                self.news.tell(everybodys(reply.message));
            }
        }
    }
}

/// News without the mark of the subscription they came for, which is ours.
fn everybodys(message: Message) -> Message {
    let mut splice = Splice::new();
    if message.has(Field::MetaSubscriptionId) {
        splice.remove_member(message.bytes(), message.place(Field::MetaSubscriptionId));
    }
    message.clone().spliced(splice, crate::wire::Limits::default()).unwrap_or(message)
}
