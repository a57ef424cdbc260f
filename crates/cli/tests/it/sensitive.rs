//! `sensitive` and `redact`: what is listed, what is masked, what leads to which exit code, what hostile text can do.

use crate::world::{Outcome, World, run, run_bytes, run_with};
use serde_json::{Value, json};

/// A key nobody was given, in two halves: no whole credential shape is committed.
fn key() -> String {
    ["AKIA", "QX7TRMSV3BLNWD4K"].concat()
}

fn record() -> String {
    format!(r#"{{"owner":{{"mail":"ann@tide.example"}},"note":"line\n{} \u00e9"}}"#, key())
}

/// The lines of a JSON listing.
fn lines(outcome: &Outcome) -> Vec<Value> {
    outcome.out.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

#[test]
fn a_list_for_people() {
    let world = World::new("sensitive_plain");
    let outcome = run(&["sensitive", &world.file("record.json", record())]);
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!(outcome.out, @r"
1: #/owner/mail  email  bound  medium  0.95  a********@tide.example
1: #/note  aws_access_key  bound  critical  0.93  AKIA********WD4K
");
    insta::assert_snapshot!(outcome.err, @"2 bound, 0 by keyword, 0 placeholders");
}

#[test]
fn a_list_for_programs() {
    let outcome = run_with(&["sensitive", "--format", "json"], &record());
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!(outcome.out, @r#"
{"path":"/owner/mail","line":1,"type":"email","row":"email","family":"personal","strength":"bound","severity":"medium","confidence":0.95,"masked":"a********@tide.example"}
{"path":"/note","line":1,"type":"aws_access_key","row":"aws_access_key","family":"secret","strength":"bound","severity":"critical","confidence":0.93,"masked":"AKIA********WD4K"}
"#);
}

#[test]
fn plain_text_has_lines_and_no_paths() {
    let outcome = run_with(&["sensitive", "-", "--format", "json"], &format!("one\ntwo\nkey {}", key()));
    let [line] = &lines(&outcome)[..] else { panic!("{}", outcome.out) };
    assert_eq!(
        (&line["path"], &line["line"], &line["type"]),
        (&Value::Null, &json!(3), &json!("aws_access_key"))
    );
}

#[test]
fn nothing_found_is_said() {
    let outcome = run_with(&["sensitive"], r#"{"note":"high water at noon"}"#);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "", "nothing sensitive found\n"));
    assert_eq!(run_with(&["sensitive", "--quiet"], "{}").err, "");
}

#[test]
fn what_fails_is_the_users_choice() {
    let bound = record();
    let keyword = r#"{"password":"hV7q2Zk9Lm4X"}"#;
    let filler = r#"{"key":"AKIAIOSFODNN7EXAMPLE"}"#;
    for (document, expected) in [(&*bound, [0, 1, 1]), (keyword, [0, 0, 1]), (filler, [0, 0, 0])] {
        let codes =
            ["never", "bound", "any"].map(|on| run_with(&["sensitive", "--fail-on", on], document).code);
        assert_eq!(codes, expected, "{document}");
    }
}

#[test]
fn a_placeholder_is_listed_with_its_reason_and_not_masked() {
    let document = "AKIAIOSFODNN7EXAMPLE";
    let outcome = run_with(&["sensitive", "--format", "json"], document);
    assert_eq!(lines(&outcome)[0]["doubt"], "a documented example or a filler");
    assert_eq!(run_with(&["redact"], document).out, document);
}

#[test]
fn redacting_keeps_json_and_everything_else() {
    let outcome = run_with(&["redact", "--verbose"], &record());
    assert_eq!((outcome.code, &*outcome.err), (0, "2 values masked\n"));
    assert_eq!(
        outcome.out,
        r#"{"owner":{"mail":"a********@tide.example"},"note":"line\nAKIA********WD4K \u00e9"}"#
    );
    let number = run_with(&["redact"], r#"{"card": 4539578763621486, "n": 12}"#);
    assert_eq!(number.json(), json!({ "card": "4********1486", "n": 12 }));
}

#[test]
fn only_bound_values_are_masked_on_request() {
    let document = format!(r#"{{"password":"hV7q2Zk9Lm4X","note":"{}"}}"#, key());
    let bound = run_with(&["redact", "--strength", "bound"], &document);
    assert_eq!(bound.json(), json!({ "password": "hV7q2Zk9Lm4X", "note": "AKIA********WD4K" }));
    assert_eq!(run_with(&["redact"], &document).json()["password"], "hV********");
}

#[test]
fn lines_of_json_stay_lines() {
    let document = format!("{}\n{}\n{{\"n\":3}}\n", record(), record());
    let redacted = run_with(&["redact"], &document);
    assert_eq!(redacted.code, 0);
    assert_eq!(redacted.out.lines().count(), 3);
    assert!(redacted.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", redacted.out);
    let listed = run_with(&["sensitive", "--format", "json"], &document);
    let places: Vec<(Value, Value)> =
        lines(&listed).iter().map(|line| (line["line"].clone(), line["path"].clone())).collect();
    assert_eq!(places.len(), 4);
    assert_eq!(places[2], (json!(2), json!("/owner/mail")));
}

#[test]
fn redacting_twice_is_redacting_once() {
    let text = format!("card 4539 5787 6362 1486, {}, call +44 20 7946 0958, password=hV7q2Zk9Lm4X", key());
    for document in [text, record()] {
        let once = run_with(&["redact"], &document).out;
        assert_ne!(once, document);
        assert_eq!(run_with(&["redact"], &once).out, once);
        assert_eq!(
            run_with(&["sensitive", "--fail-on", "bound"], &once.replace("@tide.example", "")).code,
            0
        );
    }
}

#[test]
fn a_large_file_is_streamed() {
    let world = World::new("sensitive_large");
    let one = format!("{},\n", record());
    let count = 60_000;
    let document = format!("[{}null]", one.repeat(count));
    assert!(document.len() > 4 << 20);
    let path = world.file("large.json", &document);
    let redacted = run(&["redact", &path]);
    assert_eq!(redacted.code, 0);
    assert_eq!(redacted.json().as_array().map(Vec::len), Some(count + 1));
    assert!(!redacted.out.contains(&key()) && !redacted.out.contains("ann@"));
    // Each record has one key of 20 bytes masked to 16, and a mailbox of 3 masked to 9.
    assert_eq!(redacted.out.len(), document.len() + count * 9 + count * 16 - count * (3 + 20));
    let listed = run(&["sensitive", &path, "--format", "json"]);
    assert_eq!(listed.out.lines().count(), 2 * count);
    let last: Value = serde_json::from_str(listed.out.lines().last().unwrap_or_default()).expect("JSON");
    assert_eq!((&last["line"], &last["path"]), (&json!(count), &json!(format!("/{}/note", count - 1))));
}

#[test]
fn a_byte_order_mark_is_kept() {
    let marked = format!("\u{feff}{}", record());
    let redacted = run_with(&["redact"], &marked).out;
    assert!(redacted.starts_with("\u{feff}{\"owner\"") && !redacted.contains(&key()), "{redacted}");
    assert_eq!(lines(&run_with(&["sensitive", "--format", "json"], &marked))[0]["path"], "/owner/mail");
}

#[test]
fn bytes_that_are_no_text_pass_unchanged() {
    let document = [&b"\xff\x80 "[..], key().as_bytes(), b" \xc3\x28\0"].concat();
    let redacted = run_bytes(&["redact"], &document);
    assert_eq!(redacted.out, b"\xff\x80 AKIA********WD4K \xc3\x28\0");
}

#[test]
fn other_encodings_and_missing_files_are_errors_of_usage() {
    let utf16: Vec<u8> = "\u{feff}key".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outcome = run_bytes(&["sensitive"], &utf16);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("stdin is UTF-16"), "{}", outcome.err);
    let world = World::new("sensitive_missing");
    for command in ["sensitive", "redact"] {
        let outcome = run(&[command, &world.path("nowhere.json")]);
        assert_eq!((outcome.code, &*outcome.out), (2, ""));
        assert!(
            outcome.err.contains("cannot read") && outcome.err.contains("nowhere.json"),
            "{}",
            outcome.err
        );
    }
}

#[test]
fn broken_json_is_read_on_and_noted() {
    let document = format!(r#"{{"a": }} , "note":"{}"#, key());
    let outcome = run_with(&["sensitive"], &document);
    assert_eq!(outcome.out.lines().count(), 1);
    insta::assert_snapshot!(outcome.err, @r"
1 bound, 0 by keyword, 0 placeholders
note: stdin is not JSON from byte 8 on; it was read on, but paths after it may be wrong (--as text reads it as plain text)
");
    let as_text = run_with(&["sensitive", "--as", "text"], &document);
    assert!(!as_text.err.contains("note:"), "{}", as_text.err);
}

#[test]
fn patterns_of_the_operator() {
    let world = World::new("sensitive_patterns");
    let pattern = json!({ "name": "employee_id", "regex": "EMP-\\d{6}", "severity": "high" });
    let whole =
        json!({ "security": { "pii_detection": { "patterns": ["email"], "custom_patterns": [pattern] } } });
    let section = json!({ "pii_detection": { "patterns": ["email"], "custom_patterns": [pattern] } });
    let document = format!("EMP-123456 ann@tide.example {}", key());
    for config in [whole, section] {
        let path = world.file("config.json", config.to_string());
        let outcome = run_with(&["sensitive", "--format", "json", "--patterns", &path], &document);
        let found: Vec<(Value, Value)> =
            lines(&outcome).iter().map(|line| (line["type"].clone(), line["severity"].clone())).collect();
        assert_eq!(found, [(json!("employee_id"), json!("high")), (json!("email"), json!("medium"))]);
        let redacted = run_with(&["redact", "--patterns", &path], &document);
        assert_eq!(redacted.out, format!("EM******** a********@tide.example {}", key()));
    }
}

#[test]
fn a_bad_configuration_names_file_and_entry() {
    let world = World::new("sensitive_bad_patterns");
    let bad = |name: &str, config: Value| {
        let path = world.file(name, config.to_string());
        let outcome = run_with(&["sensitive", "--patterns", &path], "EMP-1");
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{config}");
        world.relative(&outcome.err)
    };
    let regex = json!({ "custom_patterns": [{ "name": "staff", "regex": "EMP-(", "severity": "low" }] });
    insta::assert_snapshot!(bad("regex.json", regex), @"error: regex.json: pattern `staff`: its regex is not valid: unclosed group");
    let large =
        json!({ "custom_patterns": [{ "name": "huge", "regex": "\\w{1000}{100}", "severity": "low" }] });
    insta::assert_snapshot!(bad("large.json", large), @"error: large.json: pattern `huge`: its regex compiles to more than 1048576 bytes; write it shorter");
    insta::assert_snapshot!(bad("type.json", json!({ "patterns": ["e-mail"] })), @"error: type.json: pattern `e-mail`: no such type; there are api_key, email, ssn, card, phone, iban, ip, national_id, date_of_birth, and the ids of rows");
    insta::assert_snapshot!(bad("shape.json", json!(["EMP"])), @r#"error: shape.json: expected `custom_patterns`, a list of {"name", "regex", "severity"}, at the top or under `security.pii_detection`"#);
    let missing = run_with(&["redact", "--patterns", &world.path("none.json")], "x");
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("none.json: cannot be read"), "{}", missing.err);
}

#[test]
fn hostile_text_cannot_steer_the_terminal() {
    let steered = |text: &str| text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}');
    let document =
        format!(r#"{{"a\u001b[2Jb\u202e\n":"{}","password":"ab\u001b]0;x\u0007cdefgh1234"}}"#, key());
    for format in ["plain", "json"] {
        let outcome = run_with(&["sensitive", "--format", format], &document);
        assert!(outcome.out.contains("AKIA********WD4K") && !steered(&outcome.out), "{:?}", outcome.out);
    }
    let outcome = run_with(&["sensitive", "--format", "json"], &document);
    assert_eq!(lines(&outcome)[0]["path"], "/a\u{1b}[2Jb\u{202e}\n", "programs get the key as it is");
    let raw = format!("\u{1b}[31mkey\u{1b}[0m {} \u{202e} PASSWORD=\u{1b}]0;pwned\u{7}hV7q2Zk9", key());
    let outcome = run_with(&["sensitive"], &raw);
    assert!(outcome.out.contains("AKIA********WD4K") && !steered(&outcome.out), "{:?}", outcome.out);
    let named =
        json!({ "custom_patterns": [{ "name": "\u{1b}[2J", "regex": "EMP-\\d", "severity": "low" }] });
    let path = World::new("sensitive_hostile").file("config.json", named.to_string());
    let outcome = run_with(&["sensitive", "--patterns", &path], "EMP-1");
    assert!(outcome.out.contains("U+001B") && !steered(&outcome.out), "{:?}", outcome.out);
}

#[test]
fn encoded_values_say_how_they_were_encoded() {
    // "key ..." in hex: what is listed and masked is the whole run.
    let hex: String = format!("key {}", key()).bytes().map(|byte| format!("{byte:02x}")).collect();
    let outcome = run_with(&["sensitive", "--format", "json"], &format!(r#"{{"blob":"{hex}"}}"#));
    let [line] = &lines(&outcome)[..] else { panic!("{}", outcome.out) };
    assert_eq!((&line["encoding"], &line["path"]), (&json!("hex"), &json!("/blob")));
    let redacted = run_with(&["redact"], &format!(r#"{{"blob":"{hex}"}}"#));
    assert_eq!(redacted.json(), json!({ "blob": "6b65********344b" }));
}
