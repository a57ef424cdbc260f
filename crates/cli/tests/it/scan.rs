//! `scan`: exit codes, formats and where they go, colours, determinism.

use crate::world::{DOUBTFUL, HONEST, HOSTILE, World, run, run_with};

fn tools(tools: &[&str]) -> String {
    format!("{{\"tools\":[{}]}}", tools.join(","))
}

#[track_caller]
fn check(content: &str, flags: &[&str], expected: u8) {
    let arguments: Vec<&str> = ["scan", "-"].iter().chain(flags).copied().collect();
    let outcome = run_with(&arguments, content);
    assert_eq!(outcome.code, expected, "{flags:?}\n{}{}", outcome.out, outcome.err);
}

#[test]
fn a_clean_scan_exits_with_0() {
    check(&tools(&[HONEST]), &[], 0);
    check(&tools(&[]), &[], 0);
}

#[test]
fn a_hard_finding_exits_with_1() {
    check(&tools(&[HONEST, HOSTILE]), &[], 1);
    check(&tools(&[HOSTILE]), &["--fail-on", "never"], 0);
    check(&tools(&[HOSTILE]), &["--exit-zero"], 0);
    check(&tools(&[HOSTILE]), &["--fail-on", "soft"], 1);
}

#[test]
fn a_soft_finding_exits_with_0_unless_told() {
    check(&tools(&[DOUBTFUL]), &[], 0);
    check(&tools(&[DOUBTFUL]), &["--fail-on", "soft"], 1);
    check(&tools(&[DOUBTFUL]), &["--fail-on", "critical"], 0);
}

#[test]
fn bad_arguments_exit_with_2() {
    for arguments in [
        &["scan", "no/such/file.json"][..],
        &["scan", "-", "--format", "word"],
        &["scan", "-", "--format", "json", "--format", "plain"],
        &["frisk"],
    ] {
        let outcome = run(arguments);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{arguments:?}");
        assert!(!outcome.err.is_empty());
    }
}

#[test]
fn an_incomplete_scan_exits_with_3() {
    check("{\"tools\":[", &[], 3);
    check("{\"tools\":[", &["--exit-zero"], 3);
    check("{\"tools\":[", &["--allow-incomplete"], 0);
    check("", &[], 3);
    check(&format!("{{\"tools\":[{HONEST}],\"nextCursor\":\"p2\"}}"), &[], 3);
}

#[test]
fn findings_and_gaps_together_exit_with_1_and_say_both() {
    let broken = format!("[{HOSTILE},");
    check(&broken, &[], 1);
    check(&broken, &["--exit-zero"], 3);
    let report = run_with(&["scan", "-", "--format", "json"], &broken).json();
    assert_eq!(report["complete"], false);
    assert_eq!(report["totals"]["findings"], 1);
}

#[test]
fn broken_json_names_file_line_and_column() {
    let world = World::new("scan_broken");
    let path =
        world.file("tools.json", format!("{{\n \"tools\": [\n  {HONEST},\n  {{\"name\" 1}}\n ]\n}}\n"));
    let outcome = run(&["scan", &path]);
    assert_eq!(outcome.code, 3);
    insta::assert_snapshot!(world.relative(&outcome.out), @r"
incomplete: tools.json:4:11: expected `:`
incomplete: 1 part not looked at; no findings (0 suppressed, 0 ignored by regular) in 1 definition of 1 server, rules VERSION
");
}

#[test]
fn one_bad_definition_does_not_lose_the_others() {
    let world = World::new("scan_bad_definition");
    let path = world.file("tools.json", format!("[{HONEST},\n  7,\n {HOSTILE}]"));
    let report = run(&["scan", &path, "--format", "json"]).json();
    assert_eq!(report["totals"]["definitions"], 2);
    assert_eq!(report["findings"][0]["name"], "hide_dice");
    let subject = report["incomplete"][0]["subject"].as_str().expect("a gap");
    assert_eq!(world.relative(subject), "tools.json:2:3");
}

#[test]
fn several_formats_go_to_their_files() {
    let world = World::new("scan_outputs");
    let (json, sarif) = (world.path("r.json"), world.path("r.sarif"));
    let arguments = [
        "scan", "-", "--format", "plain", "--format", "json", "--output", &json, "--format", "sarif",
        "--output", &sarif,
    ];
    let outcome = run_with(&arguments, &tools(&[HOSTILE]));
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.starts_with("error[unicode.hidden]: "), "{}", outcome.out);
    let json: serde_json::Value = serde_json::from_str(&world.read("r.json")).expect("JSON");
    assert_eq!(json["schema"], "portcullis.report/1");
    let sarif: serde_json::Value = serde_json::from_str(&world.read("r.sarif")).expect("SARIF");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(8));
}

#[test]
fn an_output_that_cannot_be_written_is_a_usage_error() {
    let outcome = run_with(&["scan", "-", "--output", "no/such/folder/r.txt"], &tools(&[HONEST]));
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("no/such/folder/r.txt"), "{}", outcome.err);
}

#[test]
fn colours_come_only_when_asked() {
    let plain = run_with(&["scan", "-"], &tools(&[HOSTILE]));
    assert!(!plain.out.contains('\x1b'));
    let coloured = run_with(&["scan", "-", "--color", "always"], &tools(&[HOSTILE]));
    assert!(coloured.out.contains("\x1b[1;91merror[unicode.hidden]"));
}

#[test]
fn findings_go_to_stdout_and_nothing_else_does() {
    let outcome = run_with(&["scan", "-", "--format", "json", "-v"], &tools(&[HONEST]));
    assert_eq!(outcome.json()["complete"], true);
    assert_eq!(outcome.err, "read stdin: 1 definitions\n");
}

#[test]
fn sarif_points_at_the_definition_in_its_file() {
    let world = World::new("scan_sarif");
    let path = world.file("my tools.json", format!("[\n  {HONEST},\n  {HOSTILE}\n]"));
    let log = run(&["scan", &path, "--format", "sarif"]).json();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().is_some_and(|uri| uri.ends_with("/my%20tools.json")));
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&3.into(), &3.into()));
}

#[test]
fn the_order_of_servers_never_shows() {
    let world = World::new("scan_shuffled");
    let mut paths: Vec<String> = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let own = format!(r#"{{"name":"{name}_quarrel_ledger","description":"Before using {name}_x, see beta_quarrel_ledger."}}"#);
            let shared = r#"{"name":"quarrel_ledger_sync","description":"Synchronises."}"#;
            let list = if index % 2 == 0 { [own.as_str(), shared] } else { [HOSTILE, own.as_str()] };
            world.file(&format!("{name}.json"), tools(&list))
        })
        .collect();
    paths.push(world.file("other/alpha.json", tools(&[HONEST, DOUBTFUL])));
    paths.push(world.file("broken.json", "{\"tools\":["));
    let scan = |paths: &[String], format: &str| {
        let mut arguments = vec!["scan", "--persona", "auditor", "--format", format];
        arguments.extend(paths.iter().map(String::as_str));
        run(&arguments).out
    };
    let expected = ["plain", "json", "sarif"].map(|format| scan(&paths, format));
    assert!(expected[0].contains("error["));
    let mut state = 7_u64;
    for round in 0..100 {
        for place in (1..paths.len()).rev() {
            // Knuth's MMIX generator: any order will do, as long as it is another one each time.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            paths.swap(place, usize::try_from(state >> 33).expect("31 bits fit") % (place + 1));
        }
        let format = round % 3;
        assert_eq!(scan(&paths, ["plain", "json", "sarif"][format]), expected[format], "round {round}");
    }
}
