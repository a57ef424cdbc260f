//! Event streams: an incremental, bounded reader and a writer.

use bytes::{BufMut, Bytes, BytesMut};

use super::Fault;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// What a client resumes after.
    pub id: Option<Bytes>,
    /// The type, if it is not `message`.
    pub name: Option<Bytes>,
    /// How long to wait before coming back, in milliseconds.
    pub retry: Option<u64>,
    /// The data; several lines are joined by a newline.
    pub data: Option<Bytes>,
}

/// Reads events out of chunks, however they are cut.
#[derive(Debug)]
pub struct Reader {
    most: usize,
    rest: BytesMut,
    event: Event,
    /// Data of more than one line; one line alone is never copied.
    lines: BytesMut,
    after_return: bool,
    is_begun: bool,
}

impl Reader {
    /// A reader of events of at most so many bytes.
    pub fn new(most: u32) -> Reader {
        Reader {
            most: most as usize,
            rest: BytesMut::new(),
            event: Event::default(),
            lines: BytesMut::new(),
            after_return: false,
            is_begun: false,
        }
    }

    /// Takes a chunk and gives the events that are whole now.
    pub fn feed(&mut self, chunk: Bytes, give: &mut impl FnMut(Event)) -> Result<(), Fault> {
        let mut bytes = chunk;
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            if bytes.first() == Some(&b'\n') {
                bytes = bytes.slice(1..);
            }
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', &bytes) {
            let mut line = bytes.slice(..end);
            // What was kept is known to hold no end of a line: it is neither searched nor copied again.
            if !self.rest.is_empty() {
                self.rest.extend_from_slice(&line);
                line = self.rest.split().freeze();
            }
            let mut next = end + 1;
            if bytes.get(end) == Some(&b'\r') {
                match bytes.get(next) {
                    Some(b'\n') => next += 1,
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
            self.line(line, give)?;
            bytes = bytes.slice(next..);
        }
        if self.rest.len() + bytes.len() > self.most {
            return Err(self.too_large());
        }
        self.rest.extend_from_slice(&bytes);
        Ok(())
    }

    fn line(&mut self, line: Bytes, give: &mut impl FnMut(Event)) -> Result<(), Fault> {
        let mut line = line;
        if !self.is_begun {
            self.is_begun = true;
            if line.starts_with(b"\xef\xbb\xbf") {
                line = line.slice(3..);
            }
        }
        if line.is_empty() {
            self.end(give);
            return Ok(());
        }
        let colon = memchr::memchr(b':', &line).unwrap_or(line.len());
        let mut value = line.slice((colon + 1).min(line.len())..);
        if value.first() == Some(&b' ') {
            value = value.slice(1..);
        }
        match line.get(..colon).unwrap_or_default() {
            b"data" => self.data(value)?,
            b"id" if !value.contains(&0) => self.event.id = Some(value),
            b"event" => self.event.name = Some(value),
            b"retry" => {
                self.event.retry = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok())
            }
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, value: Bytes) -> Result<(), Fault> {
        let before = self.lines.len().max(self.event.data.as_ref().map_or(0, Bytes::len));
        if before + value.len() + 1 > self.most {
            return Err(self.too_large());
        }
        match self.event.data.take() {
            None if self.lines.is_empty() => self.event.data = Some(value),
            first => {
                if let Some(first) = first {
                    self.lines.extend_from_slice(&first);
                }
                self.lines.put_u8(b'\n');
                self.lines.extend_from_slice(&value);
            }
        }
        Ok(())
    }

    fn end(&mut self, give: &mut impl FnMut(Event)) {
        let mut event = std::mem::take(&mut self.event);
        if !self.lines.is_empty() {
            event.data = Some(self.lines.split().freeze());
        }
        if event != Event::default() {
            give(event);
        }
    }

    fn too_large(&self) -> Fault {
        Fault::too_large(u32::try_from(self.most).unwrap_or(u32::MAX))
    }
}

/// Writes an event.
pub fn write(event: &Event) -> Bytes {
    let data = event.data.as_ref().map_or(0, Bytes::len);
    let mut text = BytesMut::with_capacity(data + 64);
    let mut field = |name: &str, value: &[u8]| {
        text.put_slice(name.as_bytes());
        text.put_slice(b": ");
        text.put_slice(value);
        text.put_u8(b'\n');
    };
    if let Some(name) = &event.name {
        field("event", name);
    }
    if let Some(id) = &event.id {
        field("id", id);
    }
    if let Some(retry) = event.retry {
        field("retry", retry.to_string().as_bytes());
    }
    if let Some(data) = &event.data {
        // A message may be written over several lines; outside of its strings they mean nothing, inside there are none.
        data.split(|byte| matches!(byte, b'\n' | b'\r')).for_each(|line| field("data", line));
    }
    text.put_u8(b'\n');
    text.freeze()
}

/// What keeps a silent stream open: a comment.
pub const KEEP_ALIVE: Bytes = Bytes::from_static(b": \n\n");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(text: &[u8], cut: usize) -> Vec<Event> {
        let mut reader = Reader::new(1 << 16);
        let mut events = Vec::new();
        for chunk in text.chunks(cut.max(1)) {
            reader.feed(Bytes::copy_from_slice(chunk), &mut |event| events.push(event)).unwrap();
        }
        events
    }

    fn data(text: &'static str) -> Event {
        Event { data: Some(Bytes::from_static(text.as_bytes())), ..Event::default() }
    }

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = b"\xef\xbb\xbfdata: one\n\n: comment\nid:7\r\nevent: message\r\ndata:two\rdata: lines\r\r\nretry: 10\n\ndata\n\ndata: unfinished";
        let expected = [
            data("one"),
            Event {
                id: Some(Bytes::from_static(b"7")),
                name: Some(Bytes::from_static(b"message")),
                data: Some(Bytes::from_static(b"two\nlines")),
                ..Event::default()
            },
            Event { retry: Some(10), ..Event::default() },
            data(""),
        ];
        for cut in 1..text.len() {
            assert_eq!(events(text, cut), expected, "cut at {cut}");
        }
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut reader = Reader::new(10);
        let mut feed = |text: &'static str| reader.feed(Bytes::from_static(text.as_bytes()), &mut |_| {});
        assert_eq!(feed("data: 12345\n"), Ok(()));
        assert_eq!(feed("data: 12345\n").map_err(|fault| fault.status), Err(413));
        let mut reader = Reader::new(10);
        assert!(reader.feed(Bytes::from_static(b"data: 1234567890"), &mut |_| {}).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(texts in prop::collection::vec("[a-z \n\":{}é]{1,40}", 1..5), cut in 1usize..50) {
            let written: Vec<u8> = texts.iter().flat_map(|text| {
                write(&Event { id: Some(Bytes::from_static(b"x-1")), data: Some(Bytes::from(text.clone())), ..Event::default() })
            }).collect();
            let read: Vec<_> = events(&written, cut).into_iter().filter_map(|event| event.data).collect();
            prop_assert_eq!(read, texts);
        }
    }
}
