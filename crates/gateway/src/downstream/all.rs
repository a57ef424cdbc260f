//! All servers as one: names lead to servers, lists are put together, answers find their way back.

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderMap;
use http::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::body::{Body, Told, Work};
use super::legacy::{new_ticket, with_session};
use super::telling::{answer, done, empty, fault, json as json_response, listening, told};
use super::{conversation, modern};
use crate::bridge::{old_client, old_server};
use crate::catalogue::Kind as Listed;
use crate::gate::Gate;
use crate::session::own;
use crate::ticket::Ticket;
use crate::upstream::{Upstream, opening};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, Splice, headers};

/// What the gateway offers for all servers together.
fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": true }, "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true }, "completions": {}, "logging": {},
    })
}

/// Opens a session.
pub(crate) fn open(gate: &Gate, message: &Message) -> Response<Body> {
    let ticket = new_ticket("", message);
    let result = json!({
        "protocolVersion": ticket.version, "capabilities": capabilities(), "serverInfo": opening::identity(),
    });
    with_session(tell(gate, message.id(), result.to_string().as_bytes()), ticket.sealed(&gate.seal))
}

fn tell(gate: &Gate, id: Option<&[u8]>, result: &[u8]) -> Response<Body> {
    match answer(id, result, gate) {
        Ok(answer) => json_response(answer.into_bytes(), StatusCode::OK),
        Err(refusal) => fault(&refusal, id),
    }
}

/// A message of a client with a session.
pub(crate) async fn post(gate: &Arc<Gate>, ticket: Arc<Ticket>, message: Message) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else {
        return fault(&Fault::invalid("Session not found").with_status(404), message.id());
    };
    match (message.kind(), &*message.method()) {
        (Kind::Request, "ping") => return done(gate, message.id()),
        (Kind::Request, "logging/setLevel") => {
            local.set_level(&message.text(Field::Level).unwrap_or_default());
            return done(gate, message.id());
        }
        (Kind::Request, method) => {
            if let Some(kind) = Listed::listed_by(method) {
                let listing = gate.catalogue.listing(&gate.upstreams, kind).await;
                return tell(gate, message.id(), &listing.result(kind, ""));
            }
        }
        (Kind::Notification, "notifications/cancelled") => {
            local.cancel(message.raw(Field::RequestId).unwrap_or_default());
            for upstream in &gate.upstreams {
                drop(conversation::post(gate, upstream, Arc::clone(&ticket), message.clone()).await);
            }
            return empty(StatusCode::ACCEPTED);
        }
        (Kind::Notification, _) => return empty(StatusCode::ACCEPTED),
        (Kind::Response | Kind::Error, _) => return answered(gate, ticket, message).await,
    }
    let (upstream, message) = match addressed(gate, message).await {
        Ok(addressed) => addressed,
        Err((refusal, id)) => return fault(&refusal, id.as_deref()),
    };
    match upstream.modern().await {
        Ok(Some(_)) => old_client::post(gate, &upstream, ticket, message).await,
        Ok(None) => conversation::post(gate, &upstream, ticket, message).await,
        Err(refusal) => fault(&refusal, message.id()),
    }
}

/// The client's answer to a question of some server.
async fn answered(gate: &Arc<Gate>, ticket: Arc<Ticket>, message: Message) -> Response<Body> {
    let nobody = |id: Option<&[u8]>| fault(&Fault::invalid("Nobody asked for this answer"), id);
    let Some(local) = gate.local(ticket.id) else { return nobody(message.id()) };
    let Some(message) = local.answer(message) else { return empty(StatusCode::ACCEPTED) };
    let id = message.text(Field::Id).unwrap_or_default().into_owned();
    let Some((upstream, raw)) =
        id.split_once(':').and_then(|(server, raw)| Some((gate.upstream(server)?, raw)))
    else {
        return nobody(message.id());
    };
    if !local.expected(upstream.name.as_str(), raw.as_bytes()) {
        return nobody(message.id());
    }
    let mut splice = Splice::new();
    splice.replace(message.place(Field::Id), raw.to_owned());
    match message.clone().spliced(splice, gate.settings.limits.message) {
        Ok(answer) => conversation::post(gate, upstream, ticket, answer).await,
        Err(refusal) => fault(&refusal, message.id()),
    }
}

/// The server a request is meant for, and the request in that server's words.
async fn addressed(
    gate: &Gate,
    message: Message,
) -> Result<(Arc<Upstream>, Message), (Fault, Option<Bytes>)> {
    let id = message.shared(Field::Id);
    let unknown = |what: &str| (Fault::params(format!("Unknown {what}")).with_status(200), id.clone());
    let upstreams = &gate.upstreams;
    let mut splice = Splice::new();
    let owner = match &*message.method() {
        method @ ("tools/call" | "prompts/get") => {
            let (kind, what) =
                if method == "tools/call" { (Listed::Tools, "tool") } else { (Listed::Prompts, "prompt") };
            let name = message.text(Field::Name).unwrap_or_default();
            let listing = gate.catalogue.listing(upstreams, kind).await;
            let owner = listing.owner(&name).ok_or_else(|| unknown(what))?.clone();
            splice.replace(message.place(Field::Name), Value::from(owner.name.as_str()).to_string());
            owner
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let uri = message.text(Field::Uri).unwrap_or_default();
            resource(gate, &uri).await.ok_or_else(|| unknown("resource"))?
        }
        "completion/complete" => {
            let mut reference = message.value(Field::Reference).unwrap_or_default();
            match reference["uri"].as_str() {
                Some(uri) => resource(gate, uri).await.ok_or_else(|| unknown("resource"))?,
                None => {
                    let listing = gate.catalogue.listing(upstreams, Listed::Prompts).await;
                    let name = reference["name"].as_str().unwrap_or_default();
                    let owner = listing.owner(name).ok_or_else(|| unknown("prompt"))?.clone();
                    reference["name"] = Value::from(owner.name.as_str());
                    splice.replace(message.place(Field::Reference), reference.to_string());
                    owner
                }
            }
        }
        method => return Err((Fault::no_method(method), id)),
    };
    let upstream = upstreams.get(owner.server).ok_or_else(|| unknown("server"))?;
    let message =
        message.spliced(splice, gate.settings.limits.message).map_err(|refusal| (refusal, id.clone()))?;
    Ok((Arc::clone(upstream), message))
}

async fn resource(gate: &Gate, uri: &str) -> Option<crate::catalogue::Owner> {
    let listing = gate.catalogue.listing(&gate.upstreams, Listed::Resources).await;
    if let Some(owner) = listing.owner(uri) {
        return Some(owner.clone());
    }
    let templates = gate.catalogue.listing(&gate.upstreams, Listed::Templates).await;
    templates.owner(uri).or_else(|| templates.fitting(uri)).cloned()
}

/// A request of a client without sessions.
pub(crate) async fn modern_post(gate: &Arc<Gate>, all: &HeaderMap, message: Message) -> Response<Body> {
    const KEPT: &str = r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#;
    let method = message.method();
    if let Some(kind) = Listed::listed_by(&method) {
        let listing = gate.catalogue.listing(&gate.upstreams, kind).await;
        return tell(gate, message.id(), &listing.result(kind, KEPT));
    }
    if method == "server/discover" {
        let result = json!({
            "resultType": "complete", "supportedVersions": [version::MODERN], "capabilities": capabilities(),
            "ttlMs": 0, "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": opening::identity() },
        });
        return tell(gate, message.id(), result.to_string().as_bytes());
    }
    if method == "subscriptions/listen" {
        return listen(gate, &message);
    }
    drop(method);
    let (upstream, message) = match addressed(gate, message).await {
        Ok(addressed) => addressed,
        Err((refusal, id)) => return fault(&refusal, id.as_deref()),
    };
    let mut all = all.clone();
    // The header follows the body: both say what the server calls it.
    if let Some(name) = headers::named_by(&message.method()).and_then(|field| message.text(field))
        && let Some(value) = headers::encode(&name)
    {
        all.insert(headers::NAME, value);
    }
    modern::one(gate, &upstream, &all, message).await
}

/// The stream of a session: what any server tells everybody.
pub(crate) fn get(gate: &Arc<Gate>, ticket: &Ticket) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else { return empty(StatusCode::NOT_FOUND) };
    news(gate, None, move |server, message| local.wants(server, message), |_| {})
}

/// A subscription of a client without sessions.
fn listen(gate: &Arc<Gate>, message: &Message) -> Response<Body> {
    let id = message.shared(Field::Id).unwrap_or_default();
    let mut wanted = message.value(Field::Notifications).unwrap_or_default();
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.remove("resourceSubscriptions");
    }
    let first = old_server::acknowledged(&id, &wanted);
    let is_wanted = move |_: &str, message: &Message| old_server::is_wanted(&wanted, message);
    news(gate, Some(first), is_wanted, move |reply| old_server::tag(reply, &id))
}

fn news(
    gate: &Arc<Gate>,
    first: Option<Told>,
    is_wanted: impl Fn(&str, &Message) -> bool + Send + Sync + 'static,
    mut dress: impl FnMut(&mut crate::upstream::reply::Reply) + Send + 'static,
) -> Response<Body> {
    gate.upstreams.iter().for_each(|upstream| upstream.gather_news());
    let mut news = gate.news.subscribe();
    let work = Work::new(|teller| async move {
        loop {
            let (server, message) = match news.recv().await {
                Ok(news) => news,
                // Lists that changed are told again by the next change.
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return,
            };
            if is_wanted(server.as_str(), &message)
                && teller.send(told(own(message), StatusCode::OK, &mut dress)).await.is_err()
            {
                return;
            }
        }
    });
    listening(gate, work, first)
}
