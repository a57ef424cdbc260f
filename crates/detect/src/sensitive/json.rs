//! Walks JSON far enough to say where a byte stands: its JSON pointer, and whether it is inside a string.
//!
//! The walk judges nothing: broken JSON is walked as well as it can be, and where it broke is kept. It can stop
//! at any byte and go on later, so documents of any size are walked in blocks.

use super::flat::unescape;
use crate::prelude::*;
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

#[derive(Clone)]
enum Frame {
    /// The key as it is written, escapes and all.
    Object {
        key: Vec<u8>,
    },
    Array {
        index: usize,
    },
}

/// A place in a JSON document, and the way there.
#[derive(Clone, Default)]
pub(super) struct Walk {
    frames: Vec<Frame>,
    /// Containers open below the deepest frame.
    below: usize,
    in_string: bool,
    /// The last byte of the block before was an unfinished backslash.
    escaped: bool,
    /// The bytes of the string being read or read last; a key when a colon follows.
    text: Vec<u8>,
    /// Whether the string now read stands where a key would.
    expects_key: bool,
    /// Bytes of the document before the block.
    at: usize,
    broken_at: Option<usize>,
}

impl Walk {
    /// Walks over `bytes`, which follow what was walked before.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            self.block(block, KINDS.look(block));
        }
        let mut padded = [b' '; BLOCK];
        for (slot, byte) in padded.iter_mut().zip(rest) {
            *slot = *byte;
        }
        self.block(rest, KINDS.look(&padded));
    }

    /// Walks over one block, from one byte that matters to the next: which ones do depends on where the walk stands.
    fn block(&mut self, block: &[u8], [in_strings, bare]: [u64; 2]) {
        let mut at = 0;
        if let (true, Some(&byte)) = (self.escaped, block.first()) {
            self.escaped = false;
            self.keep(&[unescaped(byte)]);
            at = 1;
        }
        while at < block.len() {
            let events = if self.in_string { in_strings } else { !bare } >> at;
            let place = at + events.trailing_zeros() as usize;
            let Some(&byte) = block.get(place) else { break };
            if self.in_string {
                self.keep(block.get(at..place).unwrap_or_default());
                at = self.in_string_at(byte, block, place);
            } else {
                self.structure(byte, place);
                at = place + 1;
            }
        }
        self.keep(block.get(at..).unwrap_or_default());
        self.at += block.len();
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
                Frame::Object { key } => {
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

    /// The quote or backslash at `place` of a block, inside a string; where to go on.
    fn in_string_at(&mut self, byte: u8, block: &[u8], place: usize) -> usize {
        if byte == b'"' {
            self.in_string = false;
            return place + 1;
        }
        match block.get(place + 1) {
            Some(&escaped) => self.keep(&[unescaped(escaped)]),
            None => self.escaped = true,
        }
        place + 2
    }

    /// The byte at `place` of a block, outside strings; numbers, words and blanks are passed over before.
    fn structure(&mut self, byte: u8, place: usize) {
        match byte {
            b'"' => {
                self.in_string = true;
                if self.expects_key {
                    self.text.clear();
                }
            }
            b'{' => self.open(Frame::Object { key: Vec::new() }),
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
                    core::mem::swap(key, &mut self.text);
                    self.expects_key = false;
                }
                _ => self.mark_broken(place),
            },
            _ => self.mark_broken(place),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.in_string && self.expects_key {
            let room = LONGEST_KEY.saturating_sub(self.text.len());
            self.text.extend_from_slice(bytes.get(..bytes.len().min(room)).unwrap_or_default());
        }
    }

    fn open(&mut self, frame: Frame) {
        if self.frames.len() >= DEEPEST {
            self.below += 1;
            return;
        }
        self.expects_key = matches!(frame, Frame::Object { .. });
        self.text.clear();
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
        self.broken_at.get_or_insert(self.at + place);
    }
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
