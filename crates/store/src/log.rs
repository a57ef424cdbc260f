//! The activity log as its writer sees it: `append` comes before the effect it records.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

use portcullis_detect::sensitive::{CustomPattern, SensitiveData};

use crate::StoreError;
use crate::appender::Appender;
use crate::checkpoint::CheckpointFile;
use crate::directory::{Directory, Held};
use crate::follower::Follower;
use crate::frame::Unplaced;
use crate::index::IndexWriter;
use crate::keeper::{self, Errand, Syncer};
use crate::keys::{self, CheckpointKey};
use crate::record::{Draft, Kind, Mark, Status};
use crate::recovery;
use crate::retention::Retention;
use crate::salt::Salts;

/// What an acknowledged record survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The end of the process: the operating system has the record; the disk has it within 100 ms.
    Process,
    /// The end of power: the disk has it.
    Power,
}

/// How a log is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What an acknowledged record survives.
    pub level: Level,
    /// What is kept, and how long.
    pub retention: Retention,
    /// What is masked beside what ships.
    pub patterns: Vec<CustomPattern>,
}

impl Default for Options {
    fn default() -> Self {
        Options { level: Level::Process, retention: Retention::default(), patterns: Vec::new() }
    }
}

impl Options {
    /// What is masked in every record.
    pub(crate) fn masked(&self) -> Result<SensitiveData, StoreError> {
        Ok(SensitiveData::with(None, &self.patterns)?)
    }
}

/// The one writer of a data directory; shared by any number of threads.
pub struct ActivityLog {
    core: Arc<Core>,
    level: Level,
    errands: Sender<Errand>,
    keeper: Option<JoinHandle<()>>,
    _syncer: Syncer,
    /// INVARIANT: dropped last, so that nobody else writes before the keeper has ended.
    _held: Held,
}

/// What appending needs; the keeper appends too.
pub(crate) struct Core {
    pub(crate) appender: Appender,
    data: SensitiveData,
    writer: String,
    key: keys::ChainKey,
    salts: Salts,
}

impl ActivityLog {
    /// Opens the log in a data directory, which is made if it is not there.
    pub fn open(root: &Path, options: &Options) -> Result<ActivityLog, StoreError> {
        let Parts { held, core, follower } = prepare(root, options.masked()?)?;
        let (errands, inbox) = mpsc::channel();
        let keeper = keeper::start(Arc::clone(&core), follower, options.retention.clone(), inbox)?;
        let syncer = Syncer::start(Arc::clone(&core))?;
        Ok(ActivityLog {
            core,
            level: options.level,
            errands,
            keeper: Some(keeper),
            _syncer: syncer,
            _held: held,
        })
    }

    /// Records something and returns its number. Only what was recorded may then be done.
    ///
    /// This blocks. At level `process` for a write to a file, which is fit for a thread of an async runtime. At level
    /// `power` for a sync of the disk, which is not: call it through `spawn_blocking` or the like.
    pub fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError> {
        let seq = self.core.write(draft, None)?;
        if self.level == Level::Power {
            self.core.appender.wait_synced(seq)?;
        }
        Ok(seq)
    }

    /// Returns when everything recorded is on the disk, under a checkpoint and in the index.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.ask(Errand::Flush)
    }

    /// Applies the retention now, as of `now_us`; it also runs by itself.
    pub fn retain(&self, now_us: i64) -> Result<(), StoreError> {
        self.ask(|answer| Errand::Retain(now_us, answer))
    }

    /// Removes the bodies of these records for good; the chain stays whole.
    pub fn redact(&self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError> {
        self.ask(|answer| Errand::Redact { from, through, now_us, answer })
    }

    /// How often the disk was waited for so far; records share a wait.
    pub fn syncs(&self) -> u64 {
        self.core.appender.sync_count()
    }

    fn ask(&self, errand: impl FnOnce(Sender<Result<(), StoreError>>) -> Errand) -> Result<(), StoreError> {
        let (answer, outcome) = mpsc::channel();
        let gone = || StoreError::Stopped("the keeper of the log has ended".into());
        self.errands.send(errand(answer)).map_err(|_| gone())?;
        outcome.recv().map_err(|_| gone())?
    }
}

/// A log that is open, before anything works behind it.
pub(crate) struct Parts {
    pub(crate) held: Held,
    pub(crate) core: Arc<Core>,
    pub(crate) follower: Follower,
}

/// Takes hold of a data directory and finds where its log ends.
pub(crate) fn prepare(root: &Path, data: SensitiveData) -> Result<Parts, StoreError> {
    let held = Directory::new(root).hold()?;
    let (index, damage) = IndexWriter::open(&held.directory.index(), &held.key)?;
    let checkpoints = CheckpointFile::new(&held.directory.checkpoints());
    checkpoints.mend()?;
    let (signed, _) = checkpoints.read()?;
    let signed = signed.iter().filter(|one| one.is_genuine()).map(|one| one.seq).max().unwrap_or_default();
    let known = index.head()?.map_or(0, |head| head.seq).max(signed);
    let end = recovery::recover(&held, known)?;
    let (signing, is_new_key) = CheckpointKey::load_or_create(&held.directory.keys())?;
    let public = signing.public();
    let (directory, key, writer) = (held.directory.clone(), held.key.clone(), held.writer.clone());
    let core = Arc::new(Core {
        appender: Appender::new(directory.log(), writer.clone(), key.clone(), end),
        data,
        writer: writer.clone(),
        key: key.clone(),
        salts: Salts::new()?,
    });
    if is_new_key {
        core.note(keeper::now_us(), "a signing key was made", Some(Mark::SigningKey { public }))?;
    }
    if let Some(damage) = damage {
        core.note(keeper::now_us(), &format!("the index was damaged and is built anew: {damage}"), None)?;
    }
    let follower = Follower::new(directory, key, writer, signing, index, signed)?;
    Ok(Parts { held, core, follower })
}

impl Drop for ActivityLog {
    fn drop(&mut self) {
        // The keeper may have ended before; then there is nobody to tell and nothing to wait for.
        let _ = self.errands.send(Errand::End);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl Core {
    pub(crate) fn write(&self, draft: &Draft<'_>, mark: Option<Mark>) -> Result<u64, StoreError> {
        let (facts, body) = draft.masked(&self.data, &self.writer, mark);
        let record = Unplaced::new(&self.key, draft.at_us, &self.salts.next(), &facts, &body);
        self.appender.append(&record, facts)
    }

    /// Records what the log does with itself.
    pub(crate) fn note(&self, now_us: i64, text: &str, mark: Option<Mark>) -> Result<u64, StoreError> {
        let draft = Draft { note: Some(text), ..Draft::new(Kind::System, Status::Noted, now_us) };
        self.write(&draft, mark)
    }
}
