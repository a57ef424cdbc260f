//! The way back over a TCP stream: a status, a JSON body, or a stream of events that ends with the connection.

use crate::delivery;
use crate::perform::{Delivery, Wire};
use std::fmt::Write as _;
use std::io::{Result, Write};
use std::net::TcpStream;

pub(super) struct Connection<'a> {
    stream: &'a TcpStream,
    /// The id of a session that was just opened.
    session: Option<String>,
    /// Whether events were sent: then the answer is one too.
    has_events: bool,
    can_go_on: bool,
}

impl<'a> Connection<'a> {
    pub(super) fn new(stream: &'a TcpStream) -> Connection<'a> {
        Connection { stream, session: None, has_events: false, can_go_on: true }
    }

    pub(super) fn open(&mut self, session: String) {
        self.session = Some(session);
    }

    /// Whether another request may follow on this connection.
    pub(super) fn can_go_on(&self) -> bool {
        self.can_go_on
    }

    pub(super) fn status(&mut self, status: u64) -> Result<()> {
        let head = self.head(status, &[], Some(0));
        self.stream.write_all(head.as_bytes())
    }

    pub(super) fn json(&mut self, status: u64, body: &[u8]) -> Result<()> {
        let head = self.head(status, &[("Content-Type", "application/json")], Some(body.len()));
        self.stream.write_all(&[head.as_bytes(), body].concat())
    }

    pub(super) fn heartbeat(&mut self) -> Result<()> {
        self.begin_events(200, &[])?;
        self.stream.write_all(b": nothing new\n\n")
    }

    fn body(&mut self, delivery: &Delivery) -> Result<()> {
        let frame = delivery.frames.first().map(Vec::as_slice).unwrap_or_default();
        let length = delivery.endless.is_none().then_some(frame.len());
        let own = delivery.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(own);
        let head = self.head(delivery.status, &headers, length);
        self.stream.write_all(head.as_bytes())?;
        delivery::write(&mut self.stream, frame, delivery)
    }

    fn begin_events(&mut self, status: u64, headers: &[(String, String)]) -> Result<()> {
        if self.has_events {
            return Ok(());
        }
        self.has_events = true;
        let mut all = vec![("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")];
        all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let head = self.head(status, &all, None);
        self.stream.write_all(head.as_bytes())
    }

    /// The head of a response. A later header stands over an earlier one of the same name; without a length, or with
    /// one of the scenario's own, the body ends with the connection.
    fn head(&mut self, status: u64, headers: &[(&str, &str)], length: Option<usize>) -> String {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        let is_named =
            |name: &str, later: &[(&str, &str)]| later.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        for (index, (name, value)) in headers.iter().enumerate() {
            if !is_named(name, headers.get(index + 1..).unwrap_or_default()) {
                // INVARIANT: writing to a String cannot fail.
                let _ = write!(head, "{name}: {value}\r\n");
            }
        }
        if let Some(session) = self.session.take().filter(|_| !is_named("mcp-session-id", headers)) {
            let _ = write!(head, "Mcp-Session-Id: {session}\r\n");
        }
        match length.filter(|_| !is_named("content-length", headers)) {
            Some(length) => drop(write!(head, "Content-Length: {length}\r\n")),
            None => {
                self.can_go_on = false;
                head.push_str("Connection: close\r\n");
            }
        }
        head.push_str("\r\n");
        head
    }
}

impl Wire for Connection<'_> {
    fn aside(&mut self, frame: &[u8]) -> Result<()> {
        self.begin_events(200, &[])?;
        self.stream.write_all(&[b"data: ", frame, b"\n\n"].concat())
    }

    fn deliver(&mut self, delivery: &Delivery) -> Result<()> {
        if !self.has_events && delivery.frames.len() == 1 {
            return self.body(delivery);
        }
        self.begin_events(delivery.status, &delivery.headers)?;
        for frame in &delivery.frames {
            self.stream.write_all(b"data: ")?;
            delivery::write(&mut self.stream, frame, delivery)?;
            self.stream.write_all(b"\n\n")?;
        }
        Ok(())
    }

    fn is_gone(&mut self) -> bool {
        let mut one = [0];
        let peeked = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut one));
        let _ = self.stream.set_nonblocking(false);
        matches!(peeked, Ok(0)) || peeked.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock)
    }
}

fn reason(status: u64) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Other",
    }
}
