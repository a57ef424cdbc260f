//! `cargo xtask bench store`: appends at both levels, size on disk, questions; each beside its bar.

use crate::load::Call;
use crate::{fresh, say};
use anyhow::{Result, bail};
use portcullis_store::{
    ActivityLog, ActivityReader, Draft, Filter, Kind, Level, Options, Retention, Status, verify,
};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Threads that record at once.
const CALLERS: u64 = 32;
/// Records of a measurement of speed.
const SAMPLE: u64 = 60_000;
/// Records of one turn of a measurement that waits for the disk.
const SYNCED_SAMPLE: u64 = 2_000;
/// Turns of it.
const SYNCED_TURNS: u64 = 10;
/// What one record of the load takes in an open segment.
const RECORD_BYTES: u64 = 900;
const TWO_WEEKS_US: i64 = 14 * 86_400_000_000;

pub(crate) fn run(records: u64, work: &Path) -> Result<()> {
    let mut bars = Bars::default();
    appends(work, &mut bars)?;
    synced_appends(work, &mut bars)?;
    questions(records, work, &mut bars)?;
    if bars.missed > 0 {
        bail!("{} bars missed", bars.missed);
    }
    Ok(())
}

#[derive(Default)]
struct Bars {
    missed: u32,
}

impl Bars {
    /// Prints a figure and whether it is on the right side of its bar.
    fn check(&mut self, name: &str, figure: f64, unit: &str, bar: f64, is_least: bool) {
        let is_kept = if is_least { figure >= bar } else { figure <= bar };
        self.missed += u32::from(!is_kept);
        let (word, side) =
            (if is_kept { "ok" } else { "MISSED" }, if is_least { "at least" } else { "at most" });
        say(&format!("{name:<52} {figure:>12.1} {unit:<10} {side} {bar:<9} {word}"));
    }
}

/// Writes records of the last two weeks into a data directory, for whoever measures what reads them.
pub(crate) fn fill(records: u64, folder: &Path) -> Result<()> {
    let log = open(folder, Level::Process)?;
    let now_us = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())?;
    let step = TWO_WEEKS_US / i64::try_from(records.max(1))?;
    for number in 0..records {
        let call = Call::new(number);
        let at_us = now_us - step * i64::try_from(records - number)?;
        log.append(&Draft { at_us, ..call.draft() })?;
    }
    Ok(log.flush()?)
}

fn open(folder: &Path, level: Level) -> Result<ActivityLog> {
    let retention = Retention { records: u64::MAX, bytes: u64::MAX, ..Retention::default() };
    Ok(ActivityLog::open(folder, &Options { level, retention, ..Options::default() })?)
}

fn appends(work: &Path, bars: &mut Bars) -> Result<()> {
    let folder = fresh(work, "bench-process")?;
    let log = open(&folder, Level::Process)?;
    let (rate, _) = record(&log, SAMPLE, CALLERS);
    bars.check("process, 32 callers", rate, "records/s", 50_000.0, true);
    let (_, mut waits) = record(&log, SAMPLE / 3, 1);
    bars.check("process, one caller, p50", micros(percentile(&mut waits, 50)), "us", 10.0, false);
    say(&format!("  p99 {:.1} us", micros(percentile(&mut waits, 99))));
    drop(log);
    Ok(fs::remove_dir_all(folder)?)
}

/// Ours and raw appends of the same batches take turns, because a shared disk is at times ten times slower.
fn synced_appends(work: &Path, bars: &mut Bars) -> Result<()> {
    let folder = fresh(work, "bench-power")?;
    let log = open(&folder, Level::Power)?;
    let mut raw = OpenOptions::new().append(true).create(true).open(folder.join("raw"))?;
    let (mut ours, mut theirs, mut syncs) = (Duration::ZERO, Duration::ZERO, 0);
    let (mut waits, mut raw_waits) = (Vec::new(), Vec::new());
    for _ in 0..SYNCED_TURNS {
        let (syncs_before, begin) = (log.syncs(), Instant::now());
        waits.extend(record(&log, SYNCED_SAMPLE, CALLERS).1);
        ours += begin.elapsed();
        let batches = log.syncs() - syncs_before;
        syncs += batches;
        let begin = Instant::now();
        raw_waits.extend(raw_appends(&mut raw, batches)?);
        theirs += begin.elapsed();
    }
    let (_, mut single) = record(&log, SYNCED_SAMPLE / 4, 1);
    let mut raw_single = raw_appends(&mut raw, SYNCED_SAMPLE / 4)?;
    drop(log);
    let count = (SYNCED_SAMPLE * SYNCED_TURNS) as f64;
    let share = theirs.as_secs_f64() / ours.as_secs_f64() * 100.0;
    bars.check("power, 32 callers, share of raw synced batches", share, "%", 50.0, true);
    say(&format!(
        "  {:.0} records/s, raw {:.0}, {:.1} records a sync; p99 {:.1} ms, raw {:.1} ms",
        count / ours.as_secs_f64(),
        count / theirs.as_secs_f64(),
        count / syncs as f64,
        micros(percentile(&mut waits, 99)) / 1e3,
        micros(percentile(&mut raw_waits, 99)) / 1e3,
    ));
    say(&format!(
        "  one caller, p50 {:.0} us, raw {:.0} us",
        micros(percentile(&mut single, 50)),
        micros(percentile(&mut raw_single, 50))
    ));
    Ok(fs::remove_dir_all(folder)?)
}

/// As many bytes as a sample of records in so many batches, each written and synced: what the disk allows.
fn raw_appends(file: &mut File, batches: u64) -> Result<Vec<Duration>> {
    let batch = vec![b'x'; (SYNCED_SAMPLE * RECORD_BYTES / batches.max(1)) as usize];
    let mut waits = Vec::new();
    for _ in 0..batches {
        let begin = Instant::now();
        file.write_all(&batch)?;
        file.sync_data()?;
        waits.push(begin.elapsed());
    }
    Ok(waits)
}

/// Records from so many threads; the rate, and how long each call took. Drafts are made before.
fn record(log: &ActivityLog, count: u64, callers: u64) -> (f64, Vec<Duration>) {
    let calls: Vec<Call> = (0..count).map(Call::new).collect();
    let next = AtomicU64::new(0);
    let begin = Instant::now();
    let one = || {
        let mut waits = Vec::new();
        while let Some(call) = calls.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
            let begin = Instant::now();
            if log.append(&call.draft()).is_err() {
                break;
            }
            waits.push(begin.elapsed());
        }
        waits
    };
    let waits: Vec<Duration> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..callers).map(|_| scope.spawn(one)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    (waits.len() as f64 / begin.elapsed().as_secs_f64(), waits)
}

fn questions(records: u64, work: &Path, bars: &mut Bars) -> Result<()> {
    let folder = fresh(work, "bench-questions")?;
    let begin = Instant::now();
    let log = open(&folder, Level::Process)?;
    for number in 0..records {
        log.append(&Call::new(number).draft())?;
    }
    say(&format!("{records} records written in {:.1} s", begin.elapsed().as_secs_f64()));
    log.flush()?;
    say(&format!("  indexed and sealed after {:.1} s", begin.elapsed().as_secs_f64()));
    drop(log);
    let begin = Instant::now();
    drop(open(&folder, Level::Process)?);
    bars.check("opened again", begin.elapsed().as_secs_f64() * 1e3, "ms", 2_000.0, false);
    let millions = records as f64 / 1e6;
    let megabytes = size(&folder)? as f64 / 1e6;
    bars.check("on disk, a million records", megabytes / millions, "MB", 500.0, false);
    let reader = ActivityReader::open(&folder)?;
    for (name, filter) in filters(records) {
        let took = fastest(|| reader.list(&filter, None, 50).map(drop))?;
        bars.check(&format!("list: {name}"), micros(took) / 1e3 / millions.max(1.0), "ms", 50.0, false);
    }
    let took = fastest(|| reader.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).map(drop))?;
    bars.check("summary", micros(took) / 1e3, "ms", 200.0, false);
    let begin = Instant::now();
    let verdict = verify(&folder)?;
    say(&format!("  verify: {:.1} s, {} records", begin.elapsed().as_secs_f64(), verdict.last));
    Ok(fs::remove_dir_all(folder)?)
}

/// Questions that end early, that fit nothing and so read everything, and in between.
fn filters(records: u64) -> Vec<(&'static str, Filter)> {
    let name = |text: &str| Some(text.to_owned());
    let half = 4_000_000_000_000_000 + records as i64 / 2 * 1_000_000;
    let open = Filter::default;
    vec![
        ("newest", open()),
        ("kind that is rare", Filter { kinds: vec![Kind::RugPull], ..open() }),
        (
            "server and tool that never meet",
            Filter { server: name("github"), tool: name("tool_1"), ..open() },
        ),
        ("session that is old", Filter { session: name("session-1"), ..open() }),
        ("status and risk", Filter { statuses: vec![Status::Failed], risk: 96, ..open() }),
        ("sensitive type", Filter { sensitive: name("email"), ..open() }),
        ("old time", Filter { until_us: Some(half), ..open() }),
        (
            "everything at once",
            Filter {
                kinds: vec![Kind::ToolCall],
                statuses: vec![Status::Sent],
                server: name("files"),
                tool: name("tool_1"),
                session: name("session-1"),
                risk: 50,
                since_us: Some(half),
                ..open()
            },
        ),
    ]
}

fn fastest<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let begin = Instant::now();
        work()?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(fastest)
}

/// What so many of a hundred stay below.
fn percentile(waits: &mut [Duration], percent: usize) -> Duration {
    waits.sort_unstable();
    waits.get(waits.len() * percent / 100).copied().unwrap_or_default()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Bytes of all files in a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}
