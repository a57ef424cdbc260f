//! What each agent usually does, kept in the store and learnt from flows that ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use portcullis_detect::baseline::{Baseline, BaselineRecord, Novelty, SeenRecord, Sizes};
use portcullis_store::{Document, Store, StoreError};
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::flows::Strand;
use crate::quarantine::now_ms;

/// The kind of their documents.
const KIND: &str = "baseline";
/// Agents whose habits are kept; those of more are not learnt.
const MOST: usize = 4096;

/// The habits of all agents.
pub(crate) struct Baselines {
    store: Arc<dyn Store>,
    known: Mutex<BTreeMap<Arc<str>, Arc<RwLock<Baseline>>>>,
}

impl Baselines {
    /// The habits a store holds. One that cannot be read is learnt anew, and said so.
    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Baselines, StoreError> {
        let baselines = Baselines { store, known: Mutex::default() };
        baselines.keep_up()?;
        Ok(baselines)
    }

    /// Takes over what other nodes learnt.
    pub(crate) fn keep_up(&self) -> Result<(), StoreError> {
        for document in self.store.registry().documents(KIND)? {
            if let Some((agent, stored)) = read(&document)
                && let Some(baseline) = self.of(&Arc::from(agent))
            {
                *baseline.write().unwrap_or_else(PoisonError::into_inner) = stored;
            }
        }
        Ok(())
    }

    /// The habits of an agent, if there is room for them.
    pub(crate) fn of(&self, agent: &Arc<str>) -> Option<Arc<RwLock<Baseline>>> {
        let mut known = self.known();
        if let Some(baseline) = known.get(agent) {
            return Some(Arc::clone(baseline));
        }
        if known.len() >= MOST {
            return None;
        }
        Some(Arc::clone(known.entry(Arc::clone(agent)).or_default()))
    }

    /// Learns from flows that ended.
    pub(crate) fn learn(&self, ended: &[Arc<Strand>]) {
        for strand in ended {
            // The flow is let go before its habits are taught: a call that came late holds them while it waits for the flow.
            let (agent, habits, is_clean) = {
                let mut inner = strand.lock();
                (Arc::clone(&inner.agent), std::mem::take(&mut inner.habits), inner.is_clean)
            };
            let Some(baseline) = self.of(&agent).filter(|_| is_clean && !habits.is_empty()) else { continue };
            let taught = {
                let stored = self.stored(&agent);
                let mut baseline = baseline.write().unwrap_or_else(PoisonError::into_inner);
                // Another node may have taught it since: what all of them saw is put together.
                *baseline = stored.unwrap_or_else(|| std::mem::take(&mut *baseline));
                baseline.learn(&habits, true, now_ms());
                baseline.clone()
            };
            self.keep(&agent, &taught);
        }
    }

    /// Changes the habits of an agent, as an operator may; `false` if nobody knows the agent.
    pub(crate) fn change(&self, agent: &str, change: impl FnOnce(&mut Baseline)) -> Result<bool, StoreError> {
        let Some(baseline) = self.known().get(agent).cloned() else { return Ok(false) };
        let changed = {
            let mut baseline = baseline.write().unwrap_or_else(PoisonError::into_inner);
            change(&mut baseline);
            baseline.clone()
        };
        self.put(agent, &changed)?;
        Ok(true)
    }

    /// Every agent with its habits.
    pub(crate) fn all(&self) -> Vec<(Arc<str>, Baseline)> {
        let read =
            |baseline: &RwLock<Baseline>| baseline.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.known().iter().map(|(agent, baseline)| (Arc::clone(agent), read(baseline))).collect()
    }

    /// The habits as the store has them; `None` if it has none, or cannot be asked.
    fn stored(&self, agent: &str) -> Option<Baseline> {
        let document = self.store.registry().document(KIND, &name(agent));
        let document =
            document.map_err(|error| warn!(%error, "what other nodes learnt is not known")).ok()?;
        read(&document?).map(|(_, baseline)| baseline)
    }

    fn keep(&self, agent: &str, baseline: &Baseline) {
        if let Err(error) = self.put(agent, baseline) {
            warn!(%error, "the habits of an agent cannot be kept");
        }
    }

    fn put(&self, agent: &str, baseline: &Baseline) -> Result<(), StoreError> {
        let kept = Kept::of(agent, &baseline.to_record());
        // INVARIANT: a struct of strings and numbers always becomes JSON.
        let json = serde_json::to_string(&kept).unwrap_or_default();
        self.store.registry().put_document(&Document { kind: KIND.into(), name: name(agent), json })
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<RwLock<Baseline>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An agent and its habits. Those that cannot be read are learnt anew, and said so.
fn read(document: &Document) -> Option<(String, Baseline)> {
    let kept = serde_json::from_str::<Kept>(&document.json);
    let unread = |error| warn!(%error, "the habits of an agent cannot be read and are learnt anew");
    kept.map_err(unread).ok().map(|kept| (kept.agent.clone(), Baseline::from_record(&kept.record())))
}

/// What an agent's document is called: an agent's own name may be anything.
fn name(agent: &str) -> String {
    use sha2::{Digest, Sha256};
    data_encoding::HEXLOWER.encode(&Sha256::digest(agent.as_bytes())[..16])
}

/// A baseline as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    agent: String,
    sessions: u32,
    first: Option<u64>,
    last: u64,
    ratified: bool,
    /// Kind, hash, first, last, sessions.
    seen: Vec<(u8, u64, u64, u64, u32)>,
    /// Tool; how many sizes, their mean, their squares, the largest.
    sizes: Vec<(u64, u64, f64, f64, u64)>,
    forgotten: u64,
}

const NOVELTIES: [Novelty; 5] =
    [Novelty::Tool, Novelty::Destination, Novelty::Domain, Novelty::Edge, Novelty::Shape];

impl Kept {
    fn of(agent: &str, record: &BaselineRecord) -> Kept {
        let place = |novelty: Novelty| NOVELTIES.iter().position(|one| *one == novelty).unwrap_or_default();
        let seen = record.seen.iter().map(|seen| {
            let kind = u8::try_from(place(seen.novelty)).unwrap_or_default();
            (kind, seen.hash, seen.first_ms, seen.last_ms, seen.sessions)
        });
        Kept {
            agent: agent.to_owned(),
            sessions: record.sessions,
            first: record.first_ms,
            last: record.last_ms,
            ratified: record.is_ratified,
            seen: seen.collect(),
            sizes: record
                .sizes
                .iter()
                .map(|(tool, sizes)| (*tool, sizes.count, sizes.mean, sizes.squares, sizes.largest))
                .collect(),
            forgotten: record.forgotten,
        }
    }

    fn record(&self) -> BaselineRecord {
        let seen = self.seen.iter().filter_map(|(kind, hash, first_ms, last_ms, sessions)| {
            let novelty = *NOVELTIES.get(usize::from(*kind))?;
            Some(SeenRecord {
                novelty,
                hash: *hash,
                first_ms: *first_ms,
                last_ms: *last_ms,
                sessions: *sessions,
            })
        });
        BaselineRecord {
            sessions: self.sessions,
            first_ms: self.first,
            last_ms: self.last,
            is_ratified: self.ratified,
            seen: seen.collect(),
            sizes: self
                .sizes
                .iter()
                .map(|&(tool, count, mean, squares, largest)| (tool, Sizes { count, mean, squares, largest }))
                .collect(),
            forgotten: self.forgotten,
        }
    }
}
