//! `service`: the unit, and what systemd is told.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::home::{Home, text};

const UNIT: &str = ".config/systemd/user/portcullis.service";

/// A systemctl that writes down what it is told.
const MANAGER: &str = r#"echo "$@" >> "$HOME/told""#;

#[test]
fn a_unit_is_written_enabled_and_removed() {
    let home = Home::new("service_whole");
    home.program("systemctl", MANAGER);
    home.done(&["service", "install"]);
    let unit = home.read(UNIT);
    let program = env!("CARGO_BIN_EXE_portcullis");
    let line = format!("ExecStart=\"{program}\" serve --any-port --data \"{}\"\n", home.world.path("data"));
    assert!(unit.contains(&line), "{unit}");
    let mode =
        std::fs::metadata(home.world.path(&format!("home/{UNIT}"))).expect("it is there").permissions();
    assert_eq!(mode.mode() & 0o777, 0o644);
    let told = home.read("told");
    assert!(told.ends_with("--user daemon-reload\n--user enable --now portcullis.service\n"), "{told}");
    home.done(&["service", "uninstall"]);
    let told = home.read("told");
    assert!(
        told.contains("--user disable --now portcullis.service\n")
            && told.ends_with("--user daemon-reload\n")
    );
    assert!(!std::path::Path::new(&home.world.path(&format!("home/{UNIT}"))).exists());
}

#[test]
fn without_a_manager_the_commands_are_shown() {
    let home = Home::new("service_alone");
    home.program("systemctl", "exit 1");
    let output = home.run(&["service", "install"]);
    let err = text(&output.stderr);
    assert!(
        output.status.success() && err.contains("  systemctl --user enable --now portcullis.service\n"),
        "{err}"
    );
    let status = home.run(&["service", "status"]);
    assert_eq!(status.status.code(), Some(1));
    assert!(text(&status.stdout).contains("gateway: does not answer"), "{}", text(&status.stdout));
}

#[test]
fn a_unit_somebody_else_wrote_stays() {
    let home = Home::new("service_foreign");
    home.write(UNIT, "[Service]\n");
    let output = home.run(&["service", "install"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("was not written by this command"));
    assert_eq!(home.read(UNIT), "[Service]\n");
}

#[test]
fn systemd_takes_the_unit() {
    let home = Home::new("service_verified");
    home.write("empty", "");
    let unit = home.done(&["service", "install", "--dry-run"]);
    assert!(!std::path::Path::new(&home.world.path(&format!("home/{UNIT}"))).exists(), "a look");
    let file = home.world.file("portcullis.service", unit);
    let mut command = Command::new("systemd-analyze");
    command.args(["verify", "--user", &file]).env("HOME", home.world.path("home")).stdin(Stdio::null());
    // A machine without systemd cannot say.
    let Ok(output) = command.env("XDG_RUNTIME_DIR", home.world.path("home")).output() else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
}
