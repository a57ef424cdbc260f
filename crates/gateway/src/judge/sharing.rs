//! Flows that several nodes share: brought up to date before a call, added to after it, one trip each.
//!
//! Every node folds the same entries in the same order, so all of them judge alike. A result is told only once its entry
//! is with the others: an agent cannot be faster than its flow. While the store is away a node goes on with what it
//! knows, says so to the policy, and hands in later what it owes.

use std::collections::VecDeque;
use std::sync::Arc;

use portcullis_detect::{Flow, Footprint};
use portcullis_store::{EntryId, FlowEntry, FlowStore};
use tracing::warn;

use super::entry::Entry;
use super::flows::{FlowKey, Flows, Inner, Strand};
use super::journal::StepId;
use crate::seal::{Purpose, Seal};

/// Entries and bytes after which the whole is put in their place; at least as many bytes as the whole itself has, so
/// that writing it costs no more than what led to it.
const MOST_ENTRIES: usize = 256;
const MOST_BYTES: usize = 64 << 10;
/// Bytes of entries kept for a store that is away; of more the oldest are not handed in.
const MOST_UNSENT: usize = 1 << 20;

/// Whether a node knows all of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Everything that went before.
    All,
    /// What it saw itself, and perhaps no more.
    NotAll,
}

/// How far a node has folded a flow.
#[derive(Default)]
pub(crate) struct Place {
    last: EntryId,
    /// Which data of the store that was read from; another if the store lost everything.
    era: Option<u128>,
    /// What was folded since the whole was written.
    entries: usize,
    bytes: usize,
    /// Bytes of the whole.
    whole: usize,
    /// What the others must hear of before anything else is told.
    owed: VecDeque<(Entry, Option<StepId>)>,
    /// What is folded here and could not be handed in.
    unsent: VecDeque<Entry>,
    /// Something in it was written by a newer version, or is damaged.
    is_unreadable: bool,
}

/// The way to the flows of all nodes.
pub(crate) struct Sharing {
    store: Arc<FlowStore>,
    seal: Seal,
}

impl Inner {
    /// Takes in what a call and its result left: at once, or with the others in their order.
    pub(super) fn leave(&mut self, mut footprint: Footprint<'_>, step: Option<StepId>, is_shared: bool) {
        if !is_shared {
            self.number(step);
            self.flow.take(footprint);
            return;
        }
        footprint.shrink();
        let entry = Entry { footprint: Some(footprint.to_bytes()), ..Entry::of(self.is_clean) };
        self.place.owed.push_back((entry, step));
    }

    /// Lets the others know that something was raised here, or that a human allowed these ways out.
    pub(super) fn tell(&mut self, allowed: Vec<[u8; 32]>, is_shared: bool) {
        if is_shared {
            self.place.owed.push_back((Entry { allowed, ..Entry::of(self.is_clean) }, None));
        }
    }

    /// The journal knows a result by the number that it has in the flow.
    fn number(&mut self, step: Option<StepId>) {
        if let Some(step) = step {
            self.journal.numbered(step, self.flow.calls());
        }
    }

    /// Takes in an entry; false if it cannot be read.
    fn take(&mut self, entry: &Entry, key: u64) -> bool {
        if let Some((covers, whole)) = &entry.whole {
            self.place.whole = whole.len();
            (self.place.entries, self.place.bytes) = (0, 0);
            // What it was made of is known here already.
            if self.place.last == *covers {
                return true;
            }
            let Some(flow) = Flow::from_bytes(whole, key) else { return false };
            (self.flow, self.is_clean) = (flow, entry.is_clean);
            self.place.is_unreadable = false;
        }
        self.is_clean &= entry.is_clean;
        self.allowed.extend(&entry.allowed);
        self.place.entries += 1;
        let Some(bytes) = &entry.footprint else { return true };
        self.place.bytes += bytes.len();
        let footprint = Footprint::from_bytes(bytes);
        let is_read = footprint.is_some();
        footprint.into_iter().for_each(|footprint| self.flow.take(footprint));
        is_read
    }

    /// Folds what was read after an entry.
    fn fold(&mut self, after: EntryId, entries: &[(EntryId, Option<Entry>)], key: u64) {
        // Somebody began anew meanwhile; whoever looks next reads it all.
        if self.place.last < after {
            return;
        }
        for (id, entry) in entries {
            if *id > self.place.last {
                let is_read = entry.as_ref().is_some_and(|entry| self.take(entry, key));
                self.place.is_unreadable |= !is_read;
                self.place.last = *id;
            }
        }
    }

    /// Forgets what was folded, to fold it again in everybody's order.
    fn begin_anew(&mut self, key: u64) {
        self.flow = Flow::new(key);
        let owed = std::mem::take(&mut self.place.owed);
        self.place = Place { owed, era: self.place.era, ..Place::default() };
    }

    fn is_long(&self) -> bool {
        let Place { entries, bytes, whole, .. } = self.place;
        entries >= MOST_ENTRIES || bytes >= MOST_BYTES.max(whole)
    }

    fn whole(&self) -> Entry {
        let allowed = self.allowed.iter().copied().collect();
        let whole = Some((self.place.last, self.flow.to_bytes()));
        Entry { allowed, whole, ..Entry::of(self.is_clean) }
    }
}

impl Sharing {
    pub(crate) fn new(store: Arc<FlowStore>, seal_key: &[u8; 32]) -> Sharing {
        Sharing { store, seal: Seal::new(seal_key) }
    }

    pub(crate) fn store(&self) -> &Arc<FlowStore> {
        &self.store
    }

    /// Takes in what other nodes saw of a flow.
    pub(super) async fn catch_up(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Known {
        let Some(era) = self.store.era() else { return Known::NotAll };
        let needs = strand.lock().place.needs(era);
        let is_read = match needs {
            Needs::New => self.read(flow, strand, flows).await,
            Needs::Again => self.hand_in(flow, strand, flows).await,
            Needs::Saving => self.save(flow, strand, flows).await,
        };
        let mut inner = strand.lock();
        if is_read.is_none() || inner.place.is_unreadable {
            return Known::NotAll;
        }
        inner.place.era = Some(era);
        Known::All
    }

    /// Hands in what is owed, in the order of all nodes. What cannot be handed in is folded here all the same.
    pub(super) async fn settle(self: &Arc<Self>, flow: FlowKey, strand: &Arc<Strand>, flows: &Flows) {
        loop {
            let (owed, after) = {
                let mut inner = strand.lock();
                let Some(owed) = inner.place.owed.pop_front() else { break };
                (owed, inner.place.last)
            };
            let (entry, step) = owed;
            let told = self.append(flow, after, &entry).await;
            let mut inner = strand.lock();
            match told {
                Some((others, id)) => {
                    inner.fold(after, &others, flows.key());
                    // Another result may have brought this one along.
                    let is_new = id > inner.place.last;
                    inner.number(step.filter(|_| is_new));
                    inner.fold(after, &[(id, Some(entry))], flows.key());
                }
                None => {
                    inner.number(step);
                    inner.take(&entry, flows.key());
                    inner.place.keep(entry);
                }
            }
        }
        if strand.lock().is_long() {
            let (sharing, strand) = (Arc::clone(self), Arc::clone(strand));
            tokio::spawn(async move { sharing.shorten(flow, &strand).await });
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
        let after = strand.lock().place.last;
        let entries = self.store.read(flow.0, after).await.ok()?;
        let entries = self.opened(flow, entries);
        strand.lock().fold(after, &entries, flows.key());
        Some(())
    }

    /// The store is back: the others hear what they missed, and all of it is folded again in the order of all.
    async fn hand_in(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        loop {
            let (after, entry) = {
                let inner = strand.lock();
                let Some(entry) = inner.place.unsent.front().cloned() else { break };
                (inner.place.last, entry)
            };
            self.append(flow, after, &entry).await?;
            let mut inner = strand.lock();
            if inner.place.unsent.front() == Some(&entry) {
                inner.place.unsent.pop_front();
            }
        }
        strand.lock().begin_anew(flows.key());
        self.read(flow, strand, flows).await
    }

    /// The store lost what it knew: what is known here is saved, unless another node was faster.
    async fn save(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        let start = EntryId::default();
        let entries = self.store.read(flow.0, start).await.ok()?;
        let entries = self.opened(flow, entries);
        let is_saved =
            entries.iter().any(|(_, entry)| entry.as_ref().is_some_and(|entry| entry.whole.is_some()));
        let (last, whole) = {
            let mut inner = strand.lock();
            let unsent = std::mem::take(&mut inner.place.unsent);
            if is_saved {
                inner.begin_anew(flows.key());
                inner.fold(start, &entries, flows.key());
                let owed = unsent.into_iter().map(|entry| (entry, None));
                inner.place.owed.extend(owed);
                return Some(());
            }
            inner.place.last = start;
            inner.fold(start, &entries, flows.key());
            (inner.place.last, inner.whole())
        };
        let id = self.store.replace(flow.0, last, &self.sealed(flow, &whole)?).await.ok()?;
        // If somebody was faster, it is tried again with the next call.
        id.map(|id| strand.lock().fold(last, &[(id, Some(whole))], flows.key()))
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
    ) -> Option<(Vec<(EntryId, Option<Entry>)>, EntryId)> {
        let (others, id) = self.store.append(flow.0, after, &self.sealed(flow, entry)?).await.ok()?;
        Some((self.opened(flow, others), id))
    }

    fn sealed(&self, flow: FlowKey, entry: &Entry) -> Option<Vec<u8>> {
        self.seal.seal_bytes(Purpose::Flow, &flow.0.to_be_bytes(), &entry.to_bytes())
    }

    /// Entries as they were before they were sealed; `None` in the place of one that cannot be read.
    fn opened(&self, flow: FlowKey, entries: Vec<FlowEntry>) -> Vec<(EntryId, Option<Entry>)> {
        let open = |sealed: &[u8]| {
            let plain = self.seal.open_bytes(Purpose::Flow, &flow.0.to_be_bytes(), sealed);
            let entry = plain.and_then(|plain| Entry::from_bytes(&plain));
            if entry.is_none() {
                warn!("part of a flow cannot be read: another seal_key, or a newer version, wrote it");
            }
            entry
        };
        entries.into_iter().map(|(id, sealed)| (id, open(&sealed))).collect()
    }
}

/// What a flow needs to be known.
enum Needs {
    /// What is new.
    New,
    /// That the others hear what they missed.
    Again,
    /// That what is known here is not lost.
    Saving,
}

impl Place {
    fn needs(&self, era: u128) -> Needs {
        match self.era {
            Some(read) if read != era => Needs::Saving,
            _ if !self.unsent.is_empty() => Needs::Again,
            _ => Needs::New,
        }
    }

    /// Keeps an entry until the store is back.
    fn keep(&mut self, entry: Entry) {
        self.unsent.push_back(entry);
        while self.unsent.len() > 1 && self.unsent.iter().map(Entry::size).sum::<usize>() > MOST_UNSENT {
            warn!(
                "the store of flows is away for so long that other gateways will not hear of all that passed here"
            );
            self.unsent.pop_front();
        }
    }
}
