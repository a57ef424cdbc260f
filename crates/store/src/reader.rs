//! The activity log as its readers see it: they take no lock, and never make the writer wait.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;
use std::{fs, io};

use crate::StoreError;
use crate::directory::Directory;
use crate::index::{Counters, Days, Entry, Filter, IndexReader, Summary};
use crate::keys::ChainKey;
use crate::record::Record;
use crate::segment::{self, Frames, PREAMBLE, Segment};

/// A page of a list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What fits the filter.
    pub entries: Vec<Entry>,
    /// Where the next page goes on, if there may be one.
    pub next: Option<u64>,
}

/// Reads a data directory while another process may write it.
pub struct ActivityReader {
    directory: Directory,
    key: ChainKey,
    index: Option<IndexReader>,
    /// The sealed segment that was read last: who asks for one record often asks for its neighbour.
    last_read: RefCell<Option<LastRead>>,
}

struct LastRead {
    path: PathBuf,
    /// Redaction writes the file anew.
    changed: SystemTime,
    bytes: Rc<Vec<u8>>,
}

impl ActivityReader {
    /// Opens what is there; nothing is made.
    pub fn open(root: &Path) -> Result<ActivityReader, StoreError> {
        let directory = Directory::new(root);
        let key = directory.key()?;
        let index = match IndexReader::open(&directory.index(), &key) {
            // Everything in it is in the log, too; reading that takes longer.
            Err(StoreError::IndexDamaged(_)) => None,
            index => index?,
        };
        Ok(ActivityReader { directory, key, index, last_read: RefCell::default() })
    }

    /// What is wrong with the index, if anything is.
    pub fn index_fault(&self) -> Result<Option<String>, StoreError> {
        match &self.index {
            Some(index) => index.fault(),
            None => Ok(Some("there is none, or it cannot be read".into())),
        }
    }

    /// The process that writes here now.
    pub fn holder(&self) -> Option<String> {
        self.directory.holder()
    }

    /// The newest records before `before` that fit.
    pub fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        let before = before.unwrap_or(i64::MAX as u64);
        let entries = self.between(filter, self.first()?, before, most)?;
        let next = entries.last().filter(|_| entries.len() >= most).map(|last| last.seq);
        Ok(Page { entries, next })
    }

    /// The records after `after` that fit, oldest first; of more than `most` the newest.
    pub fn after(&self, filter: &Filter, after: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let first = self.first()?.max(after + 1);
        let mut entries = self.between(filter, first, i64::MAX as u64, most)?;
        entries.reverse();
        Ok(entries)
    }

    fn between(
        &self,
        filter: &Filter,
        first: u64,
        before: u64,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let indexed = self.indexed()?;
        let mut entries = Vec::new();
        // What the index has not caught up with yet is read from the log itself.
        self.visit(first.max(indexed + 1), |record| {
            let entry = Entry::from(&record);
            if entry.seq < before && filter.admits(&entry) {
                entries.push(entry);
            }
            Ok(record.seq < before)
        })?;
        entries.reverse();
        entries.truncate(most);
        if let Some(index) = self.index.as_ref().filter(|_| entries.len() < most) {
            entries.extend(index.list(filter, first, before.min(indexed + 1), most - entries.len())?);
        }
        Ok(entries)
    }

    /// One record with its body.
    pub fn record(&self, seq: u64) -> Result<Record, StoreError> {
        let mut found = None;
        self.visit(seq, |record| {
            found = Some(record).filter(|record| record.seq == seq);
            Ok(false)
        })?;
        found.ok_or(StoreError::NoRecord { seq })
    }

    /// Hands out every record from `from` on, oldest first, until the visitor says `false`.
    pub fn visit(
        &self,
        from: u64,
        mut visit: impl FnMut(Record) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let segments = segment::list(&self.directory.log())?;
        let begin = segments.iter().rposition(|segment| segment.first_seq <= from).unwrap_or(0);
        for segment in segments.get(begin..).unwrap_or_default() {
            let Some(bytes) = self.bytes_of(segment)? else { continue };
            for frame in Frames::from(&bytes, PREAMBLE).map_while(Result::ok) {
                if frame.seq < from {
                    continue;
                }
                let record = frame
                    .record()
                    .ok_or_else(|| StoreError::corrupt(&segment.path, frame.seq, "it cannot be read"))?;
                if !visit(record)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The bytes of a segment; `None` if retention dropped it since it was listed.
    fn bytes_of(&self, segment: &Segment) -> Result<Option<Rc<Vec<u8>>>, StoreError> {
        let changed = fs::metadata(&segment.path).and_then(|about| about.modified()).ok();
        let is_same = |last: &&LastRead| last.path == segment.path && Some(last.changed) == changed;
        if let Some(last) = self.last_read.borrow().as_ref().filter(is_same) {
            return Ok(Some(Rc::clone(&last.bytes)));
        }
        let bytes = match segment.read(&self.key) {
            Err(StoreError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            contents => Rc::new(contents?.bytes),
        };
        if let Some(changed) = changed.filter(|_| segment.is_sealed) {
            let (path, bytes) = (segment.path.clone(), Rc::clone(&bytes));
            self.last_read.replace(Some(LastRead { path, changed, bytes }));
        }
        Ok(Some(bytes))
    }

    /// Counts by these of [`DIMENSIONS`](crate::DIMENSIONS), in whole days.
    pub fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        let days = Days::between(since_us, until_us);
        let totals = self.index.as_ref().map(|index| index.totals(days, by)).transpose()?;
        let (mut totals, indexed) = totals.unwrap_or_default();
        // What the index has not caught up with yet is counted from the log itself.
        let mut counters = Counters::default();
        self.visit(indexed + 1, |record| {
            counters.count(record.at_us, &record.facts, 1);
            Ok(true)
        })?;
        totals.add(&counters, days, by);
        Ok(totals.summary())
    }

    /// How many records the index has not caught up with.
    pub fn lag(&self) -> Result<u64, StoreError> {
        let mut lag = 0;
        self.visit(self.indexed()? + 1, |_| {
            lag += 1;
            Ok(true)
        })?;
        Ok(lag)
    }

    fn indexed(&self) -> Result<u64, StoreError> {
        let head = self.index.as_ref().map(IndexReader::head).transpose()?;
        Ok(head.and_then(|head| head.head()).map_or(0, |head| head.seq))
    }

    fn first(&self) -> Result<u64, StoreError> {
        Ok(segment::list(&self.directory.log())?.first().map_or(1, |segment| segment.first_seq))
    }
}
