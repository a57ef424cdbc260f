//! Walks JSON far enough to say where a byte stands: its JSON pointer, and whether it is inside a string.
//!
//! The walk judges nothing: broken JSON is walked as well as it can be, and where it broke is kept. It can stop
//! at any byte and go on later, so documents of any size are walked in blocks. Whole blocks are walked by masks, from
//! bracket to bracket; what is odd or no whole block, byte by byte.

use super::flat::unescape;
use super::json_masks::{Masks, bits_below, last_of};
use crate::prelude::*;
use core::ops::Range;
use portcullis_sieve::{BLOCK, Machine, Work, run};

/// Containers are followed this deep; below, the pointer stays that of the deepest one known.
const DEEPEST: usize = 256;
/// The longest key that is written into a pointer whole.
const LONGEST_KEY: usize = 128;

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
    /// Whether a string that is read here is a key.
    expects_key: bool,
    /// Where the last string, which may be a key, begins and ends in the bytes being walked.
    string: Range<usize>,
    /// What was read of that string before these bytes, if it may be a key.
    string_before: Vec<u8>,
    /// Bytes of the document before those being walked.
    walked: usize,
    broken_at: Option<usize>,
}

/// The walk over all whole blocks.
struct Blocks<'a> {
    walk: &'a mut Walk,
    bytes: &'a [u8],
}

impl Work for Blocks<'_> {
    type Answer = ();

    #[inline(always)]
    fn run(self, machine: Machine) {
        let Blocks { walk, bytes } = self;
        let (blocks, _) = bytes.as_chunks::<BLOCK>();
        let mut from = 0;
        for block in blocks {
            match Masks::of(machine, block, walk.in_string, walk.escaped) {
                Some(masks) => walk.block(bytes, from, &masks),
                None => walk.each(bytes, from, block),
            }
            from += BLOCK;
        }
    }
}

impl Walk {
    /// Walks over `bytes`, which follow what was walked before.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        run(Blocks { walk: self, bytes });
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        self.each(bytes, blocks.len() * BLOCK, rest);
        self.leave(bytes);
    }

    /// Walks over the part of `bytes` that begins at `from`, byte by byte.
    fn each(&mut self, bytes: &[u8], from: usize, part: &[u8]) {
        for (place, &byte) in (from..).zip(part) {
            if core::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'"' if self.in_string => {
                    self.in_string = false;
                    self.string.end = place;
                }
                b'\\' if self.in_string => self.escaped = true,
                _ if self.in_string => {}
                b'"' => {
                    self.in_string = true;
                    self.begin_string(place + 1);
                }
                b'{' | b'[' => self.open(byte),
                b'}' | b']' => self.close(byte, place),
                b',' => self.members(bytes, place, 1, 0, 0),
                b':' => self.members(bytes, place, 0, 1, 0),
                b'0'..=b'9'
                | b'A'..=b'Z'
                | b'a'..=b'z'
                | b' '
                | b'+'
                | b'-'
                | b'.'
                | b'\t'
                | b'\n'
                | b'\r' => {}
                _ => self.mark_broken(place),
            }
        }
    }

    /// Walks over the block at `from`, from one bracket to the next.
    #[inline(always)]
    fn block(&mut self, bytes: &[u8], from: usize, masks: &Masks) {
        let mut left = u64::MAX;
        let mut brackets = masks.brackets;
        while brackets != 0 {
            let at = brackets.trailing_zeros();
            self.part(bytes, from, masks, left & bits_below(at));
            let place = from + at as usize;
            match bytes.get(place) {
                Some(&byte @ (b'{' | b'[')) => self.open(byte),
                Some(&byte) => self.close(byte, place),
                None => {}
            }
            left = u64::MAX << at << 1;
            brackets &= brackets - 1;
        }
        self.part(bytes, from, masks, left);
        self.in_string = masks.ends_in_string;
        self.escaped = masks.ends_in_escape;
    }

    /// Walks over the bytes of a block that are in `part`; no bracket is among them.
    #[inline(always)]
    fn part(&mut self, bytes: &[u8], from: usize, masks: &Masks, part: u64) {
        let (opening, closing) = (masks.opening & part, masks.closing & part);
        let (commas, colons) = (masks.commas & part, masks.colons & part);
        if let Some(colon) = last_of(colons) {
            self.strings(from, opening & bits_below(colon), closing & bits_below(colon));
        }
        if commas | colons != 0 {
            self.members(bytes, from, commas, colons, part.trailing_zeros());
        }
        self.strings(from, opening, closing);
    }

    /// Notes where the last of the strings begins and ends.
    #[inline(always)]
    fn strings(&mut self, from: usize, opening: u64, closing: u64) {
        if let Some(quote) = last_of(opening) {
            self.begin_string(from + quote as usize + 1);
        }
        if let Some(quote) = last_of(closing) {
            self.string.end = from + quote as usize;
        }
    }

    fn begin_string(&mut self, start: usize) {
        self.string = start..start;
        self.string_before.clear();
    }

    /// Takes the commas and colons of one container, bits that count from the byte at `from`; the part of the
    /// container that they stand in begins with bit `first`. The last string before the last colon was noted.
    fn members(&mut self, bytes: &[u8], from: usize, commas: u64, colons: u64, first: u32) {
        if self.below > 0 {
            return;
        }
        let wrong = match self.frames.last_mut() {
            None => commas | colons,
            Some(Frame::Array { index }) => {
                *index += commas.count_ones() as usize;
                colons
            }
            Some(Frame::Object { key }) => {
                let others = !(commas | colons);
                // A key is expected from a comma on; the sum carries that over all other bytes to the next mark.
                let expecting = commas << 1 | u64::from(self.expects_key) << first;
                let after_key = ((expecting & others).wrapping_add(others) | expecting) & colons;
                if after_key != 0 {
                    *key = if self.string_before.is_empty() {
                        Key::Near(self.string.clone())
                    } else {
                        keep(&mut self.string_before, bytes.get(self.string.clone()).unwrap_or_default());
                        Key::Kept(self.string_before.clone())
                    };
                }
                // The higher bit is the later mark.
                self.expects_key = commas > colons;
                colons & !after_key
            }
        };
        if wrong != 0 {
            self.mark_broken(from + wrong.trailing_zeros() as usize);
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
            let end = if self.in_string { bytes.len() } else { self.string.end };
            let read = bytes.get(self.string.start..end).unwrap_or_default();
            keep(&mut self.string_before, read);
        }
        self.string = 0..0;
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

    fn open(&mut self, byte: u8) {
        if self.frames.len() >= DEEPEST {
            self.below += 1;
            return;
        }
        self.expects_key = byte == b'{';
        self.begin_string(0);
        self.frames.push(if self.expects_key {
            Frame::Object { key: Key::Near(0..0) }
        } else {
            Frame::Array { index: 0 }
        });
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
    use proptest::prelude::*;

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

    /// The walk over the pieces; those of fewer bytes than a block are walked byte by byte.
    fn walked(document: &str, piece: usize) -> Walk {
        let mut walk = Walk::default();
        document.as_bytes().chunks(piece).for_each(|bytes| walk.advance(bytes));
        walk
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let text = "[a-c\"\\\\{}:,\u{e9}\n]{0,40}";
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i32>().prop_map(Into::into),
            text.prop_map(Into::into)
        ];
        leaf.prop_recursive(5, 60, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                prop::collection::btree_map(text, inner, 0..6)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn masks_lead_where_bytes_lead(value in json(), is_pretty: bool, cut in 0.0..1.0) {
            let document = if is_pretty { format!("{value:#}") } else { value.to_string() };
            let mut end = (document.len() as f64 * cut) as usize;
            while !document.is_char_boundary(end) {
                end -= 1;
            }
            let document = &document[..end];
            let (whole, single) = (walked(document, usize::MAX), walked(document, 1));
            prop_assert_eq!(whole.broken_at(), None);
            prop_assert_eq!(single.broken_at(), None);
            prop_assert_eq!(whole.pointer(), single.pointer());
            prop_assert_eq!(whole.in_string(), single.in_string());
        }

        #[test]
        fn masks_break_where_bytes_break(document in "[\\[\\]{}\",:\\\\ 1n\t]{0,400}", also in "[\\[\\]{}\",:\\\\ 1n\u{1}]{0,400}") {
            for document in [document, also] {
                let (whole, single) = (walked(&document, usize::MAX), walked(&document, 1));
                prop_assert_eq!(whole.broken_at(), single.broken_at());
                prop_assert_eq!(whole.in_string(), single.in_string());
            }
        }
    }
}
