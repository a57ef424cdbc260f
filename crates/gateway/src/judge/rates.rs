//! How often an agent may call: counted in windows of fixed length, over all nodes where flows are shared.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use portcullis_decide::suppression::is_match;
use portcullis_store::Counter;

use super::flows::FlowKey;
use super::{Judge, Party};
use crate::quarantine::now_ms;

/// Counters a node keeps; those of windows that are over go first.
const MOST_COUNTERS: usize = 65_536;

/// How often each agent may call certain tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Which servers; `*` stands for any run of characters.
    pub server: String,
    /// Which tools.
    pub tool: String,
    /// Calls in one window.
    pub calls: u64,
    /// How long a window is.
    pub window: Duration,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(super) calls: u64,
    pub(super) window_s: u64,
    /// When the next window begins.
    pub(super) again_s: u64,
}

/// What this node counted, by counter: when its window ends, in milliseconds since 1970, and the calls in it.
#[derive(Default)]
pub(super) struct Rates(Mutex<HashMap<u128, (u64, u64)>>);

impl Rates {
    /// One more call in the window that ends then; how many there are now.
    fn count(&self, key: u128, ends_ms: u64, now_ms: u64) -> u64 {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= MOST_COUNTERS && !counters.contains_key(&key) {
            // What is left are agents of this very moment; who comes on top counts from one with each call.
            counters.retain(|_, (ends, _)| *ends > now_ms);
        }
        let is_full = counters.len() >= MOST_COUNTERS;
        match counters.get_mut(&key) {
            Some((ends, calls)) if *ends == ends_ms => *calls += 1,
            Some(counter) => *counter = (ends_ms, 1),
            None if is_full => return 1,
            None => drop(counters.insert(key, (ends_ms, 1))),
        }
        counters.get(&key).map_or(1, |(_, calls)| *calls)
    }
}

impl Judge {
    /// Counts a call against every limit it falls under; the one that was reached, if any was. While the store of flows is
    /// away each node counts for itself.
    pub(crate) async fn reached(&self, party: &Party, server: &str, tool: &str) -> Option<Reached> {
        let bench = self.bench();
        let limits = &bench.rules.rates;
        let meant: Vec<&RateLimit> = limits
            .iter()
            .filter(|limit| is_match(&limit.server, server) && is_match(&limit.tool, tool))
            .collect();
        if meant.is_empty() {
            return None;
        }
        let now = now_ms();
        let counters: Vec<Counter> = meant.iter().map(|limit| limit.counter(&party.agent, now)).collect();
        let counters_of = meant.iter().zip(&counters);
        let here: Vec<u64> = counters_of
            .map(|(limit, counter)| self.rates.count(counter.key, limit.ends_ms(now), now))
            .collect();
        let everywhere = match &self.sharing {
            Some(sharing) => sharing.store().count(&counters).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let counted =
            here.iter().enumerate().map(|(at, here)| (*here).max(everywhere.get(at).copied().unwrap_or(0)));
        let mut over = meant.iter().zip(counted).filter(|(limit, calls)| *calls > limit.calls);
        over.next().map(|(limit, _)| limit.reached(now))
    }

    /// Whether anything is limited at all.
    pub(crate) fn limits_rates(&self) -> bool {
        !self.bench().rules.rates.is_empty()
    }
}

impl RateLimit {
    fn window_ms(&self) -> u64 {
        u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// Where calls of an agent are counted now. Who changes a limit begins to count anew.
    fn counter(&self, agent: &str, now_ms: u64) -> Counter {
        let window_ms = self.window_ms();
        let parts = [
            b"rate".as_slice(),
            agent.as_bytes(),
            self.server.as_bytes(),
            self.tool.as_bytes(),
            &window_ms.to_le_bytes(),
        ];
        Counter { key: FlowKey::of(&parts).0, window: now_ms / window_ms, lasts: self.window }
    }

    /// When the window ends that is now.
    fn ends_ms(&self, now_ms: u64) -> u64 {
        let window_ms = self.window_ms();
        now_ms.saturating_add(window_ms - now_ms % window_ms)
    }

    fn reached(&self, now_ms: u64) -> Reached {
        let (window_ms, left_ms) = (self.window_ms(), self.ends_ms(now_ms) - now_ms);
        Reached { calls: self.calls, window_s: window_ms / 1000, again_s: left_ms.div_ceil(1000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_counts_for_itself_in_every_window() {
        let limit =
            RateLimit { server: "*".into(), tool: "*".into(), calls: 2, window: Duration::from_secs(60) };
        let rates = Rates::default();
        let count = |agent: &str, at_ms: u64| {
            rates.count(limit.counter(agent, at_ms).key, limit.ends_ms(at_ms), at_ms)
        };
        assert_eq!([count("a", 0), count("a", 59_999), count("b", 1), count("a", 1)], [1, 2, 1, 3]);
        assert_eq!([count("a", 60_000), count("b", 60_000)], [1, 1]);
        assert_eq!(limit.reached(59_001), Reached { calls: 2, window_s: 60, again_s: 1 });
        assert_eq!(limit.reached(60_000).again_s, 60);
    }

    #[test]
    fn counters_are_bounded_and_old_windows_go_first() {
        let rates = Rates::default();
        // A longer window of another limit is not over yet.
        assert_eq!(rates.count(u128::MAX - 1, 9000, 500), 1);
        (1..MOST_COUNTERS as u128).for_each(|key| assert_eq!(rates.count(key, 1000, 500), 1));
        assert_eq!([rates.count(u128::MAX, 2000, 999), rates.count(u128::MAX, 2000, 999)], [1, 1], "no room");
        assert_eq!([rates.count(u128::MAX, 2000, 1500), rates.count(u128::MAX, 2000, 1500)], [1, 2]);
        assert_eq!(rates.count(u128::MAX - 1, 9000, 1500), 2);
        assert_eq!(rates.0.lock().unwrap().len(), 2);
    }
}
