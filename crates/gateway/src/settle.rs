//! A task that wakes itself is polled again where it stands, without a detour by the scheduler.
//!
//! One task serves a client's connection, its request and the connection to the server, and these wake each other while
//! they are polled. To the runtime a task that was woken while it ran has yielded: it goes to the end of a queue, and
//! another thread is woken to help with it, which finds nothing to do. That cost as much as everything we do with a call.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// So often a future is polled before others have their turn; a call needs three or four.
const MOST: usize = 16;

/// Nobody polls: whoever wakes us wakes the task.
const RESTING: u8 = 0;
/// Somebody polls, and nothing happened since.
const POLLED: u8 = 1;
/// Something happened since: what was polled must be polled again.
const WOKEN: u8 = 2;

/// Polls a future until nothing happens any more while it is polled.
pub(crate) async fn settled<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let bell = Arc::new(Bell { state: AtomicU8::new(RESTING), task: Mutex::new(Waker::noop().clone()) });
    let waker = Waker::from(Arc::clone(&bell));
    poll_fn(move |cx| {
        bell.belongs_to(cx.waker());
        for _ in 0..MOST {
            bell.state.swap(POLLED, Ordering::AcqRel);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
            if bell.rests() {
                return Poll::Pending;
            }
        }
        bell.state.store(RESTING, Ordering::Release);
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// What wakes the future. INVARIANT: a wake is either seen before the poll ends, or reaches the task.
struct Bell {
    state: AtomicU8,
    task: Mutex<Waker>,
}

impl Bell {
    fn belongs_to(&self, task: &Waker) {
        self.task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(task);
    }

    /// Ends the polling, unless something happened.
    fn rests(&self) -> bool {
        self.state.compare_exchange(POLLED, RESTING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let noted = self.state.compare_exchange(POLLED, WOKEN, Ordering::AcqRel, Ordering::Acquire);
        if noted == Err(RESTING) {
            self.task.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Wakes itself so often before it is ready; returns how often it was polled and its task woken at the first poll.
    fn first_poll(wakes: usize) -> (bool, usize, usize) {
        let (task, mut polls) = (Arc::<Task>::default(), 0);
        let future = settled(poll_fn(|cx| {
            polls += 1;
            if polls > wakes {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        }));
        let is_ready = Box::pin(future)
            .as_mut()
            .poll(&mut Context::from_waker(&Waker::from(Arc::clone(&task))))
            .is_ready();
        (is_ready, polls, task.0.load(Ordering::Relaxed))
    }

    #[test]
    fn what_wakes_itself_is_polled_again_at_once() {
        assert_eq!(first_poll(0), (true, 1, 0));
        assert_eq!(first_poll(5), (true, 6, 0));
    }

    #[test]
    fn what_wakes_itself_for_ever_lets_others_have_their_turn() {
        assert_eq!(first_poll(usize::MAX), (false, MOST, 1));
    }

    #[test]
    fn a_wake_from_outside_reaches_the_task() {
        let task = Arc::<Task>::default();
        let (mut inner, mut polls) = (None, 0);
        let mut future = Box::pin(settled(poll_fn(|cx| {
            polls += 1;
            inner = Some(cx.waker().clone());
            Poll::<()>::Pending
        })));
        assert!(future.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&task)))).is_pending());
        drop(future);
        assert_eq!(polls, 1);
        assert!(std::thread::spawn(move || inner.map(Waker::wake)).join().is_ok());
        assert_eq!(task.0.load(Ordering::Relaxed), 1);
    }
}
