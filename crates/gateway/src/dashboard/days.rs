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

/// Days that are over, by their number since 1970.
#[derive(Default)]
pub(crate) struct PastDays(Mutex<BTreeMap<i64, Counted>>);

impl PastDays {
    fn get(&self, day: i64) -> Option<Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&day).cloned()
    }

    /// Remembers a day, and forgets those no page shows any more.
    fn keep(&self, day: i64, counted: &Counted, first: i64) {
        let mut days = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        days.retain(|known, _| *known >= first);
        days.insert(day, counted.clone());
    }
}

/// The last days, the oldest first. Whoever asks may read activity.
pub(super) async fn counted(visit: &Visit) -> Result<Vec<Counted>, Refused> {
    let today = now_us().div_euclid(DAY_US);
    let first = today - DAYS + 1;
    let mut days = Vec::new();
    for day in first..=today {
        let counted = match visit.gate.past_days.get(day) {
            Some(counted) => counted,
            None => {
                let counted = count(visit, day).await?;
                if day <= today - OPEN {
                    visit.gate.past_days.keep(day, &counted, first);
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
    fn only_days_that_a_page_shows_are_kept() {
        let (past, day) = (PastDays::default(), |all| Counted { all, ..Counted::default() });
        past.keep(3, &day(1), 1);
        past.keep(5, &day(2), 4);
        assert_eq!((past.get(3), past.get(5)), (None, Some(day(2))));
    }
}
