//! Documents: JSON or plain text, whole or block by block; each hit with its place, its pointer and its mask.

use super::flat::{escape, unescape};
use super::json::Walk;
use super::mask::Sensitive;
use super::{Facts, Family, Hit, SensitiveData};
use crate::prelude::*;
use alloc::borrow::Cow;
use memchr::{memchr, memchr_iter};

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Strings are matched unescaped, and hits have JSON pointers. Several documents may follow each other.
    Json,
    /// As it stands.
    Text,
}

impl Format {
    /// JSON if the first byte that is no blank opens an object, an array or a string.
    pub fn guess(beginning: &[u8]) -> Format {
        match beginning.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[' | b'"') => Format::Json,
            _ => Format::Text,
        }
    }
}

/// One hit and where it stands; nothing here shows the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The row, the bytes in the document, the confidence.
    pub hit: Hit,
    /// The line, from 1.
    pub line: usize,
    /// The JSON pointer of the value; `None` in plain text.
    pub pointer: Option<String>,
    /// Whether the value stands inside a JSON string rather than as a bare number.
    pub in_string: bool,
    /// The value with its middle hidden.
    pub masked: String,
}

/// A document in pieces, in order.
pub enum Piece<'b> {
    /// Bytes in which nothing was found.
    Clean(&'b [u8]),
    /// A value that was found; its bytes are not given out.
    Found(Located),
}

/// Reads a document of any size in bounded memory.
pub struct Stream<'d, W> {
    data: &'d SensitiveData,
    is_wanted: W,
    buffer: Vec<u8>,
    cursor: Cursor,
    /// Where in the buffer the cursor stands; what is before is kept as context only.
    settled: usize,
}

/// This much is handed out at a time.
const BLOCK: usize = 1 << 20;
/// What is kept back because a value may go on in bytes not read yet: the longest one, an armoured key.
const LONGEST_VALUE: usize = 1 << 14;
/// What is kept before a block because a name or a context word may stand there.
const CONTEXT: usize = 256;

impl<'d, W: Fn(&Hit) -> bool> Stream<'d, W> {
    /// A stream that has read nothing yet; hits that are not wanted count as clean.
    pub fn new(data: &'d SensitiveData, format: Format, is_wanted: W) -> Self {
        Stream { data, is_wanted, buffer: Vec::new(), cursor: Cursor::new(format), settled: 0 }
    }

    /// Takes more of the document and gives out what is settled.
    pub fn feed(&mut self, bytes: &[u8], give: &mut impl FnMut(Piece<'_>)) {
        for part in bytes.chunks(BLOCK) {
            self.buffer.extend_from_slice(part);
            if self.buffer.len() - self.settled >= BLOCK + LONGEST_VALUE {
                self.settle(self.buffer.len() - LONGEST_VALUE, give);
            }
        }
    }

    /// Gives out the rest.
    pub fn finish(mut self, give: &mut impl FnMut(Piece<'_>)) -> Reading {
        self.settle(self.buffer.len(), give);
        self.cursor.reading()
    }

    fn settle(&mut self, until: usize, give: &mut impl FnMut(Piece<'_>)) {
        let until = self.aligned(self.settled, until);
        let window = Window { raw: &self.buffer, from: self.settled, until };
        let reached = self.cursor.pass(self.data, window, &self.is_wanted, give);
        let keep = self.aligned(self.settled, reached.saturating_sub(CONTEXT));
        self.buffer.drain(..keep);
        self.settled = reached - keep;
    }

    /// The last place from `from`, itself between escapes, up to `to` that is not inside an escape.
    fn aligned(&self, from: usize, to: usize) -> usize {
        if self.cursor.format == Format::Text || to <= from {
            return to.max(from);
        }
        let mut at = from;
        while let Some(next) = memchr(b'\\', self.buffer.get(at..to).unwrap_or_default()) {
            let (_, _, width) = escape(self.buffer.get(at + next..).unwrap_or_default());
            if at + next + width > to {
                return at + next;
            }
            at += next + width;
        }
        to
    }
}

/// Everything found in one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The hits in order, up to a bound.
    pub hits: Vec<Located>,
    /// How many hits there were beyond the bound.
    pub unlisted: usize,
    /// How far the answer can be trusted.
    pub reading: Reading,
}

/// How a document was read to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Where a JSON document stopped being JSON; pointers after it may be wrong.
    pub broken_at: Option<usize>,
    /// More encoded text than is decoded; what it hides was not looked at.
    pub is_cut: bool,
}

/// Hits listed of one document.
const MOST_LISTED: usize = 10_000;

impl SensitiveData {
    /// Everything that stands in a document held in memory.
    pub fn in_document(&self, bytes: &[u8], format: Format) -> Found {
        let mut found = Found::default();
        let mut cursor = Cursor::new(format);
        let window = Window { raw: bytes, from: 0, until: bytes.len() };
        cursor.pass(self, window, &|_| true, &mut |piece| match piece {
            Piece::Found(located) if found.hits.len() < MOST_LISTED => found.hits.push(located),
            Piece::Found(_) => found.unlisted += 1,
            Piece::Clean(_) => {}
        });
        found.reading = cursor.reading();
        found
    }
}

/// Bytes to look at, and the part of them that is given out now.
struct Window<'b> {
    raw: &'b [u8],
    from: usize,
    until: usize,
}

/// How far a document has been read.
struct Cursor {
    format: Format,
    walk: Walk,
    /// Bytes of the document before the place reached.
    offset: usize,
    line: usize,
    /// Whether every encoded run so far was looked at.
    is_whole: bool,
}

impl Cursor {
    fn new(format: Format) -> Self {
        Cursor { format, walk: Walk::default(), offset: 0, line: 1, is_whole: true }
    }

    fn reading(&self) -> Reading {
        Reading { broken_at: self.walk.broken_at(), is_cut: !self.is_whole }
    }

    /// Gives out the window's part and returns where that ended: a value that began before its end is whole.
    fn pass(
        &mut self,
        data: &SensitiveData,
        window: Window<'_>,
        is_wanted: &impl Fn(&Hit) -> bool,
        give: &mut impl FnMut(Piece<'_>),
    ) -> usize {
        let Window { raw, from, until } = window;
        let flat = match self.format {
            Format::Json => unescape(raw),
            Format::Text => Cow::Borrowed(raw),
        };
        let (hits, is_whole) = data.scan(&flat);
        self.is_whole &= is_whole;
        let mut places = Places { raw, raw_at: 0, flat_at: 0, is_same: matches!(flat, Cow::Borrowed(_)) };
        let mut at = from;
        for hit in hits.into_iter().filter(is_wanted) {
            let (start, end) = (places.raw_of(hit.start), places.raw_of(hit.end));
            if start < at || start >= until {
                continue;
            }
            self.skip(raw.get(at..start).unwrap_or_default(), give);
            let value = Sensitive::new(flat.get(hit.start..hit.end).unwrap_or_default());
            give(Piece::Found(self.locate(hit, end - start, value.masked(shown_as(data, &hit)))));
            self.advance(raw.get(start..end).unwrap_or_default());
            at = end;
        }
        if at < until {
            self.skip(raw.get(at..until).unwrap_or_default(), give);
            at = until;
        }
        at
    }

    fn locate(&self, hit: Hit, length: usize, masked: String) -> Located {
        let is_json = self.format == Format::Json;
        Located {
            hit: Hit { start: self.offset, end: self.offset + length, ..hit },
            line: self.line,
            pointer: is_json.then(|| self.walk.pointer()),
            in_string: is_json && self.walk.in_string(),
            masked,
        }
    }

    fn skip(&mut self, bytes: &[u8], give: &mut impl FnMut(Piece<'_>)) {
        give(Piece::Clean(bytes));
        self.advance(bytes);
    }

    fn advance(&mut self, bytes: &[u8]) {
        if self.format == Format::Json {
            self.walk.advance(bytes);
        }
        self.offset += bytes.len();
        self.line += memchr_iter(b'\n', bytes).count();
    }
}

/// What a hit is masked as: an encoded value is a string of its own, whatever it hides.
fn shown_as<'d>(data: &'d SensitiveData, hit: &Hit) -> Facts<'d> {
    let facts = data.facts(hit.row);
    let is_encoded = hit.encoding.is_some();
    if is_encoded { Facts { family: Family::Secret, kind: facts.id, ..facts } } else { facts }
}

/// Finds places of the unescaped text in the raw one, going forward only.
struct Places<'r> {
    raw: &'r [u8],
    raw_at: usize,
    flat_at: usize,
    is_same: bool,
}

impl Places<'_> {
    fn raw_of(&mut self, flat: usize) -> usize {
        if self.is_same {
            return flat;
        }
        while self.flat_at < flat {
            let rest = self.raw.get(self.raw_at..).unwrap_or_default();
            let wanted = flat - self.flat_at;
            let plain =
                memchr(b'\\', rest.get(..wanted.min(rest.len())).unwrap_or_default()).unwrap_or(wanted);
            if plain == 0 {
                let (_, count, width) = escape(rest);
                self.flat_at += count;
                self.raw_at += width;
            } else {
                self.flat_at += plain;
                self.raw_at += plain;
            }
        }
        self.raw_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(document: &str) -> Vec<(String, String, usize)> {
        let data = SensitiveData::new();
        let format = Format::guess(document.as_bytes());
        let found = data.in_document(document.as_bytes(), format);
        found
            .hits
            .into_iter()
            .map(|located| {
                let raw = &document[located.hit.start..located.hit.end];
                (located.pointer.unwrap_or_default(), raw.to_owned(), located.line)
            })
            .collect()
    }

    fn one(pointer: &str, raw: &str, line: usize) -> Vec<(String, String, usize)> {
        vec![(pointer.to_owned(), raw.to_owned(), line)]
    }

    #[test]
    fn hits_have_pointers_and_their_raw_bytes() {
        assert_eq!(places("{\n\"a\": [1, \"mail ann@tide.example\"]}"), one("/a/1", "ann@tide.example", 2));
        assert_eq!(places(r#"{"t":"\n\tann@tide.example\n"}"#), one("/t", "ann@tide.example", 1));
        assert_eq!(places(r#"{"t":"\u00e9 \u0061nn@tide.example"}"#), one("/t", r"\u0061nn@tide.example", 1));
        assert_eq!(places("to: ann@tide.example"), one("", "ann@tide.example", 1));
    }

    #[test]
    fn a_stream_gives_out_the_whole_document_and_the_same_hits_however_it_is_cut() {
        let data = SensitiveData::new();
        let record = r#"{"note":"line\nann@tide.example \\ \u00e9 text","n":[1,2]},"#;
        let document = format!("[{}0]", record.repeat(40_000));
        let whole = data.in_document(document.as_bytes(), Format::Json);
        for size in [1000, 65_537, document.len()] {
            let mut stream = Stream::new(&data, Format::Json, |_: &Hit| true);
            let (mut hits, mut clean, mut found) = (Vec::new(), 0, 0);
            let mut give = |piece: Piece<'_>| match piece {
                Piece::Clean(bytes) => clean += bytes.len(),
                Piece::Found(located) => {
                    found += located.hit.end - located.hit.start;
                    hits.push(located);
                }
            };
            document.as_bytes().chunks(size).for_each(|chunk| stream.feed(chunk, &mut give));
            assert_eq!(stream.finish(&mut give), Reading::default());
            assert_eq!(clean + found, document.len());
            assert_eq!(hits.len(), 40_000);
            assert_eq!(hits.get(..MOST_LISTED), Some(&*whole.hits), "chunks of {size}");
        }
        assert_eq!(whole.unlisted, 40_000 - MOST_LISTED);
    }
}
