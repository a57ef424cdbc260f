//! Pooled connections to one server. The task that makes a request drives its connection too, so that a call crosses
//! no other task on its way.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWrite};

use super::ask::Ask;
use super::reach::{Reach, Stream};
use crate::wire::answer::{self, Body, Fields, Head, Malformed, Piece};

/// Connections kept for the next request; more than this many at a time are rare, and cost little to make.
const MOST_IDLE: usize = 64;
/// Bytes read at once, and where much comes.
const ROOM: usize = 8 << 10;
const WIDE_ROOM: usize = 64 << 10;
/// Requests up to this size are sent in one piece where pieces cannot be sent together.
const JOINED: usize = 64 << 10;

/// Connections to one server.
pub(crate) struct Pool {
    reach: Reach,
    idle: Mutex<Vec<Line>>,
}

/// One connection.
struct Line {
    stream: Stream,
    /// What came and was not read yet.
    came: BytesMut,
    /// As much came at once as there was room for.
    is_full: bool,
}

/// An answer whose body is still to come. Dropping it before its end closes the connection, which tells the server.
pub(crate) struct Exchange {
    pub(crate) status: StatusCode,
    pub(crate) fields: Fields,
    body: Body,
    stays_open: bool,
    line: Option<Line>,
    /// What of the request the server did not wait for.
    unsent: Option<Box<Ask>>,
    pool: Arc<Pool>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Unreached {
    /// No connection.
    Connect(io::Error),
    /// The connection broke.
    Broken(io::Error),
}

impl Pool {
    pub(crate) fn new(reach: Reach) -> Pool {
        Pool { reach, idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(crate) async fn send(self: &Arc<Self>, mut ask: Ask) -> Result<Exchange, Unreached> {
        while let Some(mut line) = self.take() {
            match line.ask(&mut ask).await {
                Ok(head) => return Ok(self.exchange(head, line, ask)),
                // The server closed it a moment ago and heard nothing.
                Err(_) if !ask.is_begun() => {}
                Err(error) => return Err(Unreached::Broken(error)),
            }
        }
        // In a box: nearly every request finds a connection, and this is the larger part.
        Box::pin(self.send_anew(ask)).await
    }

    /// Sends a request over a new connection.
    async fn send_anew(self: &Arc<Self>, mut ask: Ask) -> Result<Exchange, Unreached> {
        let stream = self.reach.connect().await.map_err(Unreached::Connect)?;
        let mut line = Line { stream, came: BytesMut::new(), is_full: false };
        let head = line.ask(&mut ask).await.map_err(Unreached::Broken)?;
        Ok(self.exchange(head, line, ask))
    }

    fn exchange(self: &Arc<Self>, head: Head, line: Line, ask: Ask) -> Exchange {
        let Head { status, fields, body, stays_open } = head;
        let unsent = if ask.is_sent() { None } else { Some(Box::new(ask)) };
        Exchange { status, fields, body, stays_open, line: Some(line), unsent, pool: Arc::clone(self) }
    }

    /// A connection that is still open as far as anybody can tell.
    fn take(&self) -> Option<Line> {
        loop {
            let mut line = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if line.is_quiet() {
                return Some(line);
            }
        }
    }

    fn put(&self, line: Line) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(line);
        }
    }
}

impl Line {
    /// Whether nothing came that nobody asked for, not even the end.
    fn is_quiet(&mut self) -> bool {
        self.came.is_empty() && self.poll_read(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    /// Reads what is there; how much that was.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.came.reserve(if self.is_full { WIDE_ROOM } else { ROOM });
        let count = ready!(pin!(self.stream.read_buf(&mut self.came)).poll(cx))?;
        self.is_full = count >= ROOM;
        Poll::Ready(Ok(count))
    }

    /// Sends what can be sent.
    fn poll_send(&mut self, ask: &mut Ask, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.stream.is_write_vectored() && ask.len() <= JOINED {
            ask.join();
        }
        while !ask.is_sent() {
            match ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, &ask.pieces()))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => ask.sent(count),
            }
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// The head of the answer to a request. A server may answer before it has heard all of it, or close while it does:
    /// what it said counts.
    async fn ask(&mut self, ask: &mut Ask) -> io::Result<Head> {
        let mut is_sent = false;
        poll_fn(|cx| {
            let sent = if is_sent { Poll::Ready(Ok(())) } else { self.poll_send(ask, cx) };
            is_sent = matches!(sent, Poll::Ready(Ok(())));
            let head = self.poll_head(cx);
            match sent {
                Poll::Ready(Err(error)) if !matches!(head, Poll::Ready(Ok(_))) => Poll::Ready(Err(error)),
                _ => head,
            }
        })
        .await
    }

    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Head>> {
        loop {
            if let Some(head) = answer::head(&mut self.came).map_err(malformed)? {
                return Poll::Ready(Ok(head));
            }
            if ready!(self.poll_read(cx))? == 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
        }
    }
}

fn malformed(why: Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Exchange {
    /// The next piece of the body; after the last, the connection is free for others.
    pub(crate) async fn chunk(&mut self) -> io::Result<Option<Bytes>> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        let came = ready!(self.poll_piece(cx));
        if !matches!(came, Ok(Some(_))) {
            let is_free = |line: &Line| came.is_ok() && self.stays_open && line.came.is_empty();
            if let Some(line) = self.line.take().filter(is_free) {
                self.pool.put(line);
            }
        }
        Poll::Ready(came)
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        let Some(line) = &mut self.line else { return Poll::Ready(Ok(None)) };
        if let Some(unsent) = &mut self.unsent {
            // The server has answered: that it does not hear the rest is its own affair.
            self.stays_open = false;
            let _ = line.poll_send(unsent, cx);
        }
        loop {
            match self.body.next(&mut line.came).map_err(malformed)? {
                Piece::Data(data) => return Poll::Ready(Ok(Some(data))),
                Piece::Over => return Poll::Ready(Ok(None)),
                Piece::Awaited => {}
            }
            if ready!(line.poll_read(cx))? == 0 {
                let is_end = self.body.is_open();
                let end = if is_end { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
                return Poll::Ready(end);
            }
        }
    }

    /// The whole body, at most so many bytes of it; `None` if there are more.
    pub(crate) async fn whole(&mut self, most: u32) -> io::Result<Option<Bytes>> {
        let first = self.chunk().await?.unwrap_or_default();
        let Some(second) = self.chunk().await? else {
            return Ok((first.len() <= most as usize).then_some(first));
        };
        let mut all = Vec::with_capacity(first.len() + second.len());
        all.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            if all.len() + chunk.len() > most as usize {
                self.line = None;
                return Ok(None);
            }
            all.extend_from_slice(&chunk);
            next = self.chunk().await?;
        }
        Ok(Some(Bytes::from(all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Addresses, Credential, Remote};
    use http::Method;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    const SHORT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

    /// A server that is played by the test, and the way to it.
    async fn server() -> (TcpListener, Arc<Pool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let addresses = Addresses::written(Arc::default());
        let (headers, credential) = (Vec::new(), Credential::None);
        let remote = Remote { url, headers, credential, authorities: None, proxy: None, addresses };
        (listener, Arc::new(Pool::new(Reach::new(&remote, Duration::from_secs(9)).unwrap())))
    }

    async fn post(pool: &Arc<Pool>, body: impl Into<Bytes>) -> Result<(u16, Bytes), Unreached> {
        let mut exchange = pool.send(Ask::new(&Method::POST, "/").with(body.into())).await?;
        let body = exchange.whole(1 << 20).await.map_err(Unreached::Broken)?;
        Ok((exchange.status.as_u16(), body.unwrap()))
    }

    /// Hears a request without its body, and answers it.
    async fn answer(stream: &mut TcpStream, with: &str) {
        let mut came = Vec::new();
        while !came.windows(4).any(|part| part == b"\r\n\r\n") {
            assert!(stream.read_buf(&mut came).await.unwrap() > 0);
        }
        stream.write_all(with.as_bytes()).await.unwrap();
    }

    #[tokio::test]
    async fn a_connection_is_used_again_until_the_server_closes_it() {
        let (listener, pool) = server().await;
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            answer(&mut stream, SHORT).await;
            answer(&mut stream, "HTTP/1.1 202 Ok\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n")
                .await;
            drop(stream);
            let (mut stream, _) = listener.accept().await.unwrap();
            answer(&mut stream, SHORT).await;
        });
        assert_eq!(post(&pool, "").await.unwrap(), (200, Bytes::from("{}")));
        assert_eq!(post(&pool, "").await.unwrap(), (202, Bytes::from("[]")));
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(post(&pool, "").await.unwrap(), (200, Bytes::from("{}")), "over a new connection");
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn what_nobody_asked_for_ends_a_connection() {
        let (listener, pool) = server().await;
        let serving = tokio::spawn(async move {
            for with in [format!("{SHORT}{SHORT}"), SHORT.replace("OK", "OK\r\nconnection: close")] {
                let (mut stream, _) = listener.accept().await.unwrap();
                answer(&mut stream, &with).await;
                assert_eq!(stream.read_u8().await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            }
        });
        assert_eq!(post(&pool, "").await.unwrap().0, 200);
        assert_eq!(post(&pool, "").await.unwrap().0, 200);
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_server_that_does_not_wait_for_the_body_is_heard() {
        let (listener, pool) = server().await;
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            answer(&mut stream, "HTTP/1.1 413 Large\r\ncontent-length: 2\r\n\r\nno").await;
            // It never reads the rest, of which there is more than the two systems hold.
            tokio::time::sleep(Duration::from_millis(200)).await;
        });
        assert_eq!(post(&pool, vec![b'a'; 32 << 20]).await.unwrap(), (413, Bytes::from("no")));
        serving.await.unwrap();
        assert!(pool.idle.lock().unwrap().is_empty(), "nobody knows how far it has read");
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_told_from_one_that_ends() {
        let (listener, pool) = server().await;
        let serving = tokio::spawn(async move {
            for with in [
                "HTTP/1.1 200 OK\r\n\r\nall of it",
                "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nall",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nall\r\n",
                "HTTP/1.1 200",
                "220 mail.example ESMTP\r\n",
            ] {
                let (mut stream, _) = listener.accept().await.unwrap();
                answer(&mut stream, with).await;
            }
        });
        assert_eq!(post(&pool, "").await.unwrap(), (200, Bytes::from("all of it")));
        for _ in 0..4 {
            assert!(matches!(post(&pool, "").await, Err(Unreached::Broken(_))));
        }
        serving.await.unwrap();
    }
}
