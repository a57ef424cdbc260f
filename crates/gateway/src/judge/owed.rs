//! What could not be handed in to the store of flows: kept beside approvals until any node hands it in.
//!
//! A result is told only when its entry is with the others or kept here, so everybody looks here before a call. That is
//! rarely a trip: a look that found nothing holds for [`HOLDS`], and what is kept is not told before every such look is
//! over. Beside it stands which data the store of flows had, so that data that is gone is never taken for nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use portcullis_store::{Document, FlowStore, Registry, Store, StoreError};
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::flows::FlowKey;
use crate::quarantine::now_ms;
use crate::session::now_us;

/// How long a look that found nothing counts.
const HOLDS: Duration = Duration::from_secs(1);
/// How long what is kept waits until it is told: longer than any look counts that began before.
const HEARD: Duration = Duration::from_millis(1250);
/// How often a node looks that nobody asks.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
/// Looks in a row that find something new before a node gives up for now.
const MOST_LOOKS: usize = 4;
/// Bytes that one node keeps at most; what is more is not told.
const MOST_BYTES: usize = 16 << 20;

/// The kind of documents; one is the era, the others are owed.
const KIND: &str = "flow";
const ERA: &str = "era";
const OWED: &str = "owed-";

/// What nodes owe the store of flows.
pub(super) struct Owed {
    store: Arc<dyn Store>,
    /// Whether the store may let its callers wait.
    waits: bool,
    seen: Mutex<Seen>,
    /// Bytes kept here since nothing was owed.
    bytes: AtomicUsize,
    /// What this node kept first and nobody handed in yet, and since when it is kept.
    first: tokio::sync::Mutex<Option<(String, Instant)>>,
    /// One hands in at a time.
    handing_in: tokio::sync::Mutex<()>,
}

/// What the last look found.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// When the last look began that found nothing.
    clear: Option<Instant>,
    era: Option<Era>,
}

/// Which data the store of flows has, and when it was last found to have lost what it had.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Era {
    #[serde(with = "hex")]
    id: u128,
    lost_ms: Option<u64>,
}

impl Owed {
    pub(super) fn new(store: Arc<dyn Store>, waits: bool) -> Owed {
        let (seen, bytes, first, handing_in) = Default::default();
        Owed { store, waits, seen, bytes, first, handing_in }
    }

    /// Keeps an entry, and returns when every node knows or can find out that it is owed; false if it cannot be kept.
    pub(super) async fn keep(&self, flow: FlowKey, sealed: &[u8]) -> bool {
        if self.bytes.fetch_add(sealed.len(), Ordering::Relaxed) > MOST_BYTES {
            warn!("the store of flows is away for so long that results are held back");
            return false;
        }
        let mut random = [0; 4];
        if getrandom::fill(&mut random).is_err() {
            return false;
        }
        // In the order of their names they are in the order of time.
        let name = format!("{OWED}{:032x}-{:016x}-{:08x}", flow.0, now_us(), u32::from_ne_bytes(random));
        let document =
            Document { kind: KIND.to_owned(), name, json: format!("\"{}\"", BASE64.encode(sealed)) };
        if self.ask(|registry| registry.put_document(&document)).is_none() {
            return false;
        }
        self.seen().clear = None;
        tokio::time::sleep_until((self.known_since(document.name).await + HEARD).into()).await;
        true
    }

    /// Whether nothing is owed and the era is known, as far as the last look holds.
    pub(super) fn is_clear(&self, era: u128) -> bool {
        let Seen { clear, era: known } = *self.seen();
        clear.is_some_and(|began| began.elapsed() < HOLDS) && known.is_some_and(|known| known.id == era)
    }

    /// Whether a flow that began then may have been among what was lost no longer than `idle` ago.
    pub(super) fn may_be_lost(&self, began_ms: u64, idle: Duration) -> bool {
        let Some(lost_ms) = self.seen().era.and_then(|era| era.lost_ms) else { return false };
        let idle_ms = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        began_ms <= lost_ms && now_ms() < lost_ms.saturating_add(idle_ms)
    }

    /// Looks what is owed and hands it in; `None` if that cannot be done now.
    pub(super) async fn look(&self, flows: &FlowStore) -> Option<()> {
        let _one = self.handing_in.lock().await;
        let era = flows.era()?;
        for _ in 0..MOST_LOOKS {
            // Somebody else may have looked while this waited.
            if self.is_clear(era) {
                return Some(());
            }
            let began = Instant::now();
            let mut owed = self.ask(|registry| registry.documents(KIND))?;
            self.note(era, owed.iter().find(|document| document.name == ERA))?;
            owed.retain(|document| document.name.starts_with(OWED));
            if owed.is_empty() {
                self.bytes.store(0, Ordering::Relaxed);
                // INVARIANT: only a look that found nothing counts. One that handed something in may have missed what
                // was kept beside it, whose keeper did not wait because something older was still there.
                self.seen().clear = Some(began);
                continue;
            }
            for document in &owed {
                self.hand_in(flows, document).await?;
            }
        }
        self.is_clear(era).then_some(())
    }

    /// Hands in what a node owes, once, whoever else does.
    async fn hand_in(&self, flows: &FlowStore, document: &Document) -> Option<()> {
        let flow = document.name.strip_prefix(OWED)?.split('-').next()?;
        let flow = u128::from_str_radix(flow, 16).ok()?;
        let sealed = BASE64.decode(document.json.trim_matches('"').as_bytes()).ok()?;
        flows.append_once(flow, &document.name, &sealed).await.ok()?;
        self.ask(|registry| registry.remove_document(KIND, &document.name)).map(drop)
    }

    /// Takes in which era is known, or lets it be known. Whoever finds another says that something was lost.
    fn note(&self, id: u128, known: Option<&Document>) -> Option<()> {
        let read = known.and_then(|document| serde_json::from_str::<Era>(&document.json).ok());
        let era = match read {
            Some(era) if era.id == id => era,
            Some(_) => {
                warn!("the store of flows lost what it had: flows that began before count as unknown");
                Era { id, lost_ms: Some(now_ms()) }
            }
            None => Era { id, lost_ms: None },
        };
        if read.is_none_or(|read| read.id != id) {
            let json = serde_json::to_string(&era).ok()?;
            let document = Document { kind: KIND.to_owned(), name: ERA.to_owned(), json };
            match read {
                Some(_) => self.ask(|registry| registry.put_document(&document))?,
                None if self.ask(|registry| registry.add_document(&document))? => (),
                // Another node was faster; the next look finds what it said.
                None => return Some(()),
            }
        }
        self.seen().era = Some(era);
        Some(())
    }

    /// Since when everybody who looks finds something owed by this node.
    async fn known_since(&self, name: String) -> Instant {
        let now = Instant::now();
        let mut first = self.first.lock().await;
        if let Some((name, since)) = &*first
            && self.ask(|registry| registry.document(KIND, name)).flatten().is_some()
        {
            return *since;
        }
        *first = Some((name, now));
        now
    }

    /// What the store of approvals says; `None` if it cannot be asked, which is said.
    fn ask<T>(&self, ask: impl FnOnce(&dyn Registry) -> Result<T, StoreError>) -> Option<T> {
        let ask = || ask(self.store.registry());
        let answer = if self.waits { tokio::task::block_in_place(ask) } else { ask() };
        answer.map_err(|why| warn!(%why, "what is owed to the store of flows is not known")).ok()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that JSON has no room for.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(id: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{id:032x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}
