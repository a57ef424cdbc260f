//! How much was recorded and refused, day by day. Days that are long over are counted once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portcullis_dashboard::overview::Counted;
use portcullis_store::time_text;
use serde_json::Value;

use super::visit::Visit;
use crate::api::Refused;
use crate::session::now_us;

/// Days on the overview.
const DAYS: i64 = 14;
const DAY_US: i64 = 86_400_000_000;
/// Days that may still change: today, and yesterday while nodes' clocks differ.
const OPEN: i64 = 2;

/// What is over, and never changes: days by their number since 1970, the rules of decisions by the number of the record.
#[derive(Default)]
pub(crate) struct Past {
    days: Kept<i64, Counted>,
    pub(super) rules: Kept<u64, Vec<String>>,
}

/// Values of some numbers.
pub(super) struct Kept<K, V>(Mutex<BTreeMap<K, V>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Kept(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Kept<K, V> {
    pub(super) fn get(&self, number: K) -> Option<V> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    /// Remembers one, and forgets those before the first that a page shows.
    pub(super) fn keep(&self, number: K, value: V, first: &K) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known, _| known >= first);
        all.insert(number, value);
    }
}

/// The last days, the oldest first. Whoever asks may read activity.
pub(super) async fn counted(visit: &Visit) -> Result<Vec<Counted>, Refused> {
    let today = now_us().div_euclid(DAY_US);
    let first = today - DAYS + 1;
    let mut days = Vec::new();
    for day in first..=today {
        let counted = match visit.gate.past.days.get(day) {
            Some(counted) => counted,
            None => {
                let counted = count(visit, day).await?;
                if day <= today - OPEN {
                    visit.gate.past.days.keep(day, counted.clone(), &first);
                }
                counted
            }
        };
        days.push(counted);
    }
    Ok(days)
}

async fn count(visit: &Visit, day: i64) -> Result<Counted, Refused> {
    let (since, until) = (day * DAY_US, day * DAY_US + DAY_US - 1);
    let told: Value =
        visit.get(&format!("/activity/summary?since_us={since}&until_us={until}&by=kind,status")).await?;
    let statuses = told["counts"]["status"].as_array().into_iter().flatten();
    let refused = statuses.filter(|one| one["value"] == "refused").filter_map(|one| one["count"].as_u64());
    Ok(Counted {
        date: time_text(since).chars().take(10).collect(),
        all: told["records"].as_u64().unwrap_or_default(),
        refused: refused.sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_page_shows_is_kept() {
        let past = Kept::default();
        past.keep(3, "long over", &1);
        past.keep(5, "lately", &4);
        assert_eq!((past.get(3), past.get(5)), (None, Some("lately")));
    }
}
