//! Reading the record from the command line.

use std::path::Path;

use portcullis_store::{ActivityLog, Draft, Kind, Options, Status};

use crate::world::{World, run};

/// A data directory with a few records.
fn data(name: &str) -> (World, String) {
    let world = World::new(name);
    let data = world.path("data");
    let log = ActivityLog::open(Path::new(&data), &Options::default()).expect("a log can be made");
    let hostile = "tool\u{1b}[2J\u{200b}";
    for (number, tool) in ["read", "write", hostile].into_iter().enumerate() {
        let draft = Draft {
            server: "files",
            tool,
            session: "one",
            risk: 30 * number as u8,
            arguments: Some(b"{\"to\":\"jane.doe@corporate.example.org\"}"),
            ..Draft::new(Kind::ToolCall, Status::Sent, 1_790_000_000_000_000 + number as i64)
        };
        log.append(&draft).expect("a record can be written");
    }
    (world, data)
}

#[test]
fn a_list_is_newest_first_and_shows_nothing_raw() {
    let (_world, data) = data("activity-list");
    let outcome = run(&["activity", "list", "--data", &data, "--type", "tool_call"]);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!((outcome.code, lines.len()), (0, 3), "{}{}", outcome.out, outcome.err);
    assert!(
        lines[2].contains("2026-09-21T14:13:20Z") && lines[2].contains("files/read in one"),
        "{}",
        lines[2]
    );
    assert!(lines[0].contains("[email]") && !outcome.out.contains(['\u{1b}', '\u{200b}']), "{}", lines[0]);
    let risky = run(&["activity", "list", "--data", &data, "--risk", "50", "--format", "json"]);
    assert_eq!(risky.json()["risk"], 60);
    assert!(!risky.out.contains('\u{200b}'));
}

#[test]
fn pages_follow_each_other() {
    let (_world, data) = data("activity-pages");
    let first = run(&["activity", "list", "--data", &data, "--limit", "2"]);
    assert_eq!(first.err, "more: --before 3\n");
    let second = run(&["activity", "list", "--data", &data, "--limit", "2", "--before", "3"]);
    assert_eq!((first.out.lines().count(), second.out.lines().count()), (2, 2));
}

#[test]
fn one_record_is_shown_masked() {
    let (_world, data) = data("activity-show");
    let shown = run(&["activity", "show", "2", "--data", &data]);
    assert!(shown.out.contains("arguments: ") && !shown.out.contains("jane.doe"), "{}", shown.out);
    let missing = run(&["activity", "show", "99", "--data", &data]);
    assert_eq!(missing.code, 2, "{}", missing.err);
}

#[test]
fn summary_and_export_tell_the_same() {
    let (world, data) = data("activity-summary");
    let summary = run(&["activity", "summary", "--data", &data, "--format", "json"]).json();
    assert_eq!(summary["records"], 4);
    let export = run(&["activity", "export", "--data", &data]);
    assert_eq!(export.out.lines().count(), 4);
    let file = world.path("out.csv");
    let csv =
        run(&["activity", "export", "--data", &data, "--format", "csv", "--output", &file, "--tool", "read"]);
    assert_eq!((csv.code, world.read("out.csv").lines().count()), (0, 2), "{}", csv.err);
}

#[test]
fn verify_and_doctor_name_what_was_changed() {
    let (_world, data) = data("activity-verify");
    let good = run(&["activity", "verify", "--data", &data]);
    assert_eq!(good.code, 0);
    assert!(good.out.contains("4 records (1 to 4) are as they were written"), "{}", good.out);
    assert_eq!(run(&["doctor", "--data", &data]).code, 0);
    let segment = Path::new(&data).join("log/00000000000000000001.log");
    let mut bytes = std::fs::read(&segment).expect("the segment is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&segment, bytes).expect("the segment can be changed");
    let bad = run(&["activity", "verify", "--data", &data]);
    assert_eq!(bad.code, 1);
    assert!(bad.out.starts_with("error[activity.changed]: record 4: its body was changed"), "{}", bad.out);
    assert_eq!(run(&["doctor", "--data", &data]).code, 1);
}

#[test]
fn what_makes_no_sense_is_said() {
    let world = World::new("activity-nothing");
    let (_kept, data) = data("activity-usage");
    for arguments in [
        &["activity", "list", "--data", &world.path("nowhere")][..],
        &["activity", "list", "--data", &data, "--type", "tool_cal"],
        &["activity", "list", "--data", &data, "--since", "yesterday"],
    ] {
        let outcome = run(arguments);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{arguments:?}: {}", outcome.err);
    }
}

#[test]
fn an_encrypted_export_shows_nothing_and_needs_a_passphrase() {
    let (world, data) = data("activity-encrypt");
    let passphrase = world.file("passphrase", "a test\n");
    let file = world.path("out.age");
    let encrypt = ["activity", "export", "--data", &data, "--encrypt", "--output", &file];
    let without = run(&encrypt);
    assert_eq!(without.code, 2, "{}", without.err);
    assert!(without.err.contains("needs a passphrase"), "{}", without.err);
    let outcome = run(&[&encrypt[..], &["--passphrase-file", &passphrase]].concat());
    assert_eq!((outcome.code, outcome.out.as_str()), (0, ""), "{}", outcome.err);
    let sealed = std::fs::read(&file).expect("the export is there");
    assert!(sealed.starts_with(b"age-encryption.org/v1\n-> scrypt "));
    assert!(sealed.len() > 1_000 && !sealed.windows(5).any(|window| window == b"files"));
}

#[test]
fn a_filter_can_be_one_option() {
    let (_world, data) = data("activity-filter");
    let count = |filter: &str| {
        let outcome = run(&["activity", "export", "--data", &data, "--filter", filter]);
        (outcome.code, outcome.out.lines().count())
    };
    assert_eq!(count("type=tool_call,tool=read"), (0, 1));
    assert_eq!(count("type=tool_call,type=system"), (0, 4));
    assert_eq!(count("status=sent,risk=30,sensitive=email,server=files,session=one"), (0, 2));
    assert_eq!(count("until=2026-09-21,type=tool_call"), (0, 0));
    for wrong in ["tool", "colour=red", "risk=high", "since=soon", "type=call"] {
        assert_eq!(count(wrong), (2, 0), "{wrong}");
    }
}

#[test]
fn doctor_names_a_damaged_index_and_open_doors() {
    let (_world, data) = data("activity-doctor");
    std::fs::write(Path::new(&data).join("index.sqlite"), [7; 5_000]).expect("the index can be changed");
    let key = Path::new(&data).join("keys/chain.key");
    #[cfg(unix)]
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("it is ours");
    let outcome = run(&["doctor", "--data", &data]);
    assert!(outcome.out.contains("warn  index: it is damaged"), "{}", outcome.out);
    #[cfg(unix)]
    assert!(outcome.out.contains(&format!("chmod 600 {}", key.display())), "{}", outcome.out);
}
