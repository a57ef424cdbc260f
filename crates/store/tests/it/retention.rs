//! Bodies and records go when they are due, and the chain still holds.

use crate::world::{DAY, NOON, World, call, fill};
use portcullis_store::{ActivityLog, Draft, Filter, Kind, Level, Options, Retention, Status, StoreError};
use std::fs;

fn log(world: &World, retention: Retention) -> ActivityLog {
    ActivityLog::open(world.root(), &Options { level: Level::Process, retention, ..Options::default() })
        .unwrap()
}

#[test]
fn old_bodies_are_redacted_for_good() {
    let world = World::new();
    let log = log(&world, Retention::default());
    call(&log, 11_111, NOON - 40 * DAY);
    call(&log, 22_222, NOON - 2 * DAY);
    log.retain(NOON).unwrap();
    let reader = world.reader();
    assert_eq!(reader.record(2).unwrap().body, None);
    assert_eq!(reader.record(2).unwrap().facts.tool, "tool-2");
    assert!(reader.record(3).unwrap().body.is_some());
    drop(log);
    let verdict = world.verdict();
    assert_eq!((verdict.bad, verdict.redacted), (None, 2));
}

#[test]
fn a_record_can_be_redacted_on_demand() {
    let world = World::new();
    let log = world.log();
    (0..5).for_each(|number| assert!(call(&log, number, NOON) > 0));
    log.redact(3, 4, NOON).unwrap();
    let bodies: Vec<bool> = (2..=5).map(|seq| world.reader().record(seq).unwrap().body.is_some()).collect();
    assert_eq!(bodies, [true, false, false, true]);
    assert_eq!(world.first_bad(), None);
}

#[test]
fn old_records_are_dropped_and_the_chain_begins_later() {
    let world = World::new();
    let log = log(&world, Retention::default());
    fill(&log, 1_500, NOON - 100 * DAY);
    log.retain(NOON - 98 * DAY).unwrap();
    fill(&log, 10, NOON);
    log.retain(NOON).unwrap();
    assert!(matches!(world.reader().record(5), Err(StoreError::NoRecord { .. })));
    drop(log);
    let verdict = world.verdict();
    assert_eq!(verdict.bad, None);
    assert!(verdict.first > 1_000, "{verdict:?}");
    let kept = verdict.last - verdict.first + 1;
    let listed = world.reader().list(&Filter::default(), None, 10_000).unwrap().entries.len();
    assert_eq!(listed as u64, kept);
    assert_eq!(
        world.reader().summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap().records,
        kept
    );
}

#[test]
fn records_and_bytes_have_limits() {
    for limit in [
        Retention { records: 1_000, ..Retention::default() },
        Retention { bytes: 1_000, ..Retention::default() },
    ] {
        let world = World::new();
        let log = log(&world, limit);
        fill(&log, 3_000, NOON);
        log.flush().unwrap();
        log.retain(NOON).unwrap();
        drop(log);
        let verdict = world.verdict();
        assert_eq!(verdict.bad, None);
        assert!(verdict.first > 1_000 && verdict.last > 3_000, "{verdict:?}");
    }
}

#[test]
fn dropping_without_saying_so_is_tampering() {
    let world = World::new();
    {
        fill(&world.log(), 2_500, NOON);
    }
    fs::remove_file(&world.segments("zst")[0]).unwrap();
    assert_eq!(world.first_bad(), Some(1));
}

#[test]
fn names_that_nobody_uses_any_more_are_forgotten() {
    let world = World::new();
    let log = log(&world, Retention { records: 1_000, ..Retention::default() });
    let note = |session: &str| {
        let draft = Draft { session, ..Draft::new(Kind::Alert, Status::Noted, NOON) };
        log.append(&draft).unwrap();
    };
    note("a session of long ago");
    fill(&log, 3_000, NOON);
    note("a session of today");
    log.flush().unwrap();
    log.retain(NOON).unwrap();
    let sessions = |session: &str| {
        let filter = Filter { session: Some(session.into()), ..Filter::default() };
        world.reader().list(&filter, None, 9).unwrap().entries.len()
    };
    assert_eq!((sessions("a session of long ago"), sessions("a session of today")), (0, 1));
    drop(log);
    let holds = |text: &str| {
        let index = fs::read(world.root().join("index.sqlite")).unwrap();
        index.windows(text.len()).any(|window| window == text.as_bytes())
    };
    assert!(holds("a session of today"));
    assert!(!holds("a session of long ago"));
}
