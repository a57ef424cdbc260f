//! From a connection to an answer: who asks, how often, in which form; every answer in one envelope.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tracing::error;

use super::{Answer, Asked, BASE, Principal, Refused};
use crate::downstream::body::{Body, Told, Work};
use crate::downstream::http::whole;
use crate::downstream::telling::{json as json_response, listening};
use crate::gate::Gate;

/// A body of a request.
const MOST_BYTES: u32 = 1 << 20;
/// Requests one principal may make at once, and how many of them come back each second.
const BURST: f64 = 200.0;
const EACH_SECOND: f64 = 50.0;
/// The same for requests without a token that opens anything, all together.
const STRANGERS: (f64, f64) = (30.0, 1.0);
/// Principals whose requests are counted.
const MOST_COUNTED: usize = 4096;
const KEY: HeaderName = HeaderName::from_static("x-api-key");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Answers a request whose path is below the base.
pub(crate) async fn serve(gate: &Arc<Gate>, request: Request<Incoming>) -> Response<Body> {
    let id = request_id();
    let answer = match principal(gate, request.headers()) {
        Ok(who) => answered(gate, who, request).await,
        Err(refused) => Err(refused),
    };
    told(gate, answer, &id)
}

/// Answers a request of somebody who needs to show nothing.
pub(crate) async fn serve_as(gate: &Arc<Gate>, who: Principal, request: Request<Incoming>) -> Response<Body> {
    let id = request_id();
    let answer = answered(gate, who, request).await;
    told(gate, answer, &id)
}

fn told(gate: &Arc<Gate>, answer: Result<Answer, Refused>, id: &str) -> Response<Body> {
    let mut response = match answer {
        Ok(Answer::Data(data)) => {
            envelope(StatusCode::OK, &json!({ "success": true, "data": data, "request_id": id }))
        }
        Ok(Answer::Text(media, bytes)) => {
            let mut response = json_response(bytes, StatusCode::OK);
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
            response
        }
        Ok(Answer::Feed(feed)) => listening(gate, fed(feed), None),
        Err(refused) => {
            if refused.status.is_server_error() {
                error!(request = id, why = refused.message, "a request to the API failed");
            }
            refusal(&refused, id)
        }
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REQUEST_ID, HeaderValue::from_str(id).unwrap_or(HeaderValue::from_static("")));
    response
}

async fn answered(gate: &Arc<Gate>, who: Principal, request: Request<Incoming>) -> Result<Answer, Refused> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().strip_prefix(BASE).unwrap_or_default().to_owned();
    let is_change = !matches!(parts.method, Method::GET | Method::HEAD);
    // A browser asks before it sends this type to a stranger; it does not for others.
    let media = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if is_change && media.split(';').next().unwrap_or_default().trim() != "application/json" {
        let message = "A change is sent as content type application/json";
        return Err(Refused::status(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let status = |fault: crate::wire::Fault| {
        Refused::status(StatusCode::from_u16(fault.status).unwrap_or(StatusCode::BAD_REQUEST), fault.message)
    };
    let body = whole(gate, &parts.headers, body, MOST_BYTES).await.map_err(status)?;
    let query = parts.uri.query().unwrap_or_default();
    super::answer(gate, Asked::new(parts.method, &path, query, body, who)).await
}

/// Whether somebody who is known, or a stranger, may ask now.
pub(crate) fn may_ask(gate: &Gate, known: Option<&Principal>) -> bool {
    let (name, (burst, each_second)) = match known {
        Some(who) => (&*who.name, (BURST, EACH_SECOND)),
        None => ("", STRANGERS),
    };
    gate.rates.take(name, burst, each_second)
}

/// Who asks, if they may ask now.
fn principal(gate: &Gate, headers: &HeaderMap) -> Result<Principal, Refused> {
    let known = match shown(headers) {
        None => None,
        Some(token) => tokio::task::block_in_place(|| gate.tokens.principal(token))?,
    };
    if !may_ask(gate, known.as_ref()) {
        return Err(Refused::status(StatusCode::TOO_MANY_REQUESTS, "Too many requests: wait a little"));
    }
    known.ok_or_else(|| {
        gate.metrics.turned_away();
        Refused::status(StatusCode::UNAUTHORIZED, "Show a token: Authorization: Bearer, or X-API-Key")
    })
}

/// The token a request shows.
pub(crate) fn shown(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
    bearer.or_else(|| headers.get(KEY).and_then(|value| value.to_str().ok())).map(str::trim)
}

fn refusal(refused: &Refused, id: &str) -> Response<Body> {
    let value = json!({ "success": false, "error": refused.message, "request_id": id });
    let mut response = envelope(refused.status, &value);
    match refused.status {
        StatusCode::UNAUTHORIZED => {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::TOO_MANY_REQUESTS => {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
        }
        _ => {}
    }
    response
}

fn envelope(status: StatusCode, value: &Value) -> Response<Body> {
    json_response(Bytes::from(ascii(value)), status)
}

/// JSON in ASCII: what cannot be seen, or would move a terminal's cursor, is an escape.
pub(crate) fn ascii(value: &Value) -> String {
    let text = value.to_string();
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => safe.push(c),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    safe.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    safe
}

fn request_id() -> String {
    let mut bytes = [0; 8];
    // An id that is not random is still an id.
    let _ = getrandom::fill(&mut bytes);
    HEXLOWER.encode(&bytes)
}

/// What happens, as work that tells it.
fn fed(mut feed: super::events::Feed) -> Work {
    Work::new(|teller| async move {
        loop {
            let line = match feed.0.recv().await {
                Ok(line) => Bytes::from(line.to_string()),
                Err(RecvError::Lagged(missed)) => {
                    Bytes::from(format!(r#"{{"event":"missed","data":{missed}}}"#))
                }
                Err(RecvError::Closed) => return,
            };
            if teller.send(Told::Other(line, None)).await.is_err() {
                return;
            }
        }
    })
}

/// How much each principal may still ask.
#[derive(Default)]
pub(crate) struct Rates(Mutex<HashMap<Box<str>, (f64, Instant)>>);

impl Rates {
    /// Takes one request from what `name` may make; `false` if nothing is left.
    fn take(&self, name: &str, burst: f64, each_second: f64) -> bool {
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= MOST_COUNTED {
            rates.clear();
        }
        let now = Instant::now();
        let (left, since) = rates.entry(name.into()).or_insert((burst, now));
        *left = (*left + since.elapsed().as_secs_f64() * each_second).min(burst);
        *since = now;
        let may = *left >= 1.0;
        *left -= f64::from(u8::from(may));
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_ascii_leaves() {
        let text = ascii(&json!({ "a\u{202e}": "\u{1b}[31m\u{1f600}\u{e9}\u{7f}" }));
        assert_eq!(text, r#"{"a\u202e":"\u001b[31m\ud83d\ude00\u00e9\u007f"}"#);
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap()["a\u{202e}"],
            "\u{1b}[31m\u{1f600}\u{e9}\u{7f}"
        );
    }

    #[test]
    fn a_burst_is_followed_by_a_trickle() {
        let rates = Rates::default();
        let taken = (0..100).filter(|_| rates.take("a", 10.0, 0.001)).count();
        assert_eq!(taken, 10);
        assert!(rates.take("b", 10.0, 0.001), "others are counted apart");
    }
}
