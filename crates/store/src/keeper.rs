//! The threads behind the log: one syncs within 100 ms, one follows, seals, redacts, drops. No caller waits for them.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::StoreError;
use crate::checkpoint::EVERY_SECONDS;
use crate::follower::Follower;
use crate::log::Core;
use crate::retention::{self, Retention};

/// Half of the 100 ms within which a record is on the disk: the sync itself takes time.
const ROUND: Duration = Duration::from_millis(50);
/// How often the retention is applied.
const RETENTION_ROUND: Duration = Duration::from_secs(600);
/// When it is applied first: soon, because some gates live for minutes only.
const FIRST_RETENTION: Duration = Duration::from_secs(10);

/// What the keeper can be asked; it answers when it is done.
pub(crate) enum Errand {
    Flush(Sender<Result<(), StoreError>>),
    Retain(i64, Sender<Result<(), StoreError>>),
    Redact { from: u64, through: u64, now_us: i64, answer: Sender<Result<(), StoreError>> },
    End,
}

struct Keeper {
    core: Arc<Core>,
    follower: Follower,
    retention: Retention,
    last_checkpoint: Instant,
    /// When the retention is due, counted from here.
    next_retention: (Instant, Duration),
}

pub(crate) fn start(
    core: Arc<Core>,
    follower: Follower,
    retention: Retention,
    inbox: Receiver<Errand>,
) -> Result<JoinHandle<()>, StoreError> {
    let now = Instant::now();
    let next_retention = (now, FIRST_RETENTION);
    let keeper = Keeper { core, follower, retention, last_checkpoint: now, next_retention };
    let thread = std::thread::Builder::new().name("activity-keeper".into());
    thread.spawn(move || keeper.run(&inbox)).map_err(|error| StoreError::Stopped(error.to_string()))
}

impl Keeper {
    fn run(mut self, inbox: &Receiver<Errand>) {
        loop {
            // An errand's asker may have gone; its work is done all the same.
            let _ = match inbox.recv_timeout(ROUND) {
                Err(RecvTimeoutError::Timeout) => {
                    // What fails here fails again in the next round, and in the next append if it is the disk.
                    let _ = self.round();
                    continue;
                }
                Ok(Errand::End) | Err(RecvTimeoutError::Disconnected) => {
                    let _ = self.flush();
                    return;
                }
                Ok(Errand::Flush(answer)) => answer.send(self.flush()),
                Ok(Errand::Retain(now_us, answer)) => answer.send(self.retain(now_us)),
                Ok(Errand::Redact { from, through, now_us, answer }) => {
                    answer.send(self.redact(from, through, now_us))
                }
            };
        }
    }

    fn round(&mut self) -> Result<(), StoreError> {
        self.catch_up()?;
        if self.last_checkpoint.elapsed() >= Duration::from_secs(EVERY_SECONDS) {
            self.follower.checkpoint()?;
            self.last_checkpoint = Instant::now();
        }
        self.follower.seal()?;
        let (since, wait) = self.next_retention;
        if since.elapsed() >= wait {
            self.next_retention = (Instant::now(), RETENTION_ROUND);
            self.retain(now_us())?;
        }
        Ok(())
    }

    fn catch_up(&mut self) -> Result<(), StoreError> {
        let head = self.core.appender.head().seq;
        self.core.appender.wait_synced(head)?;
        if self.follower.follow(self.core.appender.synced())? {
            self.core.note(now_us(), "the index was damaged and was built anew", None)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.catch_up()?;
        self.follower.checkpoint()?;
        self.follower.seal()
    }

    fn retain(&mut self, now_us: i64) -> Result<(), StoreError> {
        self.catch_up()?;
        retention::apply(&self.core, &mut self.follower, &self.retention, now_us)
    }

    fn redact(&mut self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError> {
        self.catch_up()?;
        retention::redact(&self.core, &mut self.follower, from, through, now_us)
    }
}

/// Syncs what was written, whatever else the keeper is busy with; ends when it is dropped.
pub(crate) struct Syncer {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(crate) fn start(core: Arc<Core>) -> Result<Syncer, StoreError> {
        let (end, is_ended) = mpsc::channel();
        let rounds = move || {
            while is_ended.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
                // What fails here stops the log: the next append says so.
                let _ = core.appender.wait_synced(core.appender.head().seq);
            }
        };
        let thread = std::thread::Builder::new().name("activity-syncer".into()).spawn(rounds);
        let thread = thread.map_err(|error| StoreError::Stopped(error.to_string()))?;
        Ok(Syncer { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

/// The time, for what the log records about itself.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
