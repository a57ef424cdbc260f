//! Deadlines that nearly always pass unneeded. To set a timer and to take it back costs two turns at a list that all
//! threads share; here one that is set stays set, and is only asked what for when it goes off.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt;
use tokio::time::{Instant, Sleep};

/// Timers kept for the next who waits; who finds none makes one.
const MOST_KEPT: usize = 64;

/// A timer that is set for one deadline after the other.
#[derive(Default)]
struct Patience(Option<Pin<Box<Sleep>>>);

impl Patience {
    /// Ready when the deadline has passed.
    fn poll(&mut self, until: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let timer = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        if timer.deadline() > until {
            timer.as_mut().reset(until);
        }
        loop {
            ready!(timer.as_mut().poll(cx));
            // It was set for somebody else's deadline before.
            if timer.deadline() >= until {
                return Poll::Ready(());
            }
            timer.as_mut().reset(until);
        }
    }
}

/// Lets things take only so long.
#[derive(Default)]
pub(crate) struct Deadlines(Mutex<Vec<Patience>>);

impl Deadlines {
    /// What comes of it; `None` if that takes longer.
    pub(crate) async fn within<F: Future>(&self, time: Duration, future: F) -> Option<F::Output> {
        // Nobody lives to see a deadline that no clock can tell.
        let until = Instant::now().checked_add(time);
        let mut future = pin!(future);
        let mut patience = None;
        let output = poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            let Some(until) = until else { return Poll::Pending };
            patience.get_or_insert_with(|| self.take()).poll(until, cx).map(|()| None)
        })
        .await;
        patience.into_iter().for_each(|patience| self.put(patience));
        output
    }

    fn take(&self) -> Patience {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, patience: Patience) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(patience);
        }
    }
}

/// The clock of a connection, which waits for the head of one request after the other.
#[derive(Clone, Default)]
pub(crate) struct Clock(Arc<Mutex<Patience>>);

impl rt::Timer for Clock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, until: std::time::Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Until { until: until.into(), clock: self.clone() })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

/// One wait by a clock.
struct Until {
    until: Instant,
    clock: Clock,
}

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.clock.0.lock().unwrap_or_else(PoisonError::into_inner).poll(self.until, cx)
    }
}

impl rt::Sleep for Until {}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::rt::Timer;
    use std::future::{pending, ready};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_timer_goes_off_for_the_deadline_it_is_asked_about() {
        let (deadlines, began) = (Deadlines::default(), Instant::now());
        assert_eq!(deadlines.within(LONG, ready(7)).await, Some(7));
        // Each is set while the one before is: later, earlier, and after it went off.
        for time in [SHORT, LONG, SHORT, SHORT] {
            let before = Instant::now();
            let soon = deadlines.within(time, tokio::time::sleep(SHORT / 2)).await;
            assert_eq!((soon, before.elapsed()), (Some(()), SHORT / 2));
            let before = Instant::now();
            assert_eq!(deadlines.within(time, pending::<()>()).await, None);
            assert_eq!(before.elapsed(), time);
            assert_eq!(deadlines.0.lock().unwrap().len(), 1, "one serves all of them");
        }
        assert!(began.elapsed() > LONG);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_the_end_of_time() {
        let deadlines = Deadlines::default();
        assert_eq!(deadlines.within(Duration::MAX, tokio::time::sleep(LONG)).await, Some(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_asked_for_one_wait_after_the_other() {
        let (clock, began) = (Clock::default(), Instant::now());
        let first = clock.sleep_until((began + LONG).into_std());
        assert!(tokio::time::timeout(SHORT, first).await.is_err(), "it is dropped before it is over");
        clock.sleep_until((began + LONG + SHORT).into_std()).await;
        assert_eq!(began.elapsed(), LONG + SHORT);
        clock.sleep_until((began + LONG + SHORT * 2).into_std()).await;
        assert_eq!(began.elapsed(), LONG + SHORT * 2);
    }
}
