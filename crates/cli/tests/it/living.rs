//! Living with `scan`: baselines, settings files, pinned rules, streams.

use std::process::{Command, Stdio};

use crate::world::{DOUBTFUL, HONEST, HOSTILE, Outcome, World, run, run_with};

fn tools(tools: &[&str]) -> String {
    format!("{{\"tools\":[{}]}}", tools.join(","))
}

/// A world with a baseline of one hostile tool.
fn baseline(name: &str) -> (World, String, String) {
    let world = World::new(name);
    let file = world.file("games.json", tools(&[HONEST, HOSTILE]));
    let kept = world.path("portcullis.baseline");
    let outcome = run(&["scan", &file, "--write-baseline", &kept]);
    assert_eq!(outcome.code, 0, "what was just written down is known: {}{}", outcome.out, outcome.err);
    (world, file, kept)
}

#[test]
fn what_the_baseline_has_does_not_fail() {
    let (_world, file, kept) = baseline("living_known");
    let outcome = run(&["scan", &file, "--baseline", &kept]);
    assert_eq!(outcome.code, 0, "{}", outcome.out);
    assert!(
        outcome.out.starts_with("known[unicode.hidden]: games/hide_dice: the baseline has it"),
        "{}",
        outcome.out
    );
    assert!(
        outcome.out.contains("no findings (0 suppressed, 0 ignored by regular, 1 known)"),
        "{}",
        outcome.out
    );
    let outcome = run(&["scan", &file, "--baseline", &kept, "--new-only"]);
    assert!(!outcome.out.contains("known["), "{}", outcome.out);
}

#[track_caller]
fn check_news(outcome: &Outcome, why: &str) {
    assert_eq!(outcome.code, 1, "{}{}", outcome.out, outcome.err);
    assert!(outcome.out.contains(&format!("= note: new since the baseline: {why}")), "{}", outcome.out);
}

#[test]
fn a_changed_definition_is_new_again() {
    let (world, file, kept) = baseline("living_changed");
    world.file("games.json", tools(&[HONEST, &HOSTILE.replace("dice.", "many dice.")]));
    check_news(&run(&["scan", &file, "--baseline", &kept]), "the definition changed");
}

#[test]
fn a_new_definition_is_new() {
    let (world, file, kept) = baseline("living_appeared");
    world.file("games.json", tools(&[HONEST, HOSTILE, &HOSTILE.replace("hide_dice", "more_dice")]));
    check_news(&run(&["scan", &file, "--baseline", &kept]), "the definition is new");
}

#[test]
fn an_update_of_the_rules_says_so() {
    let (world, file, kept) = baseline("living_rules");
    let version = portcullis_detect::RULES_VERSION;
    // As an older version would have written it: its rules did not find anything here.
    let older = world
        .read("portcullis.baseline")
        .replace(version, "0.0.1")
        .replace(r#","found":["unicode.hidden"]"#, "");
    world.file("portcullis.baseline", older);
    let outcome = run(&["scan", &file, "--baseline", &kept]);
    check_news(&outcome, "the rules changed; the definition did not (0.0.1 -> ");
    let expected =
        format!("note: the rules changed since the baseline (0.0.1 -> {version}); 1 of the findings");
    assert!(outcome.err.starts_with(&expected), "{}", outcome.err);
}

#[test]
fn an_incomplete_scan_is_no_baseline() {
    let world = World::new("living_incomplete");
    let file = world.file("broken.json", "{\"tools\":[");
    let outcome = run(&["scan", &file, "--write-baseline", &world.path("b")]);
    assert!(outcome.code == 3 && outcome.err.contains("was not written"), "{}", outcome.err);
    assert!(!std::path::Path::new(&world.path("b")).exists());
}

#[test]
fn a_broken_baseline_is_refused() {
    let world = World::new("living_broken");
    let file = world.file("games.json", tools(&[HONEST]));
    let broken = world.file("b", "{\"portcullis.baseline\":1}\n");
    for (flags, expected) in [
        (&["--baseline", broken.as_str()][..], "line 1"),
        (&["--baseline", "no/such/file"], "no/such/file"),
        (&["--new-only"], "--new-only needs --baseline"),
        (&["--no-registry", "--baseline", &broken], "cannot be used with"),
    ] {
        let outcome = run(&[&["scan", &file][..], flags].concat());
        assert!(outcome.code == 2 && outcome.err.contains(expected), "{flags:?}: {}", outcome.err);
    }
}

#[test]
fn pinned_rules_refuse_another_version() {
    let outcome = run_with(&["scan", "-", "--rules-version", "99.0"], &tools(&[HONEST]));
    assert!(
        outcome.code == 2 && outcome.err.contains("error: the rules changed: this is "),
        "{}",
        outcome.err
    );
    let version = portcullis_detect::RULES_VERSION;
    assert_eq!(run_with(&["scan", "-", "--rules-version", version], &tools(&[HONEST])).code, 0);
}

/// Runs the binary in a folder of a world, without variables of ours.
fn in_folder(
    world: &World,
    folder: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PORTCULLIS_")) {
        command.env_remove(name);
    }
    let command = command.args(arguments).envs(variables.iter().copied()).current_dir(world.path(folder));
    let output = command.stdin(Stdio::null()).output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("we write UTF-8");
    (output.status.code().expect("it ended by itself"), text(output.stdout), text(output.stderr))
}

#[test]
fn the_nearest_settings_file_above_is_used() {
    let world = World::new("living_settings");
    world.file("repo/.git/HEAD", "");
    world.file("portcullis.json", r#"{"scan": {"fail_on": "never"}}"#);
    world.file("repo/deep/er/tools.json", tools(&[DOUBTFUL]));
    let scan = |flags: &[&str], variables: &[(&str, &str)]| {
        in_folder(&world, "repo/deep/er", &[&["scan", "tools.json"][..], flags].concat(), variables).0
    };
    assert_eq!(scan(&["--fail-on", "soft"], &[]), 1);
    assert_eq!(scan(&[], &[]), 0, "what lies above the repository is not its own");
    world.file(
        "repo/portcullis.json",
        "{\n  // Soft findings count here.\n  \"scan\": {\"fail_on\": \"soft\"}\n}",
    );
    assert_eq!(scan(&[], &[]), 1, "the file is found");
    assert_eq!(scan(&["--isolated"], &[]), 0);
    assert_eq!(scan(&[], &[("PORTCULLIS_FAIL_ON", "never")]), 0, "variables overrule the file");
    assert_eq!(scan(&["--fail-on", "hard"], &[]), 0, "flags overrule the file");
    world.file("repo/portcullis.json", r#"{"scan": {"fail_onn": "soft"}}"#);
    let (code, _, err) = in_folder(&world, "repo/deep/er", &["scan", "tools.json"], &[]);
    assert!(code == 2 && err.contains("did you mean `fail_on`?"), "{err}");
}

#[test]
fn files_in_settings_are_beside_the_settings() {
    let world = World::new("living_beside");
    world.file("repo/deep/tools.json", tools(&[HOSTILE]));
    let (code, ..) =
        in_folder(&world, "repo/deep", &["scan", "tools.json", "--write-baseline", "../known"], &[]);
    assert_eq!(code, 0);
    world.file("repo/portcullis.json", r#"{"scan": {"baseline": "known", "new_only": true}}"#);
    let (code, out, err) = in_folder(&world, "repo/deep", &["scan", "tools.json", "-v"], &[]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("no findings (0 suppressed, 0 ignored by regular, 1 known)"), "{out}");
    assert!(err.starts_with("settings of "), "{err}");
}

#[test]
fn settings_are_shown_with_their_source() {
    let world = World::new("living_shown");
    world.file("portcullis.json", r#"{"scan": {"persona": "pedantic"}}"#);
    let variables = [("PORTCULLIS_FAIL_ON", "soft")];
    let (code, out, _) = in_folder(&world, "", &["scan", "--show-settings", "--locked"], &variables);
    assert_eq!(code, 0);
    for line in [
        "persona = pedantic  # settings file",
        "fail-on = soft  # environment, PORTCULLIS_FAIL_ON",
        "locked = true  # command line",
        "format = plain  # default",
        "baseline =   # not set",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
}

#[test]
fn without_a_registry_findings_come_as_they_are_found() {
    let lines = format!("{HONEST}\n{HOSTILE}\nnonsense\n{DOUBTFUL}\n");
    let outcome = run_with(&["scan", "-", "--no-registry", "--format", "jsonl"], &lines);
    let types: Vec<String> = outcome
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["type"].to_string())
        .collect();
    assert_eq!(types, ["\"finding\"", "\"finding\"", "\"incomplete\"", "\"summary\""], "{}", outcome.out);
    let last: serde_json::Value =
        outcome.out.lines().last().and_then(|line| serde_json::from_str(line).ok()).expect("JSON");
    assert_eq!((&last["totals"]["findings"], &last["totals"]["definitions"]), (&2.into(), &3.into()));
    assert_eq!((&last["registry"], &last["complete"]), (&false.into(), &false.into()));
    assert_eq!(outcome.code, 1);
    let plain = run_with(&["scan", "-", "--no-registry"], &lines).out;
    assert!(
        plain.ends_with(&format!(
            "in 3 definitions of 1 server, each for itself, rules {}\n",
            portcullis_detect::RULES_VERSION
        )),
        "{plain}"
    );
    let whole = run_with(&["scan", "-", "--no-registry", "--format", "json"], &lines).json();
    assert_eq!(whole["totals"]["findings"], 2);
}

#[test]
fn what_was_accepted_counts_without_a_registry_too() {
    let world = World::new("living_alone");
    let file = world.file("games.jsonl", format!("{HOSTILE}\n{HONEST}\n"));
    let found = run(&["scan", &file, "--no-registry", "--format", "json"]).json();
    let content = found["findings"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let list = world.path("accepted");
    run(&["suppress", &format!("unicode.hidden@{content}"), "--reason", "ours", "--suppressions", &list]);
    let outcome = run(&["scan", &file, "--no-registry", "--suppressions", &list]);
    assert_eq!(outcome.code, 0, "{}", outcome.out);
    assert!(outcome.out.contains("1 suppressed"), "{}", outcome.out);
}

#[test]
fn a_new_neighbour_is_told_apart_from_a_change() {
    let world = World::new("living_neighbour");
    let own = |words: &str| tools(&[&format!(r#"{{"name":"quarrel_ledger_sync","description":"{words}"}}"#)]);
    world.file("servers/alpha.json", own("Synchronises the quarrel ledger."));
    let (folder, kept) = (world.path("servers"), world.path("known"));
    assert_eq!(run(&["scan", &folder, "--write-baseline", &kept]).code, 0);
    world.file("servers/beta.json", own("Keeps quarrels in step."));
    let outcome = run(&["scan", &folder, "--baseline", &kept]);
    check_news(&outcome, "what other servers declare changed; the definition did not");
    check_news(&outcome, "the definition is new");
}
