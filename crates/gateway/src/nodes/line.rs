//! What two nodes say to each other about a server, line by line: whose each message is, and a few words without one.
//!
//! The node with the callers writes `caller message`, the caller as hexadecimal digits; the node with the process writes
//! `call message`, where the call is the other's own number for it, or `* message` for everybody. An empty line says only
//! that its writer lives. The first that the node with the process says is what the server said of itself, or why there
//! is no server.

use std::time::Duration;

use bytes::{Bytes, BytesMut};

use crate::upstream::link::Caller;
use crate::wire::{Limits, lines};

/// The process may be stuck: whoever runs it should look.
pub(crate) const SUSPICION: Bytes = Bytes::from_static(b"?\n");
/// From the node with the process: it stops soon. From the other: nothing new will come.
pub(super) const LEAVING: Bytes = Bytes::from_static(b"!\n");
/// I live.
pub(super) const ALIVE: Bytes = Bytes::from_static(b"\n");

/// What comes of asking for a server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum First {
    /// The revision it speaks, and what it said of itself.
    Opened(String, Bytes),
    /// Another node runs it by now.
    Elsewhere,
    /// Both nodes would start it in different ways.
    OtherLaunch,
    /// It does not begin, for this reason.
    Failed(String),
}

impl First {
    pub(super) fn write(&self) -> Bytes {
        let text = match self {
            First::Opened(version, result) => [b"= ", version.as_bytes(), b" ", result].concat(),
            First::Elsewhere => b"#elsewhere".to_vec(),
            First::OtherLaunch => b"#launch".to_vec(),
            First::Failed(why) => [b"#failed ", why.as_bytes()].concat(),
        };
        lines::write(&Bytes::from(text))
    }

    pub(super) fn read(line: &Bytes) -> Option<First> {
        match &line[..] {
            b"#elsewhere" => return Some(First::Elsewhere),
            b"#launch" => return Some(First::OtherLaunch),
            _ => {}
        }
        let (word, rest) = parts(line)?;
        match word {
            "#failed" => Some(First::Failed(String::from_utf8_lossy(&rest).into_owned())),
            "=" => parts(&rest).map(|(version, result)| First::Opened(version.to_owned(), result)),
            _ => None,
        }
    }
}

/// How often a node says that it lives.
pub(super) const BEAT: Duration = Duration::from_secs(1);
/// After so much silence the other node is taken for dead. Its lease is over soon after.
pub(super) const SILENCE: Duration = Duration::from_secs(5);
/// Room for what stands before a message.
const BEFORE: u32 = 64;

/// What a line of the node with the callers says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outward {
    Message(Caller, Bytes),
    Suspicion,
    Leaving,
}

/// What a line of the node with the process says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inward {
    /// For this call, or for everybody.
    Message(Option<u64>, Bytes),
    Leaving,
}

impl Outward {
    pub(super) fn read(line: &Bytes) -> Option<Outward> {
        match &line[..] {
            b"?" => Some(Outward::Suspicion),
            b"!" => Some(Outward::Leaving),
            _ => {
                let (caller, message) = parts(line)?;
                Some(Outward::Message(Caller::from_str_radix(caller, 16).ok()?, message))
            }
        }
    }
}

impl Inward {
    pub(super) fn read(line: &Bytes) -> Option<Inward> {
        if &line[..] == b"!" {
            return Some(Inward::Leaving);
        }
        match parts(line)? {
            ("*", message) => Some(Inward::Message(None, message)),
            (call, message) => Some(Inward::Message(Some(call.parse().ok()?), message)),
        }
    }
}

/// What stands before the first blank, and what follows it.
fn parts(line: &Bytes) -> Option<(&str, Bytes)> {
    let blank = memchr::memchr(b' ', line)?;
    let first = line.get(..blank).and_then(|first| std::str::from_utf8(first).ok())?;
    Some((first, line.slice(blank + 1..)))
}

/// A message of a caller, which is a line already.
pub(super) fn outward(caller: Caller, line: &Bytes) -> Bytes {
    before(&format!("{caller:x} "), line)
}

/// A message for a call, or for everybody.
pub(super) fn inward(call: Option<u64>, message: &Bytes) -> Bytes {
    let first = call.map_or("* ".to_owned(), |call| format!("{call} "));
    before(&first, &lines::write(message))
}

fn before(first: &str, line: &Bytes) -> Bytes {
    let mut whole = BytesMut::with_capacity(first.len() + line.len());
    whole.extend_from_slice(first.as_bytes());
    whole.extend_from_slice(line);
    whole.freeze()
}

/// A reader of such lines.
pub(super) fn reader(limits: Limits) -> lines::Reader {
    lines::Reader::new(limits.bytes.saturating_add(BEFORE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trimmed(line: Bytes) -> Bytes {
        assert_eq!(line.last(), Some(&b'\n'));
        line.slice(..line.len() - 1)
    }

    #[test]
    fn what_is_written_is_read() {
        let message = Bytes::from_static(br#"{"a": "b c"}"#);
        let caller = Caller::MAX - 5;
        let line = trimmed(outward(caller, &lines::write(&message)));
        assert_eq!(Outward::read(&line), Some(Outward::Message(caller, message.clone())));
        for call in [None, Some(0), Some(u64::MAX)] {
            let line = trimmed(inward(call, &message));
            assert_eq!(Inward::read(&line), Some(Inward::Message(call, message.clone())));
        }
        assert_eq!(Outward::read(&trimmed(SUSPICION)), Some(Outward::Suspicion));
        assert_eq!(Outward::read(&trimmed(LEAVING)), Some(Outward::Leaving));
        assert_eq!(Inward::read(&trimmed(LEAVING)), Some(Inward::Leaving));
        let opened = First::Opened("2025-11-25".into(), message);
        for first in [opened, First::Elsewhere, First::OtherLaunch, First::Failed("no such file".into())] {
            assert_eq!(First::read(&trimmed(first.write())), Some(first));
        }
    }

    #[test]
    fn what_is_no_line_of_ours_is_nothing() {
        for line in ["", "{}", "x y", "-1 {}", "1", "+ {}"] {
            assert_eq!(Inward::read(&Bytes::from_static(line.as_bytes())), None, "{line}");
        }
        for line in ["", "{}", "g {}", "1", "-1 {}"] {
            assert_eq!(Outward::read(&Bytes::from_static(line.as_bytes())), None, "{line}");
        }
    }
}
