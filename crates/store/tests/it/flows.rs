//! Flows that are shared: every node reads the same entries in the same order, whatever happens to the server.

use crate::valkey::Valkey;
use portcullis_store::{Counter, EntryId, FlowEntry, FlowStore, FlowsAway};
use std::sync::Arc;
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(60);

/// A node's way to the store, once it is there.
async fn node(valkey: &Valkey, idle: Duration) -> Arc<FlowStore> {
    let store = Arc::new(FlowStore::new(&valkey.address(), idle).unwrap());
    tokio::spawn(Arc::clone(&store).stay_connected(|_| ()));
    until(|| store.is_there()).await;
    store
}

async fn until(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn texts(entries: &[FlowEntry]) -> Vec<&str> {
    entries.iter().map(|(_, entry)| std::str::from_utf8(entry).unwrap()).collect()
}

#[tokio::test]
async fn a_node_reads_only_what_is_new_and_what_came_before_its_own() {
    let valkey = Valkey::start("flows-order").unwrap();
    let (one, other) = (node(&valkey, IDLE).await, node(&valkey, IDLE).await);
    let start = EntryId::default();
    let (all, first) = one.append(7, start, b"first").await.unwrap();
    assert_eq!((texts(&all), all[0].0), (vec!["first"], first));
    let (all, second) = other.append(7, start, b"second").await.unwrap();
    assert_eq!((texts(&all), all[1].0), (vec!["first", "second"], second));
    let read = one.read(7, first, true).await.unwrap();
    assert_eq!((texts(&read), &read[0].0), (vec!["second"], &second));
    assert!(one.read(7, second, true).await.unwrap().is_empty());
    assert!(one.read(8, start, true).await.unwrap().is_empty(), "another flow");
    other.end(7).await.unwrap();
    assert!(one.read(7, start, true).await.unwrap().is_empty());
}

#[tokio::test]
async fn all_nodes_count_together() {
    let valkey = Valkey::start("flows-counting").unwrap();
    let (one, other) = (node(&valkey, IDLE).await, node(&valkey, IDLE).await);
    let first = Counter { key: 7, window: 1, lasts: Duration::from_secs(60) };
    let second = Counter { key: 8, ..first };
    assert_eq!(one.count(&[first, second]).await.unwrap(), [1, 1]);
    assert_eq!(other.count(&[second]).await.unwrap(), [2]);
    let soon = Counter { window: 2, lasts: Duration::from_millis(1), ..first };
    assert_eq!(other.count(&[first, soon]).await.unwrap(), [2, 1], "another window begins anew");
    tokio::time::sleep(Duration::from_millis(50)).await;
    let left = valkey.says("EVAL \"return #redis.call('KEYS', 'portcullis:count:*')\" 0").unwrap();
    assert_eq!(left.trim(), ":2", "counters go by themselves");
}

#[tokio::test]
async fn the_whole_takes_the_place_of_its_entries_unless_somebody_was_faster() {
    let valkey = Valkey::start("flows-whole").unwrap();
    let (one, other) = (node(&valkey, IDLE).await, node(&valkey, IDLE).await);
    let start = EntryId::default();
    let (_, first) = one.append(7, start, b"first").await.unwrap();
    let (_, second) = other.append(7, first, b"second").await.unwrap();
    assert_eq!(one.replace(7, first, b"stale").await.unwrap(), None);
    let whole = one.replace(7, second, b"whole").await.unwrap().unwrap();
    let (all, _) = other.append(7, whole, b"third").await.unwrap();
    assert_eq!(texts(&all), ["third"]);
    assert_eq!(texts(&one.read(7, start, true).await.unwrap()), ["whole", "third"]);
    assert_eq!(texts(&one.read(7, second, true).await.unwrap()), ["whole", "third"]);
}

#[tokio::test]
async fn what_several_hand_in_is_added_once_and_lost_data_is_no_empty_flow() {
    let valkey = Valkey::start("flows-once").unwrap();
    let (one, other) = (node(&valkey, IDLE).await, node(&valkey, IDLE).await);
    let start = EntryId::default();
    one.append_once(7, "owed-1", b"first").await.unwrap();
    other.append_once(7, "owed-1", b"first").await.unwrap();
    other.append_once(7, "owed-2", b"second").await.unwrap();
    assert_eq!(texts(&one.read(7, start, true).await.unwrap()), ["first", "second"]);
    valkey.says("FLUSHALL").unwrap();
    assert_eq!(one.read(7, start, true).await, Err(FlowsAway));
}

#[tokio::test]
async fn a_flow_that_nobody_uses_is_gone_by_itself() {
    let valkey = Valkey::start("flows-idle").unwrap();
    let one = node(&valkey, Duration::from_millis(40)).await;
    one.append(7, EntryId::default(), b"first").await.unwrap();
    // What is left names the era.
    until(|| valkey.says("DBSIZE").is_some_and(|size| size.starts_with(":1"))).await;
}

#[tokio::test]
async fn a_flow_that_is_only_read_is_kept_when_its_reader_says_so() {
    let valkey = Valkey::start("flows-kept").unwrap();
    let one = node(&valkey, IDLE).await;
    let (_, first) = one.append(7, EntryId::default(), b"first").await.unwrap();
    let name = format!("portcullis:flow:{:032x}", 7);
    let left = || -> u64 {
        valkey.says(&format!("PTTL {name}")).unwrap().trim().trim_start_matches(':').parse().unwrap()
    };
    assert!(u128::from(left()) > IDLE.as_millis(), "as long as it must be, and as a reader may be late");
    valkey.says(&format!("PEXPIRE {name} 9000")).unwrap();
    one.read(7, first, false).await.unwrap();
    assert!(left() <= 9000);
    one.read(7, first, true).await.unwrap();
    assert!(u128::from(left()) > IDLE.as_millis());
}

#[tokio::test]
async fn a_server_that_died_is_away_at_once_and_found_again_with_all_it_was_told() {
    let mut valkey = Valkey::start("flows-crash").unwrap();
    let one = node(&valkey, IDLE).await;
    let (_, first) = one.append(7, EntryId::default(), b"first").await.unwrap();
    valkey.crash();
    let asked = Instant::now();
    assert_eq!(one.read(7, first, true).await, Err(FlowsAway));
    assert!(asked.elapsed() < Duration::from_secs(2));
    until(|| !one.is_there()).await;
    assert_eq!(one.append(7, first, b"lost").await, Err(FlowsAway));
    valkey.begin().unwrap();
    until(|| one.is_there()).await;
    assert_eq!(texts(&one.read(7, EntryId::default(), true).await.unwrap()), ["first"]);
}

#[tokio::test]
async fn a_server_that_lost_everything_is_told_from_one_that_restarted() {
    let mut valkey = Valkey::start("flows-era").unwrap();
    let one = node(&valkey, IDLE).await;
    let era = one.era().unwrap();
    assert_eq!(node(&valkey, IDLE).await.era(), Some(era), "the same for every node");
    valkey.crash();
    until(|| !one.is_there()).await;
    valkey.begin().unwrap();
    until(|| one.era() == Some(era)).await;
    valkey.says("FLUSHALL").unwrap();
    until(|| one.era().is_some_and(|now| now != era)).await;
}

#[test]
fn an_address_that_is_none_is_refused_without_its_password() {
    let error = FlowStore::new("redis://:hush@host:port", IDLE).err().unwrap().to_string();
    assert!(error.contains("redis://host:6379") && !error.contains("hush"), "{error}");
    let store = FlowStore::new("redis://:hush@10.0.0.9:6380", IDLE).unwrap();
    assert_eq!(store.place(), "10.0.0.9:6380");
}
