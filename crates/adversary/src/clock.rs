//! The time since the server started, as triggers see it.

use std::time::Instant;

pub(crate) trait Clock: Send + Sync {
    /// Seconds since the start.
    fn seconds(&self) -> u64;
}

/// The real clock, made to run faster if a day is too long to wait.
pub(crate) struct Running {
    start: Instant,
    speed: u64,
}

impl Running {
    pub(crate) fn start(speed: u64) -> Running {
        Running { start: Instant::now(), speed }
    }
}

impl Clock for Running {
    fn seconds(&self) -> u64 {
        let seconds = self.start.elapsed().as_millis().saturating_mul(u128::from(self.speed)) / 1000;
        u64::try_from(seconds).unwrap_or(u64::MAX)
    }
}
