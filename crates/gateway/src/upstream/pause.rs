//! The pause after a failure: whoever comes meanwhile is told at once what failed, instead of waiting for it again.

use std::time::{Duration, Instant};

use crate::wire::Fault;

/// The first pause; it doubles with every failure.
const FIRST: Duration = Duration::from_millis(250);

/// Failures in a row, and how long nobody tries again.
#[derive(Default)]
pub(super) struct Pause {
    failures: u32,
    last: Option<Failure>,
}

struct Failure {
    at: Instant,
    pause: Duration,
    fault: Fault,
}

impl Pause {
    /// The last failure, for who comes while the pause lasts, and for who came before it: those who waited for a slow
    /// attempt must not make it again one after the other.
    pub(super) fn check(&self, came: Instant) -> Result<(), Fault> {
        match &self.last {
            Some(last) if came <= last.at || last.at.elapsed() < last.pause => Err(last.fault.clone()),
            _ => Ok(()),
        }
    }

    /// Counts a failure.
    pub(super) fn failed(&mut self, fault: &Fault, longest: Duration) {
        let pause = longest.min(FIRST * 2u32.saturating_pow(self.failures.min(16)));
        self.failures = self.failures.saturating_add(1);
        self.last = Some(Failure { at: Instant::now(), pause, fault: fault.clone() });
    }

    /// It worked.
    pub(super) fn succeeded(&mut self) {
        *self = Pause::default();
    }
}

/// What one caller finds out for all, and the pause after it could not.
pub(super) struct Known<T> {
    pub(super) found: Option<T>,
    pause: Pause,
}

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known { found: None, pause: Pause::default() }
    }
}

impl<T> Known<T> {
    /// The last failure, if who came at this time should not try again.
    pub(super) fn check(&self, came: Instant) -> Result<(), Fault> {
        self.pause.check(came)
    }

    /// Keeps what was found, or the failure for as long as others need not try.
    pub(super) fn keep(&mut self, outcome: Result<T, Fault>, longest: Duration) -> Result<&T, Fault> {
        match outcome {
            Ok(found) => {
                self.pause.succeeded();
                Ok(self.found.insert(found))
            }
            Err(fault) => {
                self.pause.failed(&fault, longest);
                Err(fault)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_limit_and_end_with_success() {
        let (mut pause, fault) = (Pause::default(), Fault::internal("it broke"));
        let longest = Duration::from_secs(5);
        let before = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..40 {
            pause.failed(&fault, longest);
            assert_eq!(pause.check(before), Err(fault.clone()));
            assert_eq!(pause.check(Instant::now()), Err(fault.clone()));
            pauses.push(pause.last.as_ref().unwrap().pause);
        }
        assert!(pauses.is_sorted() && pauses[0] == FIRST && pauses[39] == longest, "{pauses:?}");
        // Who comes when the pause is over may try; who came before the failure still may not.
        pause.last.as_mut().unwrap().pause = Duration::ZERO;
        assert_eq!((pause.check(before), pause.check(Instant::now())), (Err(fault), Ok(())));
        pause.succeeded();
        assert_eq!(pause.check(before), Ok(()));
    }
}
