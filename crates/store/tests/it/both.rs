//! What holds for activity in whichever back end: order, filters, counts, masking, redaction, retention, verification.

use crate::ground::{Ground, on_both};
use crate::world::{DAY, NOON, all_pages};
use portcullis_store::{
    Cursor, Draft, Entry, Filter, Kind, Level, Options, Retention, Status, Store, StoreError,
};
use std::thread;

/// A call; `number` makes it different from others.
fn call(store: &dyn Store, number: u64, at_us: i64) -> u64 {
    let arguments = format!("{{\"query\":\"number {number}\"}}");
    let (server, tool) = (format!("server-{}", number % 3), format!("tool-{}", number % 7));
    let status = if number.is_multiple_of(2) { Status::Sent } else { Status::Refused };
    let draft = Draft {
        server: &server,
        tool: &tool,
        session: "session",
        risk: (number % 101) as u8,
        arguments: Some(arguments.as_bytes()),
        ..Draft::new(Kind::ToolCall, status, at_us)
    };
    store.append(&draft).unwrap()
}

fn kept(retention: Retention) -> Options {
    Options { level: Level::Process, retention, ..Options::default() }
}

fn what_is_appended_is_there_in_order(ground: &Ground) {
    let store = ground.store();
    let numbers: Vec<u64> = (0..20).map(|number| call(&*store, number, NOON + number as i64)).collect();
    assert!(numbers.is_sorted());
    for (number, seq) in numbers.iter().enumerate() {
        let record = store.record(*seq).unwrap();
        assert_eq!((record.seq, record.at_us), (*seq, NOON + number as i64));
        assert_eq!(
            record.body.unwrap().arguments.unwrap().text,
            format!("{{\"query\":\"number {number}\"}}")
        );
    }
    assert!(matches!(store.record(10_000), Err(StoreError::NoRecord { seq: 10_000 })));
    drop(store);
    let store = ground.store();
    assert!(call(&*store, 20, NOON) > numbers[19]);
    drop(store);
    assert_eq!(ground.bad(), None);
    let records: u64 = ground.chains().iter().map(|chain| chain.verdict.last).sum();
    assert_eq!(records, 22, "the first says which key signs");
}

fn many_threads_share_one_chain(ground: &Ground) {
    let store = ground.store();
    let mut numbers: Vec<u64> = thread::scope(|scope| {
        let one = |thread: u64| {
            let store = &store;
            scope.spawn(move || (0..50).map(|n| call(&**store, thread * 50 + n, NOON)).collect::<Vec<_>>())
        };
        let threads: Vec<_> = (0..8).map(one).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 400);
    drop(store);
    let chains = ground.chains();
    assert_eq!((chains.len(), chains[0].verdict.last), (1, 401));
    assert_eq!(chains[0].verdict.bad, None);
    assert!(chains[0].verdict.checkpoints > 0);
}

fn every_filter_agrees_with_a_plain_look(ground: &Ground) {
    let store = ground.store();
    thread::scope(|scope| {
        for part in 0..6 {
            let store = &store;
            scope.spawn(move || {
                for number in part * 50..part * 50 + 50 {
                    call(&**store, number, NOON + number as i64 * 600_000_000);
                    if number % 20 == 0 {
                        let mail = b"write to jane.doe@corporate.example.org";
                        let draft = Draft::new(Kind::Alert, Status::Held, NOON);
                        store.append(&Draft { result: Some(mail), session: "other", ..draft }).unwrap();
                    }
                }
            });
        }
    });
    store.flush().unwrap();
    let reading = ground.reading();
    let mut all: Vec<Entry> = Vec::new();
    let mut visit = |record: portcullis_store::Record| {
        all.push(Entry::from(&record));
        Ok(true)
    };
    reading.visit(1, &mut visit).unwrap();
    all.reverse();
    assert_eq!(all.len(), 316);
    let check = |filter: Filter| {
        let expected: Vec<&Entry> = all.iter().filter(|entry| filter.admits(entry)).collect();
        let found = all_pages(|before| store.list(&filter, before, 17));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
        found.len()
    };
    let name = |text: &str| Some(text.to_owned());
    let open = Filter::default;
    assert_eq!(check(open()), 316);
    assert_eq!(check(Filter { kinds: vec![Kind::Alert, Kind::System], ..open() }), 16);
    assert_eq!(check(Filter { statuses: vec![Status::Refused], ..open() }), 150);
    assert_eq!(check(Filter { server: name("server-1"), tool: name("tool-1"), ..open() }), 15);
    assert_eq!(check(Filter { session: name("other"), sensitive: name("email"), ..open() }), 15);
    assert_eq!(check(Filter { sensitive: name("card"), ..open() }), 0);
    assert_eq!(check(Filter { server: name("never seen"), ..open() }), 0);
    assert_eq!(check(Filter { risk: 100, ..open() }), 2);
    let day = (Some(NOON + 600_000_000), Some(NOON + DAY));
    assert_eq!(check(Filter { since_us: day.0, until_us: day.1, ..open() }), 143);
    let summary = store.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap();
    assert_eq!(summary.records, 316);
    assert_eq!(summary.counts["sensitive"], [("email".to_owned(), 15)]);
    assert_eq!(summary.counts["kind"][0], ("tool_call".to_owned(), 300));
    let kinds = store.summary(i64::MIN, i64::MAX, &["kind"]).unwrap();
    assert_eq!(kinds.records, summary.records);
    assert!(kinds.counts.keys().eq(["kind"]), "{:?}", kinds.counts);
    let first_day = store.summary(NOON, NOON, &portcullis_store::DIMENSIONS).unwrap().records;
    assert!(first_day > 15 && first_day < 150, "{first_day}");
}

fn what_is_new_is_seen_once(ground: &Ground) {
    let store = ground.store();
    call(&*store, 1, NOON);
    store.flush().unwrap();
    let reading = ground.reading();
    let (_, cursor) = reading.after(&Filter::default(), &Cursor::default(), 100).unwrap();
    assert_eq!(reading.after(&Filter::default(), &cursor, 100).unwrap().0, []);
    let newer: Vec<u64> = (2..6).map(|number| call(&*store, number, NOON)).collect();
    let (entries, cursor) = reading.after(&Filter::default(), &cursor, 100).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), newer);
    let wanted = Filter { kinds: vec![Kind::Alert], ..Filter::default() };
    call(&*store, 7, NOON);
    let alert = store.append(&Draft::new(Kind::Alert, Status::Noted, NOON)).unwrap();
    let (entries, _) = reading.after(&wanted, &cursor, 100).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [alert]);
}

fn values_are_masked_and_cut_before_they_are_stored(ground: &Ground) {
    let store = ground.store();
    let mail = "jane.doe@corporate.example.org";
    let long = format!("{mail} {}", "lorem ipsum ".repeat(1_000));
    let nul = format!("a\0b {mail}");
    let draft = Draft {
        server: &nul,
        tool: "tool\0\\",
        arguments: Some(long.as_bytes()),
        note: Some(&nul),
        ..Draft::new(Kind::ToolCall, Status::Sent, NOON)
    };
    let seq = store.append(&draft).unwrap();
    store.flush().unwrap();
    let record = store.record(seq).unwrap();
    let body = record.body.unwrap();
    let arguments = body.arguments.unwrap();
    assert!(arguments.text.len() <= 4_096 && arguments.length == Some(long.len() as u64));
    for text in [&arguments.text, &body.note.unwrap().text, &record.facts.server] {
        assert!(!text.contains("jane.doe"), "{text}");
    }
    assert_eq!(record.facts.sensitive, ["email"]);
    let entry =
        &store.list(&Filter { tool: Some("tool\0\\".into()), ..Filter::default() }, None, 9).unwrap().entries;
    assert_eq!((entry.len(), entry[0].tool.as_str()), (1, "tool\0\\"));
    drop(store);
    assert_eq!(ground.bad(), None);
}

fn bodies_are_redacted_on_demand_and_by_age(ground: &Ground) {
    let store = ground.store();
    let numbers: Vec<u64> = (0..5).map(|number| call(&*store, number, NOON)).collect();
    store.redact(numbers[1], numbers[2], NOON).unwrap();
    let bodies = |store: &dyn Store| {
        numbers.iter().map(|seq| store.record(*seq).unwrap().body.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(bodies(&*store), [true, false, false, true, true]);
    assert_eq!(store.record(numbers[1]).unwrap().facts.tool, "tool-1");
    assert_eq!(ground.bad(), None);
    store.retain(NOON + 29 * DAY).unwrap();
    assert_eq!(bodies(&*store), [true, false, false, true, true]);
    store.retain(NOON + 31 * DAY).unwrap();
    assert_eq!(bodies(&*store), [false; 5]);
    drop(store);
    assert_eq!(ground.bad(), None);
    let redacted: u64 = ground.chains().iter().map(|chain| chain.verdict.redacted).sum();
    assert!(redacted >= 5, "{redacted}");
}

fn old_records_are_dropped_and_the_chain_begins_later(ground: &Ground) {
    let store = ground.store();
    let old: Vec<u64> = (0..30).map(|number| call(&*store, number, NOON - 100 * DAY)).collect();
    store.retain(NOON - 98 * DAY).unwrap();
    assert!(store.record(old[0]).is_ok());
    let new: Vec<u64> = (0..10).map(|number| call(&*store, number, NOON)).collect();
    store.retain(NOON).unwrap();
    assert!(matches!(store.record(old[29]), Err(StoreError::NoRecord { .. })));
    assert!(store.record(new[0]).is_ok());
    store.retain(NOON + 2 * DAY).unwrap();
    // What said so may itself be old one day; then it is said again.
    let newest = call(&*store, 99, NOON + 100 * DAY);
    store.retain(NOON + 102 * DAY).unwrap();
    assert!(matches!(store.record(new[9]), Err(StoreError::NoRecord { .. })));
    assert!(store.record(newest).is_ok());
    store.flush().unwrap();
    let listed = store.list(&Filter::default(), None, 1_000).unwrap().entries.len() as u64;
    assert_eq!(store.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap().records, listed);
    drop(store);
    let chains = ground.chains();
    assert_eq!((ground.bad(), chains.len()), (None, 1));
    assert!(chains[0].verdict.first > 40, "{chains:?}");
    call(&*ground.store(), 100, NOON + 103 * DAY);
    assert_eq!(ground.bad(), None);
}

on_both! {
    what_is_appended_is_there_in_order,
    many_threads_share_one_chain,
    every_filter_agrees_with_a_plain_look,
    what_is_new_is_seen_once,
    values_are_masked_and_cut_before_they_are_stored,
    bodies_are_redacted_on_demand_and_by_age,
    old_records_are_dropped_and_the_chain_begins_later,
}

/// In PostgreSQL single records go; in a data directory whole segments, which other tests fill.
#[test]
fn records_and_bytes_have_limits() {
    for (retention, days) in [
        (Retention { records: 20, ..Retention::default() }, 0),
        (Retention { bytes: 1, ..Retention::default() }, 1),
    ] {
        let ground = Ground::postgres();
        let store = ground.store_with(&kept(retention)).unwrap();
        (0..50).for_each(|number| assert!(call(&*store, number, NOON) > 0));
        let last = (0..10).map(|number| call(&*store, number, NOON + days * DAY)).max().unwrap();
        store.retain(NOON + days * DAY).unwrap();
        let listed = store.list(&Filter::default(), None, 1_000).unwrap().entries.len() as u64;
        assert!(listed <= 22 && store.record(last).is_ok(), "{listed}");
        assert_eq!(store.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap().records, listed);
        drop(store);
        assert_eq!(ground.bad(), None);
    }
}
