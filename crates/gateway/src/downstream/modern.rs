//! Clients of 2026-07-28: every request stands alone and says everything about itself.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use portcullis_decide::Standing;

use super::body::Body;
use super::http::Target;
use super::telling::{code_status, empty, fault, respond_walk};
use crate::bridge::old_server;
use crate::gate::Gate;
use crate::session::walk;
use crate::upstream::reply::Reply;
use crate::upstream::{Lane, Outgoing, Route, Upstream};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, headers};

/// Methods of the revisions with `initialize` that this one does not have.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// A message of a client.
pub(crate) async fn post(
    gate: &Arc<Gate>,
    target: Target,
    all: &HeaderMap,
    message: Message,
) -> Response<Body> {
    match message.kind() {
        Kind::Request => {}
        Kind::Notification => return empty(StatusCode::ACCEPTED),
        Kind::Response | Kind::Error => {
            return fault(&Fault::invalid("Answers have no place in this revision"), message.id());
        }
    }
    if let Err(refusal) = check(all, &message) {
        return fault(&refusal, message.id());
    }
    match target {
        Target::One(upstream) => one(gate, &upstream, all, message).await,
        Target::All => super::all::modern_post(gate, all, message).await,
    }
}

/// What the revision asks of every request.
fn check(all: &HeaderMap, message: &Message) -> Result<(), Fault> {
    let version = message.text(Field::MetaVersion);
    let version =
        version.ok_or_else(|| Fault::params("_meta must name io.modelcontextprotocol/protocolVersion"))?;
    let can = message.raw(Field::MetaClientCapabilities);
    if can.is_none_or(|can| !can.starts_with(b"{")) {
        return Err(Fault::params("_meta must name io.modelcontextprotocol/clientCapabilities"));
    }
    headers::check_version(all, &version)?;
    if version != version::MODERN {
        return Err(Fault::unsupported_version(&version, &[version::MODERN]));
    }
    headers::check(all, message, &[])?;
    if REMOVED.contains(&&*message.method()) {
        return Err(Fault::no_method(&message.method()));
    }
    Ok(())
}

/// A request to one server.
pub(crate) async fn one(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    all: &HeaderMap,
    message: Message,
) -> Response<Body> {
    let id = message.shared(Field::Id);
    let tool = message.text(Field::Name).unwrap_or_default().into_owned();
    if let Err(refusal) = headers::check(all, &message, &upstream.mirrored(&tool)) {
        return fault(&refusal, id.as_deref());
    }
    match upstream.modern().await {
        Ok(Some(_)) => {}
        Ok(None) => return older(gate, upstream, message).await,
        Err(refusal) => return fault(&refusal, id.as_deref()),
    }
    let dress = if matches!(upstream.route, Route::Child(_)) { private_with_status } else { private };
    let outgoing = Outgoing { message, lane: Lane::Stateless(passed_on(all)) };
    match walk(gate, upstream, outgoing, Standing::Exposed, "").await {
        Ok(walk) => respond_walk(gate, walk, id, dress).await,
        Err(refusal) => fault(&refusal, id.as_deref()),
    }
}

/// A request to a server of the revisions with `initialize`.
async fn older(gate: &Arc<Gate>, upstream: &Arc<Upstream>, message: Message) -> Response<Body> {
    match upstream.legacy().await {
        Ok(Some(opening)) => old_server::post(gate, upstream, &opening, message).await,
        Ok(None) => fault(&Fault::internal("The server speaks no revision we know"), message.id()),
        Err(refusal) => fault(&refusal, message.id()),
    }
}

/// The headers that belong to the request itself. A client's credential is not among them.
fn passed_on(all: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let is_passed = |name: &HeaderName| {
        [headers::VERSION, headers::METHOD, headers::NAME].contains(name)
            || name.as_str().starts_with(headers::PARAM)
    };
    all.iter()
        .filter(|(name, _)| is_passed(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The same for a server that has no HTTP, and no status of its own.
fn private_with_status(reply: &mut Reply) {
    reply.status = code_status(&reply.message);
    private(reply);
}

/// What passed the gate was judged for one client: nobody may keep it for others.
pub(crate) fn private(reply: &mut Reply) {
    if reply.message.text(Field::CacheScope).is_some_and(|scope| scope == "public") {
        reply.replace(reply.message.place(Field::CacheScope), Bytes::from_static(b"\"private\""));
    }
}
