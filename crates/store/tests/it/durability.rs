//! What was acknowledged is there after any end; what a killed writer left half-written is cut off, and nothing else.

use crate::world::{NOON, World, call, fill, options};
use portcullis_store::{ActivityLog, Level, StoreError};
use std::fs::{self, OpenOptions};
use std::io::Write;

#[test]
fn records_are_numbered_without_gaps_from_any_number_of_threads() {
    for level in [Level::Process, Level::Power] {
        let world = World::new();
        let log = ActivityLog::open(world.root(), &options(level)).unwrap();
        let mut numbers: Vec<u64> = std::thread::scope(|scope| {
            let one = |thread: u64| {
                let log = &log;
                scope.spawn(move || (0..50).map(|n| call(log, thread * 50 + n, NOON)).collect::<Vec<_>>())
            };
            let threads: Vec<_> = (0..8).map(one).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        // The first record says which key signs.
        assert_eq!(numbers, (2..=401).collect::<Vec<_>>());
        drop(log);
        let verdict = world.verdict();
        assert_eq!((verdict.bad, verdict.last), (None, 401));
    }
}

#[test]
fn a_log_goes_on_where_it_ended() {
    let world = World::new();
    for number in 0..5 {
        assert_eq!(call(&world.log(), number, NOON), number + 2);
    }
    assert_eq!((world.first_bad(), world.verdict().last), (None, 6));
}

#[test]
fn full_segments_are_sealed_and_still_read() {
    let world = World::new();
    let log = world.log();
    fill(&log, 2_500, NOON);
    log.flush().unwrap();
    assert!(!world.segments("zst").is_empty());
    assert_eq!(world.segments("log").len(), 1);
    let record = world.reader().record(3).unwrap();
    assert!(record.body.unwrap().arguments.unwrap().text.starts_with("{\"number\":1,"));
    drop(log);
    assert_eq!(world.first_bad(), None);
    assert_eq!(call(&world.log(), 1, NOON), 2_502);
}

/// Adds bytes to the open segment.
fn scribble(world: &World, bytes: &[u8]) {
    let path = world.segments("log").pop().unwrap();
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_torn_tail_is_cut_off() {
    let world = World::new();
    call(&world.log(), 1, NOON);
    let whole = fs::read(world.segments("log").pop().unwrap()).unwrap();
    let lengths = &whole[64..72];
    for torn in [&[0u8; 300][..], lengths, &whole[64..150], &[7]] {
        scribble(&world, torn);
        let next = world.verdict().last + 1;
        assert_eq!(call(&world.log(), 2, NOON), next, "{} bytes", torn.len());
        assert_eq!(world.first_bad(), None);
    }
}

#[test]
fn what_was_vouched_for_is_never_cut_off() {
    let world = World::new();
    (0..10).for_each(|number| assert!(call(&world.log(), number, NOON) > 0));
    let path = world.segments("log").pop().unwrap();
    let bytes = fs::read(&path).unwrap();
    for length in [bytes.len() - 1, bytes.len() - 700, 64, 10] {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = ActivityLog::open(world.root(), &options(Level::Process)).err().unwrap();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert_eq!(fs::metadata(&path).unwrap().len(), length as u64, "evidence was touched");
    }
}

#[test]
fn a_lost_index_is_rebuilt_from_the_log() {
    let world = World::new();
    {
        let log = world.log();
        fill(&log, 2_500, NOON);
    }
    let before = world.reader().list(&Default::default(), None, 5_000).unwrap();
    for file in world.files().iter().filter(|file| file.to_string_lossy().contains("index.sqlite")) {
        fs::remove_file(file).unwrap();
    }
    assert_eq!(world.reader().list(&Default::default(), None, 5_000).unwrap(), before, "without an index");
    world.log().flush().unwrap();
    assert_eq!(world.reader().list(&Default::default(), None, 5_000).unwrap(), before, "with a new one");
    assert_eq!(
        world.reader().summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap().records,
        2_501
    );
}

/// What a question finds, whether or not the index helps.
fn found(world: &World) -> (usize, u64) {
    let reader = world.reader();
    let listed = reader.list(&Default::default(), None, 9_999).unwrap().entries.len();
    (listed, reader.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap().records)
}

#[test]
fn a_damaged_index_is_put_aside_and_built_anew() {
    let damages: [fn(&mut Vec<u8>); 3] =
        [|bytes| bytes[..100].fill(7), |bytes| bytes[4_096..].fill(0xff), |bytes| bytes.truncate(5_000)];
    for damage in damages {
        let world = World::new();
        {
            let log = world.log();
            (0..2_999).for_each(|number| assert!(call(&log, number, NOON) > 0));
        }
        let path = world.root().join("index.sqlite");
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let log = world.log();
        log.flush().unwrap();
        // One record more: it says that the index was damaged.
        assert_eq!(found(&world), (3_001, 3_001));
        assert_eq!(world.reader().lag().unwrap(), 0);
        assert_eq!(world.reader().index_fault().unwrap(), None);
        let note = world.reader().record(3_001).unwrap().body.unwrap().note.unwrap().text;
        assert!(note.starts_with("the index was damaged"), "{note}");
        assert_eq!(fs::read(world.root().join("index.sqlite.damaged")).unwrap(), bytes);
        drop(log);
        assert_eq!(world.first_bad(), None);
    }
}

#[test]
fn readers_do_without_a_damaged_index() {
    let world = World::new();
    (0..3).for_each(|number| assert!(call(&world.log(), number, NOON) > 0));
    fs::write(world.root().join("index.sqlite"), [7; 9_000]).unwrap();
    assert_eq!(found(&world), (4, 4));
    assert!(world.reader().index_fault().unwrap().is_some());
}

#[test]
fn checkpoints_come_every_thousand_records_and_at_the_end() {
    let world = World::new();
    {
        let log = world.log();
        (0..2_500).for_each(|number| assert!(call(&log, number, NOON) > 0));
    }
    let lines = fs::read_to_string(world.root().join("checkpoints.jsonl")).unwrap();
    for seq in [1_000, 2_000, 2_501] {
        assert!(lines.contains(&format!("\"seq\":{seq},")), "{seq}");
    }
    assert_eq!(world.verdict().checkpoints, lines.lines().count() as u64);
}

#[test]
fn a_reader_in_the_middle_holds_nobody_up() {
    let world = World::new();
    let log = world.log();
    fill(&log, 1_500, NOON);
    log.flush().unwrap();
    let reader = world.reader();
    let mut visits = 0;
    reader
        .visit(1, |_| {
            visits += 1;
            if visits == 3 {
                call(&log, 1, NOON);
                log.redact(2, 900, NOON).unwrap();
                log.flush().unwrap();
            }
            Ok(true)
        })
        .unwrap();
    assert!(visits >= 1_501, "{visits}");
}

#[test]
fn verifying_while_segments_are_sealed_and_redacted_raises_no_false_alarm() {
    let world = World::new();
    let log = world.log();
    call(&log, 1, NOON);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..6 {
                fill(&log, 300, NOON);
                log.redact(1, round * 300 + 1, NOON).unwrap();
            }
        });
        while !writer.is_finished() {
            assert_eq!(world.first_bad(), None);
        }
        writer.join().unwrap();
    });
}
