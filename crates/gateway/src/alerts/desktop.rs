//! Alerts on this machine's desktop: a program of the system is started with fixed arguments, seldom.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use portcullis_decide::Band;
use tokio::process::Command;

use super::raised::Told;

/// How long such a program may run.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a program needs to find the desktop; nothing else of our environment reaches it.
const INHERITED: [&str; 9] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Whose arguments a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notifier {
    /// Of the freedesktop.org systems.
    NotifySend,
    /// Of macOS.
    Osascript,
}

impl Notifier {
    /// The program a word names.
    pub fn named(word: &str) -> Option<Notifier> {
        match word {
            "notify-send" => Some(Notifier::NotifySend),
            "osascript" => Some(Notifier::Osascript),
            _ => None,
        }
    }

    fn program(self) -> &'static str {
        match self {
            Notifier::NotifySend => "notify-send",
            Notifier::Osascript => "osascript",
        }
    }

    /// The text is always an argument of its own, after everything that could be an option, and begins with our words.
    fn arguments(self, severity: Band, text: &str) -> Vec<String> {
        let words: &[&str] = match self {
            Notifier::NotifySend => {
                let urgency = if severity >= Band::High { "critical" } else { "normal" };
                &["--app-name=Portcullis", &format!("--urgency={urgency}"), "--", "Portcullis", &marked(text)]
            }
            Notifier::Osascript => &[
                "-e",
                "on run arguments",
                "-e",
                "display notification (item 1 of arguments) with title \"Portcullis\"",
                "-e",
                "end run",
                text,
            ],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}

/// What shows alerts on the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desktop {
    notifier: Notifier,
    program: PathBuf,
    /// The least time between two of them.
    pub(super) spacing: Duration,
}

impl Desktop {
    /// The program is found on the path.
    pub fn new(notifier: Notifier) -> Desktop {
        Desktop { notifier, program: notifier.program().into(), spacing: Duration::from_secs(10) }
    }

    /// Another program that takes the arguments of `notify-send`.
    #[cfg(test)]
    pub(super) fn stand_in(program: PathBuf, spacing: Duration) -> Desktop {
        Desktop { notifier: Notifier::NotifySend, program, spacing }
    }

    /// Shows an alert, and how many others came with it.
    pub(super) async fn show(&self, told: &Told, others: usize) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(self.notifier.arguments(told.severity, &text(told, others)));
        command.env_clear().envs(INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let name = self.notifier.program();
        let ended = tokio::time::timeout(PATIENCE, command.status()).await;
        match ended.map_err(|_| format!("{name} did not end in time"))? {
            Ok(status) if ExitStatus::success(&status) => Ok(()),
            Ok(status) => Err(format!("{name} failed: {status}")),
            Err(error) => Err(format!("{name} cannot be started: {error}")),
        }
    }
}

/// One line. Names in it are escaped already.
fn text(told: &Told, others: usize) -> String {
    let place = if told.place.is_empty() { String::new() } else { format!(": {}", told.place) };
    let others = if others == 0 { String::new() } else { format!(" (and {others} more)") };
    format!("{}{place}{others}", told.what.sentence())
}

/// The text of a notification is a kind of HTML there: what could be markup is written out.
fn marked(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::raised::{Raised, What};
    use super::*;
    use portcullis_detect::sensitive::SensitiveData;

    #[test]
    fn names_of_others_are_one_argument_and_no_markup() {
        let tool = "--icon=x\n<a href=\"http://evil.example\">click</a> \u{1b}]0;& \"";
        let told = Told::new(&Raised::about(What::RugPull, "s", tool), 1, &SensitiveData::new());
        let line = text(&told, 2);
        assert!(
            line.starts_with("A tool changed after it was approved: s/") && line.ends_with(" (and 2 more)")
        );
        assert!(!line.contains(char::is_control), "{line:?}");
        let arguments = Notifier::NotifySend.arguments(told.severity, &line);
        assert_eq!(&arguments[..4], ["--app-name=Portcullis", "--urgency=critical", "--", "Portcullis"]);
        assert!(arguments.len() == 5 && !arguments[4].contains(['<', '>']), "{arguments:?}");
        let arguments = Notifier::Osascript.arguments(told.severity, &line);
        assert_eq!((arguments.len(), &arguments[6]), (7, &line));
        assert!(!arguments[..6].iter().any(|word| word.contains("evil")), "no text of others is a script");
    }
}
