//! What agents heard while things died, by the marks of their calls, and how it is held against what was recorded.

use crate::Figures;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Marks of calls that went wrong are shown up to this many.
const SHOWN: usize = 10;

/// What all agents heard.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) is_over: AtomicBool,
    /// Calls whose result came.
    answered: Mutex<BTreeSet<String>>,
    /// Calls that the policy refuses.
    forbidden: Mutex<BTreeSet<String>>,
    refused: AtomicU64,
    tried_again: AtomicU64,
    given_up: AtomicU64,
    longest_ms: AtomicU64,
}

/// The states in which each mark is recorded.
#[derive(Default)]
pub(super) struct Recorded(BTreeMap<String, BTreeSet<String>>);

impl Recorded {
    /// Reads rows of a state, a tool, a session and a mark. The result of a call has no mark unless the tool repeats what it
    /// was asked: it belongs to the only call of that tool in its session.
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a str>) -> Recorded {
        let (mut recorded, mut calls, mut ends) = (Recorded::default(), BTreeMap::new(), Vec::new());
        for row in rows {
            let mut columns = row.split('|');
            let mut next = || columns.next().unwrap_or_default();
            let (status, call, mark) = (next(), (next(), next()), next());
            if mark.is_empty() {
                ends.push((status, call));
            } else {
                calls.insert(call, mark);
                recorded.add(mark, status);
            }
        }
        for (status, call) in ends {
            // A call that echoes has its mark in both records; only one of its kind can be told by its session.
            if let Some(mark) = calls.get(&call).filter(|_| call.0 != "echo") {
                recorded.add(mark, status);
            }
        }
        recorded
    }

    fn add(&mut self, mark: &str, status: &str) {
        self.0.entry(mark.to_owned()).or_default().insert(status.to_owned());
    }

    fn has(&self, mark: &str, status: &str) -> bool {
        self.0.get(mark).is_some_and(|known| known.contains(status))
    }
}

impl Ledger {
    pub(super) fn answered(&self, mark: &str) {
        locked(&self.answered).insert(mark.to_owned());
    }

    pub(super) fn must_not_pass(&self, mark: &str) {
        locked(&self.forbidden).insert(mark.to_owned());
    }

    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn tried_again(&self) {
        self.tried_again.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn gave_up(&self, mark: &str, failure: &anyhow::Error) {
        self.given_up.fetch_add(1, Ordering::Relaxed);
        crate::say(&format!("{mark} gave up: {failure:#}"));
    }

    pub(super) fn waited(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.longest_ms.fetch_max(ms, Ordering::Relaxed);
    }

    pub(super) fn tell(&self, figures: &mut Figures) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        figures.told("calls answered", locked(&self.answered).len() as f64, "calls");
        figures.told("calls refused or asked about", count(&self.refused), "calls");
        figures.told("errors after which a call was tried again", count(&self.tried_again), "errors");
        figures.told("longest wait of an agent", count(&self.longest_ms) / 1000.0, "s");
        figures.at_most("calls that no node took in time", count(&self.given_up), "calls", 0.0);
    }

    /// Holds what was heard against what was recorded.
    pub(super) fn judge(&self, recorded: &Recorded, figures: &mut Figures) {
        let (answered, forbidden) = (locked(&self.answered), locked(&self.forbidden));
        let is_lost = |mark: &&String| !recorded.has(mark, "sent") || !recorded.has(mark, "answered");
        let lost: Vec<&String> = answered.iter().filter(is_lost).collect();
        let is_wrong = |mark: &&String| recorded.has(mark, "sent") || answered.contains(*mark);
        let wrong: Vec<&String> = forbidden.iter().filter(is_wrong).collect();
        show("answered without its records", &lost);
        show("let pass against the policy", &wrong);
        figures.told("calls that must not pass", forbidden.len() as f64, "calls");
        figures.at_most("answers without their records", lost.len() as f64, "calls", 0.0);
        figures.at_most("calls that passed against the policy", wrong.len() as f64, "calls", 0.0);
    }
}

fn show(what: &str, marks: &[&String]) {
    marks.iter().take(SHOWN).for_each(|mark| crate::say(&format!("{what}: {mark}")));
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is over the bar when `a` was answered, and this, and `b` must not pass.
    fn missed(rows: &[&str], and_answered: &str) -> Vec<String> {
        let (ledger, mut figures) = (Ledger::default(), Figures::default());
        ledger.answered("a");
        ledger.answered(and_answered);
        ledger.must_not_pass("b");
        ledger.judge(&Recorded::of(rows.iter().copied()), &mut figures);
        figures.missed
    }

    #[test]
    fn an_answer_needs_both_records_and_what_is_refused_has_none_of_them() {
        let whole = ["sent|echo|s|a", "answered|echo|s|a", "refused|echo|s|b"];
        assert!(missed(&whole, "a").is_empty());
        let lost = ["answers without their records"];
        assert_eq!(missed(&["sent|echo|s|a"], "a"), lost);
        assert_eq!(missed(&["answered|echo|s|a"], "a"), lost);
        assert_eq!(missed(&["sent|echo|s|a", "answered|echo|s|"], "a"), lost);
        let wrong = ["calls that passed against the policy"];
        assert_eq!(missed(&["sent|echo|s|a", "answered|echo|s|a", "sent|echo|s|b"], "a"), wrong);
        assert_eq!(
            missed(&["sent|echo|s|a", "answered|echo|s|a", "sent|echo|s|b", "answered|echo|s|b"], "b"),
            wrong
        );
    }

    #[test]
    fn a_result_without_a_mark_belongs_to_the_call_of_its_session() {
        assert!(missed(&["sent|read|s|a", "answered|read|s|"], "a").is_empty());
        assert_eq!(missed(&["sent|read|s|a", "answered|read|t|"], "a"), ["answers without their records"]);
    }
}
