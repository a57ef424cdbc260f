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
                    let _ = self.mending(Keeper::round);
                    continue;
                }
                Ok(Errand::End) | Err(RecvTimeoutError::Disconnected) => {
                    let _ = self.mending(Keeper::flush);
                    return;
                }
                Ok(Errand::Flush(answer)) => answer.send(self.mending(Keeper::flush)),
                Ok(Errand::Retain(now_us, answer)) => answer.send(self.mending(|this| this.retain(now_us))),
                Ok(Errand::Redact { from, through, now_us, answer }) => {
                    answer.send(self.mending(|this| this.redact(from, through, now_us)))
                }
            };
        }
    }

    /// Does something that needs the index; a damaged one is built anew first, and a record says so.
    fn mending(
        &mut self,
        mut work: impl FnMut(&mut Keeper) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match work(self) {
            Err(StoreError::IndexDamaged(what)) => {
                self.follower.begin_anew()?;
                self.core.note(
                    now_us(),
                    &format!("the index was damaged and is built anew: {what}"),
                    None,
                )?;
                work(self)
            }
            outcome => outcome,
        }
    }

    fn round(&mut self) -> Result<(), StoreError> {
        // The other thread syncs: a disk that is asked twice as often only makes those wait who write.
        self.follower.follow(&self.core.appender)?;
        if self.last_checkpoint.elapsed() >= Duration::from_secs(EVERY_SECONDS) {
            self.follower.checkpoint()?;
            self.last_checkpoint = Instant::now();
        }
        self.follower.seal_before(self.core.appender.open_since())?;
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
        self.follower.follow(&self.core.appender)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Parts, prepare};
    use crate::record::{Draft, Kind, Status};
    use crate::scratch::Scratch;
    use crate::{ActivityReader, Filter};
    use portcullis_detect::sensitive::SensitiveData;
    use std::fs;

    fn stage(scratch: &Scratch) -> (Keeper, crate::directory::Held) {
        let Parts { held, core, follower } = prepare(scratch.root(), SensitiveData::new()).unwrap();
        let now = Instant::now();
        let next_retention = (now, RETENTION_ROUND);
        (
            Keeper { core, follower, retention: Retention::default(), last_checkpoint: now, next_retention },
            held,
        )
    }

    fn record(keeper: &Keeper) -> u64 {
        keeper.core.write(&Draft::new(Kind::Alert, Status::Noted, 7), None).unwrap()
    }

    #[test]
    fn a_checkpoint_is_signed_when_a_minute_has_passed() {
        let scratch = Scratch::new();
        let (mut keeper, _held) = stage(&scratch);
        let seq = record(&keeper);
        keeper.core.appender.wait_synced(seq).unwrap();
        let signed = || fs::read_to_string(scratch.root().join("checkpoints.jsonl")).unwrap_or_default();
        keeper.round().unwrap();
        assert_eq!(signed(), "");
        let minute = Duration::from_secs(EVERY_SECONDS);
        keeper.last_checkpoint = Instant::now().checked_sub(minute).expect("the machine is up for a minute");
        keeper.round().unwrap();
        assert!(signed().contains(&format!("\"seq\":{seq},")), "{}", signed());
    }

    #[test]
    fn an_index_found_damaged_while_writing_is_built_anew() {
        let scratch = Scratch::new();
        let (mut keeper, _held) = stage(&scratch);
        (0..1_500).for_each(|_| assert!(record(&keeper) > 0));
        keeper.flush().unwrap();
        let mut times = 0;
        let outcome = keeper.mending(|this| {
            times += 1;
            if times == 1 { Err(StoreError::IndexDamaged("on purpose".into())) } else { this.flush() }
        });
        outcome.unwrap();
        let reader = ActivityReader::open(scratch.root()).unwrap();
        assert_eq!(reader.lag().unwrap(), 0);
        // The first record says which key signs, the last that the index was damaged.
        assert_eq!(reader.list(&Filter::default(), None, 9_999).unwrap().entries.len(), 1_502);
        assert_eq!(reader.summary(i64::MIN, i64::MAX, &crate::DIMENSIONS).unwrap().records, 1_502);
        let last = reader.record(1_502).unwrap().body.unwrap().note.unwrap().text;
        assert!(last.contains("on purpose"), "{last}");
    }

    #[test]
    fn what_was_written_is_synced_without_the_keeper() {
        let scratch = Scratch::new();
        let (keeper, _held) = stage(&scratch);
        let _syncer = Syncer::start(Arc::clone(&keeper.core)).unwrap();
        let seq = record(&keeper);
        let begin = Instant::now();
        while keeper.core.appender.synced() < seq {
            // The promise is 100 ms; a crowded machine gets more before this counts as never.
            assert!(begin.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
    }
}
