//! Facts and bodies as JSON, written straight to where they stay.
//!
//! Every byte is what `serde_json` would write of the same struct; its serializer looks at texts byte by byte, and the
//! texts of records are full of quotes. The structs keep their `Serialize`: it is what the tests compare with.

use crate::record::{Body, Facts, StoredValue};

/// Facts are rarely longer than this.
const USUAL_FACTS: usize = 256;
/// What stands around the text of a value: member names, a length and a digest.
const USUAL_FRAME: usize = 128;

/// Writes the facts of a header to the end of `out`.
pub(crate) fn write_facts(facts: &Facts, out: &mut Vec<u8>) {
    out.reserve(USUAL_FACTS);
    out.extend_from_slice(b"{\"v\":");
    number(u64::from(facts.version), out);
    text(b",\"writer\":\"", &facts.writer, out);
    word(b",\"kind\":\"", facts.kind.word(), out);
    let names: [(&[u8], &str); 3] = [
        (b",\"server\":\"", &facts.server),
        (b",\"tool\":\"", &facts.tool),
        (b",\"session\":\"", &facts.session),
    ];
    for (before, name) in names {
        if !name.is_empty() {
            text(before, name, out);
        }
    }
    word(b",\"status\":\"", facts.status.word(), out);
    out.extend_from_slice(b",\"risk\":");
    number(u64::from(facts.risk), out);
    let mut before: &[u8] = b",\"sensitive\":[\"";
    for sensitive in &facts.sensitive {
        text(before, sensitive, out);
        before = b",\"";
    }
    if !facts.sensitive.is_empty() {
        out.push(b']');
    }
    if let Some(mark) = &facts.mark {
        out.extend_from_slice(b",\"mark\":");
        // Marks are rare.
        // INVARIANT: a struct of strings and numbers always becomes JSON, and a vector takes every byte.
        let _ = serde_json::to_writer(&mut *out, mark);
    }
    out.push(b'}');
}

/// Writes a body to the end of `out`.
pub(crate) fn write_body(body: &Body, out: &mut Vec<u8>) {
    out.reserve(size_hint(body));
    out.extend_from_slice(b"{\"v\":");
    number(u64::from(body.version), out);
    let values: [(&[u8], &Option<StoredValue>); 3] = [
        (b",\"arguments\":{\"text\":\"", &body.arguments),
        (b",\"result\":{\"text\":\"", &body.result),
        (b",\"note\":{\"text\":\"", &body.note),
    ];
    for (before, value) in values {
        let Some(value) = value else { continue };
        text(before, &value.text, out);
        if let Some(length) = value.length {
            out.extend_from_slice(b",\"length\":");
            number(length, out);
        }
        if let Some(digest) = &value.digest {
            text(b",\"digest\":\"", digest, out);
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// About the length a body has as JSON: an eighth more for what must be escaped.
fn size_hint(body: &Body) -> usize {
    let values = [&body.arguments, &body.result, &body.note];
    values.into_iter().flatten().map(|value| value.text.len() * 9 / 8 + USUAL_FRAME).sum::<usize>() + 8
}

fn number(number: u64, out: &mut Vec<u8>) {
    match u8::try_from(number) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

/// Writes what comes before a string and its opening quote, the string, and its closing quote.
fn text(before: &[u8], text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(before);
    escape(text.as_bytes(), out);
    out.push(b'"');
}

/// The same for a word of ours, in which nothing must be escaped.
fn word(before: &[u8], word: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(before);
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

/// Writes a text as the inside of a JSON string, eight bytes at a time.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        escape_eight(*word, out);
    }
    if !rest.is_empty() {
        // Filled up with blanks, which stay what they are and are taken back.
        let mut word = [b' '; 8];
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        escape_eight(word, out);
        out.truncate(out.len() + rest.len() - word.len());
    }
}

fn escape_eight(bytes: [u8; 8], out: &mut Vec<u8>) {
    let word = u64::from_le_bytes(bytes);
    if has_control(word) {
        return bytes.iter().for_each(|byte| escape_one(*byte, out));
    }
    let mut marks = equal(word, b'"') | equal(word, b'\\');
    if marks == 0 {
        return out.extend_from_slice(&bytes);
    }
    // After each backslash all that is left of the eight is copied, to be written over by the next: cheaper than to
    // copy so many and no more.
    let (mut escaped, mut at, mut done) = ([0; 32], 0, 0);
    while marks != 0 {
        let marked = marks.trailing_zeros() / 8;
        marks &= marks - 1;
        put(&mut escaped, at, word >> (8 * done));
        at += (marked - done) as usize;
        escaped[at & 31] = b'\\';
        at += 1;
        done = marked;
    }
    put(&mut escaped, at, word >> (8 * done));
    at += 8 - done as usize;
    // INVARIANT: eight bytes become sixteen at most.
    out.extend_from_slice(escaped.first_chunk::<16>().unwrap_or(&[0; 16]));
    out.truncate(out.len() + at - 16);
}

fn put(escaped: &mut [u8; 32], at: usize, word: u64) {
    if let Some(place) = escaped.get_mut(at..at + 8) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const LOWS: u64 = ONES * 0x7f;

/// Whether any of eight bytes is less than a blank: such a byte borrows from its own high bit.
fn has_control(word: u64) -> bool {
    word.wrapping_sub(ONES * 0x20) & !word & !LOWS != 0
}

/// The high bit of each of eight bytes that is this one, exactly: nothing is carried from byte to byte.
fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    !(((zero & LOWS) + LOWS) | zero | LOWS)
}

fn escape_one(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x20.. => return out.push(byte),
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            let digit = |half: u8| if half < 10 { b'0' + half } else { b'a' + half - 10 };
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Kind, Mark, Status};
    use proptest::prelude::*;

    /// Texts as they come, and texts in which every second character must be escaped or is not ASCII.
    fn texts() -> impl Strategy<Value = String> {
        let hard = prop::collection::vec(
            prop_oneof![
                (0u8..0x30).prop_map(char::from),
                (0x58u8..0x60).prop_map(char::from),
                prop::sample::select(vec!['"', '\\', '\u{7f}', '\u{80}', 'é', '\u{2028}', '😀', 'a', ' ']),
            ],
            0..40,
        );
        prop_oneof![any::<String>(), hard.prop_map(|chars| chars.into_iter().collect()), Just(String::new())]
    }

    fn values() -> impl Strategy<Value = Option<StoredValue>> {
        let value = (texts(), any::<Option<u64>>(), prop::option::of(texts()));
        prop::option::of(value.prop_map(|(text, length, digest)| StoredValue { text, length, digest }))
    }

    fn facts() -> impl Strategy<Value = Facts> {
        let mark = prop::option::of(
            (texts(), any::<u64>()).prop_map(|(hash, through)| Mark::Dropped { through, hash }),
        );
        let names = (texts(), texts(), texts(), texts());
        let words = (prop::sample::select(Kind::ALL), prop::sample::select(Status::ALL));
        let rest = (any::<u8>(), any::<u8>(), prop::collection::vec(texts(), 0..4), mark);
        (names, words, rest).prop_map(|((writer, server, tool, session), (kind, status), rest)| {
            let (version, risk, sensitive, mark) = rest;
            Facts { version, writer, kind, server, tool, session, status, risk, sensitive, mark }
        })
    }

    proptest! {
        #[test]
        fn facts_are_what_serde_writes(facts in facts()) {
            let mut out = b"before".to_vec();
            write_facts(&facts, &mut out);
            prop_assert_eq!(out, format!("before{}", serde_json::to_string(&facts).unwrap()).into_bytes());
        }

        #[test]
        fn bodies_are_what_serde_writes(version: u8, arguments in values(), result in values(), note in values()) {
            let body = Body { version, arguments, result, note };
            let mut out = b"before".to_vec();
            write_body(&body, &mut out);
            prop_assert_eq!(out, format!("before{}", serde_json::to_string(&body).unwrap()).into_bytes());
        }
    }

    #[test]
    fn every_byte_in_every_place_is_escaped_as_serde_does() {
        for character in (0..=0x17f).filter_map(char::from_u32) {
            for place in 0..20 {
                let text = format!("{}{character}{}\"", "x".repeat(place), "y".repeat(19 - place));
                let mut out = Vec::new();
                escape(text.as_bytes(), &mut out);
                let quoted = serde_json::to_string(&text).unwrap();
                assert_eq!(out, quoted.as_bytes()[1..quoted.len() - 1], "{text:?}");
            }
        }
    }
}
