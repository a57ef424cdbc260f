//! Flows that several nodes share: brought up to date before a call, added to after it, one trip each.
//!
//! Every node folds the same entries in the same order, so all of them judge alike. A result is told only once its entry
//! is with the others: an agent cannot be faster than its flow. While the store is away a node goes on with what it
//! knows, says so to the policy, and keeps what it owes where every node finds it (`owed`).

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use portcullis_detect::{Flow, Footprint};
use portcullis_store::{EntryId, FlowEntry, FlowStore, Store};
use tracing::warn;

use super::Party;
use super::entry::Entry;
use super::flows::{FlowKey, Flows, Inner, Strand};
use super::journal::StepId;
use super::owed::{BETWEEN_LOOKS, Owed};
use crate::seal::{Purpose, Seal};

/// Entries and bytes after which the whole is put in their place; at least as many bytes as the whole itself has, so
/// that writing it costs no more than what led to it.
const MOST_ENTRIES: usize = 256;
const MOST_BYTES: usize = 64 << 10;
/// Entries of a flow that can be told nowhere; of more the oldest are forgotten. What they came with was not told.
const MOST_UNTOLD: usize = 256;
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
    /// How many entries were folded here that others may have in another order, or not yet.
    aside: u64,
    /// How many of them were so when all was last folded in the order of all.
    straightened: u64,
    /// Something in it was written by a newer version, or is damaged.
    is_unreadable: bool,
}

/// The way to the flows of all nodes.
pub(crate) struct Sharing {
    store: Arc<FlowStore>,
    owed: Owed,
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
            self.place.is_unreadable = entry.is_partial;
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

    /// Folds what was read after an entry; false if somebody began anew meanwhile, so that it must be read again.
    fn fold(&mut self, after: EntryId, entries: &[(EntryId, Option<Entry>)], key: u64) -> bool {
        if self.place.last < after {
            return false;
        }
        for (id, entry) in entries {
            if *id > self.place.last {
                let is_read = entry.as_ref().is_some_and(|entry| self.take(entry, key));
                self.place.is_unreadable |= !is_read;
                self.place.last = *id;
            }
        }
        true
    }

    /// Folds all there is in everybody's order, in the place of what was folded. INVARIANT: nobody judges in between.
    fn fold_anew(&mut self, entries: &[(EntryId, Option<Entry>)], straightened: u64, key: u64) {
        self.flow = Flow::new(key);
        let owed = std::mem::take(&mut self.place.owed);
        let Place { era, aside, .. } = self.place;
        self.place = Place { owed, era, aside, straightened, ..Place::default() };
        self.fold(EntryId::default(), entries, key);
    }

    fn is_long(&self) -> bool {
        let Place { entries, bytes, whole, .. } = self.place;
        entries >= MOST_ENTRIES || bytes >= MOST_BYTES.max(whole)
    }

    fn whole(&self) -> Entry {
        let allowed = self.allowed.iter().copied().collect();
        let whole = Some((self.place.last, self.flow.to_bytes()));
        // What could not be read here is not in it; whoever takes it must know.
        Entry { allowed, whole, is_partial: self.place.is_unreadable, ..Entry::of(self.is_clean) }
    }
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
                Some((others, id)) => {
                    let mut inner = strand.lock();
                    inner.fold(after, &others, flows.key());
                    // A call that caught up may have brought this one along.
                    let is_new = id > inner.place.last;
                    inner.number(step.filter(|_| is_new));
                    inner.fold(after, &[(id, Some(entry))], flows.key());
                }
                None if self.owe(flow, &entry).await => {
                    let mut inner = strand.lock();
                    inner.number(step);
                    inner.take(&entry, flows.key());
                    inner.place.aside += 1;
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
            let after = strand.lock().place.last;
            let entries = self.store.read(flow.0, after).await.ok()?;
            let entries = self.opened(flow, entries);
            if strand.lock().fold(after, &entries, flows.key()) {
                return Some(());
            }
        }
        None
    }

    /// What was folded aside was handed in: all of it is folded again in the order of all.
    async fn read_again(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        let aside = strand.lock().place.aside;
        let entries = self.store.read(flow.0, EntryId::default()).await.ok()?;
        let entries = self.opened(flow, entries);
        strand.lock().fold_anew(&entries, aside, flows.key());
        Some(())
    }

    /// The store lost what it knew: what is known here is saved, unless another node was faster.
    async fn save(&self, flow: FlowKey, strand: &Strand, flows: &Flows) -> Option<()> {
        let start = EntryId::default();
        let aside = strand.lock().place.aside;
        let entries = self.store.read(flow.0, start).await.ok()?;
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
            _ if self.aside != self.straightened => Needs::Again,
            _ => Needs::New,
        }
    }

    /// Keeps what could be told nowhere for whoever settles next.
    fn put_back(&mut self, owed: (Entry, Option<StepId>)) {
        self.owed.push_front(owed);
        let most = self.owed.len().min(MOST_UNTOLD);
        self.owed.drain(..self.owed.len() - most);
    }
}
