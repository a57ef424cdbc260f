//! Flows that several nodes share: brought up to date before a call, added to after it, one trip each.
//!
//! Every node folds the same entries in the same order, so all of them judge alike. A result is told only once its entry
//! is with the others: an agent cannot be faster than its flow. While the store is away a node goes on with what it
//! knows, says so to the policy, and keeps what it owes where every node finds it (`owed`).

use std::sync::{Arc, Weak};
use std::time::Instant;

use portcullis_store::{EntryId, FlowEntry, FlowStore, Store};
use tracing::warn;

use super::Party;
use super::entry::Entry;
use super::flows::{FlowKey, Flows, Strand};
use super::folding::Needs;
use super::owed::{BETWEEN_LOOKS, Owed};
use crate::seal::{Purpose, Seal};

/// How often a flow is read again that another call began anew meanwhile.
const MOST_READS: usize = 3;

/// Whether a node knows all of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Everything that went before.
    All,
    /// What it saw itself, and perhaps no more.
    NotAll,
}

/// The way to the flows of all nodes.
pub(crate) struct Sharing {
    store: Arc<FlowStore>,
    owed: Owed,
    seal: Seal,
}

impl Sharing {
    /// `store` is where approvals are, and what is owed; `waits` says that it may let its callers wait.
    pub(crate) fn new(
        flows: Arc<FlowStore>,
        store: Arc<dyn Store>,
        waits: bool,
        seal_key: &[u8; 32],
    ) -> Sharing {
        Sharing { store: flows, owed: Owed::new(store, waits), seal: Seal::new(seal_key) }
    }

    pub(crate) fn store(&self) -> &Arc<FlowStore> {
        &self.store
    }

    /// Hands in from time to time what any node owes; it ends when nobody shares any more.
    pub(crate) async fn look_after(sharing: Weak<Sharing>) {
        while let Some(this) = sharing.upgrade() {
            // If it cannot be done now, whoever calls next tries too, and knows that not all is known.
            let _ = this.owed.look(&this.store).await;
            drop(this);
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Takes in what other nodes saw of a flow.
    pub(super) async fn catch_up(&self, party: &Party, strand: &Strand, flows: &Flows) -> Known {
        let Some(era) = self.store.era() else { return Known::NotAll };
        if !self.owed.is_clear(era) && self.owed.look(&self.store).await.is_none() {
            return Known::NotAll;
        }
        let (flow, needs) = (party.flow, strand.lock().place.needs(era));
        let is_read = match needs {
            Needs::New => self.read(flow, strand, flows).await,
            Needs::Again => self.read_again(flow, strand, flows).await,
            Needs::Saving => self.save(flow, strand, flows).await,
        };
        let mut inner = strand.lock();
        if is_read.is_none() {
            return Known::NotAll;
        }
        inner.place.era = Some(era);
        let is_known = !inner.place.is_unreadable && !self.owed.may_be_lost(party.began_ms, flows.idle());
        if is_known { Known::All } else { Known::NotAll }
    }

    /// Hands in what is owed, in the order of all nodes; false if nobody else can know of it, now or later.
    pub(super) async fn settle(self: &Arc<Self>, flow: FlowKey, strand: &Arc<Strand>, flows: &Flows) -> bool {
        // One at a time: a result may not be told while another's task still carries its entry.
        let _one = strand.settling.lock().await;
        loop {
            let (owed, after) = {
                let mut inner = strand.lock();
                let Some(owed) = inner.place.owed.pop_front() else { break };
                (owed, inner.place.last)
            };
            let (entry, step) = owed;
            match self.append(flow, after, &entry).await {
                Some((came, id)) => {
                    let entries = self.opened_around(flow, came, (id, entry));
                    strand.lock().fold_own(after, &entries, (id, step), flows.key());
                }
                None if self.owe(flow, &entry).await => {
                    strand.lock().fold_aside(&entry, step, flows.key());
                }
                None => {
                    strand.lock().place.put_back((entry, step));
                    return false;
                }
            }
        }
        if strand.lock().is_long() {
            let (sharing, strand) = (Arc::clone(self), Arc::clone(strand));
            tokio::spawn(async move { sharing.shorten(flow, &strand).await });
        }
        true
    }

    /// Keeps an entry for the store; false if that cannot be done either.
    async fn owe(&self, flow: FlowKey, entry: &Entry) -> bool {
        match self.sealed(flow, entry) {
            Some(sealed) => self.owed.keep(flow, &sealed).await,
            None => false,
        }
    }

    /// A flow has ended everywhere.
    pub(super) fn end(&self, flow: FlowKey) {
        let store = Arc::clone(&self.store);
        // If it cannot be removed now, it goes by itself when nobody uses it.
        tokio::spawn(async move { store.end(flow.0).await });
    }

    /// Reads what is new.
    async fn read(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        for _ in 0..MOST_READS {
            let (after, is_kept) = {
                let place = &strand.lock().place;
                (place.last, place.is_keeping_due(flows.idle()))
            };
            let entries = self.store.read(flow.0, after, is_kept).await.ok()?;
            let entries = self.opened(flow, entries);
            let mut inner = strand.lock();
            if is_kept {
                inner.place.kept = Some(Instant::now());
            }
            if inner.fold(after, &entries, flows.key()) {
                return Some(());
            }
        }
        None
    }

    /// What was folded aside was handed in: all of it is folded again in the order of all.
    async fn read_again(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        let aside = strand.lock().place.aside;
        let entries = self.store.read(flow.0, EntryId::default(), true).await.ok()?;
        let entries = self.opened(flow, entries);
        strand.lock().fold_anew(&entries, aside, flows.key());
        Some(())
    }

    /// The store lost what it knew: what is known here is saved, unless another node was faster.
    async fn save(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        let start = EntryId::default();
        let aside = strand.lock().place.aside;
        let entries = self.store.read(flow.0, start, true).await.ok()?;
        let entries = self.opened(flow, entries);
        let is_saved =
            entries.iter().any(|(_, entry)| entry.as_ref().is_some_and(|entry| entry.whole.is_some()));
        let (last, whole) = {
            let mut inner = strand.lock();
            if is_saved {
                inner.fold_anew(&entries, aside, flows.key());
                return Some(());
            }
            inner.place.last = start;
            inner.fold(start, &entries, flows.key());
            (inner.place.last, inner.whole())
        };
        let id = self.store.replace(flow.0, last, &self.sealed(flow, &whole)?).await.ok()?;
        // If somebody was faster, it is tried again with the next call.
        id.map(|id| strand.lock().fold(last, &[(id, Some(whole))], flows.key())).map(drop)
    }

    /// Puts the whole in the place of what it was made of.
    async fn shorten(&self, flow: FlowKey, strand: &Strand) {
        let (last, whole) = {
            let inner = strand.lock();
            (inner.place.last, inner.whole())
        };
        let Some(sealed) = self.sealed(flow, &whole) else { return };
        // If somebody was faster, or the store is away, the next call tries again.
        if let Ok(Some(id)) = self.store.replace(flow.0, last, &sealed).await {
            let mut inner = strand.lock();
            if inner.place.last == last {
                inner.place.last = id;
                (inner.place.entries, inner.place.bytes, inner.place.whole) = (0, 0, sealed.len());
            }
        }
    }

    async fn append(
        &self,
        flow: FlowKey,
        after: EntryId,
        entry: &Entry,
    ) -> Option<(Vec<FlowEntry>, EntryId)> {
        self.store.append(flow.0, after, &self.sealed(flow, entry)?).await.ok()
    }

    fn sealed(&self, flow: FlowKey, entry: &Entry) -> Option<Vec<u8>> {
        self.seal.seal_bytes(Purpose::Flow, &flow.0.to_be_bytes(), &entry.to_bytes())
    }

    /// Entries as they were before they were sealed; `None` in the place of one that cannot be read.
    fn opened(&self, flow: FlowKey, entries: Vec<FlowEntry>) -> Vec<(EntryId, Option<Entry>)> {
        entries.into_iter().map(|(id, sealed)| (id, self.open(flow, &sealed))).collect()
    }

    /// The same; one of them, if it is there, is known.
    fn opened_around(
        &self,
        flow: FlowKey,
        entries: Vec<FlowEntry>,
        (known, entry): (EntryId, Entry),
    ) -> Vec<(EntryId, Option<Entry>)> {
        let mut entry = Some(entry);
        let open =
            |(id, sealed): FlowEntry| (id, if id == known { entry.take() } else { self.open(flow, &sealed) });
        entries.into_iter().map(open).collect()
    }

    fn open(&self, flow: FlowKey, sealed: &[u8]) -> Option<Entry> {
        let plain = self.seal.open_bytes(Purpose::Flow, &flow.0.to_be_bytes(), sealed);
        let entry = plain.and_then(|plain| Entry::from_bytes(&plain));
        if entry.is_none() {
            warn!("part of a flow cannot be read: another seal_key, or a newer version, wrote it");
        }
        entry
    }
}
