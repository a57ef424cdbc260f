//! The end of the log: places records in the chain, writes them, and syncs them for many callers at once.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::StoreError;
use crate::directory::sync_folder;
use crate::error::At;
use crate::frame::Unplaced;
use crate::fresh::Fresh;
use crate::index::Indexed;
use crate::keys::{ChainKey, Hash};
use crate::medium::Medium;
use crate::record::Facts;
use crate::segment::{FULL, Preamble, Segment};

/// The last record there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

/// Where the log ends.
pub(crate) struct End {
    pub(crate) segment: Segment,
    pub(crate) medium: Arc<dyn Medium>,
    /// Bytes in the segment.
    pub(crate) length: u64,
    pub(crate) head: Head,
    /// When the oldest record of the segment happened.
    pub(crate) oldest_us: Option<i64>,
}

/// Appends from many threads. One lock orders the writes; another groups the syncs, so that nobody who only writes
/// waits for the disk.
pub(crate) struct Appender {
    folder: PathBuf,
    writer: String,
    key: ChainKey,
    writing: Mutex<Writing>,
    syncing: Mutex<Syncing>,
    /// Where callers wait: those whom the running sync serves at one, those of the next at the other.
    groups: [Condvar; 2],
}

/// What one sync brings to the disk.
struct Unsynced {
    through: u64,
    path: PathBuf,
    full: Vec<Arc<dyn Medium>>,
    current: Arc<dyn Medium>,
}

struct Writing {
    end: End,
    /// Files that are full but perhaps not on the disk yet.
    unsynced: Vec<Arc<dyn Medium>>,
    buffer: Vec<u8>,
    /// What was written since the follower last asked.
    fresh: Fresh,
    failure: Option<String>,
}

#[derive(Default)]
struct Syncing {
    /// The last record known to be on the disk.
    through: u64,
    is_running: bool,
    /// The last record the running sync, or the last one, takes along.
    covering: u64,
    /// Which group the running sync serves.
    group: usize,
    /// Syncs so far.
    count: u64,
}

impl Appender {
    pub(crate) fn new(folder: PathBuf, writer: String, key: ChainKey, end: End) -> Appender {
        // What recovery found is on its way to the disk already; the first sync makes sure.
        let syncing = Mutex::new(Syncing::default());
        let (unsynced, buffer, fresh) = (Vec::new(), Vec::new(), Fresh::default());
        let writing = Mutex::new(Writing { end, unsynced, buffer, fresh, failure: None });
        Appender { folder, writer, key, writing, syncing, groups: Default::default() }
    }

    /// Writes a record; when this returns the operating system has it. Its facts are what it was made of.
    pub(crate) fn append(&self, record: &Unplaced, facts: Facts) -> Result<u64, StoreError> {
        let mut writing = lock(&self.writing);
        writing.check()?;
        let writing = &mut *writing;
        let seq = writing.end.head.seq + 1;
        let (frame, hash) = record.placed(&self.key, seq, &writing.end.head.hash, &mut writing.buffer);
        if let Err(error) = writing.end.medium.append(frame) {
            if let Err(second) = writing.end.medium.truncate(writing.end.length) {
                writing.failure = Some(second.to_string());
            }
            return Err(StoreError::from_io(&writing.end.segment.path, error));
        }
        writing.end.length += frame.len() as u64;
        writing.end.head = Head { seq, hash };
        writing.end.oldest_us = Some(writing.end.oldest_us.unwrap_or(i64::MAX).min(record.at_us));
        writing.fresh.push(Indexed { head: writing.end.head, at_us: record.at_us, facts });
        if writing.end.length >= FULL {
            self.roll(writing);
        }
        Ok(seq)
    }

    /// Begins the next segment. If that fails the old one goes on: the record is already written.
    fn roll(&self, writing: &mut Writing) {
        let Head { seq, hash } = writing.end.head;
        let segment = Segment::open(&self.folder, seq + 1);
        let preamble = Preamble { first_seq: seq + 1, before: hash, writer: self.writer.clone() };
        if let Ok(file) = segment.create(&preamble) {
            let end = End {
                segment,
                medium: Arc::new(file),
                length: preamble.bytes().len() as u64,
                head: writing.end.head,
                oldest_us: None,
            };
            let full = std::mem::replace(&mut writing.end, end);
            writing.unsynced.push(full.medium);
        }
    }

    /// Begins the next segment if the oldest record of this one is older than `limit_us`; says whether it did.
    pub(crate) fn roll_if_older(&self, limit_us: i64) -> bool {
        let mut writing = lock(&self.writing);
        let is_old = writing.end.oldest_us.is_some_and(|oldest| oldest < limit_us);
        if is_old {
            self.roll(&mut writing);
        }
        is_old
    }

    /// Returns when the record is on the disk. Whoever finds no sync running syncs for all who wrote before. Who comes
    /// meanwhile is served by the next one, which begins as soon as this one ends: the disk never waits for callers,
    /// and who is alone waits for nothing but the disk.
    pub(crate) fn wait_synced(&self, seq: u64) -> Result<(), StoreError> {
        let mut syncing = lock(&self.syncing);
        while syncing.through < seq {
            if syncing.is_running {
                let is_served = seq <= syncing.covering;
                let group = if is_served { syncing.group } else { syncing.group ^ 1 };
                syncing = self.wait(group, syncing);
                continue;
            }
            let unsynced = self.unsynced()?;
            syncing.is_running = true;
            syncing.covering = unsynced.through;
            syncing.group ^= 1;
            let group = syncing.group;
            drop(syncing);
            let outcome = self.sync(&unsynced);
            syncing = lock(&self.syncing);
            syncing.is_running = false;
            syncing.count += 1;
            if outcome.is_ok() {
                syncing.through = unsynced.through;
            }
            match &outcome {
                // The one who syncs next first: the others have time.
                Ok(()) => self.group(group ^ 1).notify_one(),
                // Nobody will sync for them: each finds the failure for himself.
                Err(_) => self.group(group ^ 1).notify_all(),
            }
            self.group(group).notify_all();
            outcome?;
        }
        Ok(())
    }

    fn wait<'g>(&self, group: usize, syncing: MutexGuard<'g, Syncing>) -> MutexGuard<'g, Syncing> {
        self.group(group).wait(syncing).unwrap_or_else(PoisonError::into_inner)
    }

    fn group(&self, number: usize) -> &Condvar {
        let [first, second] = &self.groups;
        if number == 0 { first } else { second }
    }

    /// What is written and perhaps not on the disk.
    fn unsynced(&self) -> Result<Unsynced, StoreError> {
        let mut writing = lock(&self.writing);
        writing.check()?;
        Ok(Unsynced {
            through: writing.end.head.seq,
            path: writing.end.segment.path.clone(),
            full: std::mem::take(&mut writing.unsynced),
            current: Arc::clone(&writing.end.medium),
        })
    }

    fn sync(&self, unsynced: &Unsynced) -> Result<(), StoreError> {
        let Unsynced { path, full, current, .. } = unsynced;
        let files = full.iter().chain([current]).try_for_each(|medium| medium.sync()).at(path);
        // A new file lasts only if its name does.
        let outcome = files.and_then(|()| if full.is_empty() { Ok(()) } else { sync_folder(path) });
        if let Err(error) = &outcome {
            // After a failed sync nobody knows what the disk holds: stop rather than guess.
            lock(&self.writing).failure = Some(error.to_string());
        }
        outcome
    }

    /// Gives out what was written since this was last asked, and takes memory to be used again.
    ///
    /// It may not be on the disk yet: see [`synced`](Appender::synced).
    pub(crate) fn exchange(&self, fresh: &mut Fresh) {
        fresh.clear();
        std::mem::swap(&mut lock(&self.writing).fresh, fresh);
    }

    /// The first record of the segment that is being written.
    pub(crate) fn open_since(&self) -> u64 {
        lock(&self.writing).end.segment.first_seq
    }

    /// The last record written.
    pub(crate) fn head(&self) -> Head {
        lock(&self.writing).end.head
    }

    /// How often the disk was waited for.
    pub(crate) fn sync_count(&self) -> u64 {
        lock(&self.syncing).count
    }

    /// The last record known to be on the disk.
    pub(crate) fn synced(&self) -> u64 {
        lock(&self.syncing).through
    }
}

impl Writing {
    fn check(&self) -> Result<(), StoreError> {
        self.failure.as_ref().map_or(Ok(()), |failure| Err(StoreError::Stopped(failure.clone())))
    }
}

/// A thread that panicked while holding the lock left whole values behind: every change is made in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::SALT;
    use crate::keys::GENESIS;
    use crate::record::{Draft, Kind, Status};
    use portcullis_detect::sensitive::SensitiveData;
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    /// Holds so many bytes; a write that does not fit is written in part and fails, as on a full disk.
    #[derive(Default)]
    struct Small {
        bytes: Mutex<Vec<u8>>,
        room: AtomicUsize,
        is_sync_broken: AtomicBool,
        is_truncate_broken: AtomicBool,
        syncs: AtomicUsize,
        sync_ms: AtomicU64,
    }

    impl Medium for Arc<Small> {
        fn append(&self, bytes: &[u8]) -> io::Result<()> {
            let mut held = lock(&self.bytes);
            let fitting = bytes.len().min(self.room.load(Ordering::Relaxed).saturating_sub(held.len()));
            held.extend_from_slice(&bytes[..fitting]);
            if fitting < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn truncate(&self, length: u64) -> io::Result<()> {
            lock(&self.bytes).truncate(length as usize);
            if self.is_truncate_broken.load(Ordering::Relaxed) {
                Err(io::Error::other("broken"))
            } else {
                Ok(())
            }
        }

        fn sync(&self) -> io::Result<()> {
            self.syncs.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(self.sync_ms.load(Ordering::Relaxed)));
            if self.is_sync_broken.load(Ordering::Relaxed) { Err(io::Error::other("broken")) } else { Ok(()) }
        }
    }

    fn stage(room: usize) -> (Arc<Small>, Appender, (Unplaced, Facts)) {
        let medium = Arc::new(Small { room: AtomicUsize::new(room), ..Small::default() });
        let key = ChainKey::from_bytes(&[1; 32]);
        let end = End {
            segment: Segment::open("nowhere".as_ref(), 1),
            medium: Arc::new(Arc::clone(&medium)),
            length: 0,
            head: Head { seq: 0, hash: GENESIS },
            oldest_us: None,
        };
        let (facts, body) =
            Draft::new(Kind::System, Status::Noted, 1).masked(&SensitiveData::new(), "w", None);
        let record = Unplaced::new(&key, 1, &[0; SALT], &facts, &body);
        (medium, Appender::new("nowhere".into(), "w".into(), key, end), (record, facts))
    }

    fn append(appender: &Appender, (record, facts): &(Unplaced, Facts)) -> Result<u64, StoreError> {
        appender.append(record, facts.clone())
    }

    #[test]
    fn a_full_disk_takes_nothing_by_halves_and_may_be_tried_again() {
        let (medium, appender, record) = stage(300);
        assert_eq!(append(&appender, &record).unwrap(), 1);
        let whole = lock(&medium.bytes).len();
        assert!(matches!(append(&appender, &record), Err(StoreError::DiskFull { .. })));
        assert_eq!(lock(&medium.bytes).len(), whole);
        medium.room.store(10_000, Ordering::Relaxed);
        assert_eq!(append(&appender, &record).unwrap(), 2);
        let mut fresh = Fresh::default();
        appender.exchange(&mut fresh);
        assert_eq!(fresh.between(1, 9).map(<[_]>::len), Some(2), "what was not written is not handed over");
        assert_eq!(fresh.between(2, 2).unwrap()[0].head, appender.head());
    }

    #[test]
    fn what_cannot_be_taken_back_stops_the_log() {
        let (medium, appender, record) = stage(100);
        medium.is_truncate_broken.store(true, Ordering::Relaxed);
        assert!(matches!(append(&appender, &record), Err(StoreError::DiskFull { .. })));
        medium.room.store(10_000, Ordering::Relaxed);
        assert!(matches!(append(&appender, &record), Err(StoreError::Stopped(_))));
    }

    #[test]
    fn a_failed_sync_is_never_forgotten() {
        let (medium, appender, record) = stage(10_000);
        let seq = append(&appender, &record).unwrap();
        medium.is_sync_broken.store(true, Ordering::Relaxed);
        assert!(appender.wait_synced(seq).is_err());
        medium.is_sync_broken.store(false, Ordering::Relaxed);
        assert!(matches!(appender.wait_synced(seq), Err(StoreError::Stopped(_))));
        assert!(matches!(append(&appender, &record), Err(StoreError::Stopped(_))));
    }

    #[test]
    fn nobody_is_left_waiting_after_a_failed_sync() {
        let (medium, appender, record) = stage(1_000_000);
        medium.sync_ms.store(20, Ordering::Relaxed);
        medium.is_sync_broken.store(true, Ordering::Relaxed);
        let failures = std::thread::scope(|scope| {
            let append = || append(&appender, &record).and_then(|seq| appender.wait_synced(seq));
            let callers: Vec<_> = (0..16).map(|_| scope.spawn(append)).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).filter(Result::is_err).count()
        });
        assert_eq!(failures, 16);
    }

    #[test]
    fn callers_share_syncs_under_load_and_one_alone_has_his_own() {
        let (medium, appender, record) = stage(1_000_000);
        for turn in 1..=20 {
            appender.wait_synced(append(&appender, &record).unwrap()).unwrap();
            assert_eq!(medium.syncs.load(Ordering::Relaxed), turn);
        }
        medium.sync_ms.store(3, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    (0..20).for_each(|_| appender.wait_synced(append(&appender, &record).unwrap()).unwrap());
                });
            }
        });
        // 160 records; of eight callers half are served by each sync, so some 40 are enough.
        let shared = medium.syncs.load(Ordering::Relaxed) - 20;
        assert!(shared < 80, "{shared}");
        assert_eq!(appender.synced(), 180);
    }

    #[test]
    fn one_sync_serves_all_who_wrote_before() {
        let (medium, appender, record) = stage(100_000);
        let last = (0..20).map(|_| append(&appender, &record).unwrap()).max().unwrap();
        appender.wait_synced(last).unwrap();
        (1..=last).for_each(|seq| appender.wait_synced(seq).unwrap());
        assert_eq!(medium.syncs.load(Ordering::Relaxed), 1);
        assert_eq!(appender.synced(), last);
    }
}
