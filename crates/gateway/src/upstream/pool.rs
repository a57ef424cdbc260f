//! Pooled connections to one server. The task that makes a request drives its connection too, so that a call crosses
//! no other task on its way.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::reach::{Reach, Stream};

/// Connections kept for the next request; more than this many at a time are rare, and cost little to make.
const MOST_IDLE: usize = 64;

/// Connections to one server.
pub(crate) struct Pool {
    reach: Reach,
    idle: Mutex<Vec<Line>>,
}

/// One connection.
struct Line {
    sender: SendRequest<Full<Bytes>>,
    connection: Pin<Box<Connection<TokioIo<Stream>, Full<Bytes>>>>,
    is_closed: bool,
}

/// An answer whose body is still to come. Dropping it before its end closes the connection, which tells the server.
pub(crate) struct Exchange {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    line: Option<Line>,
    pool: Arc<Pool>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Unreached {
    /// No connection.
    Connect(std::io::Error),
    /// The connection broke.
    Broken(hyper::Error),
}

impl Pool {
    pub(crate) fn new(reach: Reach) -> Pool {
        Pool { reach, idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(crate) async fn send(self: &Arc<Self>, request: Request<Full<Bytes>>) -> Result<Exchange, Unreached> {
        let mut request = request;
        while let Some(mut line) = self.take() {
            match line.send(request).await {
                Ok(response) => return Ok(self.exchange(response, line)),
                Err((_, Some(unsent))) => request = unsent,
                Err((error, None)) => return Err(Unreached::Broken(error)),
            }
        }
        // In a box: nearly every request finds a connection, and this is the larger part.
        Box::pin(self.send_anew(request)).await
    }

    /// Sends a request over a new connection.
    async fn send_anew(self: &Arc<Self>, request: Request<Full<Bytes>>) -> Result<Exchange, Unreached> {
        let stream = self.reach.connect().await.map_err(Unreached::Connect)?;
        let (sender, connection) =
            http1::Builder::new().handshake(TokioIo::new(stream)).await.map_err(Unreached::Broken)?;
        let mut line = Line { sender, connection: Box::pin(connection), is_closed: false };
        let response = line.send(request).await.map_err(|(error, _)| Unreached::Broken(error))?;
        Ok(self.exchange(response, line))
    }

    fn exchange(self: &Arc<Self>, response: Response<Incoming>, line: Line) -> Exchange {
        let (parts, body) = response.into_parts();
        Exchange {
            status: parts.status,
            headers: parts.headers,
            body,
            line: Some(line),
            pool: Arc::clone(self),
        }
    }

    /// A connection that is still open as far as anybody can tell.
    fn take(&self) -> Option<Line> {
        loop {
            let mut line = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            line.drive(&mut Context::from_waker(Waker::noop()));
            if !line.is_closed && line.sender.is_ready() {
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
    /// Lets the connection read and write what it can.
    fn drive(&mut self, cx: &mut Context<'_>) {
        if !self.is_closed {
            self.is_closed = self.connection.as_mut().poll(cx).is_ready();
        }
    }

    /// The answer; or why there is none, with the request if nothing of it was sent.
    async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, (hyper::Error, Option<Request<Full<Bytes>>>)> {
        let mut response = std::pin::pin!(self.sender.try_send_request(request));
        let (connection, is_closed) = (&mut self.connection, &mut self.is_closed);
        let sent = poll_fn(|cx| {
            if !*is_closed {
                *is_closed = connection.as_mut().poll(cx).is_ready();
            }
            response.as_mut().poll(cx)
        });
        sent.await.map_err(|mut error| {
            let unsent = error.take_message();
            (error.into_error(), unsent)
        })
    }
}

impl Exchange {
    /// The next piece of the body; after the last, the connection is free for others.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, hyper::Error> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, hyper::Error>> {
        loop {
            let Some(line) = &mut self.line else { return Poll::Ready(Ok(None)) };
            line.drive(cx);
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data()
                        && !data.is_empty()
                    {
                        return Poll::Ready(Ok(Some(data)));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    self.line = None;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => {
                    self.finish();
                    return Poll::Ready(Ok(None));
                }
            }
        }
    }

    fn finish(&mut self) {
        let Some(mut line) = self.line.take() else { return };
        line.drive(&mut Context::from_waker(Waker::noop()));
        if !line.is_closed && line.sender.is_ready() {
            self.pool.put(line);
        }
    }

    /// The whole body, at most so many bytes of it; `None` if there are more.
    pub(crate) async fn whole(&mut self, most: u32) -> Result<Option<Bytes>, hyper::Error> {
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
