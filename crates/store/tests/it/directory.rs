//! The data directory: private, held by one, refused when it is newer, and no key is lost unnoticed.

use crate::world::{NOON, World, call, options};
use portcullis_detect::sensitive::CustomPattern;
use portcullis_store::{ActivityLog, ActivityReader, Draft, Kind, Level, Options, Status, StoreError, open};
use std::fs;

#[test]
fn a_directory_is_made_and_private() {
    let world = World::new();
    let _log = world.log();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(world.root()), 0o700);
        for file in world.files() {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}

#[test]
fn the_second_writer_is_told_who_is_first() {
    let world = World::new();
    let first = world.log();
    match ActivityLog::open(world.root(), &options(Level::Process)) {
        Err(StoreError::Locked { holder, .. }) => assert_eq!(holder, std::process::id().to_string()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("two writers"),
    }
    drop(first);
    drop(world.log());
}

#[test]
fn a_newer_directory_is_refused_and_not_touched() {
    let world = World::new();
    drop(world.log());
    fs::write(world.root().join("version"), "portcullis data 2\n").unwrap();
    let before: Vec<_> = world.files().iter().map(|file| fs::read(file).unwrap()).collect();
    let error = ActivityLog::open(world.root(), &options(Level::Process)).err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
    assert!(matches!(ActivityReader::open(world.root()), Err(StoreError::Newer { .. })));
    assert_eq!(world.files().iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>(), before);
}

#[test]
fn readers_make_nothing() {
    let world = World::new();
    assert!(matches!(ActivityReader::open(world.root()), Err(StoreError::Absent { .. })));
    assert!(!world.root().exists());
}

#[test]
fn a_lost_chain_key_is_named() {
    let world = World::new();
    call(&world.log(), 1, NOON);
    fs::remove_file(world.root().join("keys/chain.key")).unwrap();
    let error = ActivityLog::open(world.root(), &options(Level::Process)).err().unwrap();
    assert!(matches!(error, StoreError::KeyLost { .. }), "{error}");
    assert!(!world.root().join("keys/chain.key").exists());
}

#[test]
fn a_lost_signing_key_is_replaced_and_the_chain_says_so() {
    let world = World::new();
    call(&world.log(), 1, NOON);
    fs::remove_file(world.root().join("keys/signing.key")).unwrap();
    call(&world.log(), 2, NOON);
    assert_eq!(world.first_bad(), None);
    // A key that nobody named is a stranger's.
    fs::write(world.root().join("keys/signing.pub"), "00").unwrap();
    assert_eq!(world.first_bad(), None);
}

#[test]
fn after_a_lost_chain_key_a_new_log_begins_where_the_old_was_moved_aside() {
    let world = World::new();
    call(&world.log(), 1, NOON);
    fs::remove_file(world.root().join("keys/chain.key")).unwrap();
    fs::rename(world.root().join("log"), world.root().join("log.old")).unwrap();
    for file in world.files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("index.sqlite") || name == "checkpoints.jsonl" {
            fs::remove_file(file).unwrap();
        }
    }
    // The key that signs is still there, so nothing has to be said about one.
    assert_eq!(call(&world.log(), 2, NOON), 1);
    assert_eq!((world.first_bad(), world.verdict().last), (None, 1));
}

/// Copies a file or folder of one data directory into another.
fn copy(from: &World, to: &World, name: &str) {
    let source = from.root().join(name);
    let files = if source.is_dir() { from.files() } else { vec![source.clone()] };
    for file in files.iter().filter(|file| file.starts_with(&source)) {
        let target = to.root().join(file.strip_prefix(from.root()).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

#[test]
fn a_backup_may_be_made_while_the_log_is_written() {
    let (world, backup) = (World::new(), World::new());
    let log = world.log();
    (0..500).for_each(|number| assert!(call(&log, number, NOON) > 0));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (500..3_000).for_each(|number| assert!(call(&log, number, NOON) > 0)));
        // In the order the documentation gives: the log comes last, so that nothing vouches for more than it holds.
        ["version", "writer", "keys", "checkpoints.jsonl", "log"]
            .iter()
            .filter(|name| world.root().join(name).exists())
            .for_each(|name| copy(&world, &backup, name));
        writer.join().unwrap();
    });
    let next = call(&backup.log(), 1, NOON);
    assert!(next > 500, "{next}");
    assert_eq!((backup.first_bad(), backup.verdict().last), (None, next));
}

#[test]
fn a_directory_of_version_1_opens_and_goes_on() {
    let world = World::new();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-1");
    for name in ["version", "writer", "checkpoints.jsonl", "keys", "log"] {
        let source = fixture.join(name);
        let files = match source.is_dir() {
            true => fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path()).collect(),
            false => vec![source],
        };
        for file in files {
            let target = world.root().join(file.strip_prefix(&fixture).unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(file, target).unwrap();
        }
    }
    let verdict = world.verdict();
    assert_eq!((verdict.bad, verdict.last, verdict.redacted), (None, 13, 1));
    assert_eq!(call(&world.log(), 1, NOON), 14);
    assert_eq!((world.first_bad(), world.verdict().last), (None, 14));
    let record = world.reader().record(4).unwrap();
    assert_eq!((record.facts.tool.as_str(), record.facts.risk), ("tool-2", 2));
    assert_eq!(record.body.unwrap().arguments.unwrap().text, "{\"query\":\"number 2\"}");
    assert_eq!(world.reader().record(3).unwrap().body, None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_is_named() {
    let error = ActivityLog::open("/sys/portcullis".as_ref(), &options(Level::Process)).err().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_copy_of_the_directory_is_a_backup() {
    let (world, copy) = (World::new(), World::new());
    (1..=20).for_each(|number| assert!(call(&world.log(), number, NOON) > 0));
    for file in world.files() {
        let to = copy.root().join(file.strip_prefix(world.root()).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, to).unwrap();
    }
    assert_eq!((copy.first_bad(), copy.verdict().last), (None, world.verdict().last));
    call(&copy.log(), 21, NOON);
    assert_eq!((copy.first_bad(), copy.verdict().last), (None, world.verdict().last + 1));
}

#[test]
fn a_store_is_opened_by_its_address() {
    let world = World::new();
    let error =
        |address: &str| open(address, world.root(), &options(Level::Process)).err().unwrap().to_string();
    assert!(error("mysql://host/db").contains("cannot store in `mysql:`"));
    assert!(error("postgres://host/db?sslmode=prefer").contains("verify-full"));
    assert!(error("somewhere").contains("sqlite:DIRECTORY"));
    let address = format!("sqlite:{}", world.root().display());
    let store = open(&address, world.root(), &options(Level::Process)).unwrap();
    let draft = Draft::new(Kind::Alert, Status::Noted, NOON);
    let seq = store.append(&draft).unwrap();
    assert_eq!(store.record(seq).unwrap().at_us, NOON);
    assert_eq!(store.list(&Default::default(), None, 1).unwrap().entries[0].seq, seq);
    assert_eq!(store.verify().unwrap()[0].verdict.bad, None);
}

#[test]
fn patterns_of_ones_own_are_masked_too() {
    let world = World::new();
    let pattern =
        |regex: &str| CustomPattern { name: "badge".into(), regex: regex.into(), ..CustomPattern::default() };
    let options = |regex: &str| Options { patterns: vec![pattern(regex)], ..Options::default() };
    let log = ActivityLog::open(world.root(), &options(r"EMP-\d{6}")).unwrap();
    let draft = Draft { note: Some("badge EMP-123456"), ..Draft::new(Kind::Alert, Status::Noted, NOON) };
    let seq = log.append(&draft).unwrap();
    log.flush().unwrap();
    let record = ActivityReader::open(world.root()).unwrap().record(seq).unwrap();
    assert!(!record.body.unwrap().note.unwrap().text.contains("123456"));
    assert_eq!(record.facts.sensitive, ["badge"]);
    drop(log);
    let error = ActivityLog::open(world.root(), &options("(")).err().unwrap();
    assert!(error.to_string().contains("`badge`"), "{error}");
}
