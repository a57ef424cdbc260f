//! The HTTP side: which path, which method, who may come in, which era.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::{
    ALLOW, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN,
    WWW_AUTHENTICATE,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sha2::{Digest, Sha256};

use super::body::Body;
use super::telling::{empty, fault, json};
use super::{legacy, modern};
use crate::gate::Gate;
use crate::settings::Access;
use crate::upstream::Upstream;
use crate::version;
use crate::wire::{Fault, Field, Message, Reading, headers, read};

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

/// Answers a request.
pub(crate) async fn serve(gate: Arc<Gate>, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path();
    if let Some(response) = about_itself(&gate, path) {
        return response;
    }
    if let Err(status) = check_place(&gate, request.headers()) {
        return empty(status);
    }
    let target = match path.trim_end_matches('/') {
        "/mcp" => Target::All,
        "/mcp/router" => Target::Router,
        other => match other.strip_prefix("/mcp/").and_then(|name| gate.upstream(name)) {
            Some(upstream) => Target::One(Arc::clone(upstream)),
            None => return empty(StatusCode::NOT_FOUND),
        },
    };
    if !is_let_in(&gate.settings.access, request.headers()) {
        gate.metrics.turned_away();
        let mut response = empty(StatusCode::UNAUTHORIZED);
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    }
    match *request.method() {
        Method::POST => post(&gate, target, request).await,
        Method::GET => legacy::get(&gate, target, request.headers()).await,
        Method::DELETE => legacy::delete(&gate, target, request.headers()).await,
        _ => {
            let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
            response
        }
    }
}

/// What a service manager, a load balancer and Prometheus ask; nothing an agent or a server said is in it.
fn about_itself(gate: &Gate, path: &str) -> Option<Response<Body>> {
    let is_draining = *gate.stop.borrow();
    let status = |text: &'static str, status| json(Bytes::from_static(text.as_bytes()), status);
    match path {
        "/healthz" => Some(status(r#"{"status":"ok"}"#, StatusCode::OK)),
        "/readyz" if is_draining => Some(status(r#"{"status":"draining"}"#, StatusCode::SERVICE_UNAVAILABLE)),
        "/readyz" => Some(status(r#"{"status":"ok"}"#, StatusCode::OK)),
        "/metrics" => {
            let page = gate.metrics.page(gate.session_count());
            let mut response = json(Bytes::from(page), StatusCode::OK);
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            Some(response)
        }
        _ => None,
    }
}

async fn post(gate: &Arc<Gate>, target: Target, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let media = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A browser asks before it sends this type to a stranger; it does not for others.
    if media.split(';').next().unwrap_or_default().trim() != "application/json" {
        return empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let limits = gate.settings.limits.message;
    let reading = match whole(gate, &parts.headers, body).await.and_then(|bytes| read(bytes, limits)) {
        Ok(reading) => reading,
        Err(refusal) => return fault(&refusal, None),
    };
    match reading {
        Reading::One(message) if is_modern(&parts.headers, &message) => {
            modern::post(gate, target, Some(&parts.headers), message).await
        }
        reading => legacy::post(gate, target, &parts.headers, reading).await,
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

/// The body, as long as it comes within the limits of size and time.
async fn whole(gate: &Gate, headers: &HeaderMap, mut body: Incoming) -> Result<Bytes, Fault> {
    let most = gate.settings.limits.message.bytes;
    let said = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    if said.is_some_and(|said| said > u64::from(most)) {
        return Err(Fault::too_large(most));
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    loop {
        let late = |_| Fault::invalid("The request did not arrive in time").with_status(408);
        let frame = tokio::time::timeout(gate.settings.timing.request, body.frame()).await.map_err(late)?;
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

/// A page in a browser may not reach us under a name its author chose.
fn check_place(gate: &Gate, headers: &HeaderMap) -> Result<(), StatusCode> {
    let text = |value: &'_ HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    let host = headers.get(HOST).map(text).ok_or(StatusCode::BAD_REQUEST)?;
    let settings = &gate.settings;
    let is_ours = is_loopback(&host)
        || settings.hosts.iter().any(|known| *known == host || *known == without_port(&host))
        || without_port(&host) == settings.listen.ip().to_string();
    let origin = headers.get(ORIGIN).map(text);
    let is_welcome = origin.is_none_or(|origin| {
        let (_, rest) = origin.split_once("://").unwrap_or_default();
        is_loopback(rest) || settings.origins.contains(&origin)
    });
    if is_ours && is_welcome { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
}

fn is_loopback(host: &str) -> bool {
    matches!(without_port(host), "localhost" | "127.0.0.1" | "[::1]")
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether the request shows a token. Hashes are compared, so that the time it takes says nothing about the token.
fn is_let_in(access: &Access, headers: &HeaderMap) -> bool {
    let Access::Tokens(tokens) = access else { return true };
    let shown = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let shown = shown.or_else(|| headers.get("x-api-key").and_then(|value| value.to_str().ok()));
    let Some(shown) = shown else { return false };
    let shown = Sha256::digest(shown.trim().as_bytes());
    tokens.iter().any(|token| Sha256::digest(token.as_bytes()) == shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_loopback_are_ours() {
        for (host, expected) in [
            ("localhost:3000", true),
            ("127.0.0.1", true),
            ("[::1]:80", true),
            ("[::1]", true),
            ("evil.example.com", false),
            ("localhost.evil.com:80", false),
            ("127.0.0.1.evil.com", false),
            ("localhost:80@evil.com", false),
            ("", false),
        ] {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }

    #[test]
    fn a_token_opens_and_nothing_else_does() {
        let access = Access::Tokens(vec!["secret".into()]);
        let with =
            |value: &str| HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
        assert!(is_let_in(&access, &with("Bearer secret")));
        assert!(!is_let_in(&access, &with("Bearer secret2")));
        assert!(!is_let_in(&access, &with("Basic secret")));
        assert!(!is_let_in(&access, &HeaderMap::new()));
        assert!(is_let_in(&Access::Open, &HeaderMap::new()));
    }
}
