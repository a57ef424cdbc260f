//! The framing of stdio: one message on one line, bounded.

use bytes::{Bytes, BytesMut};

/// What a chunk completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end; never an empty one.
    Whole(Bytes),
    /// A line over the limit, of which nothing was kept.
    TooLong,
}

/// Cuts chunks into lines.
#[derive(Debug)]
pub struct Reader {
    most: usize,
    rest: BytesMut,
    /// How much of the rest is known to hold no newline.
    searched: usize,
    is_skipping: bool,
}

impl Reader {
    /// A reader of lines of at most so many bytes.
    pub fn new(most: u32) -> Reader {
        Reader { most: most as usize, rest: BytesMut::new(), searched: 0, is_skipping: false }
    }

    /// Where the next chunk is to be read to.
    pub fn room(&mut self) -> &mut BytesMut {
        self.rest.reserve(8 << 10);
        &mut self.rest
    }

    /// The next line that is whole.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let fresh = self.rest.get(self.searched..).unwrap_or_default();
            let Some(found) = memchr::memchr(b'\n', fresh) else {
                return self.unfinished();
            };
            let end = self.searched + found;
            let mut line = self.rest.split_to(end + 1).freeze();
            self.searched = 0;
            if std::mem::take(&mut self.is_skipping) {
                continue;
            }
            line.truncate(line.len() - 1);
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            if line.len() > self.most {
                return Some(Line::TooLong);
            }
            if !line.trim_ascii().is_empty() {
                return Some(Line::Whole(line));
            }
        }
    }

    /// No line is whole; what is too long already is let go of.
    fn unfinished(&mut self) -> Option<Line> {
        self.searched = self.rest.len();
        if self.is_skipping || self.rest.len() > self.most + 1 {
            self.rest.clear();
            self.searched = 0;
            return (!std::mem::replace(&mut self.is_skipping, true)).then_some(Line::TooLong);
        }
        None
    }
}

/// A message as a line. Newlines can only stand between its tokens, where a blank does as well.
pub fn write(message: &Bytes) -> Bytes {
    let mut line = BytesMut::with_capacity(message.len() + 1);
    line.extend_from_slice(message);
    if memchr::memchr2(b'\n', b'\r', message).is_some() {
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    line.extend_from_slice(b"\n");
    line.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], cut: usize, most: u32) -> Vec<Line> {
        let mut reader = Reader::new(most);
        let mut lines = Vec::new();
        for chunk in text.chunks(cut) {
            reader.room().extend_from_slice(chunk);
            while let Some(line) = reader.next_line() {
                lines.push(line);
            }
        }
        lines
    }

    #[test]
    fn lines_are_found_however_they_are_cut() {
        let whole = |text: &'static str| Line::Whole(Bytes::from_static(text.as_bytes()));
        for cut in 1..40 {
            let text = b"one\r\n\n  \ntwo\nmuch too long a line\nthree\nunfinished";
            assert_eq!(
                lines(text, cut, 12),
                [whole("one"), whole("two"), Line::TooLong, whole("three")],
                "{cut}"
            );
        }
    }

    #[test]
    fn an_endless_line_takes_no_room() {
        let mut reader = Reader::new(100);
        for _ in 0..1000 {
            reader.room().extend_from_slice(&[b'x'; 100]);
            while reader.next_line().is_some() {}
            assert!(reader.rest.len() <= 201);
        }
    }

    #[test]
    fn a_message_over_several_lines_becomes_one() {
        assert_eq!(write(&Bytes::from_static(b"{\r\n\"a\":\n1}")), "{  \"a\": 1}\n");
    }
}
