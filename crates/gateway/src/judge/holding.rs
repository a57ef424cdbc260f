//! Calls that wait for a human: bounded in number and time, found again when the agent comes back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::HoldingLimits;
use crate::quarantine::now_ms;

/// What a human says about a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ruling {
    /// It may pass, once.
    AllowOnce,
    /// It may pass, and so may others of this agent with the same tool to the same places.
    AllowDestination,
    /// It may not.
    Deny,
}

impl Ruling {
    pub(crate) const ALL: [Ruling; 3] = [Ruling::AllowOnce, Ruling::AllowDestination, Ruling::Deny];

    /// The word used in configurations, records and REST.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Ruling::AllowOnce => "allow_once",
            Ruling::AllowDestination => "allow_destination",
            Ruling::Deny => "deny",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Ruling> {
        Ruling::ALL.into_iter().find(|ruling| ruling.as_str() == word)
    }
}

/// What a human sees of a call that waits; nothing in it shows a value that was masked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) session: String,
    pub(crate) agent: String,
    pub(crate) risk: u8,
    pub(crate) rules: Vec<String>,
    pub(crate) why: Vec<String>,
    pub(crate) destinations: Vec<String>,
    /// The arguments, masked and cut.
    pub(crate) arguments: String,
}

/// A call that waits, or was decided.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) question: Question,
    /// When it was held, in milliseconds since 1970.
    pub(crate) at: u64,
    /// When nobody can decide it any more.
    pub(crate) expires: u64,
    pub(crate) ruling: Option<Ruling>,
    pub(crate) by: Option<String>,
}

/// What the same call is recognised by.
pub(crate) type Sameness = [u8; 32];

struct Entry {
    held: Held,
    /// Another node wrote it down, and records its end.
    is_others: bool,
    /// Every node can find it written down, until it has its end.
    is_kept: bool,
    sameness: Sameness,
    until: Instant,
    ruled: watch::Sender<Option<Ruling>>,
}

/// All calls that wait on this node, or came to it again from another.
pub(crate) struct Holding {
    limits: HoldingLimits,
    entries: Mutex<BTreeMap<String, Entry>>,
    /// Other nodes have them from now on.
    are_left: AtomicBool,
}

impl Entry {
    /// The call, if its end must be recorded here.
    fn unended(self) -> Option<Held> {
        Some(self.held).filter(|held| held.ruling.is_none() && !self.is_others)
    }
}

impl Used {
    pub(crate) fn held(&self) -> &Held {
        &self.0.held
    }

    pub(crate) fn sameness(&self) -> &Sameness {
        &self.0.sameness
    }
}

/// A call's place among those that wait.
pub(crate) struct Waiting {
    pub(crate) id: String,
    /// Whether it was not there before.
    pub(crate) is_new: bool,
    /// When its agent is told to come again.
    until: tokio::time::Instant,
    ruled: watch::Receiver<Option<Ruling>>,
}

/// A decision that was used up.
pub(crate) struct Used(Entry);

/// How a wait ended.
pub(crate) enum Waited {
    /// A human allowed it.
    Allowed(Ruling, Box<Used>),
    /// A human did not.
    Denied,
    /// Nobody did, and nobody can any more.
    Lapsed,
    /// A human decided it, and the same call used that up just now, here or on another node.
    UsedUp,
    /// Nobody decided yet; the same call will find its decision.
    NotYet,
}

/// Why something cannot be decided.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Undecidable {
    Unknown,
    Decided,
}

impl Holding {
    pub(crate) fn new(limits: HoldingLimits) -> Holding {
        Holding { limits, entries: Mutex::default(), are_left: AtomicBool::new(false) }
    }

    /// Lets a call wait. The same call that comes again takes up where it was. `told` is called if it is new, and says whether
    /// it was written down. `None` if too many wait.
    pub(crate) fn enter(
        &self,
        sameness: Sameness,
        question: Question,
        told: impl FnOnce(&Held) -> bool,
    ) -> Option<Waiting> {
        let until = tokio::time::Instant::now() + self.limits.wait;
        let mut entries = self.entries();
        // Those whose time is over stay until their end is recorded.
        let now = Instant::now();
        let live = || entries.iter().filter(|(_, entry)| entry.until > now);
        if let Some((id, entry)) = live().find(|(_, entry)| entry.sameness == sameness) {
            return Some(Waiting { id: id.clone(), is_new: false, until, ruled: entry.ruled.subscribe() });
        }
        if live().count() >= self.limits.most {
            return None;
        }
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).ok()?;
        let id = format!("call-{:016x}", u64::from_le_bytes(bytes));
        let (at, keep) = (now_ms(), self.limits.keep);
        let expires = at.saturating_add(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX));
        let held = Held { id: id.clone(), question, at, expires, ruling: None, by: None };
        let is_kept = told(&held);
        let (ruled, receiver) = watch::channel(None);
        let until_kept = Instant::now() + keep;
        let entry = Entry { held, is_others: false, is_kept, sameness, until: until_kept, ruled };
        entries.insert(id.clone(), entry);
        Some(Waiting { id, is_new: true, until, ruled: receiver })
    }

    /// The same call, if it waits here: its id.
    pub(crate) fn known(&self, sameness: &Sameness) -> Option<String> {
        let now = Instant::now();
        let entries = self.entries();
        let same = entries.iter().find(|(_, entry)| entry.until > now && entry.sameness == *sameness);
        same.map(|(id, _)| id.clone())
    }

    /// The calls that wait here for a decision and that every node can find written down.
    pub(crate) fn kept(&self) -> Vec<String> {
        let entries = self.entries();
        let waits = |entry: &Entry| entry.is_kept && entry.held.ruling.is_none();
        entries.iter().filter(|(_, entry)| waits(entry)).map(|(id, _)| id.clone()).collect()
    }

    /// Forgets a call that had its end on another node: what was decided about it was used there. One that was not written
    /// down has its end here.
    pub(crate) fn ended_elsewhere(&self, id: &str) {
        let mut entries = self.entries();
        if entries.get(id).is_some_and(|entry| entry.is_kept && entry.held.ruling.is_none())
            && let Some(entry) = entries.remove(id)
        {
            // INVARIANT: a word without its entry lets nothing pass; whoever waits here hears that another was faster.
            entry.ruled.send_replace(Some(Ruling::AllowOnce));
        }
    }

    /// Calls that wait here and that no other node knows of.
    pub(crate) fn unkept(&self) -> Vec<Held> {
        let now = Instant::now();
        let is_alone = |entry: &&Entry| entry.until > now && !entry.is_kept;
        self.entries().values().filter(is_alone).map(|entry| entry.held.clone()).collect()
    }

    /// Takes up a call that came to another node first, with what was decided about it.
    pub(crate) fn take_up(&self, held: Held, sameness: Sameness) {
        let left = Duration::from_millis(held.expires.saturating_sub(now_ms())).min(self.limits.keep);
        let mut entries = self.entries();
        if entries.len() < self.limits.most && !entries.contains_key(&held.id) {
            let ruled = watch::Sender::new(held.ruling);
            let until = Instant::now() + left;
            let (is_others, is_kept) = (true, true);
            entries.insert(held.id.clone(), Entry { held, is_others, is_kept, sameness, until, ruled });
        }
    }

    /// Takes over what was decided elsewhere.
    pub(crate) fn hear(&self, decided: &[Held]) {
        for (held, ruling) in decided.iter().filter_map(|held| Some((held, held.ruling?))) {
            let by = held.by.as_deref().unwrap_or_default();
            // Most of them wait elsewhere, or were decided here.
            let _ = self.decide(&held.id, ruling, by, |_| {});
        }
    }

    /// Whether anything here waits for a decision.
    pub(crate) fn is_waiting(&self) -> bool {
        self.entries().values().any(|entry| entry.held.ruling.is_none())
    }

    /// Waits until a human decides, for as long as an agent may wait, and uses the decision up.
    pub(crate) async fn decided(&self, waiting: &mut Waiting) -> Waited {
        let ruled = waiting.ruled.wait_for(Option::is_some);
        let ruling = match tokio::time::timeout_at(waiting.until, ruled).await {
            Ok(Ok(ruling)) => *ruling,
            Ok(Err(_)) if self.are_left.load(Ordering::Relaxed) => return Waited::NotYet,
            // Its time is over, or the gateway's.
            Ok(Err(_)) => return Waited::Lapsed,
            Err(_) => return Waited::NotYet,
        };
        let entry = self.entries().remove(&waiting.id);
        match (ruling, entry) {
            (None | Some(Ruling::Deny), _) => Waited::Denied,
            (Some(ruling), Some(entry)) => Waited::Allowed(ruling, Box::new(Used(entry))),
            // The same call came twice at a time, and the other was first.
            (Some(_), None) => Waited::UsedUp,
        }
    }

    /// Gives a decision back: the call was answered with a question, and the same call will bring the answer.
    pub(crate) fn give_back(&self, used: Used) {
        let mut entries = self.entries();
        if entries.len() < self.limits.most {
            entries.insert(used.0.held.id.clone(), used.0);
        }
    }

    /// Decides a call, once. `told` is called before the call hears of it: the record comes before the effect.
    pub(crate) fn decide(
        &self,
        id: &str,
        ruling: Ruling,
        by: &str,
        told: impl FnOnce(&Held),
    ) -> Result<Held, Undecidable> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id).filter(|entry| entry.until > Instant::now());
        let entry = entry.ok_or(Undecidable::Unknown)?;
        if entry.held.ruling.is_some() {
            return Err(Undecidable::Decided);
        }
        (entry.held.ruling, entry.held.by) = (Some(ruling), Some(by.to_owned()));
        told(&entry.held);
        entry.ruled.send_replace(Some(ruling));
        Ok(entry.held.clone())
    }

    /// How long a call can be decided.
    pub(crate) fn keeps(&self) -> Duration {
        self.limits.keep
    }

    /// How often an agent that waits hears of it.
    pub(crate) fn tells(&self) -> Duration {
        self.limits.tell
    }

    /// All that wait or were decided and not used yet, the oldest first.
    pub(crate) fn all(&self) -> Vec<Held> {
        let now = Instant::now();
        let entries = self.entries();
        let mut all: Vec<Held> =
            entries.values().filter(|entry| entry.until > now).map(|entry| entry.held.clone()).collect();
        all.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        all
    }

    /// Forgets calls whose time is over, and returns those of this node that nobody decided; whoever still waits for one is told no.
    pub(crate) fn expire(&self) -> Vec<Held> {
        let now = Instant::now();
        let mut entries = self.entries();
        let over: Vec<String> =
            entries.iter().filter(|(_, entry)| entry.until <= now).map(|(id, _)| id.clone()).collect();
        over.iter().filter_map(|id| entries.remove(id)).filter_map(Entry::unended).collect()
    }

    /// Forgets all calls, and returns those that nobody decided.
    pub(crate) fn end(&self) -> Vec<Held> {
        let entries = std::mem::take(&mut *self.entries());
        entries.into_values().filter_map(Entry::unended).collect()
    }

    /// Leaves all calls to other nodes; whoever waits here is told to come again.
    pub(crate) fn leave(&self) {
        self.are_left.store(true, Ordering::Relaxed);
        self.entries().clear();
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    fn question() -> Question {
        Question {
            server: "mail".into(),
            tool: "send".into(),
            session: "s".into(),
            agent: "a".into(),
            risk: 90,
            rules: vec!["flow.instruction_to_action".into()],
            why: Vec::new(),
            destinations: Vec::new(),
            arguments: "{}".into(),
        }
    }

    fn holding(wait: Duration, keep: Duration) -> Arc<Holding> {
        Arc::new(Holding::new(HoldingLimits { most: 2, wait, keep, ..HoldingLimits::default() }))
    }

    const LONG: Duration = Duration::from_secs(3600);

    /// How a call of this number ends that waits.
    async fn ends(holding: &Holding, number: u8) -> &'static str {
        let Some(mut waiting) = holding.enter([number; 32], question(), |_| true) else { return "full" };
        word(&holding.decided(&mut waiting).await)
    }

    fn word(waited: &Waited) -> &'static str {
        match waited {
            Waited::Allowed(..) => "allowed",
            Waited::Denied => "denied",
            Waited::Lapsed => "lapsed",
            Waited::UsedUp => "used up",
            Waited::NotYet => "not yet",
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_again_finds_the_decision_and_uses_it_up() {
        let holding = holding(Duration::from_secs(45), LONG);
        assert_eq!(ends(&holding, 1).await, "not yet");
        let id = holding.all()[0].id.clone();
        let by = |held: Held| held.by;
        assert_eq!(holding.decide(&id, Ruling::AllowOnce, "ann", |_| {}).map(by), Ok(Some("ann".into())));
        let again = holding.decide(&id, Ruling::Deny, "bob", |_| panic!("it is decided"));
        assert_eq!(again.err(), Some(Undecidable::Decided));
        let mut waiting = holding.enter([1; 32], question(), |_| panic!("it is not new")).unwrap();
        let mut twin = holding.enter([1; 32], question(), |_| panic!("it is not new")).unwrap();
        let Waited::Allowed(Ruling::AllowOnce, used) = holding.decided(&mut waiting).await else {
            panic!("it was allowed")
        };
        assert_eq!(word(&holding.decided(&mut twin).await), "used up");
        assert!(holding.all().is_empty());
        holding.give_back(*used);
        assert_eq!(ends(&holding, 1).await, "allowed");
        assert_eq!(ends(&holding, 1).await, "not yet");
    }

    #[tokio::test(start_paused = true)]
    async fn a_decision_reaches_who_waits_and_many_wait_no_longer_than_allowed() {
        let holding = holding(LONG, LONG);
        let waiting = [1, 2].map(|number| {
            let holding = Arc::clone(&holding);
            tokio::spawn(async move { ends(&holding, number).await })
        });
        while holding.all().len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(ends(&holding, 3).await, "full");
        for held in holding.all() {
            assert!(holding.decide(&held.id, Ruling::Deny, "ann", |_| {}).is_ok());
        }
        for one in waiting {
            assert_eq!(one.await.unwrap(), "denied");
        }
    }

    #[tokio::test]
    async fn what_nobody_decides_in_time_is_denied() {
        let holding = holding(LONG, Duration::ZERO);
        let waiting = tokio::spawn({
            let holding = Arc::clone(&holding);
            async move { ends(&holding, 1).await }
        });
        while holding.expire().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(waiting.await.unwrap(), "lapsed");
    }

    #[tokio::test(start_paused = true)]
    async fn what_had_its_end_on_another_node_is_forgotten_unless_only_this_one_knew_of_it() {
        let holding = holding(Duration::from_secs(60), Duration::from_secs(600));
        let mut waiting = holding.enter([1; 32], question(), |_| true).unwrap();
        let alone = holding.enter([2; 32], question(), |_| false).unwrap();
        assert_eq!(holding.kept(), [waiting.id.as_str()]);
        [&waiting.id, &alone.id].into_iter().for_each(|id| holding.ended_elsewhere(id));
        assert!(matches!(holding.decided(&mut waiting).await, Waited::UsedUp));
        assert_eq!((holding.known(&[1; 32]), holding.known(&[2; 32])), (None, Some(alone.id.clone())));
        assert_eq!(holding.unkept()[0].id, alone.id);
    }
}
