//! Requests of HTTP/1.1 as they come: a head of bounded size and a body by length or in chunks.

use data_encoding::BASE64;
use std::io::{BufRead, Error, ErrorKind, Read, Result};

const MOST_HEAD: u64 = 64 << 10;
const MOST_BODY: u64 = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) path: String,
    /// Names in small letters.
    headers: Vec<(String, String)>,
}

impl Head {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A header's value, which a client may have encoded.
    pub(super) fn decoded(&self, name: &str) -> Option<String> {
        let value = self.header(name)?;
        match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
            None => Some(value.to_owned()),
            Some(encoded) => String::from_utf8(BASE64.decode(encoded.as_bytes()).ok()?).ok(),
        }
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.header("mcp-session-id")
    }

    /// Whether no web page of a stranger sent this.
    pub(super) fn is_from_here(&self) -> bool {
        let is_here = |origin: &str| {
            let host = origin.split_once("://").map_or(origin, |(_, host)| host);
            let name =
                host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(name, _)| name);
            ["localhost", "127.0.0.1", "[::1]"].contains(&name)
        };
        self.header("origin").is_none_or(is_here)
    }
}

/// The next request's head; `None` if the client has no more.
pub(super) fn head(reader: &mut impl BufRead) -> Result<Option<Head>> {
    let mut limited = reader.take(MOST_HEAD);
    let Some(first) = line(&mut limited)? else { return Ok(None) };
    let mut words = first.split(' ');
    let mut head = Head {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().split('?').next().unwrap_or_default().to_owned(),
        headers: Vec::new(),
    };
    loop {
        let line = line(&mut limited)?.ok_or(ErrorKind::UnexpectedEof)?;
        if line.is_empty() {
            return Ok(Some(head));
        }
        let (name, value) = line.split_once(':').ok_or_else(|| Error::other("a header without a colon"))?;
        head.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// A line without its end; `None` at the end of the stream.
fn line(reader: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    if reader.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(Error::other("a line without an end"));
    }
    line.pop_if(|last| *last == b'\r');
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

pub(super) fn body(reader: &mut impl BufRead, head: &Head) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    if head.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        loop {
            let size = line(&mut reader.take(1024))?.unwrap_or_default();
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(Error::other)?;
            read(reader, size, &mut body)?;
            // The end of the chunk, or of the body.
            line(&mut reader.take(1024))?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let length = head.header("content-length").map_or(Ok(0), str::parse).map_err(Error::other)?;
    read(reader, length, &mut body)?;
    Ok(body)
}

fn read(reader: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> Result<()> {
    if body.len() as u64 + length > MOST_BODY {
        return Err(Error::other("the body is too long"));
    }
    let read = reader.take(length).read_to_end(body)?;
    if (read as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut text: &[u8]) -> Result<(Head, Vec<u8>)> {
        let head = head(&mut text)?.unwrap();
        let body = body(&mut text, &head)?;
        Ok((head, body))
    }

    #[test]
    fn reads_a_head_and_a_body() {
        let (head, body) =
            read_all(b"POST /a?b HTTP/1.1\r\nMcp-Name: =?base64?ZWNobw==?=\r\nContent-Length: 2\r\n\r\n{}x")
                .unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str(), &body[..]), ("POST", "/a", &b"{}"[..]));
        assert_eq!(head.decoded("mcp-name").as_deref(), Some("echo"));
        let (_, body) = read_all(
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n3;x\r\nabc\r\n0\r\n\r\n",
        )
        .unwrap();
        assert_eq!(body, b"{}abc");
        assert!(super::head(&mut &b""[..]).unwrap().is_none());
    }

    #[test]
    fn refuses_what_is_too_much_or_too_little() {
        for wrong in [
            "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n{}",
            "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\nA: b",
            &format!("POST / HTTP/1.1\r\nA: {}\r\n\r\n", "b".repeat(70_000)),
        ] {
            assert!(read_all(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_strangers_page_is_not_from_here() {
        let check = |origin: &str, expected: bool| {
            let (head, _) =
                read_all(format!("GET / HTTP/1.1\r\nOrigin: {origin}\r\n\r\n").as_bytes()).unwrap();
            assert_eq!(head.is_from_here(), expected, "{origin}");
        };
        check("http://localhost:3000", true);
        check("http://[::1]", true);
        check("https://evil.example", false);
        check("null", false);
    }
}
