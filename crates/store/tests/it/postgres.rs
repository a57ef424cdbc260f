//! What only a database has: several gateways at once, keys that must agree, an owner who could meddle, and absence.

use crate::cluster::Cluster;
use crate::ground::Ground;
use crate::world::{NOON, World, options};
use portcullis_store::{
    Document, Draft, Filter, Kind, Level, Options, Status, Store, StoreError, health, open, read,
};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn call(store: &dyn Store, number: u64) -> Result<u64, StoreError> {
    store.append(&draft(format!("{{\"number\":{number}}}").as_bytes()))
}

fn draft(arguments: &[u8]) -> Draft<'_> {
    Draft {
        server: "server",
        tool: "tool",
        arguments: Some(arguments),
        ..Draft::new(Kind::ToolCall, Status::Sent, NOON)
    }
}

/// Gives a second gateway the key of the first, as an operator would.
fn share_key(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("postgres/keys")).unwrap();
    fs::copy(from.join("postgres/keys/chain.key"), to.join("postgres/keys/chain.key")).unwrap();
}

fn second(ground: &Ground, world: &World) -> Result<Box<dyn Store>, StoreError> {
    open(ground.address(), world.root(), &options(Level::Process))
}

#[test]
fn two_gateways_write_two_chains_into_one_record() {
    let (ground, other) = (Ground::postgres(), World::new());
    let first = ground.store();
    share_key(ground.root(), other.root());
    let second = second(&ground, &other).unwrap();
    std::thread::scope(|scope| {
        for store in [&first, &second] {
            for thread in 0..4 {
                scope.spawn(move || (0..25).for_each(|n| assert!(call(&**store, thread * 25 + n).is_ok())));
            }
        }
    });
    let filter = Filter { kinds: vec![Kind::ToolCall], ..Filter::default() };
    for store in [&first, &second] {
        assert_eq!(store.list(&filter, None, 1_000).unwrap().entries.len(), 200);
        let chains = store.verify().unwrap();
        assert_eq!(chains.iter().map(|chain| chain.verdict.bad.clone()).collect::<Vec<_>>(), [None, None]);
        assert_eq!(chains.iter().map(|chain| chain.verdict.last).sum::<u64>(), 203, "keys, and a witness");
    }
    drop((first, second));
    assert_eq!(ground.bad(), None);
}

#[tokio::test]
async fn what_is_handed_over_has_arrived_when_it_says_so_and_arrives_if_nobody_waits() {
    let ground = Ground::postgres();
    let store = ground.store();
    let begun: Vec<_> = (0..100).map(|_| store.begin(&draft(b"{}")).unwrap()).collect();
    let mut numbers = Vec::new();
    for appending in begun {
        let number = appending.arrived().await.unwrap();
        assert_eq!(store.record(number).unwrap().seq, number);
        numbers.push(number);
    }
    assert!(numbers.is_sorted() && numbers.windows(2).all(|pair| pair[0] != pair[1]), "{numbers:?}");
    drop(store.begin(&draft(b"{}")));
    store.flush().unwrap();
    let filter = Filter { kinds: vec![Kind::ToolCall], ..Filter::default() };
    assert_eq!(store.list(&filter, None, 1_000).unwrap().entries.len(), 101);
    drop(store);
    assert_eq!(ground.bad(), None);
}

#[test]
fn one_gateway_hears_what_the_other_commits() {
    let (ground, other) = (Ground::postgres(), World::new());
    let first = ground.store();
    share_key(ground.root(), other.root());
    let second = second(&ground, &other).unwrap();
    let server = portcullis_decide::approval::server::Server::new(
        portcullis_detect::fingerprint::Fingerprint::from_bytes([1; 32]),
        portcullis_decide::approval::TrustMode::Manual,
    );
    let event = portcullis_decide::approval::server::ServerEvent::LaunchSeen(server.launch);
    let transition = server.apply(&event, 1).unwrap();
    let change = portcullis_store::Change::Server { name: "files".into(), read: None, transition };
    let begin = Instant::now();
    let heard = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| second.registry().wait(0, Duration::from_secs(20)).unwrap());
        first.registry().commit(std::slice::from_ref(&change)).unwrap();
        waiter.join().unwrap()
    });
    assert_eq!(heard, 1);
    // Quicker than whoever only looks now and then.
    assert!(begin.elapsed() < Duration::from_millis(1_900), "{:?}", begin.elapsed());
    assert_eq!(second.registry().changes_since(0).unwrap().servers.len(), 1);
    assert!(matches!(second.registry().commit(&[change]), Err(StoreError::Conflict { .. })));
}

#[test]
fn another_key_is_refused_and_none_is_made() {
    let (ground, other) = (Ground::postgres(), World::new());
    let first = ground.store();
    let error = second(&ground, &other).err().unwrap();
    assert!(matches!(error, StoreError::OtherKey { .. }), "{error}");
    assert!(!other.root().join("postgres/keys/chain.key").exists());
    fs::create_dir_all(other.root().join("postgres/keys")).unwrap();
    fs::write(other.root().join("postgres/keys/chain.key"), "ab".repeat(32)).unwrap();
    assert!(matches!(second(&ground, &other), Err(StoreError::OtherKey { .. })));
    let reading = read(ground.address(), other.root()).unwrap();
    assert!(matches!(reading.verify(), Err(StoreError::OtherKey { .. })));
    drop(first);
}

#[test]
fn one_directory_is_one_writer() {
    let ground = Ground::postgres();
    let first = ground.store();
    let error = ground.store_with(&options(Level::Process)).err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    drop(first);
    drop(ground.store());
}

#[test]
fn a_copied_directory_is_noticed() {
    let (ground, copy) = (Ground::postgres(), World::new());
    let first = ground.store();
    call(&*first, 1).unwrap();
    share_key(ground.root(), copy.root());
    for file in ["writer", "version", "keys/signing.key", "keys/signing.pub"] {
        fs::copy(ground.root().join("postgres").join(file), copy.root().join("postgres").join(file)).unwrap();
    }
    let twin = second(&ground, &copy).unwrap();
    call(&*twin, 2).unwrap();
    let error = call(&*first, 3).unwrap_err();
    assert!(matches!(error, StoreError::Stopped(_)), "{error}");
    drop((first, twin));
    assert_eq!(ground.bad(), None);
}

#[test]
fn a_newer_schema_is_refused_untouched() {
    let ground = Ground::postgres();
    drop(ground.store());
    ground.sql("UPDATE portcullis.schema_version SET version = 9, oldest = 8");
    let error = ground.store_with(&options(Level::Process)).err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 9, .. }), "{error}");
    assert_eq!(ground.sql("SELECT version FROM portcullis.schema_version").trim(), "9");
}

#[test]
fn a_newer_schema_that_leaves_us_what_we_need_is_used_as_it_is() {
    let ground = Ground::postgres();
    {
        let store = ground.store();
        call(&*store, 1).unwrap();
    }
    // What the next version may do: add tables, and columns with a default.
    ground.sql(
        "SET search_path = portcullis;
         ALTER TABLE activity ADD COLUMN later text;
         ALTER TABLE documents ADD COLUMN later integer NOT NULL DEFAULT 7;
         ALTER TABLE registry ADD COLUMN later integer NOT NULL DEFAULT 7;
         ALTER TABLE writers ADD COLUMN later integer NOT NULL DEFAULT 7;
         CREATE TABLE later (id integer);
         UPDATE schema_version SET version = version + 1",
    );
    let newer = ground.sql("SELECT version, oldest FROM portcullis.schema_version");
    let store = ground.store();
    call(&*store, 2).unwrap();
    let document = Document { kind: "note".into(), name: "one".into(), json: "{}".into() };
    store.registry().put_document(&document).unwrap();
    assert_eq!(store.registry().documents("note").unwrap(), [document]);
    // Two calls, and the note that the log begins.
    assert_eq!(store.list(&Filter::default(), None, 10).unwrap().entries.len(), 3);
    drop(store);
    assert_eq!(ground.bad(), None);
    assert_eq!(ground.sql("SELECT version, oldest FROM portcullis.schema_version"), newer, "left alone");
}

#[test]
fn an_older_schema_is_brought_up_to_date() {
    let ground = Ground::postgres();
    {
        call(&*ground.store(), 1).unwrap();
    }
    ground.sql(
        "DROP TABLE portcullis.registry, portcullis.registry_head, portcullis.baselines, portcullis.documents,
             portcullis.leases;
         ALTER TABLE portcullis.schema_version DROP COLUMN oldest;
         UPDATE portcullis.schema_version SET version = 1",
    );
    let store = ground.store();
    assert_eq!(store.registry().changes_since(0).unwrap().version, 0);
    call(&*store, 2).unwrap();
    drop(store);
    assert_eq!(ground.bad(), None);
}

#[test]
fn whoever_meddles_with_the_tables_is_noticed() {
    // What is done, and the first record that is named.
    let cases = [
        ("UPDATE activity SET server = 'other' WHERE seq = 7", "7"),
        ("UPDATE activity SET risk = 0, status = 'noted' WHERE seq = 8", "8"),
        ("UPDATE activity SET body = overlay(body placing 'x' from 20) WHERE seq = 9", "9"),
        ("UPDATE activity SET header = overlay(header placing 'x' from 60) WHERE seq = 10", "10"),
        ("UPDATE activity SET hash = overlay(hash placing 'x' from 3) WHERE seq = 11", "11"),
        ("UPDATE activity SET body = NULL WHERE seq = 12", "12"),
        ("DELETE FROM activity WHERE seq = 13", "13"),
        ("DELETE FROM activity WHERE seq > 14", "15"),
        ("DELETE FROM activity WHERE seq < 5", "1"),
        ("DELETE FROM activity", "1"),
        (
            "UPDATE activity SET seq = 99 WHERE seq = 14; UPDATE activity SET seq = 14 WHERE seq = 16;
          UPDATE activity SET seq = 16 WHERE seq = 99",
            "14",
        ),
        (
            "UPDATE writers SET dropped_seq = 4, dropped_hash = (SELECT hash FROM activity WHERE seq = 4);
          DELETE FROM activity WHERE seq < 5",
            "1",
        ),
        (
            "DELETE FROM activity WHERE seq > 20; DELETE FROM checkpoints;
          UPDATE writers SET seq = 20, hash = (SELECT hash FROM activity WHERE seq = 20)",
            "21",
        ),
        ("UPDATE writers SET voucher = hash", "21"),
        ("UPDATE checkpoints SET line = replace(line, '\"v\":1', '\"v\":1,')", "21"),
        ("UPDATE checkpoints SET line = replace(line, '\"hash\":\"', '\"hash\":\"0')", "21"),
        ("DELETE FROM signing_keys", "21"),
    ];
    for (sql, first) in cases {
        let ground = Ground::postgres();
        {
            let store = ground.store();
            (0..20).for_each(|number| assert!(call(&*store, number).is_ok()));
        }
        assert_eq!(ground.bad(), None);
        ground.sql(&format!("SET search_path = portcullis; {sql}"));
        let bad = ground.bad().unwrap_or_else(|| panic!("not noticed: {sql}"));
        assert!(bad.starts_with(&format!("{first}: ")), "{sql}: {bad}");
    }
}

#[test]
fn a_chain_that_vanishes_whole_is_missed_by_the_others() {
    let (ground, other) = (Ground::postgres(), World::new());
    let first = ground.store();
    call(&*first, 1).unwrap();
    share_key(ground.root(), other.root());
    drop(second(&ground, &other).unwrap());
    drop(first);
    let gone = fs::read_to_string(ground.root().join("postgres/writer")).unwrap();
    for table in ["activity", "writers", "checkpoints", "signing_keys"] {
        ground.sql(&format!("DELETE FROM portcullis.{table} WHERE writer = '{gone}'"));
    }
    let chains = read(ground.address(), other.root()).unwrap().verify().unwrap();
    let missing = chains.iter().find(|chain| chain.writer == gone).unwrap();
    assert!(missing.verdict.bad.as_ref().unwrap().what.contains("another chain has seen"), "{missing:?}");
}

#[test]
fn a_database_taken_back_is_refused() {
    let ground = Ground::postgres();
    {
        let store = ground.store();
        (0..5).for_each(|number| assert!(call(&*store, number).is_ok()));
    }
    ground.sql(
        "SET search_path = portcullis; CREATE TABLE saved AS SELECT * FROM writers;
         CREATE TABLE saved_activity AS SELECT * FROM activity",
    );
    {
        call(&*ground.store(), 6).unwrap();
    }
    ground.sql(
        "SET search_path = portcullis; DELETE FROM writers; INSERT INTO writers SELECT * FROM saved;
         DELETE FROM activity WHERE seq > 6; DELETE FROM checkpoints WHERE seq > 6",
    );
    let error = ground.store_with(&options(Level::Process)).err().unwrap();
    assert!(error.to_string().contains("taken back"), "{error}");
    fs::remove_file(ground.root().join("postgres/writer")).unwrap();
    call(&*ground.store(), 7).unwrap();
}

#[test]
fn a_database_that_is_away_refuses_after_five_seconds_and_is_used_again_when_it_is_back() {
    let cluster = Cluster::start("away", true).unwrap_or_else(|error| panic!("{error}"));
    let (address, world) = (cluster.database("away").unwrap(), World::new());
    let store = open(&address, world.root(), &Options::default()).unwrap();
    let told = call(&*store, 1).unwrap();
    cluster.crash().unwrap();
    let begin = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let errors = std::thread::scope(|scope| {
        let append = scope.spawn(|| call(&*store, 2).unwrap_err());
        let list = scope.spawn(|| store.list(&Filter::default(), None, 1).unwrap_err());
        let begun = store.begin(&draft(b"{}")).unwrap();
        let begun = runtime.block_on(begun.arrived()).unwrap_err();
        [append.join().unwrap(), list.join().unwrap(), begun]
    });
    let waited = begin.elapsed();
    for error in errors {
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    }
    // Five seconds and a little; a machine that is busy with other tests may be late to notice.
    assert!(waited > Duration::from_secs(4) && waited < Duration::from_secs(40), "{waited:?}");
    cluster.begin().unwrap();
    let back = Instant::now();
    call(&*store, 3).unwrap();
    assert!(back.elapsed() < Duration::from_secs(5));
    assert_eq!(store.record(told).unwrap().seq, told);
    assert!(store.verify().unwrap().iter().all(|chain| chain.verdict.bad.is_none()));
    drop(store);
    assert!(health(&address, world.root()).unwrap().warnings.is_empty());
}

#[test]
fn nobody_there_is_said_in_time() {
    let world = World::new();
    let begin = Instant::now();
    let error = open("postgres://u:hush@127.0.0.1:1/d", world.root(), &Options::default()).err().unwrap();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(!error.to_string().contains("hush"));
    assert!(begin.elapsed() < Duration::from_secs(40));
    assert!(!world.root().exists(), "nothing is made before the database is known");
}

#[test]
fn a_server_without_tls_is_not_spoken_to_when_it_was_asked_for() {
    let ground = Ground::postgres();
    let roots = ground.root().join("roots.pem");
    fs::create_dir_all(ground.root()).unwrap();
    let address = format!("{}?sslmode=verify-full&sslrootcert={}", ground.address(), roots.display());
    assert!(open(&address, ground.root(), &Options::default()).is_err(), "no such file");
    let address = format!("{}?sslmode=verify-full", ground.address());
    let error = open(&address, ground.root(), &Options::default()).err().unwrap();
    assert!(matches!(error, StoreError::Unreachable { .. } | StoreError::Address(_)), "{error}");
}

#[test]
fn with_tls_the_server_must_be_who_it_is_called() {
    let cluster = Cluster::start("tls", false).unwrap_or_else(|error| panic!("{error}"));
    let roots = cluster.encrypt().unwrap();
    let (world, plain) = (World::new(), cluster.database("tls").unwrap());
    let open = |address: &str| open(address, world.root(), &Options::default());
    let named = plain.replace("127.0.0.1", "localhost");
    let address = format!("{named}?sslmode=verify-full&sslrootcert={}", roots.display());
    let begin = Instant::now();
    let store = loop {
        // The server takes a moment to read its new settings.
        match open(&address) {
            Ok(store) => break store,
            Err(error) => assert!(begin.elapsed() < Duration::from_secs(60), "{error}"),
        }
    };
    call(&*store, 1).unwrap();
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name LIKE 'portcullis-%'";
    assert_eq!(cluster.sql("tls", encrypted).unwrap().trim(), "t");
    assert!(health(&address, world.root()).unwrap().is_encrypted);
    drop(store);
    // Another name than the certificate's, and another authority.
    let other_name = address.replace("localhost", "127.0.0.1");
    let other_roots = format!("{named}?sslmode=require");
    for address in [other_name, other_roots] {
        let error = open(&address).err().unwrap();
        assert!(matches!(error, StoreError::Unreachable { .. } | StoreError::Address(_)), "{error}");
    }
}
