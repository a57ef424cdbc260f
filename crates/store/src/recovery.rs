//! Opening a log after any end: finds its last record, and cuts off what a killed writer left unfinished.

use std::fs::{self, File};
use std::sync::Arc;

use crate::StoreError;
use crate::appender::{End, Head};
use crate::directory::{Held, private_options, sync_folder};
use crate::error::At;
use crate::frame::{Frame, LONGEST};
use crate::keys::{ChainKey, GENESIS};
use crate::segment::{self, Frames, PREAMBLE, Preamble, Segment};

/// Where the log ends. `known` is the last record that others vouch for: it must be there.
pub(crate) fn recover(held: &Held, known: u64) -> Result<End, StoreError> {
    let folder = held.directory.log();
    let mut segments = segment::list(&folder)?;
    for sealed in segments.iter().filter(|segment| segment.is_sealed) {
        remove_twin(sealed)?;
    }
    drop_unborn(&mut segments, known)?;
    settle(&mut segments, held, known)?;
    let end = match segments.last() {
        Some(last) if !last.is_sealed => reopen(last, held, known)?,
        Some(last) => begin(held, head_of(last, held)?)?,
        None => begin(held, Head { seq: 0, hash: GENESIS })?,
    };
    if end.head.seq < known {
        return Err(StoreError::corrupt(
            &end.segment.path,
            end.head.seq + 1,
            "the end of the log is missing",
        ));
    }
    Ok(end)
}

/// The open file beside a sealed one: its sealing was finished but for the removal.
fn remove_twin(sealed: &Segment) -> Result<(), StoreError> {
    let twin = sealed.path.with_extension("log");
    if twin.exists() { fs::remove_file(&twin).at(&twin) } else { Ok(()) }
}

/// A segment whose preamble was cut short never held a record.
fn drop_unborn(segments: &mut Vec<Segment>, known: u64) -> Result<(), StoreError> {
    if let Some(last) = segments.last().filter(|last| !last.is_sealed && last.first_seq > known)
        && fs::metadata(&last.path).at(&last.path)?.len() < PREAMBLE as u64
    {
        fs::remove_file(&last.path).at(&last.path)?;
        segments.pop();
    }
    Ok(())
}

/// Full segments that were not sealed may not be on the disk yet. If power failed before they were, what follows a
/// torn one is cut off with it: nobody was told that it lasts.
fn settle(segments: &mut Vec<Segment>, held: &Held, known: u64) -> Result<(), StoreError> {
    for index in 1..segments.len() {
        let (Some(full), Some(next)) = (segments.get(index - 1), segments.get(index)) else { break };
        if full.is_sealed {
            continue;
        }
        let bytes = full.read(&held.key)?.bytes;
        let walked = walk(full, &bytes, &held.key)?;
        if walked.fault.is_none() && walked.head.seq + 1 == next.first_seq {
            File::open(&full.path).and_then(|file| file.sync_data()).at(&full.path)?;
            continue;
        }
        let rest = bytes.get(walked.length..).unwrap_or_default();
        if walked.head.seq < known || !is_torn(rest, walked.head.seq + 1) {
            let fault = walked.fault.unwrap_or("it is missing");
            return Err(StoreError::corrupt(&full.path, walked.head.seq + 1, fault));
        }
        for lost in segments.drain(index..).rev() {
            fs::remove_file(&lost.path).at(&lost.path)?;
        }
        break;
    }
    Ok(())
}

fn begin(held: &Held, head: Head) -> Result<End, StoreError> {
    let segment = Segment::open(&held.directory.log(), head.seq + 1);
    let preamble = Preamble { first_seq: head.seq + 1, before: head.hash, writer: held.writer.clone() };
    let file = segment.create(&preamble)?;
    sync_folder(&segment.path)?;
    Ok(End { segment, medium: Arc::new(file), length: PREAMBLE as u64, head, oldest_us: None })
}

fn head_of(sealed: &Segment, held: &Held) -> Result<Head, StoreError> {
    let contents = sealed.read(&held.key)?;
    let walked = walk(sealed, &contents.bytes, &held.key)?;
    match contents.damage.map(|damage| damage.words()).or(walked.fault) {
        Some(fault) => Err(StoreError::corrupt(&sealed.path, walked.head.seq + 1, fault)),
        None => Ok(walked.head),
    }
}

fn reopen(segment: &Segment, held: &Held, known: u64) -> Result<End, StoreError> {
    let bytes = segment.read(&held.key)?.bytes;
    let walked = walk(segment, &bytes, &held.key)?;
    let file = private_options().append(true).open(&segment.path).at(&segment.path)?;
    if let Some(fault) = walked.fault {
        let rest = bytes.get(walked.length..).unwrap_or_default();
        if walked.head.seq < known || !is_torn(rest, walked.head.seq + 1) {
            return Err(StoreError::corrupt(&segment.path, walked.head.seq + 1, fault));
        }
        file.set_len(walked.length as u64).and_then(|()| file.sync_all()).at(&segment.path)?;
    }
    Ok(End {
        segment: segment.clone(),
        medium: Arc::new(file),
        length: walked.length as u64,
        head: walked.head,
        oldest_us: walked.oldest_us,
    })
}

/// How far a segment is as it was written.
struct Walked {
    head: Head,
    length: usize,
    oldest_us: Option<i64>,
    fault: Option<&'static str>,
}

fn walk(segment: &Segment, bytes: &[u8], key: &ChainKey) -> Result<Walked, StoreError> {
    let preamble = Preamble::parse(bytes).filter(|preamble| preamble.first_seq == segment.first_seq);
    let preamble = preamble.ok_or_else(|| {
        StoreError::corrupt(&segment.path, segment.first_seq, "its segment does not begin as one")
    })?;
    let mut head = Head { seq: preamble.first_seq - 1, hash: preamble.before };
    let mut frames = Frames::from(bytes, PREAMBLE);
    let mut length = PREAMBLE;
    let mut oldest_us = None;
    let mut fault = None;
    while let (None, Some(frame)) = (fault, frames.next()) {
        match step(frame.as_ref().ok(), key, &head) {
            Ok((next, at_us)) => {
                (head, length) = (next, frames.offset);
                oldest_us = Some(oldest_us.unwrap_or(i64::MAX).min(at_us));
            }
            Err(wrong) => fault = Some(wrong),
        }
    }
    Ok(Walked { head, length, oldest_us, fault })
}

/// The next head and the time of its record.
fn step(frame: Option<&Frame<'_>>, key: &ChainKey, head: &Head) -> Result<(Head, i64), &'static str> {
    let frame = frame.ok_or("it is not whole")?;
    match frame.fault(key, head.seq + 1, &head.hash) {
        Some(fault) => Err(fault),
        None => Ok((Head { seq: frame.seq, hash: frame.hash }, frame.at_us)),
    }
}

/// Whether these last bytes are what a writer that died in the middle leaves: the beginning of one frame, or zeros
/// where the disk never got the bytes. If a later record follows, something else happened.
fn is_torn(rest: &[u8], seq: u64) -> bool {
    if rest.iter().all(|byte| *byte == 0) {
        return true;
    }
    let has_successor = (1..rest.len()).any(|at| {
        let later = rest.get(at..).unwrap_or_default();
        Frame::parse(later).is_ok_and(|frame| (seq..seq + 1_000).contains(&frame.seq))
    });
    rest.len() < LONGEST && Frame::parse(rest).is_err() && !has_successor
}
