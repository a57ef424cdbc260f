//! Every filter gives what a plain look at all records gives, page by page.

use crate::world::{DAY, NOON, World, all_pages, call};
use portcullis_store::{Draft, Entry, Filter, Kind, Status};

fn world() -> World {
    let world = World::new();
    let log = world.log();
    for number in 0..3_000 {
        call(&log, number, NOON + number as i64 * 60_000_000);
        if number % 100 == 0 {
            let mail = b"write to jane.doe@corporate.example.org";
            let draft =
                Draft { result: Some(mail), session: "other", ..Draft::new(Kind::Alert, Status::Held, NOON) };
            log.append(&draft).unwrap();
        }
    }
    drop(log);
    world
}

#[test]
fn every_filter_agrees_with_a_plain_look() {
    let world = world();
    let reader = world.reader();
    let mut all: Vec<Entry> = Vec::new();
    reader
        .visit(1, |record| {
            all.push(Entry::from(&record));
            Ok(true)
        })
        .unwrap();
    all.reverse();
    assert_eq!(all.len(), 3_031);
    let name = |text: &str| Some(text.to_owned());
    let check = |filter: Filter| {
        let expected: Vec<&Entry> = all.iter().filter(|entry| filter.admits(entry)).collect();
        let found = all_pages(|before| reader.list(&filter, before, 97));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
        found.len()
    };
    let open = Filter::default;
    assert_eq!(check(open()), 3_031);
    assert_eq!(check(Filter { kinds: vec![Kind::Alert], ..open() }), 30);
    assert_eq!(check(Filter { kinds: vec![Kind::Alert, Kind::System], ..open() }), 31);
    assert_eq!(check(Filter { statuses: vec![Status::Refused], ..open() }), 1_500);
    assert_eq!(check(Filter { server: name("server-1"), tool: name("tool-1"), ..open() }), 143);
    assert_eq!(check(Filter { session: name("other"), sensitive: name("email"), ..open() }), 30);
    assert_eq!(check(Filter { sensitive: name("card"), ..open() }), 0);
    assert_eq!(check(Filter { server: name("never seen"), ..open() }), 0);
    assert_eq!(check(Filter { risk: 100, ..open() }), 29);
    assert_eq!(
        check(Filter { since_us: Some(NOON + 60_000_000), until_us: Some(NOON + DAY), ..open() }),
        1_439
    );
}

#[test]
fn the_summary_counts_by_day() {
    let world = world();
    let reader = world.reader();
    let all = reader.summary(i64::MIN, i64::MAX, &portcullis_store::DIMENSIONS).unwrap();
    assert_eq!(all.records, 3_031);
    assert_eq!(all.counts["kind"], [("tool_call".into(), 3_000), ("alert".into(), 30), ("system".into(), 1)]);
    assert_eq!(all.counts["sensitive"], [("email".to_owned(), 30)]);
    assert_eq!(all.counts["server"].iter().map(|(_, count)| count).sum::<u64>(), 3_000);
    let first_day = reader.summary(NOON, NOON, &portcullis_store::DIMENSIONS).unwrap().records;
    assert!(first_day > 30 && first_day < 1_500, "{first_day}");
}

#[test]
fn what_is_new_is_seen_at_once_and_in_order() {
    let world = World::new();
    let log = world.log();
    let seen = call(&log, 1, NOON);
    let reader = world.reader();
    let newer: Vec<u64> = (2..6).map(|number| call(&log, number, NOON)).collect();
    let found = |reader: &portcullis_store::ActivityReader| {
        let entries = reader.after(&Filter::default(), seen, 100).unwrap();
        entries.iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    assert_eq!(found(&reader), newer);
    log.flush().unwrap();
    assert_eq!(found(&reader), newer);
    assert_eq!(reader.lag().unwrap(), 0);
}
