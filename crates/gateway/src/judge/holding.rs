//! Calls that wait for a human: bounded in number and time, found again when the agent comes back.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use tokio::sync::watch;

use super::HoldingLimits;
use crate::quarantine::now_ms;

/// What a human says about a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    pub(crate) const ALL: [(&'static str, Ruling); 3] = [
        ("allow_once", Ruling::AllowOnce),
        ("allow_destination", Ruling::AllowDestination),
        ("deny", Ruling::Deny),
    ];

    pub(crate) fn named(word: &str) -> Option<Ruling> {
        Ruling::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, ruling)| ruling)
    }
}

/// What a human sees of a call that waits; nothing in it shows a value that was masked.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
    sameness: Sameness,
    until: Instant,
    ruled: watch::Sender<Option<Ruling>>,
}

/// All calls that wait on this node.
pub(crate) struct Holding {
    limits: HoldingLimits,
    entries: Mutex<BTreeMap<String, Entry>>,
}

/// How a wait ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// A human allowed it.
    Allowed(Ruling),
    /// A human did not.
    Denied,
    /// Nobody decided yet; the same call finds its decision under this id.
    NotYet(String),
    /// Too many wait already.
    Full,
}

/// Why something cannot be decided.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Undecidable {
    Unknown,
    Decided,
}

impl Holding {
    pub(crate) fn new(limits: HoldingLimits) -> Holding {
        Holding { limits, entries: Mutex::default() }
    }

    /// Waits until a human decides, for as long as an agent may wait. The same call that comes again takes up where it
    /// was, and uses the decision up. `told` is called if it is new.
    pub(crate) async fn wait(
        &self,
        sameness: Sameness,
        question: Question,
        told: impl FnOnce(&Held),
    ) -> Waited {
        let Some((id, mut ruled)) = self.enter(sameness, question, told) else { return Waited::Full };
        let waited = tokio::time::timeout(self.limits.wait, ruled.wait_for(Option::is_some)).await;
        match waited {
            Ok(Ok(decided)) => {
                let decided = *decided;
                self.entries().remove(&id);
                match decided {
                    Some(Ruling::Deny) | None => Waited::Denied,
                    Some(allowed) => Waited::Allowed(allowed),
                }
            }
            // Its time is over, or nobody decided while the agent waited.
            Ok(Err(_)) => Waited::Denied,
            Err(_) => Waited::NotYet(id),
        }
    }

    fn enter(
        &self,
        sameness: Sameness,
        question: Question,
        told: impl FnOnce(&Held),
    ) -> Option<(String, watch::Receiver<Option<Ruling>>)> {
        let mut entries = self.entries();
        entries.retain(|_, entry| entry.until > Instant::now());
        if let Some((id, entry)) = entries.iter().find(|(_, entry)| entry.sameness == sameness) {
            return Some((id.clone(), entry.ruled.subscribe()));
        }
        if entries.len() >= self.limits.most {
            return None;
        }
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).ok()?;
        let id = format!("call-{:016x}", u64::from_le_bytes(bytes));
        let (at, keep) = (now_ms(), self.limits.keep);
        let expires = at.saturating_add(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX));
        let held = Held { id: id.clone(), question, at, expires, ruling: None, by: None };
        told(&held);
        let (ruled, receiver) = watch::channel(None);
        entries.insert(id.clone(), Entry { held, sameness, until: Instant::now() + keep, ruled });
        Some((id, receiver))
    }

    /// Decides a call.
    pub(crate) fn decide(&self, id: &str, ruling: Ruling, by: &str) -> Result<Held, Undecidable> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id).filter(|entry| entry.until > Instant::now());
        let entry = entry.ok_or(Undecidable::Unknown)?;
        if entry.held.ruling.is_some() {
            return Err(Undecidable::Decided);
        }
        (entry.held.ruling, entry.held.by) = (Some(ruling), Some(by.to_owned()));
        entry.ruled.send_replace(Some(ruling));
        Ok(entry.held.clone())
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

    /// Forgets calls whose time is over; who still waits for one is denied.
    pub(crate) fn expire(&self) -> Vec<Held> {
        let now = Instant::now();
        let mut entries = self.entries();
        let over: Vec<String> =
            entries.iter().filter(|(_, entry)| entry.until <= now).map(|(id, _)| id.clone()).collect();
        over.iter().filter_map(|id| entries.remove(id)).map(|entry| entry.held).collect()
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
        Arc::new(Holding::new(HoldingLimits { most: 2, wait, keep }))
    }

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn who_comes_again_finds_the_decision_and_uses_it_up() {
        let holding = holding(Duration::from_secs(45), LONG);
        let Waited::NotYet(id) = holding.wait([1; 32], question(), |_| {}).await else { panic!("decided") };
        assert_eq!(holding.decide(&id, Ruling::AllowOnce, "ann").map(|held| held.by), Ok(Some("ann".into())));
        assert_eq!(holding.decide(&id, Ruling::Deny, "bob").err(), Some(Undecidable::Decided));
        let again = holding.wait([1; 32], question(), |_| panic!("it is not new")).await;
        assert_eq!(again, Waited::Allowed(Ruling::AllowOnce));
        assert!(holding.all().is_empty());
        assert!(matches!(holding.wait([1; 32], question(), |_| {}).await, Waited::NotYet(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_decision_reaches_who_waits_and_many_wait_no_longer_than_allowed() {
        let holding = holding(LONG, LONG);
        let waiting = tokio::spawn({
            let holding = Arc::clone(&holding);
            async move { holding.wait([1; 32], question(), |_| {}).await }
        });
        let other = tokio::spawn({
            let holding = Arc::clone(&holding);
            async move { holding.wait([2; 32], question(), |_| {}).await }
        });
        while holding.all().len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(holding.wait([3; 32], question(), |_| {}).await, Waited::Full);
        for held in holding.all() {
            assert!(holding.decide(&held.id, Ruling::Deny, "ann").is_ok());
        }
        assert_eq!((waiting.await.unwrap(), other.await.unwrap()), (Waited::Denied, Waited::Denied));
    }

    #[tokio::test]
    async fn what_nobody_decides_in_time_is_denied() {
        let holding = holding(LONG, Duration::ZERO);
        let waiting = tokio::spawn({
            let holding = Arc::clone(&holding);
            async move { holding.wait([1; 32], question(), |_| {}).await }
        });
        while holding.expire().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(waiting.await.unwrap(), Waited::Denied);
    }
}
