//! `eval`: the scorecard, the gate, set-ups, gaps.

use crate::world::{Outcome, World, run};
use serde_json::{Value, json};

const HIDDEN: &str = r#"{"name":"t","description":"a\u200b\u200c\u2060b"}"#;
const CLEAN: &str = r#"{"name":"t","description":"Rolls dice."}"#;

fn entry(id: &str, label: &str, category: &str, tool: &str) -> String {
    format!(
        r#"{{"id":"{id}","label":"{label}","category":"{category}","server":"s","reason":"r","tool":{tool}}}"#
    )
}

fn corpus(entries: &[String]) -> String {
    format!("{{\"version\":1,\"entries\":[\n{}\n]}}", entries.join(",\n"))
}

/// Runs `eval` over one corpus file.
fn eval(test: &str, entries: &[String], flags: &[&str]) -> Outcome {
    let path = World::new(test).file("own.json", corpus(entries));
    run(&["eval", "--corpus", &path].iter().chain(flags).copied().collect::<Vec<_>>())
}

fn mixed() -> Vec<String> {
    let mut twin = entry("h1", "benign", "hard_negative", HIDDEN);
    twin.insert_str(1, r#""resembles":"unicode_smuggling","#);
    vec![
        entry("m1", "malicious", "unicode_smuggling", HIDDEN),
        entry("m2", "malicious", "unicode_smuggling", CLEAN),
        entry("b1", "benign", "benign", CLEAN),
        twin,
    ]
}

#[test]
fn the_scorecard_counts_rows_and_totals() {
    let outcome = eval("eval_scorecard", &mixed(), &[]);
    assert_eq!(outcome.code, 0);
    let card = outcome.json();
    // One line per field keeps the snapshot readable; the version changes with every release.
    let lines: Vec<String> =
        card.as_object().into_iter().flatten().map(|(key, value)| format!("{key}: {value}")).collect();
    insta::assert_snapshot!(lines.join("\n").replace(portcullis_detect::RULES_VERSION, "VERSION"), @r#"
categories: [{"category":"unicode_smuggling","f1":0.5,"false_alarms":1,"gated":true,"held":1,"n":2,"precision":0.5,"raised":1,"recall":0.5}]
complete: true
false_alarms: [{"checks":["unicode.hidden"],"id":"h1","tier":"hard"}]
incomplete: []
missed: ["m2"]
not_held: []
persona: "regular"
registry: "each"
rows: [{"category":"benign","f1":null,"held":0,"label":"benign","n":1,"precision":null,"raised":0,"recall":null,"source":"own","visible":null},{"category":"hard_negative","f1":null,"held":1,"label":"benign","n":1,"precision":null,"raised":1,"recall":null,"source":"own","visible":null},{"category":"unicode_smuggling","f1":0.5,"held":1,"label":"malicious","n":2,"precision":0.5,"raised":1,"recall":0.5,"source":"own","visible":null}]
rules_version: "VERSION"
schema: "portcullis.eval/1"
totals: {"benign":{"held":0,"n":1,"raised":0},"hard_negative":{"held":1,"n":1,"raised":1},"malicious":{"held":1,"n":2,"raised":1}}
"#);
}

#[test]
fn the_gate_passes_and_fails_with_all_reasons() {
    let good =
        [entry("m1", "malicious", "unicode_smuggling", HIDDEN), entry("b1", "benign", "benign", CLEAN)];
    let outcome = eval("eval_gate_good", &good, &["--gate"]);
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!(outcome.err, @"GATE PASSED: 1/1 attacks raised, 1 held; 0/0 hard negatives held; 0/1 benign raised");
    let outcome = eval("eval_gate_bad", &mixed(), &["--gate"]);
    assert_eq!(outcome.code, 6);
    insta::assert_snapshot!(outcome.err, @"GATE FAILED: recall overall 0.500 (1/2) is below 0.9; recall of unicode_smuggling 0.500 (1/2) is below 0.9; held of unicode_smuggling 0.500 (1/2) is below 0.9; hard negatives held 1.000 (1/1) is above 0.05");
    assert_eq!(outcome.json()["schema"], "portcullis.eval/1", "the scorecard is printed all the same");
    let lenient = ["--gate", "--min-recall", "0.5", "--min-held", "0.5", "--max-fp", "1"];
    assert_eq!(eval("eval_gate_lenient", &mixed(), &lenient).code, 0);
}

#[test]
fn an_empty_corpus_does_not_pass_the_gate() {
    assert_eq!(eval("eval_gate_empty", &[], &["--gate"]).code, 6);
}

#[test]
fn credentials_are_joined_before_they_are_judged() {
    let tool = r#"{"name":"t","inputSchema":{"properties":{"k":{"default":"AKIA{cut}RT7Q2MZK5XWBJ4NE"}}}}"#;
    let card = eval("eval_cut", &[entry("m", "malicious", "embedded_secret", tool)], &[]).json();
    assert_eq!(card["totals"]["malicious"], json!({"n": 1, "held": 0, "raised": 1}));
}

#[test]
fn of_a_pair_the_later_text_is_judged() {
    let pair = |id: &str, label: &str, before: &str, after: &str| {
        format!(
            r#"{{"id":"{id}","label":"{label}","category":"rug_pull","server":"s","before":{before},"after":{after}}}"#
        )
    };
    let entries = [pair("m", "malicious", CLEAN, HIDDEN), pair("d", "benign", HIDDEN, CLEAN)];
    let card = eval("eval_pairs", &entries, &[]).json();
    assert_eq!(card["totals"]["malicious"]["raised"], 1);
    assert_eq!(card["totals"]["benign"], json!({"n": 1, "held": 0, "raised": 0}));
}

#[test]
fn peers_make_shadowing_and_the_entry_is_the_newcomer() {
    let tool = r#"{"name":"quarrel_ledger_sync","description":"Synchronises."}"#;
    let with_peer = |server: &str| {
        entry("m", "malicious", "shadowing", tool)
            .replace("\"reason\"", &format!(r#""peers":[{{"server":"{server}","tool":{tool}}}],"reason""#))
            .replace("\"description\":\"Synchronises.\"}}]", "\"description\":\"Keeps in step.\"}}]")
    };
    let card = eval("eval_peers", &[with_peer("other")], &[]).json();
    assert_eq!(card["totals"]["malicious"]["held"], 1, "{card}");
    let card = eval("eval_own_peers", &[with_peer("s")], &[]).json();
    assert_eq!(card["totals"]["malicious"]["held"], 0, "a sibling is never shadowing");
}

#[test]
fn one_bad_entry_makes_the_run_incomplete_and_loses_nothing_else() {
    let mut entries = mixed();
    entries.insert(1, "{\"id\":\"x\"}".into());
    let outcome = eval("eval_bad_entry", &entries, &[]);
    assert_eq!(outcome.code, 3);
    let card = outcome.json();
    assert_eq!((&card["complete"], &card["totals"]["malicious"]["n"]), (&json!(false), &json!(2)));
    let subject = card["incomplete"][0]["subject"].as_str().expect("a gap");
    assert!(subject.ends_with("own.json:3:10"), "{subject}");
    assert_eq!(eval("eval_bad_gate", &entries, &["--gate"]).code, 6, "the gate's word goes first");
}

#[test]
fn lines_of_others_are_read_and_only_visible_attacks_count() {
    let line = |id: &str, visible: &str| {
        format!(
            r#"{{"id":"{id}","source":"src","server":"s","name":"t","description":"a\u200b\u200c\u2060b","input_schema":null,"label":"malicious","category":"other","peers":[],"metadata_visible":{visible}}}"#
        )
    };
    let text = [line("a", "true"), line("b", "\"overt\""), "nonsense".into(), line("c", "false")].join("\n");
    let path = World::new("eval_lines").file("dev.jsonl", text);
    let outcome = run(&["eval", "--corpus", &path]);
    assert_eq!(outcome.code, 3);
    let card = outcome.json();
    assert_eq!(card["totals"]["malicious"], json!({"n": 1, "held": 1, "raised": 1}));
    let visible: Vec<&Value> =
        card["rows"].as_array().expect("rows").iter().map(|row| &row["visible"]).collect();
    assert_eq!(visible, [&json!("false"), &json!("overt"), &json!("true")]);
    assert_eq!(card["categories"][0]["gated"], false);
}

#[test]
fn random_set_ups_depend_on_the_seed_alone() {
    let tool = r#"{"name":"quarrel_ledger_sync","description":"Synchronises DIFFERENTLY."}"#;
    let entries: Vec<String> = (0..30)
        .map(|n| {
            let tool = tool.replace("DIFFERENTLY", &n.to_string());
            entry(&format!("b{n}"), "benign", "benign", if n % 3 == 0 { &tool } else { CLEAN })
                .replace("\"server\":\"s\"", &format!("\"server\":\"s{n}\""))
        })
        .collect();
    let draw = |test: &str, seed: &str| {
        eval(test, &entries, &["--registry", "random:5", "--draws", "20", "--seed", seed]).json()
    };
    let (first, second, other) =
        (draw("eval_random_a", "3"), draw("eval_random_b", "3"), draw("eval_random_c", "4"));
    assert_eq!(first, second);
    assert_ne!(first["totals"], other["totals"]);
    assert_eq!(first["totals"]["benign"]["n"], 100, "twenty draws of five servers with one tool");
    let alarms = first["false_alarms"].as_array().expect("alarms");
    assert!(!alarms.is_empty() && alarms.len() <= 10, "each id is listed once: {alarms:?}");
    assert_eq!(eval("eval_random_many", &entries, &["--registry", "random:31"]).code, 2);
}

#[test]
fn together_is_one_registry() {
    let tool = |text: &str| format!(r#"{{"name":"quarrel_ledger_sync","description":"{text}"}}"#);
    let entries = [
        entry("a", "benign", "benign", &tool("One.")),
        entry("b", "benign", "benign", &tool("Two.")).replace("\"server\":\"s\"", "\"server\":\"z\""),
    ];
    assert_eq!(eval("eval_each", &entries, &[]).json()["totals"]["benign"]["held"], 0);
    assert_eq!(
        eval("eval_together", &entries, &["--registry", "together"]).json()["totals"]["benign"]["held"],
        2
    );
}

#[test]
fn explain_prints_one_entry_as_an_auditor_sees_it() {
    let outcome = eval("eval_explain", &mixed(), &["--explain", "m1"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.out.starts_with("error[unicode.hidden]: "), "{}", outcome.out);
    assert!(outcome.out.contains("by auditor"));
    assert_eq!(eval("eval_explain_none", &mixed(), &["--explain", "m9"]).code, 2);
}

#[test]
fn a_folder_gives_all_its_files() {
    let world = World::new("eval_folder");
    world.file("a.json", corpus(&[entry("a", "benign", "benign", CLEAN)]));
    world.file("b.json", corpus(&[entry("b", "benign", "benign", CLEAN)]));
    let card = run(&["eval", "--corpus", &world.path("")]).json();
    assert_eq!(card["totals"]["benign"]["n"], 2);
    assert_eq!(run(&["eval", "--corpus", &world.path("none.json")]).code, 2);
}

#[test]
fn labelled_texts_are_measured_by_type_and_strength() {
    let world = World::new("eval_texts");
    let texts = [
        json!({"id": "p1", "text": "mail ann@tide.example", "spans": [{"start": 5, "end": 21, "type": "EMAIL"}]}),
        json!({"id": "p2", "text": "card 4539 5787 6362 1486", "spans": [{"start": 5, "end": 24, "type": "credit_card"}]}),
        json!({"id": "p3", "text": "write to carl", "spans": [{"start": 9, "end": 13, "type": "email"}]}),
        json!({"id": "s1", "text": format!("AKIA{}", "QX7TRMSV3BLNWD4K"), "is_secret": true}),
        json!({"id": "s2", "text": "password=hV7q2Zk9Lm4X", "is_secret": true}),
        json!({"id": "s3", "text": "password=<password>", "is_secret": false}),
    ];
    let path = world.file("texts.jsonl", texts.map(|text| text.to_string()).join("\n"));
    let outcome = run(&["eval", "--corpus", &path]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let card = outcome.json();
    let row = |kind: &str, strength: &str| {
        let rows = card["rows"].as_array().into_iter().flatten();
        rows.clone()
            .find(|row| row["type"] == kind && row["strength"] == strength)
            .cloned()
            .unwrap_or_default()
    };
    let expected = |kind: &str, strength: &str, n: u32, precision: Option<f64>, recall: Option<f64>| json!({"type": kind, "strength": strength, "n": n, "precision": precision, "recall": recall});
    for (kind, strength, n, precision, recall) in [
        ("email", "all", 2, Some(1.0), Some(0.5)),
        ("card", "bound", 1, Some(1.0), Some(1.0)),
        ("secret", "bound", 2, Some(1.0), Some(0.5)),
        ("secret", "keyword", 2, Some(1.0), Some(0.5)),
        ("secret", "all", 2, Some(1.0), Some(1.0)),
        ("iban", "all", 0, None, None),
    ] {
        assert_eq!(row(kind, strength), expected(kind, strength, n, precision, recall), "{kind} {strength}");
    }
}
