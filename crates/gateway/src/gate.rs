//! What all connections share: the settings, the servers, the seal, and what is remembered of sessions.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderValue;
use tokio::sync::watch;

use crate::GatewayError;
use crate::bridge::parked::Lot;
use crate::catalogue::Catalogue;
use crate::downstream::local::Local;
use crate::metrics::Metrics;
use crate::news::News;
use crate::seal::Seal;
use crate::settings::{ServerName, Settings};
use crate::upstream::link::Caller;
use crate::upstream::{Upstream, lone_caller};
use crate::wire::Message;

/// Sessions that were ended and whose ids must not work again; those of longer ago have run out by themselves.
const MOST_ENDED: usize = 1 << 16;

/// The gateway's inside.
pub(crate) struct Gate {
    pub(crate) settings: Settings,
    pub(crate) seal: Seal,
    /// In the order of the settings.
    pub(crate) upstreams: Vec<Arc<Upstream>>,
    by_name: BTreeMap<String, usize>,
    sessions: Mutex<Sessions>,
    /// What all servers offer.
    pub(crate) catalogue: Catalogue,
    /// What any server tells everybody.
    pub(crate) news: News<(ServerName, Message)>,
    /// Says that the gateway stops.
    pub(crate) stop: watch::Sender<bool>,
    /// Calls that wait for input.
    pub(crate) lot: Lot,
    began: Instant,
    next: AtomicU64,
    pub(crate) metrics: Metrics,
}

#[derive(Default)]
struct Sessions {
    known: HashMap<Caller, Arc<Local>>,
    ended: HashSet<Caller>,
    /// The same in their order, to forget the oldest.
    endings: VecDeque<Caller>,
}

impl Gate {
    pub(crate) fn new(settings: Settings) -> Result<Gate, GatewayError> {
        let mut by_name = BTreeMap::new();
        let mut upstreams = Vec::new();
        for server in &settings.servers {
            let name = server.name.as_str().to_owned();
            if by_name.insert(name.clone(), upstreams.len()).is_some() {
                return Err(GatewayError::SameName(name));
            }
            upstreams.push(Arc::new(Upstream::new(server, &settings)?));
        }
        let seal = Seal::new(&settings.seal_key);
        let (sessions, next) = Default::default();
        let lot = Lot::new(lone_caller());
        let news = News::new();
        let catalogue = Catalogue::default();
        let stop = watch::Sender::new(false);
        Ok(Gate {
            settings,
            seal,
            upstreams,
            by_name,
            catalogue,
            news,
            stop,
            sessions,
            lot,
            began: Instant::now(),
            next,
            metrics: Metrics::new(),
        })
    }

    /// Hears what servers tell everybody, passes it on, and no longer believes the lists it knew.
    pub(crate) fn hear(self: &Arc<Self>) {
        for upstream in &self.upstreams {
            let (gate, name, mut news) = (Arc::clone(self), upstream.name.clone(), upstream.news.listen());
            tokio::spawn(async move {
                while let Some((_, message)) = news.next().await {
                    gate.catalogue.forget();
                    gate.news.tell((name.clone(), message));
                }
            });
        }
    }

    pub(crate) fn upstream(&self, name: &str) -> Option<&Arc<Upstream>> {
        self.by_name.get(name).and_then(|index| self.upstreams.get(*index))
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seconds since the gateway began.
    fn age(&self) -> u64 {
        self.began.elapsed().as_secs()
    }

    /// What this node remembers of a session; `None` if it was ended.
    pub(crate) fn local(&self, caller: Caller) -> Option<Arc<Local>> {
        let now = self.age();
        let mut sessions = self.sessions();
        if let Some(local) = sessions.known.get(&caller) {
            local.seen.store(now, Ordering::Relaxed);
            return Some(Arc::clone(local));
        }
        if sessions.ended.contains(&caller) {
            return None;
        }
        if sessions.known.len() >= self.settings.limits.sessions {
            sessions.forget_idle(now, Duration::ZERO);
        }
        let local = Arc::new(Local::new(now));
        sessions.known.insert(caller, Arc::clone(&local));
        Some(local)
    }

    /// Whether the session was ended here.
    pub(crate) fn is_ended(&self, caller: Caller) -> bool {
        self.sessions().ended.contains(&caller)
    }

    pub(crate) fn end_session(&self, caller: Caller) {
        let mut sessions = self.sessions();
        sessions.known.remove(&caller);
        if sessions.endings.len() >= MOST_ENDED
            && let Some(oldest) = sessions.endings.pop_front()
        {
            sessions.ended.remove(&oldest);
        }
        if sessions.ended.insert(caller) {
            sessions.endings.push_back(caller);
        }
    }

    /// Forgets what nobody used for as long as the settings say.
    pub(crate) fn forget_idle(&self) {
        let now = self.age();
        self.sessions().forget_idle(now, self.settings.timing.session);
        self.lot.forget(self.settings.timing.answer);
    }

    /// How many sessions are remembered.
    pub(crate) fn session_count(&self) -> usize {
        self.sessions().known.len()
    }

    /// The name of an event that a client may resume after.
    pub(crate) fn event(&self, number: u64) -> Bytes {
        Bytes::from(format!("{:032x}-{number}", self.lot.node))
    }

    /// The event a client has seen last, if it was one of this node.
    pub(crate) fn last_event(&self, given: Option<&HeaderValue>) -> Option<u64> {
        let (node, number) = given?.to_str().ok()?.split_once('-')?;
        let node = Caller::from_str_radix(node, 16).ok()?;
        if node == self.lot.node { number.parse().ok() } else { None }
    }

    /// A number nobody else has on this node.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

impl Sessions {
    /// A session whose stream is open is in use. If all must make room, the oldest half does.
    fn forget_idle(&mut self, now: u64, idle: Duration) {
        if !idle.is_zero() {
            let limit = now.saturating_sub(idle.as_secs());
            self.known.retain(|_, local| {
                Arc::strong_count(local) > 1 || local.seen.load(Ordering::Relaxed) >= limit
            });
            return;
        }
        let mut ages: Vec<u64> =
            self.known.values().map(|local| local.seen.load(Ordering::Relaxed)).collect();
        ages.sort_unstable();
        let middle = ages.get(ages.len() / 2).copied().unwrap_or_default();
        self.known
            .retain(|_, local| Arc::strong_count(local) > 1 || local.seen.load(Ordering::Relaxed) > middle);
    }
}
