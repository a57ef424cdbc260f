//! `cargo xtask crash`: kills a writer at full load, again and again, and looks for records it had acknowledged.

use crate::load::Call;
use crate::{Lot, fresh, level_of, say};
use anyhow::{Context, Result, bail, ensure};
use portcullis_store::{ActivityLog, ActivityReader, Level, Options, StoreError, verify};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

/// Threads of the writer.
const CALLERS: u64 = 8;
/// Kills before a new directory is begun: the whole of it is verified after each.
const KILLS_PER_DIRECTORY: u32 = 20;
/// A writer that has recorded nothing by then never will.
const LONGEST_START: Duration = Duration::from_secs(30);
/// A restart may take so long.
const LONGEST_RESTART: Duration = Duration::from_secs(2);

pub(crate) fn run(kills: u32, level: &str, work: &Path) -> Result<()> {
    level_of(level)?;
    let mut lot = Lot(0x5eed);
    let mut acknowledged = 0;
    let mut longest = Duration::ZERO;
    let mut torn = 0;
    let mut folder = fresh(work, "crash")?;
    for kill in 0..kills {
        if kill % KILLS_PER_DIRECTORY == 0 {
            folder = fresh(work, "crash")?;
        }
        let wait = Duration::from_micros(lot.below(300_000) as u64);
        // One in four dies at any time from its start on, the others under load.
        let told = write_and_kill(level, &folder, wait, kill % 4 != 3)?;
        torn += u32::from(is_torn(&folder)?);
        let begin = Instant::now();
        let log = ActivityLog::open(&folder, &Options::default())?;
        longest = longest.max(begin.elapsed());
        drop(log);
        check(&folder, &told).with_context(|| format!("after kill {}", kill + 1))?;
        acknowledged += told.len();
    }
    std::fs::remove_dir_all(&folder)?;
    say(&format!(
        "{kills} kills at level {level}: {acknowledged} records acknowledged, none lost; {torn} torn tails cut; \
         longest restart {} ms",
        longest.as_millis()
    ));
    ensure!(longest <= LONGEST_RESTART, "a restart took longer than {LONGEST_RESTART:?}");
    Ok(())
}

/// Whether the writer died in the middle of a record; it may have died before there was a log.
fn is_torn(folder: &Path) -> Result<bool> {
    match verify(folder) {
        Err(StoreError::Absent { .. }) => Ok(false),
        verdict => Ok(verdict?.torn),
    }
}

/// Starts a writer, kills it, and returns what it said it had recorded: call numbers by record.
fn write_and_kill(
    level: &str,
    folder: &Path,
    wait: Duration,
    is_under_load: bool,
) -> Result<BTreeMap<u64, u64>> {
    let mut writer = Command::new(std::env::current_exe()?)
        .args(["writer", level])
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the writer")?;
    let out = writer.stdout.take().context("the writer has no stdout")?;
    let (begun, has_begun) = mpsc::channel();
    let listener = std::thread::spawn(move || listen(BufReader::new(out), &begun));
    if is_under_load {
        has_begun.recv_timeout(LONGEST_START).context("the writer records nothing")?;
    }
    std::thread::sleep(wait);
    writer.kill()?;
    writer.wait()?;
    listener.join().map_err(|_| anyhow::anyhow!("the listener panicked"))
}

pub(crate) fn listen(out: impl BufRead, begun: &Sender<()>) -> BTreeMap<u64, u64> {
    let pair = |line: String| {
        let (seq, number) = line.split_once(' ')?;
        // A line without its full stop was cut short by the kill.
        Some((seq.parse().ok()?, number.strip_suffix('.')?.parse().ok()?))
    };
    // Nobody may be waiting for the first one.
    let tell = |_: &(u64, u64)| {
        let _ = begun.send(());
    };
    out.lines().map_while(Result::ok).filter_map(pair).inspect(tell).collect()
}

/// Every record a caller was told about is there and says what it said.
fn check(folder: &Path, told: &BTreeMap<u64, u64>) -> Result<()> {
    let verdict = verify(folder)?;
    if let Some(bad) = verdict.bad {
        bail!("record {} is bad: {}", bad.seq, bad.what);
    }
    let Some((first, last)) = told.keys().next().zip(told.keys().last()) else { return Ok(()) };
    ensure!(verdict.last >= *last, "record {last} was acknowledged and is lost");
    let mut wrong = None;
    ActivityReader::open(folder)?.visit(*first, |record| {
        let arguments =
            record.body.and_then(|body| body.arguments).map(|value| value.text).unwrap_or_default();
        let expected = told.get(&record.seq).map(|number| format!("{{\"number\":{number},"));
        if expected.is_some_and(|expected| !arguments.starts_with(&expected)) {
            wrong = Some(record.seq);
        }
        Ok(wrong.is_none() && record.seq < *last)
    })?;
    ensure!(wrong.is_none(), "record {wrong:?} says something else");
    Ok(())
}

/// The child: records as fast as it can and says so after each acknowledgement.
pub(crate) fn write_until_killed(level: Level, folder: &Path) -> Result<()> {
    let log = ActivityLog::open(folder, &Options { level, ..Options::default() })?;
    let numbers = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| call_for_ever(&log, &numbers))).collect();
        callers.into_iter().try_for_each(|caller| caller.join().map_err(|_| anyhow::anyhow!("a panic"))?)
    })
}

fn call_for_ever(log: &ActivityLog, numbers: &AtomicU64) -> Result<()> {
    loop {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let seq = log.append(&Call::new(number).draft())?;
        let mut out = std::io::stdout().lock();
        out.write_all(format!("{seq} {number}.\n").as_bytes())?;
        out.flush()?;
    }
}
