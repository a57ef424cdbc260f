//! What the log does when the disk fails in the middle, and what is left of it afterwards.

use std::fs::{self, File};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use portcullis_detect::sensitive::SensitiveData;

use crate::appender::Appender;
use crate::directory::{Directory, Held};
use crate::frame::{SALT, Unplaced};
use crate::medium::Medium;
use crate::record::{Draft, Kind, Status};
use crate::scratch::Scratch;
use crate::{ActivityLog, Options, StoreError, recovery, segment, verify};

/// What goes wrong next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// Half of the bytes are written, then the disk is full.
    ShortWrite,
    /// Nothing is written: the disk is full.
    NoSpace,
    /// Half of the bytes are written and cannot be taken back.
    TornWrite,
    NoSync,
}

/// A real file that fails when it is told to.
#[derive(Clone)]
struct Failing {
    file: Arc<File>,
    fault: Arc<Mutex<Fault>>,
}

impl Failing {
    fn fault(&self) -> Fault {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }
}

impl Medium for Failing {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        match self.fault() {
            Fault::NoSpace => return Err(io::ErrorKind::StorageFull.into()),
            Fault::ShortWrite | Fault::TornWrite => {
                Medium::append(&*self.file, &bytes[..bytes.len() / 2])?;
                return Err(io::ErrorKind::StorageFull.into());
            }
            Fault::Nothing | Fault::NoSync => {}
        }
        Medium::append(&*self.file, bytes)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        match self.fault() {
            Fault::TornWrite => Err(io::Error::other("on purpose")),
            _ => self.file.truncate(length),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.fault() {
            Fault::NoSync => Err(io::Error::other("on purpose")),
            _ => self.file.sync(),
        }
    }
}

/// A data directory whose only segment is on a disk that can fail.
struct Stage {
    held: Held,
    disk: Failing,
    appender: Appender,
}

impl Stage {
    fn new(scratch: &Scratch) -> Stage {
        let held = Directory::new(scratch.root()).hold().unwrap();
        let mut end = recovery::recover(&held, 0).unwrap();
        let file = File::options().append(true).open(&end.segment.path).unwrap();
        let disk = Failing { file: Arc::new(file), fault: Arc::new(Mutex::new(Fault::Nothing)) };
        end.medium = Arc::new(disk.clone());
        let appender = Appender::new(held.directory.log(), held.writer.clone(), held.key.clone(), end);
        Stage { held, disk, appender }
    }

    fn append(&self) -> Result<u64, StoreError> {
        let draft = Draft { note: Some("something"), ..Draft::new(Kind::Alert, Status::Noted, 7) };
        let (facts, body) = draft.masked(&SensitiveData::new(), &self.held.writer, None);
        self.appender.append(&Unplaced::new(&self.held.key, 7, &[0; SALT], &facts, &body), facts)
    }
}

/// Opens the log as the next process would; the last record that was there before.
fn reopened(scratch: &Scratch) -> u64 {
    drop(ActivityLog::open(scratch.root(), &Options::default()).unwrap());
    let verdict = verify(scratch.root()).unwrap();
    assert_eq!(verdict.bad, None);
    // Opening notes the signing key it made.
    verdict.last - 1
}

#[test]
fn a_full_disk_costs_no_record_that_was_acknowledged() {
    for fault in [Fault::ShortWrite, Fault::NoSpace] {
        let scratch = Scratch::new();
        let stage = Stage::new(&scratch);
        (1..=3).for_each(|seq| assert_eq!(stage.append().unwrap(), seq));
        stage.disk.set(fault);
        (0..3).for_each(|_| assert!(matches!(stage.append(), Err(StoreError::DiskFull { .. }))));
        stage.disk.set(Fault::Nothing);
        assert_eq!(stage.append().unwrap(), 4);
        drop(stage);
        assert_eq!(reopened(&scratch), 4);
    }
}

#[test]
fn half_a_record_is_cut_off_at_the_next_start() {
    let scratch = Scratch::new();
    let stage = Stage::new(&scratch);
    (1..=3).for_each(|seq| assert_eq!(stage.append().unwrap(), seq));
    stage.disk.set(Fault::TornWrite);
    assert!(matches!(stage.append(), Err(StoreError::DiskFull { .. })));
    stage.disk.set(Fault::Nothing);
    assert!(matches!(stage.append(), Err(StoreError::Stopped(_))));
    drop(stage);
    assert_eq!(reopened(&scratch), 3);
}

#[test]
fn after_a_failed_sync_nothing_more_is_promised_until_the_next_start() {
    let scratch = Scratch::new();
    let stage = Stage::new(&scratch);
    let first = stage.append().unwrap();
    stage.appender.wait_synced(first).unwrap();
    stage.disk.set(Fault::NoSync);
    let second = stage.append().unwrap();
    assert!(stage.appender.wait_synced(second).is_err());
    stage.disk.set(Fault::Nothing);
    assert!(matches!(stage.appender.wait_synced(second), Err(StoreError::Stopped(_))));
    assert!(matches!(stage.append(), Err(StoreError::Stopped(_))));
    assert_eq!(stage.appender.synced(), first);
    drop(stage);
    assert!(reopened(&scratch) >= first);
}

#[test]
fn a_segment_that_cannot_be_begun_lets_the_old_one_go_on() {
    let scratch = Scratch::new();
    let stage = Stage::new(&scratch);
    stage.append().unwrap();
    let taken = segment::Segment::open(&stage.held.directory.log(), 2).path;
    fs::create_dir(&taken).unwrap();
    stage.appender.roll_if_older(i64::MAX);
    assert_eq!(stage.append().unwrap(), 2);
    fs::remove_dir(&taken).unwrap();
    drop(stage);
    assert_eq!(reopened(&scratch), 2);
}

/// Three records in one segment, three in the next, neither sealed; the first segment lost its end.
fn power_failed(scratch: &Scratch) -> (Held, Vec<segment::Segment>) {
    let stage = Stage::new(scratch);
    (0..3).for_each(|_| assert!(stage.append().is_ok()));
    stage.appender.roll_if_older(i64::MAX);
    (0..3).for_each(|_| assert!(stage.append().is_ok()));
    let segments = segment::list(&stage.held.directory.log()).unwrap();
    assert_eq!(segments.len(), 2);
    let file = File::options().write(true).open(&segments[0].path).unwrap();
    file.set_len(file.metadata().unwrap().len() - 10).unwrap();
    (stage.held, segments)
}

#[test]
fn what_follows_a_segment_that_power_tore_is_cut_off_with_it() {
    let scratch = Scratch::new();
    let (held, segments) = power_failed(&scratch);
    let end = recovery::recover(&held, 2).unwrap();
    assert_eq!((end.head.seq, segments[1].path.exists()), (2, false));
    drop((held, end));
    assert_eq!(reopened(&scratch), 2);
}

#[test]
fn a_torn_segment_somebody_vouches_for_is_an_error_and_stays() {
    let scratch = Scratch::new();
    let (held, segments) = power_failed(&scratch);
    let before = fs::read(&segments[0].path).unwrap();
    let error = recovery::recover(&held, 5).err().unwrap();
    assert!(matches!(error, StoreError::Corrupt { seq: 3, .. }), "{error}");
    assert_eq!(fs::read(&segments[0].path).unwrap(), before);
    assert!(segments[1].path.exists());
}
