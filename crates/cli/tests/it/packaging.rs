//! What `packaging/` ships for continuous integration: it parses, and the commands it runs do what they say.

use std::path::{Path, PathBuf};
use std::process::Command;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use crate::world::{HONEST, HOSTILE, World};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of YAML as the runners read it, as far as these files use the language.
fn yaml(file: &str) -> Value {
    let text = std::fs::read_to_string(root().join(file)).expect("the file is there");
    let events =
        Parser::new_from_str(&text).map(|event| event.unwrap_or_else(|error| panic!("{file}: {error}")).0);
    let mut events = events.filter(|event| !matches!(event, Event::StreamStart | Event::DocumentStart(_)));
    let first = events.next().expect("a document");
    value(first, &mut events)
}

fn value<'a>(event: Event<'a>, events: &mut dyn Iterator<Item = Event<'a>>) -> Value {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) if text == "true" => Value::Bool(true),
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut list = Vec::new();
            loop {
                match events.next().expect("a list ends") {
                    Event::SequenceEnd => return Value::Array(list),
                    event => list.push(value(event, events)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut map = serde_json::Map::new();
            loop {
                match events.next().expect("a map ends") {
                    Event::MappingEnd => return Value::Object(map),
                    Event::Scalar(key, ..) => {
                        let event = events.next().expect("a key has a value");
                        assert!(
                            map.insert(key.into_owned(), value(event, events)).is_none(),
                            "a key stands once"
                        );
                    }
                    other => panic!("no key: {other:?}"),
                }
            }
        }
        other => panic!("no value: {other:?}"),
    }
}

/// A command of bash with our binary first on its path.
fn bash(world: &World, arguments: &[&str]) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_portcullis"));
    let folder = binary.parent().expect("a binary has a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PORTCULLIS_")) {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(world.path("")).env("PATH", format!("{folder}:{path}"));
    command
}

/// Runs the action's script as the runner would: its log, what it said, and the summary.
fn action(world: &World, variables: &[(&str, &str)]) -> (String, String, String) {
    let (output, summary) = (world.file("output", ""), world.file("summary", ""));
    let folder = root().join("packaging/action");
    let script = folder.join("scan.sh").display().to_string();
    let mut command = bash(world, &[&script]);
    command.env("ACTION_FOLDER", &folder).env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", &summary);
    let ran = command.envs(variables.iter().copied()).output().expect("bash is there");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    (String::from_utf8_lossy(&ran.stdout).into_owned(), world.read("output"), world.read("summary"))
}

#[test]
fn the_action_uploads_before_it_gives_its_verdict() {
    let action = yaml("packaging/action/action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let place = |is_it: &dyn Fn(&Value) -> bool| steps.iter().position(is_it).expect("the step is there");
    let scan = place(&|step| step["id"] == "scan");
    let upload = place(&|step| step["uses"].as_str().is_some_and(|uses| uses.contains("upload-sarif")));
    let verdict = place(&|step| step["name"] == "Verdict");
    assert!(scan < upload && upload < verdict);
    assert!(steps[upload]["if"].as_str().is_some_and(|when| when.contains("always()")));
    // Text of a pull request in a script would be a command.
    for step in steps {
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
    }
}

#[test]
fn the_action_reports_findings_and_keeps_the_verdict_for_last() {
    let world = World::new("packaging_action");
    world.file("my servers/tools.json", format!("[{HONEST},{HOSTILE}]"));
    let (log, said, summary) = action(&world, &[("SCAN_PATHS", "my servers\n")]);
    assert!(log.contains("::error file=my servers/tools.json,line=1"), "{log}");
    assert_eq!(said, "exit-code=1\nsarif=portcullis.sarif\n");
    assert!(summary.starts_with("## Portcullis: something should be held"), "{summary}");
    let sarif: Value = serde_json::from_str(&world.read("portcullis.sarif")).expect("SARIF");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    let (_, said, _) = action(&world, &[("SCAN_PATHS", "my servers"), ("SCAN_FLAGS", "--exit-zero\n")]);
    assert!(said.starts_with("exit-code=0\n"), "{said}");
}

#[test]
fn a_mistake_in_the_action_is_no_clean_scan() {
    let world = World::new("packaging_mistake");
    let (_, said, _) = action(&world, &[("SCAN_PATHS", "no/such/folder")]);
    assert_eq!(said, "exit-code=2\n");
    let (_, said, _) = action(&world, &[("SCAN_PATHS", "--exit-zero")]);
    assert_eq!(said, "exit-code=2\n", "a path is never a flag");
    let (_, said, _) = action(&world, &[("SCAN_PATHS", "\n")]);
    assert_eq!(said, "exit-code=2\n", "nothing to scan is a mistake");
}

#[test]
fn the_gitlab_job_keeps_its_reports_when_it_fails() {
    let job = yaml("packaging/gitlab/portcullis.gitlab-ci.yml")["portcullis"].clone();
    assert_eq!(job["artifacts"]["when"], "always");
    let lines: Vec<&str> =
        job["script"].as_array().expect("a script").iter().filter_map(Value::as_str).collect();
    let world = World::new("packaging_gitlab");
    world.file("servers/tools.json", format!("[{HOSTILE}]"));
    let script = format!("set -e\n{}", lines.join("\n"));
    let ran =
        bash(&world, &["-c", &script]).env("PORTCULLIS_PATHS", "servers").output().expect("bash is there");
    assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
    for path in job["artifacts"]["paths"].as_array().expect("paths").iter().filter_map(Value::as_str) {
        assert!(!world.read(path).is_empty(), "{path}");
    }
}

#[test]
fn the_hooks_run_on_the_files_they_are_given() {
    let world = World::new("packaging_hooks");
    world.file("tools.json", format!("[{HOSTILE}]"));
    let local = yaml("packaging/pre-commit/pre-commit-config.yaml")["repos"][0]["hooks"].clone();
    let shipped = yaml(".pre-commit-hooks.yaml");
    assert_eq!(shipped[0]["entry"], local[0]["entry"], "both are one hook");
    for (hook, code) in [(&shipped[0], 1), (&shipped[1], 2), (&local[0], 1)] {
        assert_eq!(hook["require_serial"], true, "servers are judged together");
        let line = format!("{} tools.json", hook["entry"].as_str().expect("a command"));
        let ran = bash(&world, &["-c", &line]).output().expect("bash is there");
        assert_eq!(ran.status.code(), Some(code), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}
