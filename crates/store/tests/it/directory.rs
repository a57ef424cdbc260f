//! The data directory: private, held by one, refused when it is newer, and no key is lost unnoticed.

use crate::world::{NOON, World, call, options};
use portcullis_store::{ActivityLog, ActivityReader, Level, StoreError, open};
use std::fs;

#[test]
fn a_directory_is_made_and_private() {
    let world = World::new();
    drop(world.log());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(world.root()), 0o700);
        for file in world.files().iter().filter(|file| !file.ends_with("index.sqlite")) {
            assert_eq!(mode(file), 0o600, "{}", file.display());
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
    let error = |address: &str| open(address, &options(Level::Process)).err().unwrap().to_string();
    assert!(error("postgres://host/db").contains("cannot store in `postgres:`"));
    assert!(error("somewhere").contains("sqlite:DIRECTORY"));
    let address = format!("sqlite:{}", world.root().display());
    let store = open(&address, &options(Level::Process)).unwrap();
    let draft =
        portcullis_store::Draft::new(portcullis_store::Kind::Alert, portcullis_store::Status::Noted, NOON);
    let seq = store.append(&draft).unwrap();
    assert_eq!(store.record(seq).unwrap().at_us, NOON);
    assert_eq!(store.list(&Default::default(), None, 1).unwrap().entries[0].seq, seq);
    assert_eq!(store.verify().unwrap().bad, None);
}
