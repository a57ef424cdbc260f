//! Follows the log behind its writer: signs checkpoints and feeds the index with what is on the disk.

use crate::StoreError;
use crate::appender::{Appender, Head};
use crate::checkpoint::{Checkpoint, CheckpointFile, EVERY_RECORDS};
use crate::directory::Directory;
use crate::fresh::{self, Fresh};
use crate::index::{IndexWriter, Indexed};
use crate::keys::{ChainKey, CheckpointKey, GENESIS};
use crate::retention::Extents;
use crate::segment::{self, Frames, PREAMBLE, Segment};

/// Before the first record.
const NOTHING: Head = Head { seq: 0, hash: GENESIS };
/// Records the index takes in one transaction.
const BATCH: usize = fresh::MOST;

/// How far the log was followed.
pub(crate) struct Follower {
    pub(crate) directory: Directory,
    pub(crate) key: ChainKey,
    pub(crate) writer: String,
    signing: CheckpointKey,
    checkpoints: CheckpointFile,
    pub(crate) index: IndexWriter,
    /// The last record that was followed.
    head: Head,
    /// The last record under a checkpoint.
    signed: u64,
    /// What the writer handed over and was not followed yet.
    fresh: Fresh,
    /// The segment that was read last, and the place reached in it. What was handed over since is read again, if ever
    /// the segment must be.
    place: Option<(Segment, usize)>,
    /// The first record of the segment that was open when all before were sealed.
    sealed_before: Option<u64>,
    /// What retention knows about sealed segments.
    pub(crate) extents: Extents,
}

impl Follower {
    pub(crate) fn new(
        directory: Directory,
        key: ChainKey,
        writer: String,
        signing: CheckpointKey,
        index: IndexWriter,
        signed: u64,
    ) -> Result<Follower, StoreError> {
        let head = index.head()?.unwrap_or(NOTHING);
        let checkpoints = CheckpointFile::new(&directory.checkpoints());
        Ok(Follower {
            directory,
            key,
            writer,
            signing,
            checkpoints,
            index,
            head,
            signed,
            fresh: Fresh::default(),
            place: None,
            sealed_before: None,
            extents: Extents::new(),
        })
    }

    /// Puts a damaged index aside and follows the log from its beginning again.
    pub(crate) fn begin_anew(&mut self) -> Result<(), StoreError> {
        self.index.begin_anew(&self.directory.index())?;
        (self.head, self.place) = (NOTHING, None);
        Ok(())
    }

    /// Follows the log through the last record that is on the disk.
    pub(crate) fn follow(&mut self, appender: &Appender) -> Result<(), StoreError> {
        // INVARIANT: nothing beyond this is indexed, or the index would vouch for what a crash may take away.
        let synced = appender.synced();
        while self.head.seq < synced {
            let next = self.head.seq + 1;
            if !self.fresh.reaches(next) {
                appender.exchange(&mut self.fresh);
            }
            let fresh = std::mem::take(&mut self.fresh);
            let through = synced.min(self.head.seq + BATCH as u64);
            let outcome = match fresh.between(next, through) {
                Some(batch) => self.take(batch),
                // Records of an earlier process, or more than were held for us: up to those that are.
                None => {
                    let held = fresh.first().filter(|first| *first > next);
                    let through = held.map_or(synced, |first| synced.min(first - 1));
                    self.read(through).and_then(|batch| self.take(&batch))
                }
            };
            self.fresh = fresh;
            if !self.fresh.reaches(self.head.seq + 1) {
                self.fresh.clear();
            }
            if !outcome? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Signs and indexes the next records; says whether there were any.
    fn take(&mut self, batch: &[Indexed]) -> Result<bool, StoreError> {
        let Some(last) = batch.last() else { return Ok(false) };
        let due = batch.iter().map(|record| record.head).filter(|head| head.seq % EVERY_RECORDS == 0);
        let due: Vec<Head> = due.filter(|head| head.seq > self.signed).collect();
        self.sign(&due)?;
        self.index.add(batch)?;
        self.head = last.head;
        Ok(true)
    }

    /// Signs the head, if it is not signed yet.
    pub(crate) fn checkpoint(&mut self) -> Result<(), StoreError> {
        let head = self.head;
        if head.seq > self.signed { self.sign(&[head]) } else { Ok(()) }
    }

    fn sign(&mut self, heads: &[Head]) -> Result<(), StoreError> {
        let Some(last) = heads.last() else { return Ok(()) };
        let signed = |head: &Head| Checkpoint::signed(&self.signing, &self.writer, head.seq, &head.hash);
        self.checkpoints.add(&heads.iter().map(signed).collect::<Vec<_>>())?;
        self.signed = last.seq;
        Ok(())
    }

    /// The next records, at most a batch and at most through `synced`.
    fn read(&mut self, synced: u64) -> Result<Vec<Indexed>, StoreError> {
        let mut records = Vec::new();
        let next = self.head.seq + 1;
        let segments = segment::list(&self.directory.log())?;
        let Some(segment) =
            segments.iter().rev().find(|segment| segment.first_seq <= next).or(segments.first())
        else {
            return Ok(records);
        };
        let offset = match &self.place {
            Some((known, offset)) if known.first_seq == segment.first_seq => *offset,
            _ => PREAMBLE,
        };
        let bytes = segment.read_from(&self.key, offset)?;
        let mut frames = Frames::from(&bytes, 0);
        let mut reached = offset;
        while let Some(Ok(frame)) = frames.next() {
            if frame.seq > synced || records.len() >= BATCH {
                break;
            }
            reached = offset + frames.offset;
            if frame.seq < next {
                continue;
            }
            let facts = frame
                .facts()
                .ok_or_else(|| StoreError::corrupt(&segment.path, frame.seq, "its header cannot be read"))?;
            let head = Head { seq: frame.seq, hash: frame.hash };
            records.push(Indexed { head, at_us: frame.at_us, facts });
        }
        self.place = Some((segment.clone(), reached));
        Ok(records)
    }

    /// Seals what is full, if anything can have become so: `open` is the first record of the segment being written.
    pub(crate) fn seal_before(&mut self, open: u64) -> Result<(), StoreError> {
        if self.sealed_before == Some(open) {
            return Ok(());
        }
        self.seal()?;
        if self.head.seq + 1 >= open {
            self.sealed_before = Some(open);
        }
        Ok(())
    }

    /// Seals segments that are full and followed to their end.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        let segments = segment::list(&self.directory.log())?;
        for pair in segments.windows(2) {
            let [full, next] = pair else { continue };
            if !full.is_sealed && self.head.seq + 1 >= next.first_seq {
                full.seal(&self.key)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Core, Parts, prepare};
    use crate::record::{Draft, Kind, Status};
    use crate::scratch::Scratch;
    use portcullis_detect::sensitive::SensitiveData;

    fn write(core: &Core, from: u64, count: u64) {
        for number in from..from + count {
            let (server, session) = (format!("server{}", number % 7), format!("session{}", number / 100));
            let draft = Draft {
                server: &server,
                tool: if number % 5 == 0 { "" } else { "echo" },
                session: &session,
                risk: (number % 101) as u8,
                note: (number % 11 == 0).then_some("to jane.doe@corporate.example.org, from \"me\""),
                ..Draft::new(
                    Kind::ToolCall,
                    Status::ALL[number as usize % Status::ALL.len()],
                    number as i64 * 9_000_000_000,
                )
            };
            core.write(&draft, None).unwrap();
        }
    }

    fn sync(core: &Core) {
        core.appender.wait_synced(core.appender.head().seq).unwrap();
    }

    /// What the index holds after the log was read from its beginning.
    fn read_anew(follower: &mut Follower, core: &Core) -> Vec<String> {
        follower.begin_anew().unwrap();
        // Whatever is handed over now begins after the last record.
        core.appender.exchange(&mut Fresh::default());
        follower.fresh.clear();
        follower.follow(&core.appender).unwrap();
        follower.index.dump()
    }

    #[test]
    fn what_is_handed_over_and_what_is_read_make_the_same_index() {
        let scratch = Scratch::new();
        let Parts { held: _held, core, mut follower } =
            prepare(scratch.root(), SensitiveData::new()).unwrap();
        let mut written = 0;
        // Few, some, and more than are held, which must then be read.
        for count in [1, 10, 1_500, fresh::MOST as u64 + 700, 3, fresh::MOST as u64] {
            write(&core, written, count);
            written += count;
            sync(&core);
            follower.follow(&core.appender).unwrap();
            assert_eq!(follower.head, core.appender.head());
        }
        let handed_over = follower.index.dump();
        assert_eq!(read_anew(&mut follower, &core), handed_over);
    }

    #[test]
    fn what_is_handed_over_waits_for_the_disk() {
        let scratch = Scratch::new();
        let Parts { held: _held, core, mut follower } =
            prepare(scratch.root(), SensitiveData::new()).unwrap();
        write(&core, 0, 20);
        sync(&core);
        let on_disk = core.appender.head();
        write(&core, 20, 20);
        for _ in 0..2 {
            follower.follow(&core.appender).unwrap();
            assert_eq!((follower.head, follower.index.head().unwrap()), (on_disk, Some(on_disk)));
        }
        sync(&core);
        follower.follow(&core.appender).unwrap();
        assert_eq!(follower.index.head().unwrap(), Some(core.appender.head()));
        let handed_over = follower.index.dump();
        assert_eq!(read_anew(&mut follower, &core), handed_over);
    }

    #[test]
    fn what_is_followed_from_memory_needs_no_file() {
        let scratch = Scratch::new();
        let Parts { held: _held, core, mut follower } =
            prepare(scratch.root(), SensitiveData::new()).unwrap();
        write(&core, 0, 100);
        sync(&core);
        let segment = segment::list(&scratch.root().join("log")).unwrap().remove(0).path;
        std::fs::rename(&segment, segment.with_extension("away")).unwrap();
        follower.follow(&core.appender).unwrap();
        assert_eq!(follower.head, core.appender.head());
    }

    #[test]
    fn full_segments_are_looked_for_once() {
        let scratch = Scratch::new();
        let Parts { held: _held, core, mut follower } =
            prepare(scratch.root(), SensitiveData::new()).unwrap();
        write(&core, 0, 10);
        let open = core.appender.open_since();
        follower.seal_before(open).unwrap();
        assert_eq!(follower.sealed_before, Some(open));
        assert!(core.appender.roll_if_older(i64::MAX));
        let open = core.appender.open_since();
        follower.seal_before(open).unwrap();
        assert_eq!(
            segment::list(&scratch.root().join("log")).unwrap().iter().filter(|one| one.is_sealed).count(),
            0
        );
        sync(&core);
        follower.follow(&core.appender).unwrap();
        follower.seal_before(open).unwrap();
        assert_eq!(follower.sealed_before, Some(open));
        assert_eq!(
            segment::list(&scratch.root().join("log")).unwrap().iter().filter(|one| one.is_sealed).count(),
            1
        );
    }
}
