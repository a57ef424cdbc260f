//! Splices: some places of a message written anew, every other byte as it came.

use bytes::{BufMut, Bytes, BytesMut};

use super::place::Span;

/// What is to be written where.
#[derive(Clone, Debug, Default)]
pub struct Splice {
    edits: Vec<(Span, Bytes)>,
}

impl Splice {
    /// A splice that changes nothing.
    pub fn new() -> Splice {
        Splice::default()
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Writes `text` in the place of what stands there.
    pub fn replace(&mut self, place: Span, text: impl Into<Bytes>) {
        self.edits.push((place, text.into()));
    }

    /// Writes `text` as first members of the object at `place`; a comma follows if the object has others.
    pub fn add_members(&mut self, place: Span, object: &[u8], text: &str) {
        let is_empty = !object.get(1..).unwrap_or_default().contains(&b'"');
        let comma = if is_empty { "" } else { "," };
        self.edits.push((Span::before(place.start as usize + 1), Bytes::from(format!("{text}{comma}"))));
    }

    /// Writes `text` as the last member of the object that the whole message is.
    pub fn add_last(&mut self, message: &[u8], text: &str) {
        if let Some(end) = message.iter().rposition(|byte| *byte == b'}') {
            self.edits.push((Span::before(end), Bytes::from(format!(",{text}"))));
        }
    }

    /// Takes the member whose value is at `place` out of its object. Its key may hold escapes, but no quotes.
    pub fn remove_member(&mut self, bytes: &[u8], place: Span) {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let before = bytes.get(..place.range().start).unwrap_or_default();
        let mut quotes = before.iter().enumerate().rev().filter(|(_, byte)| **byte == b'"');
        let Some((key, _)) = quotes.nth(1) else { return };
        let after = bytes.get(place.range().end..).unwrap_or_default();
        let follows = after.iter().position(|byte| !is_blank(byte)).unwrap_or_default();
        let leads = before.get(..key).and_then(|before| before.iter().rposition(|byte| !is_blank(byte)));
        let (start, end) = match (after.get(follows), leads.map(|at| (at, before.get(at)))) {
            (Some(b','), _) => (key, place.range().end + follows + 1),
            (_, Some((comma, Some(b',')))) => (comma, place.range().end),
            _ => (key, place.range().end),
        };
        self.edits.push((Span::new(start, end), Bytes::new()));
    }

    /// The bytes with all edits made. An edit outside of them, or over an earlier one, is left out.
    pub fn applied(mut self, bytes: &Bytes) -> Bytes {
        self.edits.sort_by_key(|(place, _)| (place.start, place.end));
        let added: usize = self.edits.iter().map(|(_, text)| text.len()).sum();
        let mut written = BytesMut::with_capacity(bytes.len() + added);
        let mut end = 0;
        for (place, text) in &self.edits {
            let range = place.range();
            let Some(kept) = bytes.get(end..range.start).filter(|_| range.end <= bytes.len()) else {
                debug_assert!(false, "an edit overlaps another");
                continue;
            };
            written.put_slice(kept);
            written.put_slice(text);
            end = range.end;
        }
        written.put_slice(bytes.get(end..).unwrap_or_default());
        written.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_replaced_stays() {
        let bytes = Bytes::from_static(b"0123456789");
        let mut splice = Splice::new();
        splice.replace(Span::new(7, 8), "seven");
        splice.replace(Span::new(2, 4), "");
        splice.replace(Span::before(0), "<");
        assert_eq!(splice.applied(&bytes), "<01456seven89");
    }

    #[test]
    fn a_member_is_removed_with_its_comma() {
        for (text, expected) in [
            (r#"{"x":9}"#, "{}"),
            (r#"{"x":9 , "b":2}"#, r#"{ "b":2}"#),
            (r#"{"a":1, "x" : 9}"#, r#"{"a":1}"#),
            (r#"{"a":",","\u0078":9,"b":2}"#, r#"{"a":",","b":2}"#),
        ] {
            let at = text.find('9').unwrap();
            let mut splice = Splice::new();
            splice.remove_member(text.as_bytes(), Span::new(at, at + 1));
            assert_eq!(splice.applied(&Bytes::from(text)), expected, "{text}");
        }
    }

    #[test]
    fn members_are_added_to_full_and_empty_objects() {
        for (text, expected) in
            [("{}", "{\"a\":1}"), ("{ }", "{\"a\":1 }"), ("{\"b\":2}", "{\"a\":1,\"b\":2}")]
        {
            let bytes = Bytes::from_static(text.as_bytes());
            let mut splice = Splice::new();
            splice.add_members(Span::new(0, text.len()), text.as_bytes(), "\"a\":1");
            assert_eq!(splice.applied(&bytes), expected);
        }
    }
}
