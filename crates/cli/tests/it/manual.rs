//! `completions` and `man`: made from the arguments, whole and without surprises.

use std::process::Command;

use crate::world::{World, run};

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let outcome = run(&["completions", shell]);
        assert_eq!(outcome.code, 0);
        assert!(outcome.out.contains("fail-on") && outcome.out.contains("completions"), "{shell}");
    }
    assert_eq!(run(&["completions", "abacus"]).code, 2);
}

#[cfg(unix)]
#[test]
fn bash_reads_its_completions() {
    let world = World::new("manual_bash");
    let script = world.file("portcullis.bash", run(&["completions", "bash"]).out);
    let status = Command::new("bash").args(["-n", &script]).status().expect("bash is there");
    assert!(status.success());
}

#[test]
fn every_command_has_a_manual_page() {
    let first = run(&["man"]);
    assert!(first.code == 0 && first.out.contains(".TH portcullis 1"), "{}", first.out);
    let world = World::new("manual_pages");
    let folder = world.path("man1");
    assert_eq!(run(&["man", "--dir", &folder, "-q"]).err, "");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in
        ["portcullis.1", "portcullis-scan.1", "portcullis-rules-test.1", "portcullis-activity-verify.1"]
    {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
    assert!(world.read("man1/portcullis-scan.1").contains("PORTCULLIS_FAIL_ON"));
}
