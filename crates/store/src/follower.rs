//! Follows the log behind its writer: signs checkpoints and feeds the index with what is on the disk.

use crate::StoreError;
use crate::appender::Head;
use crate::checkpoint::{Checkpoint, CheckpointFile, EVERY_RECORDS};
use crate::directory::Directory;
use crate::index::{IndexWriter, Indexed};
use crate::keys::{ChainKey, CheckpointKey, GENESIS};
use crate::retention::Extents;
use crate::segment::{self, Frames, PREAMBLE, Segment};

/// Before the first record.
const NOTHING: Head = Head { seq: 0, hash: GENESIS };
/// Records the index takes in one transaction.
const BATCH: usize = 8_192;

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
    /// The segment that is being followed, and the place reached in it.
    place: Option<(Segment, usize)>,
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
            place: None,
            extents: Extents::new(),
        })
    }

    /// Puts a damaged index aside and follows the log from its beginning again.
    pub(crate) fn begin_anew(&mut self) -> Result<(), StoreError> {
        self.index.begin_anew(&self.directory.index())?;
        (self.head, self.place) = (NOTHING, None);
        Ok(())
    }

    /// Follows the log through the record `synced`, which is on the disk.
    pub(crate) fn follow(&mut self, synced: u64) -> Result<(), StoreError> {
        while self.head.seq < synced {
            let batch = self.read(synced)?;
            let Some(last) = batch.last() else { return Ok(()) };
            let last = last.head;
            let due = batch.iter().map(|record| record.head).filter(|head| head.seq % EVERY_RECORDS == 0);
            let due: Vec<Head> = due.filter(|head| head.seq > self.signed).collect();
            self.sign(&due)?;
            self.index.add(&batch)?;
            self.head = last;
        }
        Ok(())
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
