//! Tells whether the log is still what was written, and names the first record that is not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::StoreError;
use crate::appender::Head;
use crate::checkpoint::{Checkpoint, CheckpointFile};
use crate::directory::{Directory, read_text};
use crate::frame::{Frame, NoFrame};
use crate::index::{IndexReader, KnownHead};
use crate::keys::{ChainKey, GENESIS, PUBLIC_KEY};
use crate::record::Mark;
use crate::segment::{self, Damage, Frames, PREAMBLE, Preamble, Segment};

/// The first record that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Its number.
    pub seq: u64,
    /// The file it should stand in.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
}

/// What verifying found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The first record there is; retention may have dropped those before.
    pub first: u64,
    /// The last good one.
    pub last: u64,
    /// How many of them have no body any more.
    pub redacted: u64,
    /// How many checkpoints fit.
    pub checkpoints: u64,
    /// The first bad record; `None` if all is well.
    pub bad: Option<BadRecord>,
    /// Bytes after the last record that a killed writer left; nobody was told they were recorded.
    pub torn: bool,
}

/// How often verifying begins anew because segments came or went meanwhile.
const MOST_WALKS: u32 = 5;

/// Checks every record, checkpoint and head in a data directory; writes nothing.
pub fn verify(root: &Path) -> Result<Verdict, StoreError> {
    let directory = Directory::new(root);
    let key = directory.key()?;
    let mut walks = 1;
    loop {
        let segments = segment::list(&directory.log())?;
        let outcome = walk(&directory, &key, &segments);
        let is_clean = outcome.as_ref().is_ok_and(|verdict| verdict.bad.is_none());
        // What a writer sealed, redacted or dropped meanwhile looks like damage to who listed the segments before.
        if is_clean || walks == MOST_WALKS || segment::list(&directory.log())? == segments {
            return outcome;
        }
        walks += 1;
    }
}

fn walk(directory: &Directory, key: &ChainKey, segments: &[Segment]) -> Result<Verdict, StoreError> {
    let mut walk = Walk::new(directory, key)?;
    for (index, segment) in segments.iter().enumerate() {
        walk.segment(segment, index == 0, index + 1 == segments.len())?;
        if walk.bad.is_some() {
            break;
        }
    }
    walk.finish(directory)
}

/// The walk along the chain.
struct Walk<'k> {
    key: &'k ChainKey,
    writer: String,
    /// What others say a record's hash is, by its number.
    checkpoints: BTreeMap<u64, Vec<Checkpoint>>,
    is_checkpoint_file_damaged: bool,
    known: KnownHead,
    head: Head,
    first: u64,
    before_first: Head,
    /// Records without a body, as ranges; each needs a mark.
    redacted: Vec<(u64, u64)>,
    redacted_count: u64,
    checkpoints_met: u64,
    keys_used: BTreeSet<String>,
    marks: Vec<Mark>,
    torn: bool,
    bad: Option<BadRecord>,
}

impl<'k> Walk<'k> {
    fn new(directory: &Directory, key: &'k ChainKey) -> Result<Walk<'k>, StoreError> {
        // The heads are read before the log: what is recorded meanwhile can then not be missing.
        let index = IndexReader::open(&directory.index(), key);
        // An index that is no database is damage of its own; the checkpoints still speak.
        let known = match index {
            Ok(Some(index)) => index.head().unwrap_or(KnownHead::Forged),
            Ok(None) => KnownHead::Nothing,
            Err(_) => KnownHead::Forged,
        };
        let (list, is_checkpoint_file_damaged) = CheckpointFile::new(&directory.checkpoints()).read()?;
        let mut checkpoints: BTreeMap<u64, Vec<Checkpoint>> = BTreeMap::new();
        list.into_iter().for_each(|one| checkpoints.entry(one.seq).or_default().push(one));
        let nothing = Head { seq: 0, hash: GENESIS };
        Ok(Walk {
            key,
            writer: directory.writer()?,
            checkpoints,
            is_checkpoint_file_damaged,
            known,
            head: nothing,
            first: 1,
            before_first: nothing,
            redacted: Vec::new(),
            redacted_count: 0,
            checkpoints_met: 0,
            keys_used: BTreeSet::new(),
            marks: Vec::new(),
            torn: false,
            bad: None,
        })
    }

    fn blame(&mut self, seq: u64, path: &Path, what: impl Into<String>) {
        if self.bad.as_ref().is_none_or(|bad| seq < bad.seq) {
            self.bad = Some(BadRecord { seq, path: path.to_path_buf(), what: what.into() });
        }
    }

    fn segment(&mut self, segment: &Segment, is_first: bool, is_last: bool) -> Result<(), StoreError> {
        let contents = segment.read(self.key)?;
        let preamble = Preamble::parse(&contents.bytes);
        if is_first && let Some(preamble) = &preamble {
            self.first = preamble.first_seq;
            self.head = Head { seq: preamble.first_seq.saturating_sub(1), hash: preamble.before };
            self.before_first = self.head;
        }
        let next = self.head.seq + 1;
        let expected = Preamble { first_seq: next, before: self.head.hash, writer: self.writer.clone() };
        if preamble != Some(expected) || segment.first_seq != next {
            let what = "its segment does not begin as it was written, or one before is missing";
            self.blame(next.min(segment.first_seq), &segment.path, what);
            return Ok(());
        }
        self.frames(segment, &contents.bytes, is_last);
        if let Some(damage) = contents.damage.filter(|_| self.bad.is_none()) {
            // Either records are missing at its end, or all read the same and nobody knows which was meant.
            let first_bad = if damage == Damage::Unreadable { self.head.seq + 1 } else { segment.first_seq };
            self.blame(first_bad, &segment.path, damage.words());
        }
        Ok(())
    }

    fn frames(&mut self, segment: &Segment, bytes: &[u8], is_last: bool) {
        for frame in Frames::from(bytes, PREAMBLE) {
            let next = self.head.seq + 1;
            match frame {
                Ok(frame) => self.frame(segment, &frame),
                // The end of an open segment may be torn, unless somebody vouches for what stood there.
                Err(NoFrame::Incomplete) if is_last && !segment.is_sealed && next > self.vouched() => {
                    self.torn = true;
                    return;
                }
                Err(_) => {
                    self.blame(next, &segment.path, "it is not whole, or something was put in its place")
                }
            }
            if self.bad.is_some() {
                return;
            }
        }
    }

    fn frame(&mut self, segment: &Segment, frame: &Frame<'_>) {
        let next = self.head.seq + 1;
        if let Some(fault) = frame.fault(self.key, next, &self.head.hash) {
            return self.blame(next, &segment.path, fault);
        }
        let Some(facts) = frame.facts() else {
            return self.blame(next, &segment.path, "its header cannot be read");
        };
        self.marks.extend(facts.mark);
        if frame.is_redacted() {
            self.redacted_count += 1;
            match self.redacted.last_mut() {
                Some((_, last)) if *last + 1 == next => *last = next,
                _ => self.redacted.push((next, next)),
            }
        }
        self.head = Head { seq: next, hash: frame.hash };
        let hash = HEXLOWER.encode(&frame.hash);
        for checkpoint in self.checkpoints.remove(&next).unwrap_or_default() {
            let is_ours = checkpoint.hash == hash && checkpoint.writer == self.writer;
            if !(is_ours && checkpoint.is_genuine()) {
                return self.blame(next, &segment.path, "its checkpoint says something else, or is forged");
            }
            self.keys_used.insert(checkpoint.key);
            self.checkpoints_met += 1;
        }
    }

    /// The last record that must be there.
    fn vouched(&self) -> u64 {
        let signed = self.checkpoints.iter().rev();
        let genuine = signed.filter(|(_, all)| all.iter().any(Checkpoint::is_genuine)).map(|(seq, _)| *seq);
        let known = self.known.head().map_or(0, |head| head.seq);
        genuine.take(1).chain([known]).max().unwrap_or_default()
    }

    fn finish(mut self, directory: &Directory) -> Result<Verdict, StoreError> {
        let log = directory.log();
        let next = self.head.seq + 1;
        if self.bad.is_none() && self.vouched() >= next {
            self.blame(next, &log, format!("it and all others through {} are missing", self.vouched()));
        }
        if self.bad.is_none() {
            self.check_head(directory);
            self.check_beginning(&log);
            self.check_redactions(&log);
            self.check_keys(directory)?;
        }
        if self.bad.is_none() && self.is_checkpoint_file_damaged {
            self.blame(next - 1, &directory.checkpoints(), "a checkpoint cannot be read");
        }
        Ok(Verdict {
            first: self.first,
            last: self.head.seq,
            redacted: self.redacted_count,
            checkpoints: self.checkpoints_met,
            bad: self.bad,
            torn: self.torn,
        })
    }

    fn check_head(&mut self, directory: &Directory) {
        if matches!(self.known, KnownHead::Forged) {
            self.blame(self.head.seq, &directory.index(), "the index does not vouch for the end of the log");
        }
    }

    /// Records before the first may be missing only if the chain says that they were dropped.
    fn check_beginning(&mut self, log: &Path) {
        let before = self.before_first;
        let is_said = before.seq == 0
            || self.marks.iter().any(|mark| match mark {
                Mark::Dropped { through, hash } if *through == before.seq => {
                    *hash == HEXLOWER.encode(&before.hash)
                }
                Mark::Dropped { through, .. } => *through > before.seq,
                _ => false,
            });
        if !is_said {
            self.blame(1, log, format!("it and all others through {} are missing", before.seq));
        }
    }

    /// A body may be missing only if the chain says that it was redacted.
    fn check_redactions(&mut self, log: &Path) {
        let is_said = |seq: u64| {
            self.marks.iter().any(
                |mark| matches!(mark, Mark::Redacted { from, through } if (*from..=*through).contains(&seq)),
            )
        };
        let unsaid =
            self.redacted.iter().flat_map(|(from, through)| *from..=*through).find(|seq| !is_said(*seq));
        if let Some(seq) = unsaid {
            self.blame(seq, log, "its body was removed");
        }
    }

    /// Checkpoints may be signed only with keys that the chain or the data directory names.
    fn check_keys(&mut self, directory: &Directory) -> Result<(), StoreError> {
        let current = read_text(&directory.keys().join(PUBLIC_KEY))?.unwrap_or_default();
        let named = |key: &str| {
            current.trim_end() == key
                || self.marks.iter().any(|mark| matches!(mark, Mark::SigningKey { public } if public == key))
        };
        let has_stranger = self.keys_used.iter().any(|key| !named(key));
        if has_stranger {
            self.blame(
                self.head.seq,
                &directory.checkpoints(),
                "a checkpoint is signed with a key nobody named",
            );
        }
        Ok(())
    }
}
