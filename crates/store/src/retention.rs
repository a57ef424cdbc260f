//! What may go, and when: bodies first, then whole segments. The chain records it before it happens and stays whole.

use std::collections::BTreeMap;
use std::fs;

use data_encoding::HEXLOWER;

use crate::StoreError;
use crate::appender::Head;
use crate::directory::sync_folder;
use crate::error::At;
use crate::follower::Follower;
use crate::frame::Frame;
use crate::index::Indexed;
use crate::log::Core;
use crate::record::Mark;
use crate::segment::{self, Frames, PREAMBLE, Segment};

const DAY_US: i64 = 86_400_000_000;

/// What is kept, and how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days a record is kept.
    pub days: u32,
    /// Records kept.
    pub records: u64,
    /// Bytes of segments kept.
    pub bytes: u64,
    /// Days a body is kept.
    pub redact_after_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Retention { days: 90, records: 1_000_000, bytes: 1 << 30, redact_after_days: 30 }
    }
}

/// What is known about a sealed segment without reading it again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    last: Head,
    newest_us: i64,
    /// The oldest record that still has its body.
    oldest_body_us: Option<i64>,
    records: u64,
    bytes: u64,
}

/// By the first record of a segment, what is known about it.
pub(crate) type Extents = BTreeMap<u64, Extent>;

/// Redacts and drops what is due.
pub(crate) fn apply(
    core: &Core,
    follower: &mut Follower,
    retention: &Retention,
    now_us: i64,
) -> Result<(), StoreError> {
    // Only sealed segments are touched, so none may stay open for ever.
    if core.appender.roll_if_older(now_us - DAY_US) {
        follower.seal()?;
    }
    let sealed = measured(follower)?;
    let body_limit = now_us - i64::from(retention.redact_after_days) * DAY_US;
    let is_due = |extent: &Extent| extent.oldest_body_us.is_some_and(|oldest| oldest < body_limit);
    if sealed.iter().any(|(_, extent)| is_due(extent)) {
        redact_where(core, follower, now_us, |frame| frame.at_us < body_limit)?;
    }
    drop_oldest(core, follower, retention, now_us)
}

/// Removes the bodies of these records.
pub(crate) fn redact(
    core: &Core,
    follower: &mut Follower,
    from: u64,
    through: u64,
    now_us: i64,
) -> Result<(), StoreError> {
    core.appender.roll_if_older(i64::MAX);
    follower.seal()?;
    redact_where(core, follower, now_us, |frame| (from..=through).contains(&frame.seq))
}

fn redact_where(
    core: &Core,
    follower: &mut Follower,
    now_us: i64,
    is_due: impl Fn(&Frame<'_>) -> bool,
) -> Result<(), StoreError> {
    let mut affected = Vec::new();
    let (mut from, mut through) = (u64::MAX, 0);
    for segment in sealed_segments(follower)? {
        let bytes = intact(follower, &segment)?;
        let frames = Frames::from(&bytes, PREAMBLE).filter_map(Result::ok);
        let due: Vec<u64> =
            frames.filter(|one| !one.is_redacted() && is_due(one)).map(|one| one.seq).collect();
        if let (Some(first), Some(last)) = (due.first(), due.last()) {
            (from, through) = (from.min(*first), through.max(*last));
            affected.push(segment);
        }
    }
    if affected.is_empty() {
        return Ok(());
    }
    // INVARIANT: the chain says so before it happens; a body that is gone without it counts as tampering.
    let seq = core.note(now_us, "bodies were redacted", Some(Mark::Redacted { from, through }))?;
    core.appender.wait_synced(seq)?;
    for segment in affected {
        let bytes = intact(follower, &segment)?;
        let mut redacted = bytes.get(..PREAMBLE).unwrap_or_default().to_vec();
        let mut at = PREAMBLE;
        for frame in Frames::from(&bytes, PREAMBLE).filter_map(Result::ok) {
            match is_due(&frame) {
                true => frame.write_redacted(&mut redacted),
                false => redacted.extend_from_slice(bytes.get(at..at + frame.length).unwrap_or_default()),
            }
            at += frame.length;
        }
        segment.write_sealed(&follower.key, &redacted)?;
        follower.extents.remove(&segment.first_seq);
    }
    Ok(())
}

fn drop_oldest(
    core: &Core,
    follower: &mut Follower,
    retention: &Retention,
    now_us: i64,
) -> Result<(), StoreError> {
    let sealed = measured(follower)?;
    let time_limit = now_us - i64::from(retention.days) * DAY_US;
    let (open_records, open_bytes) = open_end(core, follower)?;
    let mut records: u64 = open_records + sealed.iter().map(|(_, extent)| extent.records).sum::<u64>();
    let mut bytes: u64 = open_bytes + sealed.iter().map(|(_, extent)| extent.bytes).sum::<u64>();
    let mut due = Vec::new();
    for (segment, extent) in &sealed {
        let is_old = extent.newest_us < time_limit;
        if !(is_old || records > retention.records || bytes > retention.bytes) {
            break;
        }
        records -= extent.records;
        bytes -= extent.bytes;
        due.push((segment, extent));
    }
    let Some((_, last)) = due.last() else { return Ok(()) };
    let mark = Mark::Dropped { through: last.last.seq, hash: HEXLOWER.encode(&last.last.hash) };
    let seq = core.note(now_us, "old records were dropped", Some(mark))?;
    core.appender.wait_synced(seq)?;
    for (segment, extent) in due {
        let gone = records_of(follower, segment)?;
        follower.index.forget(extent.last.seq, &gone)?;
        fs::remove_file(&segment.path).at(&segment.path)?;
        sync_folder(&segment.path)?;
        follower.extents.remove(&segment.first_seq);
    }
    Ok(())
}

/// Records and bytes that are not sealed yet; they count, but stay.
fn open_end(core: &Core, follower: &Follower) -> Result<(u64, u64), StoreError> {
    let segments = segment::list(&follower.directory.log())?;
    let mut open = segments.iter().filter(|segment| !segment.is_sealed).peekable();
    let first = open.peek().map_or(u64::MAX, |segment| segment.first_seq);
    let mut bytes = 0;
    for segment in open {
        bytes += fs::metadata(&segment.path).at(&segment.path)?.len();
    }
    Ok(((core.appender.head().seq + 1).saturating_sub(first), bytes))
}

fn records_of(follower: &Follower, segment: &Segment) -> Result<Vec<Indexed>, StoreError> {
    let bytes = intact(follower, segment)?;
    let indexed = |frame: Frame<'_>| {
        let head = Head { seq: frame.seq, hash: frame.hash };
        Some(Indexed { head, at_us: frame.at_us, facts: frame.facts()? })
    };
    Ok(Frames::from(&bytes, PREAMBLE).filter_map(Result::ok).filter_map(indexed).collect())
}

fn sealed_segments(follower: &Follower) -> Result<Vec<Segment>, StoreError> {
    let segments = segment::list(&follower.directory.log())?;
    Ok(segments.into_iter().filter(|segment| segment.is_sealed).collect())
}

/// The sealed segments, oldest first, with what is known about them; each is read only once.
fn measured(follower: &mut Follower) -> Result<Vec<(Segment, Extent)>, StoreError> {
    let mut all = Vec::new();
    for segment in sealed_segments(follower)? {
        let extent = match follower.extents.get(&segment.first_seq) {
            Some(extent) => *extent,
            None => measure(follower, &segment)?,
        };
        follower.extents.insert(segment.first_seq, extent);
        all.push((segment, extent));
    }
    Ok(all)
}

fn measure(follower: &Follower, segment: &Segment) -> Result<Extent, StoreError> {
    let bytes = intact(follower, segment)?;
    let stored = fs::metadata(&segment.path).at(&segment.path)?.len();
    let last = Head { seq: segment.first_seq.saturating_sub(1), hash: [0; 32] };
    let mut extent = Extent { last, newest_us: i64::MIN, oldest_body_us: None, records: 0, bytes: stored };
    for frame in Frames::from(&bytes, PREAMBLE).filter_map(Result::ok) {
        extent.last = Head { seq: frame.seq, hash: frame.hash };
        extent.newest_us = extent.newest_us.max(frame.at_us);
        extent.records += 1;
        if !frame.is_redacted() {
            let oldest = extent.oldest_body_us.unwrap_or(i64::MAX).min(frame.at_us);
            extent.oldest_body_us = Some(oldest);
        }
    }
    Ok(extent)
}

/// The bytes of a segment; a damaged one is evidence and stays as it is.
fn intact(follower: &Follower, segment: &Segment) -> Result<Vec<u8>, StoreError> {
    let contents = segment.read(&follower.key)?;
    match contents.damage {
        Some(damage) => Err(StoreError::corrupt(&segment.path, segment.first_seq, damage.words())),
        None => Ok(contents.bytes),
    }
}
