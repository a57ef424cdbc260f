//! A flow put together from what all nodes tell of it: every node folds the same entries in the same order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use portcullis_detect::{Flow, Footprint};
use portcullis_store::{EntryId, KEPT_WITHIN};

use super::entry::Entry;
use super::flows::Inner;
use super::journal::StepId;

/// Entries and bytes after which the whole is put in their place; at least as many bytes as the whole itself has, so
/// that writing it costs no more than what led to it.
const MOST_ENTRIES: usize = 256;
const MOST_BYTES: usize = 64 << 10;
/// Entries of a flow that can be told nowhere; of more the oldest are forgotten. What they came with was not told.
const MOST_UNTOLD: usize = 256;

/// How far a node has folded a flow.
#[derive(Default)]
pub(crate) struct Place {
    pub(super) last: EntryId,
    /// Which data of the store that was read from; another if the store lost everything.
    pub(super) era: Option<u128>,
    /// When the store was last told that the flow is in use.
    pub(super) kept: Option<Instant>,
    /// What was folded since the whole was written.
    pub(super) entries: usize,
    pub(super) bytes: usize,
    /// Bytes of the whole.
    pub(super) whole: usize,
    /// What the others must hear of before anything else is told.
    pub(super) owed: VecDeque<(Entry, Option<StepId>)>,
    /// How many entries were folded here that others may have in another order, or not yet.
    pub(super) aside: u64,
    /// How many of them were so when all was last folded in the order of all.
    pub(super) straightened: u64,
    /// Something in it was written by a newer version, or is damaged.
    pub(super) is_unreadable: bool,
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
    pub(super) fn fold(&mut self, after: EntryId, entries: &[(EntryId, Option<Entry>)], key: u64) -> bool {
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
    pub(super) fn fold_anew(&mut self, entries: &[(EntryId, Option<Entry>)], straightened: u64, key: u64) {
        self.flow = Flow::new(key);
        let owed = std::mem::take(&mut self.place.owed);
        let Place { era, aside, .. } = self.place;
        self.place = Place { owed, era, aside, straightened, ..Place::default() };
        self.fold(EntryId::default(), entries, key);
    }

    pub(super) fn is_long(&self) -> bool {
        let Place { entries, bytes, whole, .. } = self.place;
        entries >= MOST_ENTRIES || bytes >= MOST_BYTES.max(whole)
    }

    pub(super) fn whole(&self) -> Entry {
        let allowed = self.allowed.iter().copied().collect();
        let whole = Some((self.place.last, self.flow.to_bytes()));
        // What could not be read here is not in it; whoever takes it must know.
        Entry { allowed, whole, is_partial: self.place.is_unreadable, ..Entry::of(self.is_clean) }
    }

    /// Folds what was read after an entry, our own among it. It is missing where somebody has already put a whole in its
    /// place, which is then all there is.
    pub(super) fn fold_own(
        &mut self,
        after: EntryId,
        entries: &[(EntryId, Option<Entry>)],
        (own, step): (EntryId, Option<StepId>),
        key: u64,
    ) {
        let (before, rest) = entries.split_at(entries.partition_point(|(id, _)| *id < own));
        self.fold(after, before, key);
        // A call that caught up may have brought it along.
        let is_new = own > self.place.last && rest.first().is_some_and(|(id, _)| *id == own);
        self.number(step.filter(|_| is_new));
        self.fold(after, rest, key);
    }

    /// Takes in an entry of our own that others hear of later, and perhaps in another place.
    pub(super) fn fold_aside(&mut self, entry: &Entry, step: Option<StepId>, key: u64) {
        self.number(step);
        self.take(entry, key);
        self.place.aside += 1;
    }
}

/// What a flow needs to be known.
pub(super) enum Needs {
    /// What is new.
    New,
    /// That the others hear what they missed.
    Again,
    /// That what is known here is not lost.
    Saving,
}

impl Place {
    pub(super) fn needs(&self, era: u128) -> Needs {
        match self.era {
            Some(read) if read != era => Needs::Saving,
            _ if self.aside != self.straightened => Needs::Again,
            _ => Needs::New,
        }
    }

    /// Whether the store must hear again that the flow is in use, though nothing is added to it.
    pub(super) fn is_keeping_due(&self, idle: Duration) -> bool {
        self.kept.is_none_or(|kept| kept.elapsed() >= idle / KEPT_WITHIN)
    }

    /// Keeps what could be told nowhere for whoever settles next.
    pub(super) fn put_back(&mut self, owed: (Entry, Option<StepId>)) {
        self.owed.push_front(owed);
        let most = self.owed.len().min(MOST_UNTOLD);
        self.owed.drain(..self.owed.len() - most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::FlowLimits;
    use crate::judge::flows::{FlowKey, Flows};
    use portcullis_detect::call::{Call, Override, ToolProfile};
    use portcullis_detect::json::Json;
    use portcullis_detect::sensitive::SensitiveData;
    use portcullis_detect::{Guard, GuardSettings};

    const KEY: u64 = 7;

    fn id(number: u128) -> EntryId {
        EntryId::from_bytes(number.to_be_bytes())
    }

    fn told(number: u8) -> (EntryId, Option<Entry>) {
        (id(number.into()), Some(Entry { allowed: vec![[number; 32]], ..Entry::of(true) }))
    }

    /// A flow that nobody here has seen anything of.
    fn with_new(test: impl FnOnce(&mut Inner)) {
        let flows = Flows::new(KEY, FlowLimits::default());
        test(&mut flows.get(FlowKey(1), &"agent".into()).0.lock());
    }

    fn known(inner: &Inner) -> Vec<u8> {
        inner.allowed.iter().map(|way| way[0]).collect()
    }

    #[test]
    fn an_entry_of_our_own_is_folded_between_those_of_others() {
        with_new(|inner| {
            inner.fold_own(EntryId::default(), &[told(1), told(2), told(3)], (id(2), None), KEY);
            assert_eq!((known(inner), inner.place.last, inner.place.entries), (vec![1, 2, 3], id(3), 3));
            inner.fold_own(EntryId::default(), &[told(1), told(2), told(3)], (id(2), None), KEY);
            assert_eq!(inner.place.entries, 3, "nothing is folded twice");
        });
    }

    #[test]
    fn the_store_hears_in_time_that_a_flow_is_in_use() {
        let kept = Instant::now();
        let place = |kept| Place { kept, ..Place::default() };
        assert!(place(None).is_keeping_due(Duration::MAX));
        assert!(!place(Some(kept)).is_keeping_due(Duration::from_secs(3600)));
        assert!(place(Some(kept)).is_keeping_due(Duration::ZERO));
    }

    #[test]
    fn a_whole_that_took_its_place_counts_with_all_it_covers() {
        let mut flow = Flow::new(KEY);
        let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
        let profile = ToolProfile::of_call("get_record", &[], &Override::default());
        let call = Call { server: "crm", tool: "get_record", arguments: &Json::Null, intent: None, at_ms: 0 };
        let text = Json::String("the account of jane.doe@corporate.example is GB33BUKB20201555555555".into());
        flow.remember(guard.observe_result(&call, &profile, &flow, &text).memory);
        let whole = flow.to_bytes();
        with_new(|inner| {
            inner.fold(EntryId::default(), &[told(1)], KEY);
            // Ours was the third; the second, of another node, was never seen here.
            let allowed = vec![[1; 32], [2; 32], [3; 32]];
            let taken = Entry { allowed, whole: Some((id(3), whole.clone())), ..Entry::of(true) };
            inner.fold_own(id(1), &[(id(4), Some(taken))], (id(3), None), KEY);
            assert_eq!((known(inner), inner.place.last), (vec![1, 2, 3], id(4)));
            assert_eq!(inner.flow.to_bytes(), whole);
        });
    }
}
