//! `cargo xtask tamper`: changes a log in a thousand ways; verifying must name the first record each touches.

use crate::load::Call;
use crate::{Lot, fresh, say};
use anyhow::{Context, Result, bail, ensure};
use portcullis_store::{ActivityLog, Options, verify};
use std::fs;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

/// Records of the log.
const RECORDS: u64 = 10_000;
/// Bytes before the first record of a segment.
const PREAMBLE: usize = 64;
const KINDS: [&str; 5] = ["flip", "drop", "swap", "cut", "insert"];

pub(crate) fn run(mutations: usize, work: &Path) -> Result<()> {
    let mut lot = Lot(0x7a3b);
    let open = Stage::new(&fresh(work, "tamper-open")?, false)?;
    let sealed = Stage::new(&fresh(work, "tamper-sealed")?, true)?;
    let mut exact = 0;
    for number in 0..mutations {
        // Sealed files have no records to be seen from outside: any change must be named, somewhere in them.
        let stage = if number % 4 == 3 { &sealed } else { &open };
        let mutation = stage.mutation(&mut lot);
        fs::write(&stage.path, &mutation.bytes)?;
        let bad = verify(&stage.folder)?.bad;
        let what = format!("mutation {number} ({} at byte {})", mutation.kind, mutation.at);
        let bad = bad.with_context(|| format!("{what} was not noticed"))?;
        let expected = &mutation.expected;
        ensure!(expected.contains(&bad.seq), "{what} touched {expected:?}, but {} was named", bad.seq);
        exact += u32::from(expected.start() == expected.end());
    }
    for stage in [&open, &sealed] {
        fs::write(&stage.path, &stage.bytes)?;
        ensure!(verify(&stage.folder)?.bad.is_none(), "the log as it was does not verify any more");
        leave_whole(&stage.folder)?;
        fs::remove_dir_all(&stage.folder)?;
    }
    say(&format!(
        "{mutations} mutations of {RECORDS} records: all named, {exact} of them with the record known"
    ));
    Ok(())
}

/// Redaction and retention on what is left keep the chain whole.
fn leave_whole(folder: &Path) -> Result<()> {
    let mut options = Options::default();
    options.retention.records = RECORDS / 2;
    let log = ActivityLog::open(folder, &options)?;
    let now_us = 4_100_000_000_000_000;
    log.redact(100, 5_000, now_us)?;
    ensure!(verify(folder)?.bad.is_none(), "a redacted log does not verify");
    log.retain(now_us)?;
    drop(log);
    let verdict = verify(folder)?;
    ensure!(
        verdict.bad.is_none() && verdict.first > 1,
        "a log that dropped records does not verify: {verdict:?}"
    );
    Ok(())
}

/// A log in one segment.
struct Stage {
    folder: PathBuf,
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where each record stands; empty if the segment is sealed.
    places: Vec<Range<usize>>,
}

struct Mutation {
    kind: &'static str,
    at: usize,
    bytes: Vec<u8>,
    /// The records that may be the first it touched; one if they can be seen from outside.
    expected: RangeInclusive<u64>,
}

impl Stage {
    fn new(folder: &Path, is_sealed: bool) -> Result<Stage> {
        let log = ActivityLog::open(folder, &Options::default())?;
        for number in 0..RECORDS / 2 {
            log.append(&Call::new(number).draft())?;
        }
        for number in 0..RECORDS / 2 {
            let call = Call::new(number);
            log.append(&portcullis_store::Draft { arguments: None, ..call.draft() })?;
        }
        if is_sealed {
            log.redact(1, 1, 4_000_000_000_000_000)?;
        }
        drop(log);
        let ending = if is_sealed { "zst" } else { "log" };
        let files = fs::read_dir(folder.join("log"))?.map(|entry| Ok(entry?.path()));
        let files: Vec<PathBuf> = files.collect::<Result<_>>()?;
        let path = files.into_iter().find(|path| path.extension().is_some_and(|found| found == ending));
        let path = path.context("the log has no such segment")?;
        let bytes = fs::read(&path)?;
        let places = if is_sealed { Vec::new() } else { places(&bytes)? };
        Ok(Stage { folder: folder.to_path_buf(), path, bytes, places })
    }

    fn mutation(&self, lot: &mut Lot) -> Mutation {
        let kind = KINDS[lot.below(KINDS.len())];
        if self.places.is_empty() { self.blind(kind, lot) } else { self.aimed(kind, lot) }
    }

    /// A change at any byte, whatever stands there.
    fn blind(&self, kind: &'static str, lot: &mut Lot) -> Mutation {
        let mut bytes = self.bytes.clone();
        let at = lot.below(bytes.len() - 64);
        match kind {
            "flip" => bytes[at] ^= 1 << lot.below(8),
            "drop" => drop(bytes.drain(at..at + 1 + lot.below(60))),
            "swap" => (0..32).for_each(|byte| bytes.swap(at + byte, at + 32 + byte)),
            "cut" => bytes.truncate(at),
            _ => bytes.insert(at, lot.below(256) as u8),
        }
        Mutation { kind, at, bytes, expected: 1..=RECORDS + 1 }
    }

    /// A change whose first record is known.
    fn aimed(&self, kind: &'static str, lot: &mut Lot) -> Mutation {
        let mut bytes = self.bytes.clone();
        let index = lot.below(self.places.len() - 1);
        let place = self.places[index].clone();
        let at = place.start + lot.below(place.len());
        match kind {
            "flip" => bytes[at] ^= 1 << lot.below(8),
            "drop" => drop(bytes.drain(place)),
            "swap" => {
                let next = self.places[index + 1].clone();
                bytes.splice(place.start..next.end, [&self.bytes[next], &self.bytes[place]].concat());
            }
            "cut" => bytes.truncate(at),
            _ => {
                let other = self.places[lot.below(self.places.len())].clone();
                bytes.splice(place.start..place.start, self.bytes[other].iter().copied());
            }
        }
        // A copy of a record put before itself leaves it where it was: the one after is in the wrong place.
        let original = &self.bytes[self.places[index].clone()];
        let is_double = kind == "insert" && bytes[self.places[index].start..].starts_with(original);
        let expected = index as u64 + 1 + u64::from(is_double);
        Mutation { kind, at, bytes, expected: expected..=expected }
    }
}

/// Where the records of an open segment stand.
fn places(bytes: &[u8]) -> Result<Vec<Range<usize>>> {
    let mut places = Vec::new();
    let mut at = PREAMBLE;
    while at < bytes.len() {
        let Some(lengths) = bytes.get(at..at + 8) else { bail!("the segment does not end with a record") };
        let number = |from: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| lengths[from + byte])) as usize;
        let end = at + 8 + number(0) + 32 + number(4);
        places.push(at..end);
        at = end;
    }
    Ok(places)
}
