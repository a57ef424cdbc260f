//! `cargo xtask crash --store postgres`: kills writers, and restarts the database under a writer at full load; with
//! an address only the former, for a server that is not ours is not restarted.

#[path = "../../../crates/store/tests/it/cluster.rs"]
#[allow(dead_code, reason = "the tests of the store need more of a server than this")]
mod cluster;

use crate::load::Call;
use crate::{Lot, fresh, say};
use anyhow::{Context, Result, anyhow, bail, ensure};
use cluster::Cluster;
use portcullis_store::{Options, Store, StoreError, open, read};
use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// Threads of the writer.
const CALLERS: u64 = 8;
/// How long each speed is measured.
const BENCH_TIME: Duration = Duration::from_secs(5);
/// A writer is back so soon after the database is.
const LONGEST_RETURN: Duration = Duration::from_secs(5);

pub(crate) fn run(kills: u32, restarts: u32, work: &Path) -> Result<()> {
    let cluster = Cluster::start("crash", true).map_err(|error| anyhow!(error))?;
    let folder = fresh(work, "postgres")?;
    let address = cluster.database("crash").map_err(|error| anyhow!(error))?;
    kill(kills, &address, &folder)?;
    restart(restarts, &cluster, &address, &folder)?;
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The same in a database that somebody else keeps. The folder with its keys stays: the next run needs them.
pub(crate) fn run_at(kills: u32, address: &str, work: &Path) -> Result<()> {
    let folder = work.join("postgres-elsewhere");
    std::fs::create_dir_all(&folder)?;
    kill(kills, address, &folder)?;
    say("the server was not restarted: it is not ours");
    Ok(())
}

fn kill(kills: u32, address: &str, folder: &Path) -> Result<()> {
    let mut lot = Lot(0x5eed);
    let (mut acknowledged, mut longest) = (0, Duration::ZERO);
    for kill in 0..kills {
        let wait = Duration::from_micros(lot.below(600_000) as u64);
        let told = write_and_kill(address, folder, wait)?;
        let begin = Instant::now();
        let store = open(address, folder, &Options::default())?;
        longest = longest.max(begin.elapsed());
        drop(store);
        check(address, folder, &told).with_context(|| format!("after kill {}", kill + 1))?;
        acknowledged += told.len();
    }
    say(&format!(
        "{kills} kills of a writer: {acknowledged} records acknowledged, none lost; longest reopening {} ms",
        longest.as_millis()
    ));
    Ok(())
}

/// Measures how fast gateways record into one database.
pub(crate) fn bench(work: &Path) -> Result<()> {
    let cluster = Cluster::start("bench", true).map_err(|error| anyhow!(error))?;
    for (gateways, callers) in [(1, 1), (1, 8), (1, 64), (1, 256), (2, 64)] {
        let name = format!("bench_{gateways}_{callers}");
        let address = cluster.database(&name).map_err(|error| anyhow!(error))?;
        let folder = fresh(work, &name)?;
        let mut stores = Vec::new();
        for gateway in 0..gateways {
            let data = folder.join(gateway.to_string());
            let keys = data.join("postgres/keys");
            std::fs::create_dir_all(&keys)?;
            std::fs::write(keys.join("chain.key"), "5e".repeat(32))?;
            stores.push(open(&address, &data, &Options::default())?);
        }
        let (told, numbers, is_over) =
            (Mutex::new(Told::default()), AtomicU64::new(0), AtomicBool::new(false));
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..callers)
                .flat_map(|_| &stores)
                .map(|store| scope.spawn(|| call_until(&**store, &numbers, &told, &is_over)))
                .collect();
            std::thread::sleep(BENCH_TIME);
            is_over.store(true, Ordering::Relaxed);
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a panic"))?)
        })?;
        let records = told.into_inner().map_err(|_| anyhow!("a panic"))?.records.len() as f64;
        let rate = records / begin.elapsed().as_secs_f64();
        let latency = 1_000.0 * f64::from(gateways * callers) / rate;
        say(&format!(
            "{gateways} gateways, {callers} callers each: {rate:.0} records/s, {latency:.1} ms a call"
        ));
        let begin = Instant::now();
        let chains = stores.first().context("no store")?.verify()?;
        ensure!(chains.iter().all(|chain| chain.verdict.bad.is_none()), "a chain is bad");
        say(&format!("  verified in {} ms", begin.elapsed().as_millis()));
        drop(stores);
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

/// Starts a writer, kills it, and returns what it said it had recorded: call numbers by record.
fn write_and_kill(address: &str, folder: &Path, wait: Duration) -> Result<BTreeMap<u64, u64>> {
    let mut writer = Command::new(std::env::current_exe()?)
        .args(["postgres-writer", address])
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the writer")?;
    let out = writer.stdout.take().context("the writer has no stdout")?;
    let listener = std::thread::spawn(move || crate::crash::listen(BufReader::new(out), &mpsc::channel().0));
    std::thread::sleep(Duration::from_millis(300) + wait);
    writer.kill()?;
    writer.wait()?;
    listener.join().map_err(|_| anyhow!("the listener panicked"))
}

/// The child: records as fast as it can and says so after each acknowledgement.
pub(crate) fn write_until_killed(address: &str, folder: &Path) -> Result<()> {
    let store = open(address, folder, &Options::default())?;
    let numbers = AtomicU64::new(0);
    let call_for_ever = || -> Result<()> {
        loop {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            let id = store.append(&Call::new(number).draft())?;
            let mut out = std::io::stdout().lock();
            out.write_all(format!("{id} {number}.\n").as_bytes())?;
            out.flush()?;
        }
    };
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(call_for_ever)).collect();
        callers.into_iter().try_for_each(|caller| caller.join().map_err(|_| anyhow!("a panic"))?)
    })
}

/// What callers were told while the database came and went.
#[derive(Default)]
struct Told {
    records: BTreeMap<u64, u64>,
    refused: u64,
    last: Option<Instant>,
}

fn restart(restarts: u32, cluster: &Cluster, address: &str, folder: &Path) -> Result<()> {
    let store = open(address, folder, &Options::default())?;
    let (told, numbers, is_over) = (Mutex::new(Told::default()), AtomicU64::new(0), AtomicBool::new(false));
    let longest = std::thread::scope(|scope| {
        let call = || call_until(&*store, &numbers, &told, &is_over);
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(call)).collect();
        let longest = (0..restarts)
            .map(|_| restart_once(cluster, &told))
            .try_fold(Duration::ZERO, |longest, returned| anyhow::Ok(longest.max(returned?)));
        is_over.store(true, Ordering::Relaxed);
        callers.into_iter().try_for_each(|caller| caller.join().map_err(|_| anyhow!("a panic"))?)?;
        longest
    })?;
    drop(store);
    let told = told.into_inner().map_err(|_| anyhow!("a panic"))?;
    check(address, folder, &told.records)?;
    say(&format!(
        "{restarts} restarts of PostgreSQL: {} records acknowledged, none lost; {} calls refused meanwhile; longest return {} ms",
        told.records.len(),
        told.refused,
        longest.as_millis()
    ));
    ensure!(longest <= LONGEST_RETURN, "the writer was back later than {LONGEST_RETURN:?}");
    Ok(())
}

/// Crashes the database, starts it again, and returns how long the writer then took.
fn restart_once(cluster: &Cluster, told: &Mutex<Told>) -> Result<Duration> {
    std::thread::sleep(Duration::from_millis(700));
    cluster.crash().map_err(|error| anyhow!(error))?;
    std::thread::sleep(Duration::from_millis(300));
    cluster.begin().map_err(|error| anyhow!(error))?;
    let back = Instant::now();
    while back.elapsed() < LONGEST_RETURN * 2 {
        let last = told.lock().map_err(|_| anyhow!("a panic"))?.last;
        if let Some(last) = last.filter(|last| *last >= back) {
            return Ok(last - back);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    bail!("nothing was recorded after the database came back")
}

fn call_until(
    store: &dyn Store,
    numbers: &AtomicU64,
    told: &Mutex<Told>,
    is_over: &AtomicBool,
) -> Result<()> {
    while !is_over.load(Ordering::Relaxed) {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let outcome = store.append(&Call::new(number).draft());
        let mut told = told.lock().map_err(|_| anyhow!("a panic"))?;
        match outcome {
            Ok(id) => {
                told.records.insert(id, number);
                told.last = Some(Instant::now());
            }
            Err(StoreError::Unreachable { .. }) => told.refused += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Every record a caller was told about is there and says what it said, and every chain holds.
fn check(address: &str, folder: &Path, told: &BTreeMap<u64, u64>) -> Result<()> {
    let reading = read(address, folder)?;
    for chain in reading.verify()? {
        if let Some(bad) = chain.verdict.bad {
            bail!("record {} of chain {} is bad: {}", bad.seq, chain.writer, bad.what);
        }
    }
    let Some((first, last)) = told.keys().next().zip(told.keys().last()) else { return Ok(()) };
    let mut left = told.clone();
    reading.visit(*first, &mut |record| {
        let arguments =
            record.body.and_then(|body| body.arguments).map(|value| value.text).unwrap_or_default();
        let is_it = |number: &u64| arguments.starts_with(&format!("{{\"number\":{number},"));
        if left.get(&record.seq).is_some_and(is_it) {
            left.remove(&record.seq);
        }
        Ok(record.seq < *last)
    })?;
    ensure!(
        left.is_empty(),
        "record {:?} was acknowledged and is lost or says something else",
        left.first_key_value()
    );
    Ok(())
}
