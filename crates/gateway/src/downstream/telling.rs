//! Telling a client what came back: as one answer if it is one, else as a stream.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use tokio::sync::mpsc::error::SendError;

use super::body::{Body, Teller, Told, Work};
use crate::gate::Gate;
use crate::news::Listener;
use crate::quarantine::answer::is_ours;
use crate::session::{Telling, Walk, own};
use crate::upstream::reply::{Item, Reply};
use crate::wire::{Fault, Field, Message};

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Whole(None));
    *response.status_mut() = status;
    response
}

/// One JSON text.
pub(crate) fn json(bytes: Bytes, status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::whole(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An answer with this result.
pub(crate) fn answer(id: Option<&[u8]>, result: &[u8], gate: &Gate) -> Result<Message, Fault> {
    let parts = [b"{\"jsonrpc\":\"2.0\",\"id\":", id.unwrap_or(b"null"), b",\"result\":", result, b"}"];
    Message::one(Bytes::from(parts.concat()), gate.settings.limits.message)
}

/// The answer to a request that has nothing to say.
pub(crate) fn done(gate: &Gate, id: Option<&[u8]>) -> Response<Body> {
    match answer(id, b"{}", gate) {
        Ok(answer) => json(answer.into_bytes(), StatusCode::OK),
        Err(refusal) => fault(&refusal, id),
    }
}

/// The status 2026-07-28 wants for an error that came from a server without HTTP of its own.
pub(crate) fn code_status(answer: &Message) -> Option<StatusCode> {
    match answer.raw(Field::ErrorCode)? {
        b"-32601" => Some(StatusCode::NOT_FOUND),
        b"-32020" | b"-32021" | b"-32022" => Some(StatusCode::BAD_REQUEST),
        _ => None,
    }
}

/// A refusal. Failures behind us are the protocol's to tell, not HTTP's: clients take a status of 500 for the end.
pub(crate) fn fault(fault: &Fault, id: Option<&[u8]>) -> Response<Body> {
    json(fault.answer(id), status_of(fault))
}

pub(crate) fn status_of(fault: &Fault) -> StatusCode {
    let status = if fault.status >= 500 { 200 } else { fault.status };
    StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST)
}

/// Work as an answer: what it tells first decides whether it is one text or a stream.
pub(crate) async fn respond(gate: &Arc<Gate>, mut work: Work, is_stream: bool) -> Response<Body> {
    if is_stream {
        return stream(gate, work, None);
    }
    match work.next().await {
        None => empty(StatusCode::ACCEPTED),
        Some(Told::Answer(bytes, status, None)) => json(bytes, status),
        Some(first) => stream(gate, work, Some(first)),
    }
}

/// Everything a walk yields, as an answer.
pub(crate) async fn respond_walk<D>(
    gate: &Arc<Gate>,
    mut walk: Walk,
    id: Option<Bytes>,
    mut dress: D,
) -> Response<Body>
where
    D: FnMut(&mut Reply) + Send + 'static,
{
    let status = walk.status();
    if !walk.is_whole() {
        let is_events = walk.is_events();
        let work =
            Work::new(|teller| async move { tell_all(&mut walk, id.as_deref(), &teller, dress).await });
        return Box::pin(respond(gate, work, is_events)).await;
    }
    // Nearly every call ends here: one answer, told as it is.
    match walk.next().await {
        Ok(None) => empty(if status.is_success() { StatusCode::ACCEPTED } else { status }),
        Err(refusal) => fault(&refusal, id.as_deref()),
        Ok(Some(telling)) => match told(telling, status, &mut dress) {
            Told::Answer(bytes, status, _) => json(bytes, status),
            first => {
                let work =
                    Work::new(
                        |teller| async move { tell_all(&mut walk, id.as_deref(), &teller, dress).await },
                    );
                stream(gate, work, Some(first))
            }
        },
    }
}

/// Work as a stream of events.
pub(crate) fn stream(gate: &Arc<Gate>, work: Work, first: Option<Told>) -> Response<Body> {
    let mut response = Response::new(Body::events(work, first, gate.settings.timing.keep_alive));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Work that only listens, as a stream that ends when the gateway stops.
pub(crate) fn listening(gate: &Arc<Gate>, work: Work, first: Option<Told>) -> Response<Body> {
    let mut stopping = gate.stop.subscribe();
    let stopped = async move { drop(stopping.wait_for(|is_stopping| *is_stopping).await) };
    stream(gate, work, first).map(|body| body.until(stopped))
}

/// Tells on another stream what an answer holds; an error if nobody listens any more.
pub(crate) async fn retell(response: Response<Body>, teller: &Teller) -> Result<(), SendError<Told>> {
    let status = response.status();
    match response.into_body() {
        Body::Whole(Some(bytes)) => teller.send(Told::Answer(bytes, status, None)).await,
        Body::Whole(None) => Ok(()),
        Body::Events(mut events) => {
            while let Some(told) = events.next().await {
                teller.send(told).await?;
            }
            Ok(())
        }
    }
}

/// Tells everything a walk yields; `dress` writes anew what this client must see differently.
pub(crate) async fn tell_all(
    walk: &mut Walk,
    id: Option<&[u8]>,
    teller: &Teller,
    mut dress: impl FnMut(&mut Reply),
) {
    loop {
        let told = match walk.next().await {
            Ok(Some(telling)) => told(telling, walk.status(), &mut dress),
            Ok(None) => return,
            Err(fault) => Told::Answer(fault.answer(id), status_of(&fault), None),
        };
        let is_end = matches!(told, Told::Answer(..));
        // A client that left needs no answer.
        if teller.send(told).await.is_err() || is_end {
            return;
        }
    }
}

/// Tells what the gateway itself says of a server's lists, as long as somebody listens.
pub(crate) async fn tell_own(mut news: Listener<Message>, teller: &Teller) {
    while let Some((_, message)) = news.next().await {
        if is_ours(&message) && teller.send(told(own(message), StatusCode::OK, &mut |_| {})).await.is_err() {
            return;
        }
    }
}

/// What may be told, as it is told.
pub(crate) fn told(telling: Telling, status: StatusCode, dress: &mut impl FnMut(&mut Reply)) -> Told {
    match telling.into_message() {
        Item::Hint(event) => Told::Hint(event),
        Item::Message(mut reply) => {
            dress(&mut reply);
            let (is_answer, event) = (reply.message.is_answer(), reply.event.take());
            let status = reply.status.unwrap_or(status);
            let bytes = reply.into_bytes();
            if is_answer { Told::Answer(bytes, status, event) } else { Told::Other(bytes, event) }
        }
    }
}
