//! The same thing happening again: told when it begins, and once more, with a count, when its window ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::raised::{Raised, Sameness};

/// Windows that are open at a time; what comes beyond is told each time.
const MOST: usize = 1024;

/// The windows that are open.
#[derive(Default)]
pub(super) struct Repeats(BTreeMap<Sameness, Window>);

struct Window {
    raised: Raised,
    until: Instant,
    again: u64,
}

impl Repeats {
    /// Whether it is told now; otherwise it is counted.
    pub(super) fn is_first(&mut self, raised: &Raised, now: Instant, window: Duration) -> bool {
        let sameness = raised.sameness();
        match self.0.get_mut(&sameness) {
            Some(open) => {
                open.again += 1;
                // The last is told: it may name a call that still waits.
                open.raised = raised.clone();
                false
            }
            None => {
                if self.0.len() < MOST {
                    let open = Window { raised: raised.clone(), until: now + window, again: 0 };
                    self.0.insert(sameness, open);
                }
                true
            }
        }
    }

    /// Closes windows whose time is over, and returns what happened again in them, with how often.
    pub(super) fn over(&mut self, now: Instant) -> Vec<(Raised, u64)> {
        let mut over = Vec::new();
        self.0.retain(|_, open| {
            let is_open = open.until > now;
            if !is_open && open.again > 0 {
                over.push((open.raised.clone(), open.again));
            }
            is_open
        });
        over
    }
}

#[cfg(test)]
mod tests {
    use super::super::raised::What;
    use super::*;

    #[test]
    fn what_happens_again_is_told_once_more_with_a_count() {
        let (mut repeats, now, window) = (Repeats::default(), Instant::now(), Duration::from_secs(60));
        let one = Raised::about(What::CallDenied, "mail", "send");
        assert!(repeats.is_first(&one, now, window));
        assert!(!repeats.is_first(&one, now, window) && !repeats.is_first(&one, now, window));
        for other in [
            Raised { tool: "read".into(), ..one.clone() },
            Raised { flow: 7, ..one.clone() },
            Raised { rules: vec!["canary.seen".into()], ..one.clone() },
            Raised { what: What::CallHeld, ..one.clone() },
        ] {
            assert!(repeats.is_first(&other, now, window), "{other:?}");
        }
        assert!(repeats.over(now).is_empty());
        let over = repeats.over(now + window);
        assert_eq!(
            over.iter().map(|(raised, count)| (&*raised.tool, *count)).collect::<Vec<_>>(),
            [("send", 2)]
        );
        assert!(repeats.is_first(&one, now + window, window), "a new window begins");
    }

    #[test]
    fn no_more_is_remembered_than_may_be() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        for flow in 0..2 * MOST as u128 {
            let raised = Raised { flow, ..Raised::about(What::CallDenied, "mail", "send") };
            assert!(repeats.is_first(&raised, now, Duration::from_secs(60)));
        }
        assert_eq!(repeats.0.len(), MOST);
    }
}
