//! `lock`, `diff` and `scan --locked`: what was expected of servers, and what differs from it.

use crate::world::{HONEST, World, run};

const LATER: &str = r#"{"name":"roll_dice","description":"Rolls two dice.","inputSchema":{"type":"object","minProperties":1}}"#;
const OTHER: &str = r#"{"name":"flip_coin","description":"Flips a coin."}"#;

fn tools(tools: &[&str]) -> String {
    format!("{{\"tools\":[{}]}}", tools.join(","))
}

/// A server `games` with some tools, and a lock of it.
fn locked(name: &str, declared: &[&str]) -> (World, String, String) {
    let world = World::new(name);
    let (file, lock) = (world.file("games.json", tools(declared)), world.path("portcullis.lock"));
    assert_eq!(run(&["lock", &file, "--lock", &lock]).code, 0);
    (world, file, lock)
}

#[test]
fn a_lock_has_one_line_for_each_definition_in_a_fixed_order() {
    let (world, file, lock) = locked("lock_order", &[HONEST, OTHER]);
    let text = world.read("portcullis.lock");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "{\"portcullis.lock\":1}");
    assert!(lines.len() == 3 && lines[1].contains("flip_coin") && lines[2].contains("roll_dice"), "{text}");
    world.file("games.json", tools(&[OTHER, HONEST]));
    assert_eq!(run(&["lock", &file, "--lock", &lock, "--update"]).code, 0);
    assert_eq!(world.read("portcullis.lock"), text);
}

#[test]
fn what_is_as_locked_passes() {
    let (_world, file, lock) = locked("lock_same", &[HONEST, OTHER]);
    for command in ["scan", "diff", "lock"] {
        let flags: &[&str] = if command == "scan" { &["--locked"] } else { &[] };
        let arguments: Vec<&str> =
            [command, &file, "--lock", &lock].into_iter().chain(flags.iter().copied()).collect();
        let outcome = run(&arguments);
        assert_eq!(outcome.code, 0, "{command}: {}{}", outcome.out, outcome.err);
    }
}

#[test]
fn a_locked_scan_fails_on_any_drift_and_names_the_field() {
    let (world, file, lock) = locked("lock_drift", &[HONEST]);
    world.file("games.json", tools(&[LATER, OTHER]));
    let outcome = run(&["scan", &file, "--lock", &lock, "--locked"]);
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!(world.relative(&outcome.out), @r"
error[lock.unknown]: the lock does not know it
 --> games/flip_coin
  = help: read it, then portcullis lock --update --only SERVER/NAME

error[lock.changed]: changed since it was locked: description, input_schema
 --> games/roll_dice
  = help: read it, then portcullis lock --update --only SERVER/NAME

2 differences from the lock; no findings (0 suppressed, 0 ignored by regular) in 2 definitions of 1 server, rules VERSION
");
    assert_eq!(run(&["scan", &file, "--lock", &lock]).code, 0, "only --locked asks the lock");
    assert_eq!(run(&["scan", &file, "--lock", &lock, "--locked", "--exit-zero"]).code, 0);
    let report = run(&["scan", &file, "--lock", &lock, "--locked", "--format", "json"]).json();
    assert_eq!(report["drift"][1]["parts"], serde_json::json!(["description", "input_schema"]));
    let sarif = run(&["scan", &file, "--lock", &lock, "--locked", "--format", "sarif"]).out;
    assert!(sarif.contains("games/roll_dice: changed since it was locked"), "{sarif}");
}

#[test]
fn what_went_or_was_renamed_is_drift_too() {
    let (world, file, lock) = locked("lock_gone", &[HONEST, OTHER]);
    world.file("games.json", tools(&[&HONEST.replace("roll_dice", "cast_dice")]));
    let outcome = run(&["diff", &file, "--lock", &lock]);
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!(outcome.out, @r"
error[lock.renamed]: locked under another name (roll_dice)
 --> games/cast_dice
  = help: read it, then portcullis lock --update --only SERVER/NAME

error[lock.vanished]: locked, and no longer declared
 --> games/flip_coin
  = help: read it, then portcullis lock --update --only SERVER/NAME

2 differences
");
}

#[test]
fn an_update_accepts_all_or_only_what_is_named() {
    let (world, file, lock) = locked("lock_update", &[HONEST]);
    world.file("games.json", tools(&[LATER, OTHER]));
    let refused = run(&["lock", &file, "--lock", &lock]);
    assert!(refused.code == 2 && refused.err.contains("--update"), "{}", refused.err);
    let typo = run(&["lock", &file, "--lock", &lock, "--update", "--only", "games/coin"]);
    assert!(typo.code == 2 && typo.err.contains("names no definition"), "{}", typo.err);

    let only = run(&["lock", &file, "--lock", &lock, "--update", "--only", "games/flip*"]);
    assert_eq!(
        (only.code, world.relative(&only.err).as_str()),
        (0, "games/flip_coin: added\nwrote portcullis.lock: 2 definitions\n")
    );
    let left = run(&["diff", &file, "--lock", &lock, "--format", "json"]).json();
    assert_eq!(
        (left["drift"].as_array().map(Vec::len), &left["drift"][0]["what"]),
        (Some(1), &"changed".into())
    );

    assert_eq!(run(&["lock", &file, "--lock", &lock, "--update"]).code, 0);
    assert_eq!(run(&["diff", &file, "--lock", &lock]).code, 0);
}

#[test]
fn servers_that_were_not_read_stay_in_the_lock() {
    let (world, file, lock) = locked("lock_servers", &[HONEST]);
    let mail = world.file("mail.json", tools(&[OTHER]));
    assert_eq!(run(&["lock", &mail, "--lock", &lock, "--update"]).code, 0);
    for file in [&file, &mail] {
        assert_eq!(run(&["scan", file, "--lock", &lock, "--locked"]).code, 0);
    }
}

#[test]
fn a_lock_that_cannot_be_trusted_is_refused() {
    let (world, file, lock) = locked("lock_broken", &[HONEST]);
    let good = world.read("portcullis.lock");
    for (text, expected) in [
        ("", "first line"),
        ("{\"portcullis.lock\":9}\n", "newer"),
        (&good.replace("fingerprint", "thumbprint"), "line 2"),
        (&good.replace("{\"server\"", "<<<<<<< HEAD\n{\"server\""), "merge conflict"),
    ] {
        world.file("portcullis.lock", text);
        for command in [&["scan", &file, "--locked"][..], &["diff", &file], &["lock", &file, "--update"]] {
            let outcome = run(&[command, &["--lock", &lock]].concat());
            assert!(outcome.code == 2 && outcome.err.contains(expected), "{command:?}: {}", outcome.err);
        }
        assert_eq!(world.read("portcullis.lock"), text, "it is left as it is");
    }
    let missing = run(&["scan", &file, "--locked", "--lock", &world.path("none.lock")]);
    assert!(missing.code == 2 && missing.err.contains("portcullis lock"), "{}", missing.err);
}

#[test]
fn half_a_list_is_not_locked() {
    let world = World::new("lock_half");
    let (file, lock) = (world.file("games.json", "{\"tools\":["), world.path("portcullis.lock"));
    let outcome = run(&["lock", &file, "--lock", &lock]);
    assert!(outcome.code == 3 && outcome.err.contains("was not written"), "{}", outcome.err);
    assert!(!std::path::Path::new(&lock).exists());
}

#[test]
fn two_lists_are_compared_word_by_word() {
    let world = World::new("diff_against");
    let (old, new) =
        (world.file("old.json", tools(&[HONEST, OTHER])), world.file("new.json", tools(&[LATER, OTHER])));
    let outcome = run(&["diff", &new, "--against", &old]);
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!(outcome.out, @r"
changed[text]: new/roll_dice
 --> new/roll_dice#/description (text)
  | Rolls 
  + two 
  | dice.
 --> new/roll_dice#/inputSchema/minProperties (schema)
  + 1

1 difference
");
    let same = run(&["diff", &old, "--against", &old]);
    assert_eq!((same.code, same.out.as_str()), (0, "no differences\n"));
}

#[test]
fn what_changed_is_scanned_again() {
    let world = World::new("diff_rescan");
    let hidden = HONEST.replace("Rolls", "Rolls\\u200b\\u200b\\u2063\\u200b");
    let (old, new) = (world.file("old.json", tools(&[HONEST])), world.file("new.json", tools(&[&hidden])));
    let came = run(&["diff", &new, "--against", &old]);
    assert!(came.out.contains("= unicode.hidden: found since the change (hard)"), "{}", came.out);
    let went = run(&["diff", &old, "--against", &new, "--format", "json"]).json();
    let checks = &went["changed"][0]["checks"];
    assert_eq!(checks["went"], serde_json::json!([{"check": "unicode.hidden", "hard": true}]));
    assert_eq!((&checks["came"], &checks["stayed"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn against_an_earlier_list_nothing_is_said_of_a_lock() {
    let world = World::new("diff_unmatched");
    let renamed = OTHER.replace("flip_coin", "toss_coin");
    let third = r#"{"name":"draw_card","description":"Draws a card."}"#;
    let old = world.file("old.json", tools(&[HONEST, OTHER]));
    let new = world.file("new.json", tools(&[&renamed, third]));
    insta::assert_snapshot!(run(&["diff", &new, "--against", &old]).out, @r"
new: new/draw_card was not there before

gone: new/roll_dice is no longer declared

renamed: new/toss_coin was flip_coin

3 differences
");
}
