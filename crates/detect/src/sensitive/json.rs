//! Walks JSON far enough to say where a byte stands: its JSON pointer, and whether it is inside a string.
//!
//! The walk judges nothing: broken JSON is walked as well as it can be, and where it broke is kept. It can stop
//! at any byte and go on later, so documents of any size are walked in blocks.

use super::flat::unescape;
use crate::prelude::*;
use core::ops::Range;
use portcullis_sieve::{BLOCK, Classes, Product};

/// Containers are followed this deep; below, the pointer stays that of the deepest one known.
const DEEPEST: usize = 256;
/// The longest key that is written into a pointer whole.
const LONGEST_KEY: usize = 128;

/// What ends a string or escapes in it; what stands between strings without a meaning for the walk.
const KINDS: Classes<2> = Classes::new(
    &[
        Product::of(b"\""),
        Product::of(b"\\"),
        Product::range(b'0', b'9', 0),
        Product::range(b'A', b'O', 1 << 6),
        Product::range(b'P', b'Z', 1 << 7),
        Product::of(b" +-."),
        Product::of(b"\t\n\r"),
    ],
    [0b11, 0b111_1100],
);

enum Frame {
    Object { key: Key },
    Array { index: usize },
}

/// A key as it is written, escapes and all; copied only when the bytes it stands in are left behind: most are never asked for.
enum Key {
    /// In the bytes being walked.
    Near(Range<usize>),
    Kept(Vec<u8>),
}

/// A place in a JSON document, and the way there.
#[derive(Default)]
pub(super) struct Walk {
    frames: Vec<Frame>,
    /// Containers open below the deepest frame.
    below: usize,
    in_string: bool,
    /// The last byte walked was a backslash in a string.
    escaped: bool,
    /// Whether the string now read stands where a key would.
    expects_key: bool,
    /// Where the string that may be a key begins and ends in the bytes being walked.
    key: Range<usize>,
    /// What was read of that string before these bytes.
    key_before: Vec<u8>,
    /// Bytes of the document before those being walked.
    walked: usize,
    broken_at: Option<usize>,
}

impl Walk {
    /// Walks over `bytes`, which follow what was walked before.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let mut from = 0;
        for block in blocks {
            self.block(bytes, from, KINDS.look(block));
            from += BLOCK;
        }
        let mut padded = [b' '; BLOCK];
        for (slot, byte) in padded.iter_mut().zip(rest) {
            *slot = *byte;
        }
        self.block(bytes, from, KINDS.look(&padded));
        self.leave(bytes);
    }

    /// Walks over the block at `from`, from one byte that matters to the next: which ones do depends on where the
    /// walk stands.
    fn block(&mut self, bytes: &[u8], from: usize, [in_strings, bare]: [u64; 2]) {
        if from == bytes.len() {
            return;
        }
        let mut left = u64::MAX << u32::from(core::mem::take(&mut self.escaped));
        loop {
            let events = if self.in_string { in_strings } else { !bare } & left;
            let at = events.trailing_zeros();
            let place = from + at as usize;
            let Some(&byte) = bytes.get(place).filter(|_| events != 0) else { return };
            left = u64::MAX << at << 1;
            if !self.in_string {
                self.structure(byte, place, bytes);
            } else if byte == b'"' {
                self.in_string = false;
                self.key.end = place;
            } else {
                // The next byte is part of the escape, here or in what follows.
                self.escaped = left == 0 || place + 1 == bytes.len();
                left <<= 1;
            }
        }
    }

    /// Copies the keys that are still needed out of the bytes.
    fn leave(&mut self, bytes: &[u8]) {
        for frame in &mut self.frames {
            if let Frame::Object { key } = frame
                && let Key::Near(range) = key
            {
                let mut kept = Vec::new();
                keep(&mut kept, bytes.get(range.clone()).unwrap_or_default());
                *key = Key::Kept(kept);
            }
        }
        if self.expects_key {
            let end = if self.in_string { bytes.len() } else { self.key.end };
            let read = bytes.get(self.key.start..end).unwrap_or_default();
            keep(&mut self.key_before, read);
        }
        self.key = 0..0;
        self.walked += bytes.len();
    }

    /// Whether the walk stands inside a string.
    pub(super) fn in_string(&self) -> bool {
        self.in_string
    }

    /// Where the document stopped being JSON, if it did.
    pub(super) fn broken_at(&self) -> Option<usize> {
        self.broken_at
    }

    /// The JSON pointer (RFC 6901) of the value, or of the member whose key is being read.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for frame in &self.frames {
            pointer.push('/');
            match frame {
                Frame::Array { index } => pointer.push_str(&index.to_string()),
                // INVARIANT: between two advances every key is kept.
                Frame::Object { key: Key::Near(_) } => {}
                Frame::Object { key: Key::Kept(key) } => {
                    let key = unescape(key);
                    pointer.push_str(&String::from_utf8_lossy(&key).replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        if self.below > 0 {
            pointer.push_str("/…");
        }
        pointer
    }

    /// The byte at `place`, outside strings; numbers, words and blanks are passed over before.
    fn structure(&mut self, byte: u8, place: usize, bytes: &[u8]) {
        match byte {
            b'"' => {
                self.in_string = true;
                if self.expects_key {
                    self.key = place + 1..place + 1;
                    self.key_before.clear();
                }
            }
            b'{' => self.open(Frame::Object { key: Key::Kept(Vec::new()) }),
            b'[' => self.open(Frame::Array { index: 0 }),
            b'}' | b']' => self.close(byte, place),
            b',' => match self.frames.last_mut() {
                _ if self.below > 0 => {}
                Some(Frame::Array { index }) => *index += 1,
                Some(Frame::Object { .. }) => self.expects_key = true,
                None => self.mark_broken(place),
            },
            b':' => match self.frames.last_mut() {
                _ if self.below > 0 => {}
                Some(Frame::Object { key }) if self.expects_key => {
                    *key = if self.key_before.is_empty() {
                        Key::Near(self.key.clone())
                    } else {
                        keep(&mut self.key_before, bytes.get(self.key.clone()).unwrap_or_default());
                        Key::Kept(self.key_before.clone())
                    };
                    self.expects_key = false;
                }
                _ => self.mark_broken(place),
            },
            _ => self.mark_broken(place),
        }
    }

    fn open(&mut self, frame: Frame) {
        if self.frames.len() >= DEEPEST {
            self.below += 1;
            return;
        }
        self.expects_key = matches!(frame, Frame::Object { .. });
        self.key = 0..0;
        self.key_before.clear();
        self.frames.push(frame);
    }

    fn close(&mut self, byte: u8, place: usize) {
        if self.below > 0 {
            self.below -= 1;
            return;
        }
        let fits = match self.frames.pop() {
            Some(Frame::Object { .. }) => byte == b'}',
            Some(Frame::Array { .. }) => byte == b']',
            None => false,
        };
        if !fits {
            self.mark_broken(place);
        }
        self.expects_key = false;
    }

    fn mark_broken(&mut self, place: usize) {
        self.broken_at.get_or_insert(self.walked + place);
    }
}

/// Adds what was read of a key, as far as it will be written.
fn keep(key: &mut Vec<u8>, read: &[u8]) {
    let room = LONGEST_KEY.saturating_sub(key.len());
    key.extend_from_slice(read.get(..room).unwrap_or(read));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: &str, at: &str, expected: &str) {
        let place = document.find(at).expect("the text is there");
        for cut in 0..=place {
            let mut walk = Walk::default();
            walk.advance(&document.as_bytes()[..cut]);
            walk.advance(&document.as_bytes()[cut..place]);
            assert_eq!(walk.pointer(), expected, "{document} at {at}, cut at {cut}");
            assert!(walk.broken_at().is_none());
        }
    }

    #[test]
    fn pointers_name_the_value_wherever_the_block_is_cut() {
        check(r#"{"a":{"b":["x","here"]}}"#, "here", "/a/b/1");
        check(r#"{"a":1,"b":{"c":null},"d":"here"}"#, "here", "/d");
        check(r#"[{"k\"ey":"v"},{"t~/":"here"}]"#, "here", "/1/t~0~1");
        check(r#"{"caf\u00e9\n\\":"here"}"#, "here", "/café\n\\");
        check(r#"{"a":[[],[1,2,{"z":"a\\"}],"here"]}"#, "here", "/a/2");
        check("{\"a\":1}\n{\"b\":42}", "42", "/b");
        check(r#""here""#, "here", "");
        for pad in 50..70 {
            let blanks = " ".repeat(pad);
            check(
                &format!(r#"{blanks}{{"a\\\"\n":{{"b":["\"{blanks}\\",{{"c":"here"}}]}}}}"#),
                "here",
                "/a\\\"\n/b/1/c",
            );
        }
    }

    #[test]
    fn broken_documents_are_walked_and_named() {
        for broken in ["}", "{]", "{\"a\" \"b\"}:", "\u{1}", "[1}"] {
            let mut walk = Walk::default();
            walk.advance(broken.as_bytes());
            assert!(walk.broken_at().is_some(), "{broken}");
        }
        let mut deep = Walk::default();
        deep.advance(&[b'['; 100_000]);
        assert!(deep.pointer().ends_with("/…"));
    }
}
