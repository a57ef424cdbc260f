//! Reading a store in PostgreSQL from the command line.

use std::path::Path;

use portcullis_store::{Draft, Kind, Options, Status, open};

use crate::cluster::Cluster;
use crate::world::{World, run};

#[test]
fn a_database_is_listed_verified_and_examined_by_its_address() {
    let cluster = Cluster::start("cli", false).unwrap_or_else(|error| panic!("{error}"));
    let address = cluster.database("cli").expect("a database can be made");
    let world = World::new("database");
    let data = world.path("data");
    {
        let store = open(&address, Path::new(&data), &Options::default()).expect("a store can be made");
        for tool in ["read", "write", "list"] {
            let draft = Draft {
                server: "files",
                tool,
                arguments: Some(b"{\"to\":\"jane.doe@corporate.example.org\"}"),
                ..Draft::new(Kind::ToolCall, Status::Sent, 1_790_000_000_000_000)
            };
            store.append(&draft).expect("a record can be written");
        }
    }
    let ask = |words: &[&str]| run(&[words, &["--data", &data, "--store", &address]].concat());
    let list = ask(&["activity", "list", "--type", "tool_call", "--limit", "2"]);
    assert_eq!((list.code, list.out.lines().count()), (0, 2), "{}{}", list.out, list.err);
    assert!(list.out.contains("files/list") && list.err == "more: --before 3\n", "{}{}", list.out, list.err);
    let shown = ask(&["activity", "show", "2"]);
    assert!(
        shown.out.contains("arguments: ") && !shown.out.contains("jane.doe"),
        "{}{}",
        shown.out,
        shown.err
    );
    let summary = ask(&["activity", "summary"]);
    assert!(summary.out.starts_with("4 records"), "{}", summary.out);
    let export = ask(&["activity", "export", "--type", "tool_call"]);
    assert_eq!(export.out.lines().count(), 3, "{}", export.out);
    let verified = ask(&["activity", "verify"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert!(verified.out.contains("4 records (1 to 4) are as they were written"), "{}", verified.out);
    let doctor = ask(&["doctor"]);
    assert_eq!(doctor.code, 0, "{}{}", doctor.out, doctor.err);
    assert!(
        doctor.out.contains("not encrypted") && doctor.out.contains("registry: 0 rows"),
        "{}",
        doctor.out
    );
    assert!(doctor.out.contains("database: fsync is off"), "{}", doctor.out);

    let changed = "UPDATE portcullis.activity SET server = 'others' WHERE seq = 3";
    cluster.sql("cli", changed).expect("SQL runs");
    let verified = ask(&["activity", "verify"]);
    assert_eq!(verified.code, 1, "{}", verified.out);
    assert!(
        verified.out.contains("record 3") && verified.out.contains("postgres://127.0.0.1"),
        "{}",
        verified.out
    );
}

#[test]
fn a_database_nobody_wrote_to_is_named_without_its_password() {
    let world = World::new("no-database");
    let data = world.path("data");
    let outcome = run(&["activity", "list", "--data", &data, "--store", "postgres://u:hush@127.0.0.1:1/d"]);
    assert_eq!(outcome.code, 3, "{}{}", outcome.out, outcome.err);
    assert!(outcome.err.contains("cannot be reached") && !outcome.err.contains("hush"), "{}", outcome.err);
}
