//! News: told to whoever listens, numbered, and the last of them kept for who comes back.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast::{self, Receiver};

/// News that are kept, and that may wait for a slow listener.
const MOST: usize = 256;

/// News of one kind.
pub(crate) struct News<T> {
    sender: broadcast::Sender<(u64, T)>,
    kept: Mutex<Kept<T>>,
}

struct Kept<T> {
    /// How many there were.
    count: u64,
    last: VecDeque<(u64, T)>,
}

/// Somebody who listens: first to what was missed, then to what comes.
pub(crate) struct Listener<T> {
    missed: VecDeque<(u64, T)>,
    coming: Receiver<(u64, T)>,
    /// The last that was missed comes no second time.
    seen: u64,
}

impl<T: Clone> News<T> {
    pub(crate) fn new() -> News<T> {
        let (sender, _) = broadcast::channel(MOST);
        News { sender, kept: Mutex::new(Kept { count: 0, last: VecDeque::new() }) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, news: T) {
        let mut kept = self.kept();
        kept.count += 1;
        let told = (kept.count, news);
        if kept.last.len() == MOST {
            kept.last.pop_front();
        }
        kept.last.push_back(told.clone());
        // Nobody may be listening. Sent under the lock, so that numbers arrive in their order.
        let _ = self.sender.send(told);
    }

    /// Listens to what comes from now on.
    pub(crate) fn listen(&self) -> Listener<T> {
        self.listen_after(None)
    }

    /// Listens to what came after a number, as far as it is kept, and to what comes.
    pub(crate) fn listen_after(&self, number: Option<u64>) -> Listener<T> {
        let kept = self.kept();
        let is_missed = |(one, _): &&(u64, T)| number.is_some_and(|number| *one > number);
        let missed = kept.last.iter().filter(is_missed).cloned().collect();
        Listener { missed, coming: self.sender.subscribe(), seen: kept.count }
    }

    pub(crate) fn listeners(&self) -> usize {
        self.sender.receiver_count()
    }
}

impl<T: Clone> Listener<T> {
    /// What comes next; `None` when there will be no more. Who is too slow misses some: lists that changed are told
    /// again by the next change.
    pub(crate) async fn next(&mut self) -> Option<(u64, T)> {
        if let Some(missed) = self.missed.pop_front() {
            return Some(missed);
        }
        loop {
            match self.coming.recv().await {
                Ok((number, _)) if number <= self.seen => {}
                Ok(news) => return Some(news),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_comes_back_hears_what_was_missed_once() {
        let news = News::new();
        (1..=3).for_each(|number| news.tell(number));
        let mut late = news.listen_after(Some(1));
        let mut new = news.listen();
        news.tell(4);
        for expected in [2, 3, 4] {
            assert_eq!(late.next().await, Some((expected, expected)));
        }
        assert_eq!(new.next().await, Some((4, 4)));
    }

    #[tokio::test]
    async fn no_more_is_kept_than_may_be() {
        let news = News::new();
        (0..1000).for_each(|number| news.tell(number));
        assert_eq!(news.listen_after(Some(0)).missed.len(), MOST);
        assert_eq!(news.listen_after(Some(999)).next().await, Some((1000, 999)));
    }
}
