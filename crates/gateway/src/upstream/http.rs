//! A server over streamable HTTP: a client's own session, single requests, or a session of ours.

mod asking;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, TRANSFER_ENCODING,
    WWW_AUTHENTICATE,
};
use http::{Method, StatusCode};
use serde_json::json;

use super::in_flight::{Flight, InFlight};
use super::link::Caller;
use super::opening::{self, Opening};
use super::pause::Known;
use super::pool::{Exchange, Pool};
use super::reach::{self, Reach};
use super::reply::{Renamed, Replies, answer_of};
use super::trouble::{late, not_let_in, said, unreached};
use crate::GatewayError;
use crate::patience::Deadlines;
use crate::settings::{Credential, Limits, Remote, Timing};
use crate::wire::answer::Fields;
use crate::wire::{Fault, Field, Kind, Message, Reading, headers, read};

/// A client's session with the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) id: Option<HeaderValue>,
    pub(crate) version: Option<HeaderValue>,
}

/// A server over HTTP.
pub(crate) struct Http {
    pool: Arc<Pool>,
    remote: Remote,
    /// What every request is addressed to.
    target: String,
    /// What every request says, whatever it asks for.
    always: Vec<(HeaderName, HeaderValue)>,
    /// What every message begins with that adds nothing of these names, and the names.
    usual: Bytes,
    usual_names: Vec<HeaderName>,
    limits: Limits,
    timing: Timing,
    deadlines: Deadlines,
    next: AtomicU64,
    /// Whether it speaks the revision without sessions, once that was asked.
    modern: tokio::sync::Mutex<Known<Option<Arc<Opening>>>>,
    /// A session of ours, for callers that have none.
    own: tokio::sync::Mutex<Known<Arc<Own>>>,
    /// Calls in that session.
    pub(super) in_flight: InFlight,
}

/// How long at most nobody asks a server that failed: short, because it may be back any moment and asking is cheap.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

struct Own {
    session: Session,
    opening: Arc<Opening>,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

impl Http {
    pub(crate) fn new(mut remote: Remote, limits: Limits, timing: Timing) -> Result<Http, GatewayError> {
        // How a request ends is not the operator's to say.
        remote.headers.retain(|(name, _)| ![CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(name));
        let pool = Arc::new(Pool::new(Reach::new(&remote, timing.connect)?));
        let is_read_by_proxy = pool.reach().is_read_by_proxy();
        let target = if is_read_by_proxy { remote.url.to_string() } else { reach::path(&remote.url) };
        let always = reach::always(&remote, is_read_by_proxy);
        let usual_names =
            [CONTENT_TYPE].iter().chain(always.iter().chain(&remote.headers).map(|(name, _)| name));
        let usual_names = usual_names.cloned().collect();
        let (usual, modern, own, in_flight) = Default::default();
        let mut http = Http {
            pool,
            remote,
            target,
            always,
            usual,
            usual_names,
            limits,
            timing,
            deadlines: Deadlines::default(),
            next: AtomicU64::new(1),
            modern,
            own,
            in_flight,
        };
        http.usual = http.asked_anew(&Method::POST, &[], None).begun();
        Ok(http)
    }

    /// A message of a client with a session.
    pub(crate) async fn in_session(
        &self,
        message: &Message,
        session: &Session,
        silence: Duration,
    ) -> Result<Replies, Fault> {
        let exchange = self.post(message.bytes().clone(), &session.headers(), silence).await?;
        self.replies(exchange, silence).await
    }

    /// A message that stands alone.
    pub(crate) async fn stateless(
        &self,
        message: &Message,
        extra: &[(HeaderName, HeaderValue)],
        silence: Duration,
    ) -> Result<Replies, Fault> {
        let exchange = self.post(message.bytes().clone(), extra, silence).await?;
        self.replies(exchange, silence).await
    }

    /// A message of a caller without session, in a session of ours.
    pub(crate) async fn in_own_session(
        self: &Arc<Self>,
        message: &Message,
        caller: Caller,
        silence: Duration,
    ) -> Result<Replies, Fault> {
        for is_last in [false, true] {
            let own = self.own().await?;
            let (bytes, call) = match message.kind() {
                Kind::Request => {
                    let ours = self.next.fetch_add(1, Ordering::Relaxed);
                    let (bytes, renamed) = Renamed::request(message, ours);
                    let id = message.shared(Field::Id).unwrap_or_default();
                    (bytes, Some((renamed, Flight::new(self, own.session.clone(), caller, id, ours))))
                }
                Kind::Notification if message.method() == "notifications/cancelled" => {
                    match self.in_flight.cancelling(caller, message) {
                        Some(bytes) => (bytes, None),
                        None => return Ok(Replies::nothing(StatusCode::ACCEPTED)),
                    }
                }
                _ => (message.bytes().clone(), None),
            };
            let exchange = self.post(bytes, &own.session.headers(), silence).await?;
            if exchange.status == StatusCode::NOT_FOUND && own.session.id.is_some() && !is_last {
                // The server forgot our session: we open another and try once more.
                call.into_iter().for_each(|(_, mut flight)| flight.answered());
                self.forget(&own).await;
                continue;
            }
            let replies = self.replies(exchange, silence).await?;
            return Ok(match call {
                Some((renamed, flight)) => replies.renamed(renamed, flight),
                None => replies,
            });
        }
        Err(Fault::internal("The server forgets every session"))
    }

    /// Says something in a session that wants no answer; a server that cannot be reached does not hear it.
    pub(super) async fn tell(&self, bytes: Bytes, session: &Session) {
        if let Ok(exchange) = self.post(bytes, &session.headers(), self.timing.connect).await {
            // Reading what comes frees the connection.
            drop(self.replies(exchange, self.timing.connect).await);
        }
    }

    /// The stream a server speaks on without being asked.
    pub(crate) async fn listen(
        &self,
        session: &Session,
        last: Option<&HeaderValue>,
    ) -> Result<Replies, Fault> {
        let mut extra = session.headers();
        extra.extend(last.map(|last| (headers::LAST_EVENT, last.clone())));
        extra.push((ACCEPT, EVENTS));
        let exchange = self.send(Method::GET, Bytes::new(), &extra, self.timing.answer).await?;
        self.replies(exchange, Duration::MAX).await
    }

    /// The same for the session of ours.
    pub(crate) async fn listen_own(&self) -> Result<Replies, Fault> {
        let own = self.own().await?;
        self.listen(&own.session, None).await
    }

    /// The stream of the older transport.
    pub(super) async fn open_stream(&self) -> Result<Exchange, Fault> {
        let exchange = self.send(Method::GET, Bytes::new(), &[(ACCEPT, EVENTS)], self.timing.connect).await?;
        match said(exchange.status) {
            Some(fault) => Err(fault),
            None if media(&exchange.fields) == "text/event-stream" => Ok(exchange),
            None => Err(Fault::internal("The server has no stream of events at this address")),
        }
    }

    /// Posts a message of the older transport; its answer comes on the stream.
    pub(super) async fn deliver(&self, body: Bytes) -> Result<(), Fault> {
        let mut exchange = self.post(body, &[], self.timing.answer).await?;
        let status = exchange.status;
        // Reading the rest frees the connection.
        let _ = exchange.whole(1 << 16).await;
        said(status).map_or(Ok(()), Err)
    }

    /// Ends a client's session; what the server says.
    pub(crate) async fn delete(&self, session: &Session) -> Result<StatusCode, Fault> {
        let mut exchange =
            self.send(Method::DELETE, Bytes::new(), &session.headers(), self.timing.connect).await?;
        let status = exchange.status;
        // The body says nothing; reading it frees the connection, if there is an end to it.
        let _ = tokio::time::timeout(self.timing.connect, exchange.whole(1 << 16)).await;
        Ok(status)
    }

    /// What the server says of itself in the revision without sessions; `None` if it does not speak it.
    pub(crate) async fn modern(&self) -> Result<Option<Arc<Opening>>, Fault> {
        let came = Instant::now();
        let mut known = self.modern.lock().await;
        if let Some(found) = &known.found {
            return Ok(found.clone());
        }
        known.check(came)?;
        let found = self.discover().await;
        known.keep(found, LONGEST_PAUSE).cloned()
    }

    async fn discover(&self) -> Result<Option<Arc<Opening>>, Fault> {
        let message = opening::request("server/discover", &json!({ "_meta": opening::meta() }))?;
        match self.stateless(&message, &stateless_headers(&message), self.timing.connect).await {
            Ok(replies) => Ok(answer_of(replies)
                .await
                .ok()
                .and_then(|answer| opening::discovered(&answer))
                .map(Arc::new)),
            // A server that cannot be reached has said nothing about its era.
            Err(fault) if fault.status >= 500 => Err(fault),
            Err(_) => Ok(None),
        }
    }

    /// What the server says of itself when a session of ours is opened.
    pub(crate) async fn opening(&self) -> Result<Arc<Opening>, Fault> {
        Ok(Arc::clone(&self.own().await?.opening))
    }

    async fn own(&self) -> Result<Arc<Own>, Fault> {
        let came = Instant::now();
        let mut known = self.own.lock().await;
        if let Some(own) = &known.found {
            return Ok(Arc::clone(own));
        }
        known.check(came)?;
        let opened = self.open_own().await;
        known.keep(opened, LONGEST_PAUSE).cloned()
    }

    async fn open_own(&self) -> Result<Arc<Own>, Fault> {
        let silence = self.timing.answer.min(self.timing.start);
        let message = opening::initialize()?;
        let replies = self.in_session(&message, &Session::default(), silence).await?;
        let id = replies.session.clone();
        let opening = Arc::new(opening::initialized(&answer_of(replies).await?)?);
        let session = Session { id, version: Some(HeaderValue::from_static(opening.version)) };
        let told = self.post(opening::INITIALIZED, &session.headers(), silence).await?;
        drop(self.replies(told, silence).await?);
        Ok(Arc::new(Own { session, opening }))
    }

    async fn forget(&self, old: &Arc<Own>) {
        let mut known = self.own.lock().await;
        if known.found.as_ref().is_some_and(|own| Arc::ptr_eq(own, old)) {
            known.found = None;
        }
    }

    async fn post(
        &self,
        body: Bytes,
        extra: &[(HeaderName, HeaderValue)],
        silence: Duration,
    ) -> Result<Exchange, Fault> {
        self.send(Method::POST, body, extra, silence).await
    }

    async fn send(
        &self,
        method: Method,
        body: Bytes,
        extra: &[(HeaderName, HeaderValue)],
        silence: Duration,
    ) -> Result<Exchange, Fault> {
        let mut refused = None;
        for is_last in [false, true] {
            let authorization = match &self.remote.credential {
                Credential::None => None,
                Credential::Fixed(value) => Some(value.clone()),
                Credential::Renewed(tokens) => {
                    tokens.authorization(refused.as_ref()).await.map_err(not_let_in)?
                }
            };
            let request = self.request(&method, body.clone(), extra, authorization);
            let exchange = self.deadlines.within(silence, self.pool.send(request)).await;
            let exchange = exchange.ok_or_else(late)?.map_err(unreached)?;
            let is_renewed = matches!(self.remote.credential, Credential::Renewed(_));
            let is_refused = matches!(exchange.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
            if !is_refused || !is_renewed || is_last {
                return Ok(exchange);
            }
            refused =
                Some(exchange.fields.get(&WWW_AUTHENTICATE).unwrap_or(HeaderValue::from_static("Bearer")));
        }
        Err(not_let_in(String::new()))
    }

    /// What an answer holds, by its type.
    async fn replies(&self, mut exchange: Exchange, silence: Duration) -> Result<Replies, Fault> {
        let session = exchange.fields.get(&headers::SESSION);
        let limits = self.limits.message;
        let status = exchange.status;
        let mut replies = match media(&exchange.fields) {
            "text/event-stream" if status.is_success() => Replies::events(exchange, silence, limits),
            "application/json" => {
                let broken = |_| Fault::internal("The connection to the server broke");
                let body = self.deadlines.within(silence, exchange.whole(limits.bytes)).await;
                let body = body.ok_or_else(late)?.map_err(broken)?;
                let body = body.ok_or_else(|| Fault { status: 502, ..Fault::too_large(limits.bytes) })?;
                let is_empty = body.is_empty();
                let invalid = |fault: Fault| {
                    said(status).unwrap_or_else(|| {
                        Fault::internal(format!("The server sent no valid message: {}", fault.message))
                    })
                };
                match read(body, limits).map_err(invalid) {
                    // Some servers name a type where they have nothing to say.
                    Err(_) if is_empty && status.is_success() => Replies::nothing(status),
                    Err(fault) => return Err(fault),
                    Ok(Reading::One(message)) => Replies::whole(status, vec![message]),
                    Ok(Reading::Batch(messages)) => Replies::whole(status, messages),
                }
            }
            _ => {
                // Reading the rest frees the connection, if there is an end to it.
                let _ = tokio::time::timeout(self.timing.connect, exchange.whole(1 << 16)).await;
                match said(status) {
                    Some(fault) => return Err(fault),
                    None => Replies::nothing(status),
                }
            }
        };
        replies.session = session;
        Ok(replies)
    }
}

impl Session {
    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let id = self.id.iter().map(|id| (headers::SESSION, id.clone()));
        id.chain(self.version.iter().map(|version| (headers::VERSION, version.clone()))).collect()
    }
}

/// The headers of a request of our own that stands alone.
pub(crate) fn stateless_headers(message: &Message) -> Vec<(HeaderName, HeaderValue)> {
    let mut all = headers::required(message, &[]);
    all.push((headers::VERSION, HeaderValue::from_static(crate::version::MODERN)));
    all
}

fn media(fields: &Fields) -> &str {
    let value = fields.text(&CONTENT_TYPE).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}
