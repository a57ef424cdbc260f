//! The HTTP side: which path, which method, who may come in, which era.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::body::Body;
use super::place::Place;
use super::telling::{empty, fault, json};
use super::{legacy, modern, relay};
use crate::api::{self, BASE, Role};
use crate::dashboard;
use crate::gate::Gate;
use crate::judge::Who;
use crate::metrics::Now;
use crate::settings::Access;
use crate::ticket::Shown;
use crate::upstream::Upstream;
use crate::version;
use crate::wire::{Fault, Field, Message, Reading, headers, read};

/// Said to whoever comes under a name that is not ours; an operator who chose the name reads what to do.
const ELSEWHERE: &str = r#"{"error":"This gateway is not called so here, or not by this page: its operator can list names in `hosts` and pages in `origins`"}"#;

/// What a path addresses.
#[derive(Clone)]
pub(crate) enum Target {
    /// One server, as it is.
    One(Arc<Upstream>),
    /// All servers as one.
    All,
    /// A search for the tools of all servers.
    Router,
}

/// What is known of a connection.
#[derive(Default)]
pub(crate) struct Seen {
    /// The session it showed last.
    shown: Shown,
    /// The other node it belongs to once it is answered.
    pub(crate) kept: relay::Kept,
}

/// Answers a request of a connection that arrived at this address.
pub(crate) async fn serve(
    gate: &Arc<Gate>,
    seen: &Seen,
    arrival: SocketAddr,
    request: Request<Incoming>,
) -> Response<Body> {
    let path = request.uri().path();
    let (hosts, origins) = (&gate.settings.hosts, &gate.settings.origins);
    let place = Place { arrival, hosts, origins, is_tls: gate.settings.tls.is_some() };
    if let Err(status) = place.check(request.uri(), request.headers()) {
        return json(Bytes::from_static(ELSEWHERE.as_bytes()), status);
    }
    if let Some(response) = about_itself(gate, path).await {
        return response;
    }
    if *gate.stop.borrow() {
        return empty(StatusCode::SERVICE_UNAVAILABLE);
    }
    if relay::is_meant(path) {
        return Box::pin(relay::admit(gate, &seen.kept, request)).await;
    }
    if path.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Box::pin(api::http::serve(gate, request)).await;
    }
    if path != "/mcp" && !path.starts_with("/mcp/") {
        return Box::pin(dashboard::serve(gate, request)).await;
    }
    let target = match path.trim_end_matches('/') {
        "/mcp" => Target::All,
        "/mcp/router" => Target::Router,
        other => match other.strip_prefix("/mcp/").and_then(|name| gate.upstream(name)) {
            Some(upstream) => Target::One(upstream),
            None => return empty(StatusCode::NOT_FOUND),
        },
    };
    let Some(who) = caller(gate, request.headers()) else {
        gate.metrics.turned_away();
        let mut response = empty(StatusCode::UNAUTHORIZED);
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    };
    match *request.method() {
        Method::POST => post(gate, &seen.shown, target, &who, request).await,
        // Boxed, as everything rare here is: a future is as large as its largest part and is moved for every request.
        Method::GET => Box::pin(legacy::get(gate, &seen.shown, target, request.headers())).await,
        Method::DELETE => Box::pin(legacy::delete(gate, &seen.shown, target, request.headers())).await,
        _ => {
            let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
            response
        }
    }
}

/// What a service manager, a load balancer and Prometheus ask; nothing an agent or a server said is in it.
async fn about_itself(gate: &Arc<Gate>, path: &str) -> Option<Response<Body>> {
    let say = |text: &'static str, status| Some(json(Bytes::from_static(text.as_bytes()), status));
    match path {
        "/healthz" => say(r#"{"status":"ok"}"#, StatusCode::OK),
        "/readyz" if *gate.stop.borrow() => say(r#"{"status":"draining"}"#, StatusCode::SERVICE_UNAVAILABLE),
        "/readyz" if !can_record(gate).await => {
            say(r#"{"status":"calls cannot be recorded"}"#, StatusCode::SERVICE_UNAVAILABLE)
        }
        "/readyz" => say(r#"{"status":"ok"}"#, StatusCode::OK),
        "/metrics" => {
            let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
            let (flows, flow_bytes) = (gate.judge.flows.count(), gate.judge.flows.bytes());
            let leases = gate.nodes.as_ref().map_or(0, |nodes| nodes.count());
            let now = Now { sessions: gate.session_count(), tasks, flows, flow_bytes, leases };
            let page = gate.metrics.page(now);
            let mut response = json(Bytes::from(page), StatusCode::OK);
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            Some(response)
        }
        _ => None,
    }
}

/// Whether a call would be refused for want of a record. After a failure the store is tried again when somebody asks.
async fn can_record(gate: &Arc<Gate>) -> bool {
    if gate.settings.passes_unrecorded || gate.is_recording.load(Ordering::Relaxed) {
        return true;
    }
    let store = Arc::clone(&gate.settings.store);
    let is_back =
        tokio::task::spawn_blocking(move || store.flush()).await.is_ok_and(|flushed| flushed.is_ok());
    gate.is_recording.store(is_back, Ordering::Relaxed);
    is_back
}

async fn post(
    gate: &Arc<Gate>,
    shown: &Shown,
    target: Target,
    who: &Who,
    request: Request<Incoming>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let media = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A browser asks before it sends this type to a stranger; it does not for others.
    if media.split(';').next().unwrap_or_default().trim() != "application/json" {
        return empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let limits = gate.settings.limits.message;
    let reading =
        match whole(gate, &parts.headers, body, limits.bytes).await.and_then(|bytes| read(bytes, limits)) {
            Ok(reading) => reading,
            Err(refusal) => return fault(&refusal, None),
        };
    match reading {
        Reading::One(message) if is_modern(&parts.headers, &message) => {
            modern::post(gate, target, who, Some(&parts.headers), message).await
        }
        reading => legacy::post(gate, shown, target, who, &parts.headers, reading).await,
    }
}

/// A request says its revision itself, or it belongs to a session that was opened before.
fn is_modern(all: &HeaderMap, message: &Message) -> bool {
    let said = all.get(&headers::VERSION).map(HeaderValue::as_bytes);
    let is_known = said.is_some_and(|said| version::LEGACY.iter().any(|known| known.as_bytes() == said));
    message.has(Field::MetaVersion)
        || said == Some(version::MODERN.as_bytes())
        || (said.is_some()
            && !is_known
            && !all.contains_key(&headers::SESSION)
            && message.method() != "initialize")
}

/// The slowest a body may come once its time is over, in bytes a second: slow lines pass, a byte now and then does not.
const SLOWEST: u64 = 16 << 10;

/// The body, as long as it comes within the limits of size and time.
pub(crate) async fn whole(
    gate: &Gate,
    headers: &HeaderMap,
    mut body: Incoming,
    most: u32,
) -> Result<Bytes, Fault> {
    let said = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    if said.is_some_and(|said| said > u64::from(most)) {
        return Err(Fault::too_large(most));
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    let until = Instant::now() + gate.settings.timing.request;
    loop {
        let late = |_| Fault::invalid("The request did not arrive in time").with_status(408);
        let earned = Duration::from_micros((all.len() + first.len()) as u64 * 1_000_000 / SLOWEST);
        let frame = tokio::time::timeout_at(until + earned, body.frame()).await.map_err(late)?;
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|_| Fault::parse("The request broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        if all.len() + first.len() + data.len() > most as usize {
            return Err(Fault::too_large(most));
        }
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.reserve(first.len() + data.len());
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// What somebody is called who needs no token, or shows the one of the configuration.
const ANYBODY: &str = "agent";

/// Who calls, by the token it shows; `None` if it may not. Hashes are compared, so that the time it takes says nothing
/// about the token.
fn caller(gate: &Gate, headers: &HeaderMap) -> Option<Who> {
    let Access::Tokens(tokens) = &gate.settings.access else { return Some(Who::named(ANYBODY)) };
    let shown = api::http::shown(headers)?;
    let hash = Sha256::digest(shown.as_bytes());
    if tokens.iter().any(|token| Sha256::digest(token.as_bytes()) == hash) {
        return Some(Who::known(ANYBODY, "token", &hash));
    }
    let known = tokio::task::block_in_place(|| gate.tokens.principal(shown)).ok()??;
    known.role.may(Role::Agent).then(|| Who::known(&known.name, "token", &hash))
}
