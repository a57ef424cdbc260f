//! What is remembered here of each flow of calls: bounded in number and bytes, keyed, never the data itself.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portcullis_detect::Flow;
use portcullis_detect::baseline::Habit;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::FlowLimits;
use super::folding::Place;
use super::journal::Journal;

/// Which flow a call belongs to: a session, a client with several of them, or an agent on a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct FlowKey(pub(crate) u128);

impl FlowKey {
    /// The key of whatever these parts name together.
    pub(crate) fn of(parts: &[&[u8]]) -> FlowKey {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        FlowKey(hash.finalize().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte)))
    }

    /// The name of a flow, or a session, in records. Letters only: what has many digits might be a number nobody may
    /// see, and the store would look at it closely every time.
    pub(crate) fn label(self) -> String {
        let letter = |place: u32| char::from(b'a' + ((self.0 >> (124 - 4 * place)) & 15) as u8);
        (0..16).map(letter).collect()
    }
}

/// All flows of this node.
pub(crate) struct Flows {
    /// Makes hashes of what passed meaningless elsewhere.
    key: u64,
    limits: FlowLimits,
    began: Instant,
    kept: Mutex<HashMap<FlowKey, Arc<Strand>>>,
    bytes: AtomicUsize,
    forgotten: AtomicU64,
}

/// One flow.
pub(crate) struct Strand {
    inner: Mutex<Inner>,
    /// Held by whoever tells other nodes what happened in it.
    pub(super) settling: tokio::sync::Mutex<()>,
    /// Seconds since the gateway began.
    used: AtomicU64,
    bytes: AtomicUsize,
    /// It was forgotten; a call that is still under way no longer counts. Changed with all flows locked.
    has_ended: AtomicBool,
}

/// What a flow holds.
pub(crate) struct Inner {
    pub(crate) flow: Flow,
    /// Whose it is: what its habits teach.
    pub(crate) agent: Arc<str>,
    /// What its calls would teach.
    pub(crate) habits: Vec<Habit>,
    /// Whether nothing was raised in it.
    pub(crate) is_clean: bool,
    /// Ways out that a human allowed.
    pub(crate) allowed: BTreeSet<[u8; 32]>,
    /// What happened in it.
    pub(crate) journal: Journal,
    /// How far other nodes' part of it is known here.
    pub(crate) place: Place,
}

/// Calls of one flow that teach; the others are of the same kinds most likely.
const MOST_HABITS: usize = 256;

impl Inner {
    /// Keeps what a call would teach.
    pub(crate) fn note_habit(&mut self, habit: Habit) {
        if self.habits.len() < MOST_HABITS && !self.habits.contains(&habit) {
            self.habits.push(habit);
        }
    }
}

impl Strand {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        // INVARIANT: checks are isolated, and what they saw is remembered whole or not at all.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flows {
    pub(crate) fn new(key: u64, limits: FlowLimits) -> Flows {
        let (kept, bytes, forgotten) = Default::default();
        Flows { key, limits, began: Instant::now(), kept, bytes, forgotten }
    }

    /// The flow of that key, and those that had to end to make room for it.
    pub(crate) fn get(&self, key: FlowKey, agent: &Arc<str>) -> (Arc<Strand>, Vec<Arc<Strand>>) {
        let now = self.began.elapsed().as_secs();
        let mut kept = self.kept();
        if let Some(strand) = kept.get(&key) {
            strand.used.store(now, Ordering::Relaxed);
            return (Arc::clone(strand), Vec::new());
        }
        let is_full = kept.len() >= self.limits.most || self.bytes() >= self.limits.bytes;
        let ended = if is_full { self.make_room(&mut kept) } else { Vec::new() };
        let flow = self.empty();
        let (habits, allowed, journal, place) = Default::default();
        let inner = Inner { flow, agent: Arc::clone(agent), habits, is_clean: true, allowed, journal, place };
        let strand = Arc::new(Strand {
            inner: Mutex::new(inner),
            settling: tokio::sync::Mutex::default(),
            used: AtomicU64::new(now),
            bytes: AtomicUsize::new(0),
            has_ended: AtomicBool::new(false),
        });
        kept.insert(key, Arc::clone(&strand));
        (strand, ended)
    }

    /// The flow of that key, if it is known.
    pub(crate) fn known(&self, key: FlowKey) -> Option<Arc<Strand>> {
        self.kept().get(&key).cloned()
    }

    /// Counts again what a flow holds.
    pub(crate) fn weigh(&self, strand: &Strand, inner: &Inner) {
        let now = inner.flow.bytes() + inner.journal.bytes();
        let _kept = self.kept();
        if strand.has_ended.load(Ordering::Relaxed) {
            return;
        }
        let before = strand.bytes.swap(now, Ordering::Relaxed);
        if now >= before {
            self.bytes.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.bytes.fetch_sub(before - now, Ordering::Relaxed);
        }
    }

    /// Flows that had to end because all of them together outgrew the limit. No flow may be locked by the caller.
    pub(crate) fn keep_within(&self) -> Vec<Arc<Strand>> {
        let mut ended = Vec::new();
        if self.bytes() <= self.limits.bytes {
            return ended;
        }
        let mut kept = self.kept();
        while self.bytes() > self.limits.bytes && !kept.is_empty() {
            ended.append(&mut self.make_room(&mut kept));
        }
        ended
    }

    /// Forgets the flows nobody used for a while, and returns them: they have ended.
    pub(crate) fn forget_idle(&self) -> Vec<Arc<Strand>> {
        let limit = self.began.elapsed().as_secs().checked_sub(self.limits.idle.as_secs());
        let Some(limit) = limit else { return Vec::new() };
        let mut kept = self.kept();
        let ended = kept.extract_if(|_, strand| strand.used.load(Ordering::Relaxed) < limit);
        self.forget(ended.map(|(_, strand)| strand).collect())
    }

    /// Ends one flow.
    pub(crate) fn end(&self, key: FlowKey) -> Vec<Arc<Strand>> {
        let mut kept = self.kept();
        self.forget(kept.remove(&key).into_iter().collect())
    }

    /// What makes hashes meaningless elsewhere.
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// How long a flow is kept that nobody uses.
    pub(crate) fn idle(&self) -> Duration {
        self.limits.idle
    }

    /// A flow in which nothing has happened.
    pub(crate) fn empty(&self) -> Flow {
        Flow::new(self.key)
    }

    /// The flow of that name, or the one that calls of the session of that name are in.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<Strand>> {
        let all = self.all();
        let by_key = all.iter().find(|(key, _)| key.label() == name);
        let found = by_key.or_else(|| all.iter().find(|(_, strand)| strand.lock().journal.has_session(name)));
        found.map(|(_, strand)| Arc::clone(strand))
    }

    /// All flows there are.
    pub(crate) fn all(&self) -> Vec<(FlowKey, Arc<Strand>)> {
        self.kept().iter().map(|(key, strand)| (*key, Arc::clone(strand))).collect()
    }

    /// Bytes of all flows.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> usize {
        self.kept().len()
    }

    /// How many flows had to end to make room.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::Relaxed)
    }

    /// Ends the sixteenth part that was not used for longest.
    fn make_room(&self, kept: &mut HashMap<FlowKey, Arc<Strand>>) -> Vec<Arc<Strand>> {
        let mut ages: Vec<u64> = kept.values().map(|strand| strand.used.load(Ordering::Relaxed)).collect();
        let place = ages.len() / 16;
        let (_, limit, _) = ages.select_nth_unstable(place);
        let (limit, most) = (*limit, place + 1);
        let oldest = kept.iter().filter(|(_, strand)| strand.used.load(Ordering::Relaxed) <= limit);
        let oldest: Vec<FlowKey> = oldest.map(|(key, _)| *key).take(most).collect();
        let ended: Vec<_> = oldest.iter().filter_map(|key| kept.remove(key)).collect();
        self.forgotten.fetch_add(ended.len() as u64, Ordering::Relaxed);
        self.forget(ended)
    }

    /// Takes flows out of the count. INVARIANT: called with all flows locked.
    fn forget(&self, ended: Vec<Arc<Strand>>) -> Vec<Arc<Strand>> {
        for strand in &ended {
            strand.has_ended.store(true, Ordering::Relaxed);
            self.bytes.fetch_sub(strand.bytes.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        }
        ended
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<FlowKey, Arc<Strand>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_detect::call::{Call, Override, ToolProfile};
    use portcullis_detect::json::Json;
    use portcullis_detect::sensitive::SensitiveData;
    use portcullis_detect::{Guard, GuardSettings};

    #[test]
    fn there_are_never_more_flows_than_allowed() {
        let limits = FlowLimits { most: 32, bytes: usize::MAX, idle: Duration::from_secs(9) };
        let (flows, agent) = (Flows::new(1, limits), Arc::from("a"));
        let ended: usize = (0..100).map(|key| flows.get(FlowKey(key), &agent).1.len()).sum();
        assert!(flows.count() <= 32 && flows.count() + ended == 100, "{} {ended}", flows.count());
        assert_eq!(flows.forgotten(), ended as u64);
        assert!(Arc::ptr_eq(&flows.get(FlowKey(99), &agent).0, &flows.get(FlowKey(99), &agent).0));
    }

    #[test]
    fn ten_thousand_flows_that_grow_stay_within_the_bytes_allowed() {
        let limits = FlowLimits { most: 10_000, bytes: 8 << 20, idle: Duration::from_secs(9) };
        let (flows, agent) = (Flows::new(1, limits), Arc::from("a"));
        let strands: Vec<_> = (0..10_000).map(|key| flows.get(FlowKey(key), &agent).0).collect();
        assert_eq!(flows.count(), 10_000, "empty flows take next to nothing");
        let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
        let mut ended = 0;
        for (number, strand) in strands.iter().enumerate() {
            let mut inner = strand.lock();
            grow(&guard, &mut inner.flow, number);
            flows.weigh(strand, &inner);
            drop(inner);
            ended += flows.keep_within().len();
            assert!(flows.bytes() <= limits.bytes, "{} bytes after {number} flows", flows.bytes());
        }
        assert!(ended > 0 && flows.count() + ended == 10_000);
    }

    /// Lets a flow take in a result that is like no other.
    fn grow(guard: &Guard, flow: &mut Flow, number: usize) {
        let profile = ToolProfile::of_call("get_record", &[], &Override::default());
        let call = Call { server: "crm", tool: "get_record", arguments: &Json::Null, intent: None, at_ms: 0 };
        let words: Vec<String> = (0..60).map(|word| format!("w{number}x{word}y@mail.example")).collect();
        let seen = guard.observe_result(&call, &profile, flow, &Json::String(words.join(" ").into()));
        flow.remember(seen.memory);
    }

    #[test]
    fn what_ends_no_longer_counts() {
        let (flows, agent) = (Flows::new(1, FlowLimits::default()), Arc::from("a"));
        let (strand, _) = flows.get(FlowKey(1), &agent);
        flows.weigh(&strand, &strand.lock());
        assert!(flows.bytes() > 0);
        assert_eq!(flows.end(FlowKey(1)).len(), 1);
        assert_eq!((flows.bytes(), flows.count()), (0, 0));
    }
}
