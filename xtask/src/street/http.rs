//! Just enough of an HTTP client: one request a connection, with answers that come whole, in chunks or as events.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing here is silent for longer, unless it hangs.
const SILENCE: Duration = Duration::from_secs(60);
/// The most that is read of one answer: more than any scenario sends, so that it is the gateway that ends what is too long.
const LONGEST: u64 = 256 << 20;

/// An answer whose body is still to be read.
pub(super) struct Answer {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    body: BufReader<std::io::Take<Body>>,
}

/// Sends a request; `url` is `http://HOST:PORT/PATH`.
pub(super) fn send(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: Option<&str>,
) -> Result<Answer> {
    let rest = url.strip_prefix("http://").with_context(|| format!("{url} is no address of ours"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut head = format!("{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    if let Some(body) = body {
        head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(host).with_context(|| format!("cannot reach {host}"))?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    stream.write_all(format!("{head}\r\n{}", body.unwrap_or_default()).as_bytes())?;
    Answer::read(BufReader::new(stream))
}

impl Answer {
    fn read(mut stream: BufReader<TcpStream>) -> Result<Answer> {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("no HTTP: {line:?}"))?;
        let mut headers = Vec::new();
        loop {
            line.clear();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value);
        let left = match (header("transfer-encoding"), header("content-length")) {
            (Some("chunked"), _) => Left::Chunks(0),
            (_, Some(length)) => Left::Bytes(length.parse()?),
            _ => Left::Everything,
        };
        let body = BufReader::new(Body { stream, left }.take(LONGEST));
        Ok(Answer { status, headers, body })
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn is_events(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

    /// The whole body.
    pub(super) fn text(mut self) -> Result<String> {
        let mut bytes = Vec::new();
        self.body.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The data of the next event; `None` after the last.
    pub(super) fn event(&mut self) -> Result<Option<String>> {
        let mut line = Vec::new();
        while self.body.read_until(b'\n', &mut line)? > 0 {
            if let Some(data) = line.strip_prefix(b"data:") {
                let data = String::from_utf8_lossy(data).trim().to_owned();
                if !data.is_empty() {
                    return Ok(Some(data));
                }
            }
            line.clear();
        }
        Ok(None)
    }
}

/// What is left of a body.
enum Left {
    Bytes(u64),
    /// So many of this chunk.
    Chunks(u64),
    /// Until the connection ends.
    Everything,
}

struct Body {
    stream: BufReader<TcpStream>,
    left: Left,
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let left = match &mut self.left {
            Left::Everything => return self.stream.read(into),
            Left::Bytes(left) => left,
            Left::Chunks(left) => {
                if *left == 0 {
                    *left = next_chunk(&mut self.stream).map_err(std::io::Error::other)?;
                }
                left
            }
        };
        let most = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len());
        let count = self.stream.read(into.get_mut(..most).unwrap_or_default())?;
        *left -= count as u64;
        if *left == 0 && matches!(self.left, Left::Chunks(_)) && count > 0 {
            // The line after a chunk.
            self.stream.read_line(&mut String::new())?;
        }
        Ok(count)
    }
}

/// The size of the next chunk; 0 after the last.
fn next_chunk(stream: &mut BufReader<TcpStream>) -> Result<u64> {
    let mut size = String::new();
    stream.read_line(&mut size)?;
    match u64::from_str_radix(size.trim(), 16) {
        Ok(size) => Ok(size),
        Err(_) => bail!("no size of a chunk: {size:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// What is made of bytes a server sends.
    fn heard(bytes: &'static [u8]) -> Answer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/path", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            assert!(stream.read(&mut asked).unwrap() > 0);
            stream.write_all(bytes).unwrap();
        });
        send("GET", &url, &[], None).unwrap()
    }

    #[test]
    fn reads_bodies_with_a_length_in_chunks_and_to_the_end() {
        let whole = heard(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef");
        assert_eq!((whole.status, whole.text().unwrap().as_str()), (200, "abc"));
        let chunks =
            heard(b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
        assert_eq!((chunks.status, chunks.text().unwrap().as_str()), (404, "abcdefg"));
        assert_eq!(heard(b"HTTP/1.1 200 OK\r\n\r\nabc").text().unwrap(), "abc");
    }

    #[test]
    fn events_come_one_by_one() {
        let mut events = heard(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\nid: 1\ndata: {}\n\ndata: []\n\n",
        );
        assert!(events.is_events());
        let all = [events.event().unwrap(), events.event().unwrap(), events.event().unwrap()];
        assert_eq!(all, [Some("{}".into()), Some("[]".into()), None]);
    }
}
