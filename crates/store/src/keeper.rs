//! The thread behind the log: syncs within 100 ms, follows, seals, redacts, drops. No caller waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
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
    last_retention: Instant,
}

pub(crate) fn start(
    core: Arc<Core>,
    follower: Follower,
    retention: Retention,
    inbox: Receiver<Errand>,
) -> Result<JoinHandle<()>, StoreError> {
    let keeper =
        Keeper { core, follower, retention, last_checkpoint: Instant::now(), last_retention: Instant::now() };
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
        if self.last_retention.elapsed() >= RETENTION_ROUND {
            self.last_retention = Instant::now();
            self.retain(now_us())?;
        }
        Ok(())
    }

    fn catch_up(&mut self) -> Result<(), StoreError> {
        let head = self.core.appender.head().seq;
        self.core.appender.wait_synced(head)?;
        self.follower.follow(self.core.appender.synced())
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

/// The time, for what the log records about itself.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
