//! The server that is a process: whoever runs it, it may run only once at a time.
//!
//! Each process holds a lock that the system takes from it when it ends, however it ends. One that starts while another
//! has it writes that down: an overlap of a millisecond is seen, which no look at a list of processes would promise.

use super::scene::NOTE;
use crate::Figures;
use crate::subject::text;
use anyhow::Result;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Notes a start, and whether another process is there, and becomes the server given.
const SCRIPT: &str = r#"cd "$1" || exit 1
echo $$ >> starts
exec 9>> lock
flock --nonblock 9 || echo $$ >> overlaps
shift
exec "$@""#;

/// What is known of the processes.
pub(crate) struct Shed {
    folder: PathBuf,
}

impl Shed {
    /// Its notes are in a folder below this one.
    pub(super) fn at(folder: &Path) -> Result<Shed> {
        let folder = folder.join("shed");
        fs::create_dir_all(&folder)?;
        Ok(Shed { folder })
    }

    /// How a node starts it.
    pub(super) fn launch(&self, fixture: &Path) -> Value {
        let arguments =
            ["-c", SCRIPT, "shed", &text(&self.folder), &text(fixture), "--stdio", "--era", "legacy"];
        json!({ "command": "sh", "args": arguments, "env": { "NOTE": NOTE } })
    }

    pub(super) fn tell(&self, figures: &mut Figures) -> Result<()> {
        let lines = |name: &str| match fs::read_to_string(self.folder.join(name)) {
            Ok(text) => Ok(text.lines().count() as f64),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(0.0),
            Err(why) => Err(why),
        };
        figures.told("starts of the process", lines("starts")?, "starts");
        figures.at_most("starts while another process lived", lines("overlaps")?, "starts", 0.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn a_start_while_another_lives_is_noted_and_one_after_it_is_not() {
        let folder = std::env::temp_dir().join(format!("portcullis-shed-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let start = || {
            let mut command = Command::new("sh");
            command.args(["-c", SCRIPT, "shed", &text(&folder), "cat"]);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
        };
        let end = |mut child: Child| {
            drop(child.stdin.take());
            child.wait().unwrap();
        };
        let overlaps = || fs::read_to_string(folder.join("overlaps")).unwrap_or_default().lines().count();
        (0..2).for_each(|_| end(start()));
        assert_eq!(overlaps(), 0);
        let two = [start(), start()];
        let until = Instant::now() + Duration::from_secs(30);
        while overlaps() == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        two.into_iter().for_each(end);
        assert_eq!(overlaps(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
