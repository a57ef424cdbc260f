//! How the story is told in a terminal: titles, who does what, pauses that a key ends.

use std::io::{self, Read, Write};
use std::time::Duration;

use portcullis_detect::escape_line;

/// How long a reader has for a line, and before another scene.
const LINE: Duration = Duration::from_millis(700);
const SCENE: Duration = Duration::from_secs(3);
/// The most that is shown of a text of others.
const LONGEST: usize = 230;

/// Who does something.
#[derive(Clone, Copy)]
pub(super) enum Who {
    Agent,
    Server,
    Operator,
    Gate,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Who::Agent => "agent",
            Who::Server => "server",
            Who::Operator => "operator",
            Who::Gate => "gate",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Who::Agent => "36",
            Who::Server => "33",
            Who::Operator => "35",
            Who::Gate => "32;1",
        }
    }
}

/// Where the story is told.
pub(super) struct Voice<'a> {
    input: &'a mut dyn Read,
    out: &'a mut dyn Write,
    is_coloured: bool,
    is_paced: bool,
}

impl<'a> Voice<'a> {
    pub(super) fn new(
        input: &'a mut dyn Read,
        out: &'a mut dyn Write,
        is_coloured: bool,
        is_paced: bool,
    ) -> Voice<'a> {
        Voice { input, out, is_coloured, is_paced }
    }

    /// What the whole is called.
    pub(super) fn title(&mut self, text: &str) -> io::Result<()> {
        let hint = if self.is_paced { " (Enter skips the pauses)" } else { "" };
        let text = self.in_colour("1", text);
        self.line(&format!("{text}{hint}"))
    }

    /// Another scene begins.
    pub(super) fn scene(&mut self, number: usize, title: &str) -> io::Result<()> {
        self.pause(SCENE);
        let title = self.in_colour("1;4", &format!("{number}. {title}"));
        self.line(&format!("\n{title}"))
    }

    /// Somebody does something. What others wrote is escaped and cut.
    pub(super) fn says(&mut self, who: Who, text: &str) -> io::Result<()> {
        let name = self.in_colour(who.colour(), &format!("{:>9}", who.name()));
        self.line(&format!("{name}  {}", escape_line(text, LONGEST)))?;
        self.pause(LINE);
        Ok(())
    }

    /// How a scene ended.
    pub(super) fn ended(&mut self, is_as_told: bool, text: &str) -> io::Result<()> {
        let mark = match is_as_told {
            true => self.in_colour("32;1", "      ok"),
            false => self.in_colour("31;1", "  NOT SO"),
        };
        self.line(&format!("{mark}   {text}"))
    }

    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    /// Waits until the reader has read.
    pub(super) fn wait(&mut self, text: &str) -> io::Result<()> {
        self.line(text)?;
        self.take_line();
        Ok(())
    }

    /// Takes what was typed up to Enter. One who left has typed enough.
    fn take_line(&mut self) {
        let mut byte = [0];
        while self.input.read(&mut byte).is_ok_and(|count| count > 0) && byte != *b"\n" {}
    }

    fn in_colour(&self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Waits a moment; after a key there are no more pauses.
    fn pause(&mut self, most: Duration) {
        if self.is_paced && is_pressed(most) {
            self.take_line();
            self.is_paced = false;
        }
    }
}

/// Whether somebody pressed Enter within this time.
#[cfg(unix)]
fn is_pressed(most: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    let most = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
    // A terminal that cannot be watched is no reason to stop.
    poll(&mut waiting, Some(&most)).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn is_pressed(most: Duration) -> bool {
    std::thread::sleep(most);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(is_coloured: bool, tell: impl FnOnce(&mut Voice<'_>) -> io::Result<()>) -> String {
        let (mut input, mut out) = (&b"one\ntwo"[..], Vec::new());
        tell(&mut Voice::new(&mut input, &mut out, is_coloured, false)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_others_wrote_moves_no_cursor() {
        let line = told(false, |voice| voice.says(Who::Server, "a\u{1b}[2J\u{200b}b"));
        assert!(!line.contains(['\u{1b}', '\u{200b}']) && line.starts_with("   server  a"), "{line:?}");
    }

    #[test]
    fn colours_only_where_they_are_wanted() {
        let tell = |voice: &mut Voice<'_>| voice.scene(1, "A scene").and_then(|()| voice.ended(true, "so"));
        assert!(told(true, tell).contains("\u{1b}[32;1m"));
        assert_eq!(told(false, tell), "\n1. A scene\n      ok   so\n");
    }

    #[test]
    fn waiting_ends_with_a_line_or_with_the_reader() {
        let waits = |voice: &mut Voice<'_>| voice.wait("a").and_then(|()| voice.wait("b"));
        assert_eq!(told(false, waits), "a\nb\n");
    }
}
