//! A request of HTTP/1.1 as the bytes that are sent.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{HeaderName, HeaderValue, Method};
use std::io::IoSlice;

/// Room for the head of nearly every request.
const USUAL_HEAD: usize = 512;

/// A request, and how much of it is still to be sent.
pub(crate) struct Ask {
    head: BytesMut,
    body: Bytes,
    is_begun: bool,
}

impl Ask {
    /// A request for something on the server: a path, or a whole address if a proxy reads it.
    pub(crate) fn new(method: &Method, target: &str) -> Ask {
        let mut head = BytesMut::with_capacity(USUAL_HEAD);
        head.put_slice(method.as_str().as_bytes());
        head.put_u8(b' ');
        head.put_slice(target.as_bytes());
        head.put_slice(b" HTTP/1.1\r\n");
        Ask { head, body: Bytes::new(), is_begun: false }
    }

    /// A request that begins as another did.
    pub(crate) fn like(begun: &[u8]) -> Ask {
        let mut head = BytesMut::with_capacity(begun.len() + USUAL_HEAD);
        head.put_slice(begun);
        Ask { head, body: Bytes::new(), is_begun: false }
    }

    /// What it begins with.
    pub(crate) fn begun(self) -> Bytes {
        self.head.freeze()
    }

    /// Adds a field. The types hold nothing that would end it early.
    pub(crate) fn put(&mut self, name: &HeaderName, value: &HeaderValue) {
        let (name, value) = (name.as_str().as_bytes(), value.as_bytes());
        self.head.reserve(name.len() + value.len() + 4);
        self.head.put_slice(name);
        self.head.put_slice(b": ");
        self.head.put_slice(value);
        self.head.put_slice(b"\r\n");
    }

    /// With a body, and no more fields.
    pub(crate) fn with(mut self, body: Bytes) -> Ask {
        self.put(&CONTENT_LENGTH, &HeaderValue::from(body.len()));
        self.body = body;
        self.without()
    }

    /// Without a body, and no more fields.
    pub(crate) fn without(mut self) -> Ask {
        self.head.put_slice(b"\r\n");
        self
    }

    /// Makes one piece of it, for connections that send only one at a time.
    pub(super) fn join(&mut self) {
        self.head.extend_from_slice(&self.body);
        self.body = Bytes::new();
    }

    /// What is to be sent.
    pub(super) fn pieces(&self) -> [IoSlice<'_>; 2] {
        [IoSlice::new(&self.head), IoSlice::new(&self.body)]
    }

    /// So much of it was sent.
    pub(super) fn sent(&mut self, count: usize) {
        let of_head = count.min(self.head.len());
        self.head.advance(of_head);
        self.body.advance((count - of_head).min(self.body.len()));
        self.is_begun |= count > 0;
    }

    /// Bytes that are still to be sent.
    pub(super) fn len(&self) -> usize {
        self.head.len() + self.body.len()
    }

    pub(super) fn is_sent(&self) -> bool {
        self.len() == 0
    }

    /// Whether the server can have heard of it.
    pub(super) fn is_begun(&self) -> bool {
        self.is_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(ask: &Ask) -> Vec<u8> {
        ask.pieces().iter().flat_map(|piece| piece.to_vec()).collect()
    }

    #[test]
    fn a_request_is_sent_in_any_pieces() {
        let make = || {
            let mut ask = Ask::new(&Method::POST, "/mcp?a=1");
            ask.put(&http::header::HOST, &HeaderValue::from_static("a.example"));
            ask.with(Bytes::from_static(b"{}"))
        };
        let whole = "POST /mcp?a=1 HTTP/1.1\r\nhost: a.example\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(rest(&make()), whole.as_bytes());
        for count in 0..=whole.len() {
            let mut ask = make();
            ask.sent(count);
            assert_eq!(rest(&ask), &whole.as_bytes()[count..]);
            assert_eq!((ask.is_begun(), ask.is_sent()), (count > 0, count == whole.len()));
            ask.join();
            assert_eq!(rest(&ask), &whole.as_bytes()[count..]);
        }
        assert_eq!(rest(&Ask::new(&Method::GET, "/").without()), b"GET / HTTP/1.1\r\n\r\n");
    }
}
