//! What all connections share: the settings, the servers, the seal, and what is remembered of sessions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderValue;
use portcullis_store::Status;
use tokio::sync::{mpsc, watch};

use crate::GatewayError;
use crate::alerts::Alerts;
use crate::api::Happening;
use crate::api::access::Tokens;
use crate::api::http::Rates;
use crate::bridge::parked::Lot;
use crate::catalogue::Catalogue;
use crate::dashboard::{Past, SignIns};
use crate::downstream::local::Local;
use crate::judge::flows::FlowKey;
use crate::judge::{Judge, passage};
use crate::metrics::Metrics;
use crate::news::{Listener, News};
use crate::nodes::Nodes;
use crate::quarantine::{Attached, Exposure, Quarantine, answer, reading};
use crate::roster::Roster;
use crate::seal::Seal;
use crate::settings::{Server, ServerName, Settings};
use crate::upstream::link::Caller;
use crate::upstream::{Upstream, lone_caller};
use crate::visits::Visits;
use crate::wire::Message;

/// Sessions that were ended and whose ids must not work again; those of longer ago have run out by themselves.
const MOST_ENDED: usize = 1 << 16;

/// What is recorded about a call that waited in vain.
pub(crate) const ABANDONED: &str = "the gateway ended before anybody decided";

/// The gateway's inside.
pub(crate) struct Gate {
    pub(crate) settings: Settings,
    /// Where the gateway listens, once it does.
    pub(crate) address: OnceLock<SocketAddr>,
    /// The other nodes, if one of all runs the processes of servers.
    pub(crate) nodes: Option<Arc<Nodes>>,
    pub(crate) seal: Seal,
    pub(crate) roster: RwLock<Arc<Roster>>,
    sessions: Mutex<Sessions>,
    /// The servers of the configuration, as it was last read.
    pub(crate) configured: Mutex<Vec<Server>>,
    /// What of it agents may see.
    pub(crate) quarantine: Arc<Quarantine>,
    /// What calls and results are judged by.
    pub(crate) judge: Judge,
    /// Servers of which agents now see something else, until the gateway runs.
    exposures: Mutex<Option<mpsc::UnboundedReceiver<Exposure>>>,
    /// What all servers offer.
    pub(crate) catalogue: Catalogue,
    /// What any server tells everybody.
    pub(crate) news: News<(ServerName, Message)>,
    /// Says that the gateway stops.
    pub(crate) stop: watch::Sender<bool>,
    /// Whether the last call could be recorded.
    pub(crate) is_recording: AtomicBool,
    /// Calls that wait for input.
    pub(crate) lot: Lot,
    began: Instant,
    next: AtomicU64,
    pub(crate) metrics: Metrics,
    /// How many servers are used for one client each.
    pub(crate) wraps: watch::Sender<usize>,
    /// Those servers, in the order in which they came.
    pub(crate) wrapped: Mutex<Vec<Arc<Upstream>>>,
    /// Who may do what.
    pub(crate) tokens: Tokens,
    /// How often each of them asks.
    pub(crate) rates: Rates,
    /// What somebody should know now.
    pub(crate) alerts: Arc<Alerts>,
    /// Links that sign somebody in once.
    pub(crate) sign_ins: SignIns,
    /// Days of activity that were counted for the dashboard.
    pub(crate) past: Past,
    /// What happens, for whoever listens.
    pub(crate) happening: Happening,
    /// The sessions that came here.
    pub(crate) visits: Visits,
    /// Agents' questions about what is held are answered one at a time.
    pub(crate) reviewing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Sessions {
    known: HashMap<Caller, Arc<Local>>,
    ended: HashSet<Caller>,
    /// The same in their order, to forget the oldest.
    endings: VecDeque<Caller>,
}

impl Gate {
    /// A gate for a gateway that listens here, or for one client.
    pub(crate) fn new(mut settings: Settings, listening: Option<SocketAddr>) -> Result<Gate, GatewayError> {
        let mut names = HashSet::new();
        if let Some(twice) = settings.servers.iter().find(|server| !names.insert(&server.name)) {
            return Err(GatewayError::SameName(twice.name.as_str().to_owned()));
        }
        let (means, metrics) = (settings.means(), Metrics::new());
        let nodes = listening.and_then(|address| Nodes::join(&mut settings, address, metrics.leased()));
        let upstream = |server: &Server| Upstream::new(server, &means, nodes.as_ref()).map(Arc::new);
        let upstreams = settings.servers.iter().map(upstream);
        let roster = upstreams.collect::<Result<Roster, _>>()?;
        let (told, exposures) = mpsc::unbounded_channel();
        let (store, sought) = (Arc::clone(&settings.store), settings.judge.sought.clone());
        let alerts = Arc::new(Alerts::new(settings.alerts.clone(), sought, store, metrics.alerts()));
        let (store, rules) = (Arc::clone(&settings.store), settings.quarantine.clone());
        let quarantine = Quarantine::open(store, rules, told, Arc::clone(&alerts))?;
        let attached = settings.servers.iter().map(|server| Attached {
            name: server.name.as_str(),
            launch: server.launch(),
            trust: server.trust,
        });
        quarantine.attach(&attached.collect::<Vec<_>>())?;
        let judge = Judge::new(&settings)?;
        let seal = Seal::new(&settings.seal_key);
        let configured = settings.servers.clone();
        let tokens = Tokens::new(Arc::clone(&settings.store));
        let (sessions, next, rates, sign_ins, past) = Default::default();
        let lot = Lot::new(lone_caller());
        let (news, catalogue) = (News::new(), Catalogue::default());
        let stop = watch::Sender::new(false);
        let gate = Gate {
            settings,
            address: OnceLock::new(),
            nodes,
            seal,
            roster: RwLock::new(Arc::new(roster)),
            configured: Mutex::new(configured),
            wraps: watch::Sender::new(0),
            wrapped: Mutex::default(),
            tokens,
            rates,
            alerts,
            sign_ins,
            past,
            happening: Happening::new(),
            visits: Visits::default(),
            reviewing: tokio::sync::Mutex::default(),
            quarantine: Arc::new(quarantine),
            judge,
            exposures: Mutex::new(Some(exposures)),
            catalogue,
            news,
            stop,
            sessions,
            is_recording: AtomicBool::new(true),
            lot,
            began: Instant::now(),
            next,
            metrics,
        };
        gate.take_kept()?;
        Ok(gate)
    }

    /// The servers that are used now.
    pub(crate) fn servers(&self) -> Arc<Roster> {
        Arc::clone(&self.roster.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// One of them.
    pub(crate) fn upstream(&self, name: &str) -> Option<Arc<Upstream>> {
        self.servers().get(name).cloned()
    }

    /// Hears what servers tell everybody, passes it on, and no longer believes the lists it knew; tells agents when
    /// they see something else, and keeps up with what other nodes decide.
    pub(crate) fn hear(self: &Arc<Self>) {
        self.alerts.run();
        for upstream in self.servers().iter() {
            self.hear_one(upstream);
        }
        let exposures = self.exposures.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut exposures) = exposures {
            let gate = Arc::clone(self);
            tokio::spawn(async move {
                while let Some(exposure) = exposures.recv().await {
                    gate.tell_exposure(&exposure);
                }
            });
        }
        self.keep_up();
    }

    /// Hears one server, as long as it is used.
    pub(crate) fn hear_one(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        let (gate, news, upstream) = (Arc::clone(self), upstream.news.listen(), Arc::downgrade(upstream));
        tokio::spawn(async move { gate.hearing(news, upstream).await });
    }

    async fn hearing(self: &Arc<Self>, mut news: Listener<Message>, upstream: Weak<Upstream>) {
        while let Some((_, message)) = news.next().await {
            let Some(upstream) = upstream.upgrade() else { return };
            if !answer::is_ours(&message) {
                self.doubt(&upstream, &message);
            }
            self.catalogue.forget();
            self.news.tell((upstream.name.clone(), message));
        }
    }

    /// A server says that a list changed: it is read again at once, not only when an agent asks.
    pub(crate) fn doubt(self: &Arc<Self>, upstream: &Arc<Upstream>, news: &Message) {
        if !news.method().ends_with("/list_changed") {
            return;
        }
        upstream.readings.doubt();
        let (gate, upstream) = (Arc::clone(self), Arc::clone(upstream));
        tokio::spawn(async move {
            // Why it could not be read is said there, and to whoever asks for it.
            let _ = reading::fresh(&gate, &upstream).await;
        });
    }

    /// Tells everybody who listens that a server's lists are others now.
    fn tell_exposure(&self, (server, kinds): &Exposure) {
        self.catalogue.forget();
        let kinds_told: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        self.happening.tell("exposure", server, || serde_json::json!(kinds_told));
        let Some(upstream) = self.upstream(server) else { return };
        for message in answer::list_changed(kinds) {
            upstream.news.tell(message);
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seconds since the gateway began.
    pub(crate) fn age(&self) -> u64 {
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
        self.judge.end(FlowKey(caller));
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
        for held in self.judge.sweep() {
            passage::record(self, &held, "nobody decided in time", Status::Refused);
            passage::forget(self, &held.id);
        }
    }

    /// Denies all calls that wait for a human, unless other nodes can let them be decided.
    pub(crate) fn end_waiting(&self) {
        if self.judge.sharing.is_some() {
            return self.judge.holding.leave();
        }
        for held in self.judge.holding.end() {
            passage::record(self, &held, ABANDONED, Status::Refused);
            passage::forget(self, &held.id);
        }
    }

    /// Ends every server that runs for us, and waits until it has ended.
    pub(crate) async fn end(&self) {
        self.end_waiting();
        let servers = self.servers();
        servers.iter().for_each(|upstream| upstream.end());
        for upstream in servers.iter() {
            upstream.ended().await;
        }
        if let Some(nodes) = &self.nodes {
            nodes.left().await;
        }
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
