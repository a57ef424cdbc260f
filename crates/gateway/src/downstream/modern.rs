//! Clients of 2026-07-28: every request stands alone and says everything about itself.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use super::body::Body;
use super::http::Target;
use super::tasks;
use super::telling::{code_status, empty, fault, respond_walk};
use crate::bridge::old_client::stateless;
use crate::bridge::old_server;
use crate::gate::Gate;
use crate::judge::{Party, Who, waiting};
use crate::session::walk;
use crate::upstream::reply::Reply;
use crate::upstream::{Lane, Outgoing, Route, Upstream};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, headers};

/// Methods of the revisions with `initialize` that this one does not have.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// A message of a client, with the headers that came; none did if it does not speak HTTP.
pub(crate) async fn post(
    gate: &Arc<Gate>,
    target: Target,
    who: &Who,
    given: Option<&HeaderMap>,
    message: Message,
) -> Response<Body> {
    match message.kind() {
        Kind::Request => {}
        Kind::Notification => return empty(StatusCode::ACCEPTED),
        Kind::Response | Kind::Error => {
            return fault(&Fault::invalid("Answers have no place in this revision"), message.id());
        }
    }
    if let Err(refusal) = check(given, &message) {
        return fault(&refusal, message.id());
    }
    let mut party = Party::without_session(who, super::legacy::route(&target), &message);
    let id = message.shared(Field::Id);
    let message = match waiting::taken(gate, &mut party, message) {
        Ok(message) => message,
        Err(refusal) => return fault(&refusal, id.as_deref()),
    };
    match target {
        Target::One(upstream) => one(gate, &upstream, &party, given, message).await,
        Target::All => Box::pin(super::all::modern_post(gate, &party, given, message)).await,
        Target::Router => Box::pin(super::all::modern_search(gate, &party, message)).await,
    }
}

/// What the revision asks of every request.
fn check(given: Option<&HeaderMap>, message: &Message) -> Result<(), Fault> {
    let version = message.text(Field::MetaVersion);
    let version =
        version.ok_or_else(|| Fault::params("_meta must name io.modelcontextprotocol/protocolVersion"))?;
    let can = message.raw(Field::MetaClientCapabilities);
    if can.is_none_or(|can| !can.starts_with(b"{")) {
        return Err(Fault::params("_meta must name io.modelcontextprotocol/clientCapabilities"));
    }
    if let Some(given) = given {
        headers::check_version(given, &version)?;
    }
    if version != version::MODERN {
        return Err(Fault::unsupported_version(&version, &[version::MODERN]));
    }
    if let Some(given) = given {
        headers::check(given, message, &[])?;
    }
    if REMOVED.contains(&&*message.method()) {
        return Err(Fault::no_method(&message.method()));
    }
    Ok(())
}

/// A request to one server.
async fn one(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    given: Option<&HeaderMap>,
    message: Message,
) -> Response<Body> {
    send(gate, upstream, party, given, message, private).await
}

/// A request to a server that is one of several for its client.
pub(crate) async fn among_all(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    given: Option<&HeaderMap>,
    message: Message,
) -> Response<Body> {
    let (server, is_about_tasks) = (upstream.name.clone(), tasks::is_about(&message));
    let dress = move |reply: &mut Reply| {
        private(reply);
        tasks::mark(reply, server.as_str(), is_about_tasks);
    };
    send(gate, upstream, party, given, message, dress).await
}

async fn send(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    given: Option<&HeaderMap>,
    message: Message,
    mut dress: impl FnMut(&mut Reply) + Send + 'static,
) -> Response<Body> {
    let id = message.shared(Field::Id);
    let tool = message.text(Field::Name).unwrap_or_default().into_owned();
    if let Some(given) = given
        && let Err(refusal) = headers::check(given, &message, &upstream.mirrored(&tool))
    {
        return fault(&refusal, id.as_deref());
    }
    match upstream.modern().await {
        Ok(Some(_)) => {}
        Ok(None) => return Box::pin(older(gate, upstream, party, message)).await,
        Err(refusal) => return fault(&refusal, id.as_deref()),
    }
    // A server that has no HTTP has no status of its own.
    let has_status = matches!(upstream.route, Route::Http(_));
    let dress = move |reply: &mut Reply| {
        if !has_status {
            reply.status = code_status(&reply.message);
        }
        dress(reply);
    };
    let lane = Lane::Stateless(given.map_or_else(|| stateless(upstream, &message), passed_on));
    let outgoing = Outgoing { message, lane };
    match walk(gate, upstream, outgoing, party).await {
        Ok(walk) => respond_walk(gate, walk, id, dress).await,
        Err(refusal) => fault(&refusal, id.as_deref()),
    }
}

/// A request to a server of the revisions with `initialize`.
async fn older(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    message: Message,
) -> Response<Body> {
    match upstream.legacy().await {
        Ok(Some(opening)) => old_server::post(gate, upstream, party, &opening, message).await,
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

/// What passed the gate was judged for one client: nobody may keep it for others.
fn private(reply: &mut Reply) {
    if reply.message.text(Field::CacheScope).is_some_and(|scope| scope == "public") {
        reply.replace(reply.message.place(Field::CacheScope), Bytes::from_static(b"\"private\""));
    }
}
