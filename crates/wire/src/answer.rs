//! Answers of HTTP/1.1, read from bytes as they come: the head, and the body as it is delimited.
//!
//! Our own, because a call asks one server one thing, and the general client took a tenth of a call's time for that. It
//! does no input or output; the head is parsed by the library for it.

use std::mem::MaybeUninit;
use std::ops::Range;

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderName, HeaderValue, StatusCode};

/// Bytes of a head, or of what stands behind the last chunk; more are refused.
pub const MOST_OF_HEAD: usize = 64 << 10;
/// Fields of a head.
const MOST_FIELDS: usize = 100;
/// Bytes of the line before a chunk: its size and what a server adds to it.
const MOST_OF_SIZE: usize = 1 << 10;

/// The head of an answer.
#[derive(Debug)]
pub struct Head {
    /// What the server says of the request.
    pub status: StatusCode,
    /// What it says of the answer.
    pub fields: Fields,
    /// How the body ends.
    pub body: Body,
    /// Whether another request may follow on the same connection.
    pub stays_open: bool,
}

/// The fields of a head, where they lie in it.
#[derive(Debug)]
pub struct Fields {
    text: Bytes,
    places: Vec<(Range<usize>, Range<usize>)>,
}

/// The body of an answer, or how much of it is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// So many bytes.
    Sized(u64),
    /// Chunks, each with its size.
    Chunked(Chunk),
    /// All until the connection ends.
    Open,
}

/// Where in the chunks the reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Before the line with its size.
    Size,
    /// In it, with so many bytes left.
    Data(u64),
    /// Before the end of its line.
    End,
    /// Behind the last one, with so many bytes of trailing fields seen.
    Trailer(usize),
    /// Behind everything.
    Over,
}

/// What there is of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Some of it; never nothing.
    Data(Bytes),
    /// Nothing before more bytes come.
    Awaited,
    /// It has come to its end.
    Over,
}

/// An answer that is none. The text says what is wrong and repeats nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}

/// Takes the head off the bytes that came; `None` before it is whole. Answers that only announce another are skipped.
pub fn head(came: &mut BytesMut) -> Result<Option<Head>, Malformed> {
    loop {
        let Some(head) = one_head(came)? else { return Ok(None) };
        match head.status.as_u16() {
            101 => return Err(Malformed("the server wants to speak another protocol")),
            100..=199 => {}
            _ => return Ok(Some(head)),
        }
    }
}

fn one_head(came: &mut BytesMut) -> Result<Option<Head>, Malformed> {
    // A head that comes byte by byte is not parsed with every byte.
    if came.len() < MOST_OF_HEAD && !has_blank_line(came) {
        return if is_http(came) { Ok(None) } else { Err(NO_HTTP) };
    }
    let mut fields = [const { MaybeUninit::uninit() }; MOST_FIELDS];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let end = match config.parse_response_with_uninit_headers(&mut parsed, came, &mut fields) {
        Ok(httparse::Status::Complete(end)) if end <= MOST_OF_HEAD => end,
        Ok(httparse::Status::Partial) if came.len() < MOST_OF_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => {
            return Err(Malformed("the head of the answer is too large"));
        }
        Err(_) => return Err(NO_HTTP),
    };
    let status = parsed.code.and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.ok_or(Malformed("the answer has no status"))?;
    let (is_recent, start) = (parsed.version == Some(1), came.as_ptr().addr());
    let place = |part: &[u8]| {
        let from = part.as_ptr().addr() - start;
        from..from + part.len()
    };
    let places = parsed.headers.iter().map(|field| (place(field.name.as_bytes()), place(field.value)));
    let places = places.collect();
    let fields = Fields { text: came.split_to(end).freeze(), places };
    let (body, is_delimited) = fields.body(status)?;
    let stays_open = is_recent && is_delimited && !fields.has_token("connection", "close");
    Ok(Some(Head { status, fields, body, stays_open }))
}

const NO_HTTP: Malformed = Malformed("the answer is no HTTP");

/// Whether an answer may begin so.
fn is_http(came: &[u8]) -> bool {
    let begun = came.trim_ascii_start();
    begun.iter().zip(b"HTTP/1.").all(|(said, expected)| said == expected)
}

fn has_blank_line(came: &[u8]) -> bool {
    let is_blank = |end: usize| matches!(came.get(end + 1..), Some([b'\n', ..] | [b'\r', b'\n', ..]));
    memchr::memchr_iter(b'\n', came).any(is_blank)
}

impl Fields {
    /// The values of a field, in their order.
    fn all(&self, name: &str) -> impl Iterator<Item = &Range<usize>> {
        let is_it = move |place: &Range<usize>| {
            self.text.get(place.clone()).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()))
        };
        self.places.iter().filter(move |(name, _)| is_it(name)).map(|(_, value)| value)
    }

    /// The first value of a field.
    pub fn get(&self, name: &HeaderName) -> Option<HeaderValue> {
        let place = self.all(name.as_str()).next()?;
        HeaderValue::from_maybe_shared(self.text.slice(place.clone())).ok()
    }

    /// The same as text.
    pub fn text(&self, name: &HeaderName) -> Option<&str> {
        self.all(name.as_str()).next().and_then(|place| self.str(place))
    }

    fn str(&self, place: &Range<usize>) -> Option<&str> {
        std::str::from_utf8(self.text.get(place.clone())?).ok()
    }

    /// The words of a field that is a list.
    fn tokens(&self, name: &str) -> impl Iterator<Item = &str> {
        self.all(name).flat_map(|place| self.str(place).unwrap_or("?").split(',')).map(str::trim)
    }

    fn has_token(&self, name: &str, word: &str) -> bool {
        self.tokens(name).any(|token| token.eq_ignore_ascii_case(word))
    }

    /// How the body ends, by the rules of RFC 9112 §6.3, and whether that is the end of nothing else.
    fn body(&self, status: StatusCode) -> Result<(Body, bool), Malformed> {
        if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            return Ok((Body::Sized(0), true));
        }
        let mut lengths = self.tokens("content-length");
        let length = lengths.next();
        let coding = self.tokens("transfer-encoding").last();
        match (coding, length) {
            // Two ways to find the end: the first counts, and nothing more is asked for there.
            (Some(last), said) if last.eq_ignore_ascii_case("chunked") => {
                Ok((Body::Chunked(Chunk::Size), said.is_none()))
            }
            (Some(_), _) | (None, None) => Ok((Body::Open, false)),
            (None, Some(said)) => {
                let is_number = !said.is_empty() && said.bytes().all(|byte| byte.is_ascii_digit());
                let is_one = lengths.all(|other| other == said);
                let length = said.parse().ok().filter(|_| is_number && is_one);
                Ok((Body::Sized(length.ok_or(Malformed("the answer has no valid length"))?), true))
            }
        }
    }
}

impl Body {
    /// Takes the next piece off the bytes that came.
    pub fn next(&mut self, came: &mut BytesMut) -> Result<Piece, Malformed> {
        match self {
            Body::Sized(0) => Ok(Piece::Over),
            Body::Sized(left) => Ok(piece(left, came)),
            Body::Open => Ok(piece(&mut { u64::MAX }, came)),
            Body::Chunked(chunk) => chunk.next(came),
        }
    }

    /// Whether it may end with its connection.
    pub fn is_open(&self) -> bool {
        *self == Body::Open
    }
}

/// So many bytes at most.
fn piece(left: &mut u64, came: &mut BytesMut) -> Piece {
    let count = came.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
    if count == 0 {
        return Piece::Awaited;
    }
    *left -= count as u64;
    Piece::Data(came.split_to(count).freeze())
}

impl Chunk {
    fn next(&mut self, came: &mut BytesMut) -> Result<Piece, Malformed> {
        loop {
            *self = match *self {
                Chunk::Over => return Ok(Piece::Over),
                Chunk::Data(mut left) => {
                    let some = piece(&mut left, came);
                    if some != Piece::Awaited {
                        *self = if left == 0 { Chunk::End } else { Chunk::Data(left) };
                    }
                    return Ok(some);
                }
                Chunk::Size => match line(came, MOST_OF_SIZE)? {
                    None => return Ok(Piece::Awaited),
                    Some(line) => match size(&line)? {
                        0 => Chunk::Trailer(0),
                        size => Chunk::Data(size),
                    },
                },
                Chunk::End => match line(came, MOST_OF_SIZE)? {
                    None => return Ok(Piece::Awaited),
                    Some(line) if line.is_empty() => Chunk::Size,
                    Some(_) => return Err(Malformed("a chunk of the answer is longer than it says")),
                },
                Chunk::Trailer(seen) => match line(came, MOST_OF_HEAD.saturating_sub(seen))? {
                    None => return Ok(Piece::Awaited),
                    Some(line) if line.is_empty() => Chunk::Over,
                    Some(line) => Chunk::Trailer(seen + line.len() + 2),
                },
            };
        }
    }
}

/// The next line without its end, which is CR LF and nothing else; `None` before it is whole.
fn line(came: &mut BytesMut, most: usize) -> Result<Option<Bytes>, Malformed> {
    let found = memchr::memchr(b'\n', came.get(..came.len().min(most + 2)).unwrap_or_default());
    let Some(end) = found else {
        let is_long = came.len() > most + 1;
        return if is_long { Err(Malformed("a line between chunks is too long")) } else { Ok(None) };
    };
    let mut line = came.split_to(end).freeze();
    came.advance(1);
    if line.last() != Some(&b'\r') {
        return Err(Malformed("a line between chunks does not end as it must"));
    }
    line.truncate(line.len() - 1);
    Ok(Some(line))
}

/// The size of a chunk: hexadecimal digits, and extensions that nobody needs.
fn size(line: &[u8]) -> Result<u64, Malformed> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number);
    let size = text.and_then(|text| u64::from_str_radix(text, 16).ok());
    size.ok_or(Malformed("a chunk of the answer has no valid size"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The whole of an answer that comes in pieces of so many bytes: its head, its body, and what is left over.
    fn read(bytes: &[u8], cut: usize) -> Result<(Option<Head>, Vec<u8>, bool, usize), Malformed> {
        let (mut came, mut head, mut body, mut is_over) = (BytesMut::new(), None, Vec::new(), false);
        for part in bytes.chunks(cut.max(1)) {
            came.extend_from_slice(part);
            if head.is_none() {
                head = super::head(&mut came)?;
            }
            let Some(head) = &mut head else { continue };
            while !is_over {
                match head.body.next(&mut came)? {
                    Piece::Data(data) => body.extend_from_slice(&data),
                    Piece::Awaited => break,
                    Piece::Over => is_over = true,
                }
            }
        }
        Ok((head, body, is_over, came.len()))
    }

    fn answer(fields: &str, body: &str) -> Vec<u8> {
        format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}").into_bytes()
    }

    #[test]
    fn a_body_ends_as_its_head_says() {
        for (fields, body, expected, is_over, stays_open) in [
            ("Content-Length: 5\r\n", "hello", "hello", true, true),
            ("content-length: 5\r\nConnection: Close\r\n", "hello", "hello", true, false),
            ("content-length: 5, 5\r\n", "hello", "hello", true, true),
            ("content-length: 0\r\n", "", "", true, true),
            ("content-length: 9\r\n", "hello", "hello", false, true),
            ("transfer-encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n", "hello", true, true),
            ("Transfer-Encoding: gzip, Chunked\r\n", "0\r\nA: b\r\n\r\n", "", true, true),
            (
                "transfer-encoding: chunked\r\n",
                "A;x=\"y\"\r\n0123456789\r\n1 \r\n!\r\n0\r\n\r\n",
                "0123456789!",
                true,
                true,
            ),
            ("transfer-encoding: chunked\r\n", "5\r\nhel", "hel", false, true),
            // Two ends: the chunks count, and nobody asks there again.
            (
                "content-length: 3\r\ntransfer-encoding: chunked\r\n",
                "5\r\nhello\r\n0\r\n\r\n",
                "hello",
                true,
                false,
            ),
            ("transfer-encoding: gzip\r\n", "hello", "hello", false, false),
            ("", "hello", "hello", false, false),
        ] {
            for cut in [1, 2, 7, usize::MAX] {
                let (head, told, over, left) = read(&answer(fields, body), cut).unwrap();
                let head = head.unwrap();
                assert_eq!(
                    (&*told, over, left),
                    (expected.as_bytes(), is_over, 0),
                    "{fields}{body} by {cut}"
                );
                assert_eq!(head.stays_open, stays_open, "{fields}");
                assert_eq!(head.body.is_open(), !is_over && !stays_open, "{fields}");
            }
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let long = format!("{}\r\n", "a".repeat(MOST_OF_SIZE + 1));
        let trailer = format!("0\r\n{}", "a: b\r\n".repeat(MOST_OF_HEAD / 4));
        let (chunked, many) = ("transfer-encoding: chunked\r\n", "a: b\r\n".repeat(MOST_FIELDS + 1));
        let large = format!("a: {}\r\n", "b".repeat(MOST_OF_HEAD));
        for (fields, body) in [
            ("content-length: -1\r\n", ""),
            ("content-length: +1\r\n", "a"),
            ("content-length: 1\r\ncontent-length: 2\r\n", "ab"),
            ("content-length: 1, 2\r\n", "ab"),
            ("content-length: \r\n", ""),
            ("content-length: 99999999999999999999\r\n", ""),
            ("a b: c\r\n", ""),
            (" folded\r\n", ""),
            (&many, ""),
            (&large, ""),
            (chunked, "x\r\n"),
            (chunked, "\r\n"),
            (chunked, "+5\r\nhello"),
            (chunked, "5\nhello"),
            (chunked, "3\r\nhello\r\n"),
            (chunked, "11111111111111111\r\n"),
            (chunked, &long),
            (chunked, &trailer),
        ] {
            for cut in [1, usize::MAX] {
                assert!(read(&answer(fields, body), cut).is_err(), "{fields:.60}{body:.60} by {cut}");
            }
        }
        assert!(read(b"SSH-2.0-OpenSSH\r\n", 1).is_err());
        assert!(read(b"HTTP/1.1 101 Switching\r\n\r\n", 1).is_err());
        assert!(read(b"HTTP/1.1 099 Low\r\n\r\n", 1).is_err());
    }

    #[test]
    fn announcements_are_skipped_and_old_connections_end() {
        let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\na: b\r\n\r\nHTTP/1.0 202 Ok\r\ncontent-length: 1\r\n\r\nx";
        for cut in [1, 3, usize::MAX] {
            let (head, body, is_over, _) = read(bytes, cut).unwrap();
            let head = head.unwrap();
            assert_eq!(
                (head.status, head.stays_open, &*body, is_over),
                (StatusCode::ACCEPTED, false, &b"x"[..], true)
            );
        }
        let (head, _, is_over, left) =
            read(b"HTTP/1.1 204 None\r\ncontent-length: 5\r\n\r\nHTTP/", 9).unwrap();
        assert!(head.unwrap().stays_open && is_over && left == 5, "204 has no body, whatever its head says");
    }

    #[test]
    fn fields_are_found_whatever_their_case() {
        let bytes = answer(
            "Content-Type: application/json\r\nMcp-Session-Id: one\r\nmcp-session-id: two\r\nx: \u{e9}\r\n",
            "",
        );
        let fields = read(&bytes, 4).unwrap().0.unwrap().fields;
        assert_eq!(fields.text(&http::header::CONTENT_TYPE), Some("application/json"));
        assert_eq!(fields.get(&HeaderName::from_static("mcp-session-id")).unwrap(), "one");
        assert_eq!(fields.get(&HeaderName::from_static("y")), None);
        assert!(fields.get(&HeaderName::from_static("x")).is_some());
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(
            sizes in prop::collection::vec(1_usize..40, 0..6), is_chunked: bool, cut in 1_usize..50, rest in ".{0,9}",
        ) {
            let body: Vec<u8> = (0..sizes.iter().sum()).map(|at: usize| (at % 251) as u8).collect();
            let mut bytes = b"HTTP/1.1 200 OK\r\n".to_vec();
            if is_chunked {
                bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
                let mut at = 0;
                for size in sizes {
                    bytes.extend_from_slice(format!("{size:x}\r\n").as_bytes());
                    bytes.extend_from_slice(&body[at..at + size]);
                    bytes.extend_from_slice(b"\r\n");
                    at += size;
                }
                bytes.extend_from_slice(b"0\r\n\r\n");
            } else {
                bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
                bytes.extend_from_slice(&body);
            }
            bytes.extend_from_slice(rest.as_bytes());
            let (head, told, is_over, left) = read(&bytes, cut).unwrap();
            prop_assert!(head.unwrap().stays_open && is_over);
            prop_assert_eq!(told, body);
            prop_assert_eq!(left, rest.len());
        }
    }
}
