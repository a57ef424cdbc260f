//! Clients of the revisions with `initialize`: sessions, their streams and their end.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::{HeaderMap, HeaderValue};
use http::{Response, StatusCode};

use super::body::{Body, Work};
use super::http::Target;
use super::telling::{empty, fault, listening, respond_walk, retell, stream, tell_all, tell_own};
use super::{all, conversation, resume};
use crate::bridge::old_client;
use crate::gate::Gate;
use crate::judge::Who;
use crate::session::walk;
use crate::settings::ROUTER;
use crate::ticket::{Means, Shown, Ticket};
use crate::upstream::http::Session;
use crate::upstream::{Lane, Outgoing, Route, Upstream, lone_caller};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, Reading, headers};

/// A message or a batch of a client.
pub(crate) async fn post(
    gate: &Arc<Gate>,
    shown: &Shown,
    target: Target,
    who: &Who,
    given: &HeaderMap,
    reading: Reading,
) -> Response<Body> {
    let id = |reading: &Reading| match reading {
        Reading::One(message) => message.shared(Field::Id),
        Reading::Batch(_) => None,
    };
    let message = match reading {
        Reading::One(message) if message.kind() == Kind::Request && message.method() == "initialize" => {
            return Box::pin(open(gate, &target, who, message)).await;
        }
        reading => reading,
    };
    let ticket = match ticket(gate, shown, &target, given) {
        Ok(ticket) => ticket,
        Err(refusal) => return fault(&refusal, id(&message).as_deref()),
    };
    let is_call = matches!(&message, Reading::One(message) if message.method() == "tools/call");
    gate.visits.note(&ticket, is_call);
    match message {
        Reading::One(message) => one(gate, &target, ticket, message).await,
        Reading::Batch(_) if ticket.version != version::WITH_BATCHES => {
            fault(&Fault::invalid("Batches are not part of this revision"), None)
        }
        Reading::Batch(messages) => Box::pin(batch(gate, &target, ticket, messages)).await,
    }
}

/// The session a request belongs to.
fn ticket(gate: &Gate, shown: &Shown, target: &Target, given: &HeaderMap) -> Result<Arc<Ticket>, Fault> {
    if let Some(said) = headers::single(given, &headers::VERSION)?
        && version::legacy(said).is_none()
    {
        return Err(Fault::invalid("Bad Request: this revision of the protocol is not known"));
    }
    let text = headers::single(given, &headers::SESSION)?;
    let text = text.ok_or_else(|| Fault::invalid("Bad Request: the header Mcp-Session-Id is missing"))?;
    let gone = || Fault::invalid("Session not found").with_status(404);
    let ticket = shown.open(&gate.seal, text).ok_or_else(gone)?;
    if ticket.route != route(target) || gate.is_ended(ticket.id) {
        return Err(gone());
    }
    Ok(ticket)
}

pub(super) fn route(target: &Target) -> &str {
    match target {
        Target::One(upstream) => upstream.name.as_str(),
        Target::All => "",
        Target::Router => ROUTER,
    }
}

async fn one(gate: &Arc<Gate>, target: &Target, ticket: Arc<Ticket>, message: Message) -> Response<Body> {
    let Target::One(upstream) = target else { return Box::pin(all::post(gate, ticket, message)).await };
    let message = match answered(gate, &ticket, message) {
        Some(message) => message,
        None => return empty(StatusCode::ACCEPTED),
    };
    match ticket.means.get(upstream.name.as_str()) {
        Some(Means::Own(session)) => {
            let session = ticket.session(session.as_deref());
            through(gate, upstream, session, &ticket, message).await
        }
        Some(Means::Shared) => Box::pin(conversation::post(gate, upstream, ticket, message)).await,
        Some(Means::Modern) => Box::pin(old_client::post(gate, upstream, ticket, message)).await,
        None => fault(&Fault::invalid("Session not found").with_status(404), message.id()),
    }
}

/// An answer to a question of the gateway's own ends here; anything else comes back.
fn answered(gate: &Gate, ticket: &Ticket, message: Message) -> Option<Message> {
    if !message.is_answer() {
        return Some(message);
    }
    match gate.local(ticket.id) {
        Some(local) => local.answer(message),
        None => Some(message),
    }
}

/// A message in the client's own session with the server: the bytes that came.
async fn through(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    session: Session,
    ticket: &Ticket,
    message: Message,
) -> Response<Body> {
    let id = message.shared(Field::Id);
    let outgoing = Outgoing { message, lane: Lane::Session(session) };
    match walk(gate, upstream, outgoing, ticket.party()).await {
        // Nothing of the server's stream is there yet: it becomes one of ours, which the client can take up again.
        Ok(mut walk) if walk.is_held() => {
            let work = Work::new(|teller| async move {
                tell_all(&mut walk, id.as_deref(), &teller, |reply| reply.event = None).await;
            });
            Box::pin(resume::respond(gate, ticket, work)).await
        }
        Ok(walk) => respond_walk(gate, walk, id, |_| {}).await,
        Err(refusal) => fault(&refusal, id.as_deref()),
    }
}

/// Each message of a batch walks by itself; their answers come on one stream.
async fn batch(
    gate: &Arc<Gate>,
    target: &Target,
    ticket: Arc<Ticket>,
    messages: Vec<Message>,
) -> Response<Body> {
    if messages.iter().any(|message| message.method() == "initialize") {
        return fault(&Fault::invalid("A session is not opened in a batch"), None);
    }
    let wants_answer = messages.iter().any(|message| message.kind() == Kind::Request);
    let (inner, target) = (Arc::clone(gate), target.clone());
    let mut work = Work::new(|teller| async move {
        for message in messages {
            let response = one(&inner, &target, Arc::clone(&ticket), message).await;
            if retell(response, &teller).await.is_err() {
                return;
            }
        }
    });
    if wants_answer {
        return stream(gate, work, None);
    }
    while work.next().await.is_some() {}
    empty(StatusCode::ACCEPTED)
}

/// Opens a session.
async fn open(gate: &Arc<Gate>, target: &Target, who: &Who, message: Message) -> Response<Body> {
    let id = message.shared(Field::Id);
    let opened = match target {
        Target::One(upstream) => match &upstream.route {
            Route::Http(_) => open_http(gate, upstream, who, message).await,
            Route::Child(_) => conversation::open(gate, upstream, who, &message).await,
        },
        Target::All | Target::Router => Ok(all::open(gate, route(target), who, &message).await),
    };
    opened.unwrap_or_else(|refusal| fault(&refusal, id.as_deref()))
}

/// Opens a session with a server over HTTP: the client's own, or none if the server knows none.
async fn open_http(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    who: &Who,
    message: Message,
) -> Result<Response<Body>, Fault> {
    let refused = match open_through(gate, upstream, who, message.clone()).await {
        Ok(response) if response.headers().contains_key(&headers::SESSION) => return Ok(response),
        refused => refused,
    };
    match upstream.modern().await {
        Ok(Some(_)) => conversation::open(gate, upstream, who, &message).await,
        _ => refused,
    }
}

/// Opens a session of the client's own with a server over HTTP.
async fn open_through(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    who: &Who,
    message: Message,
) -> Result<Response<Body>, Fault> {
    let ticket = new_ticket(upstream.name.as_str(), who, &message);
    let id = message.shared(Field::Id);
    let outgoing = Outgoing { message, lane: Lane::Session(Session::default()) };
    let mut walk = walk(gate, upstream, outgoing, ticket.party()).await?;
    let (session, status) = (walk.session().cloned(), walk.status());
    let seal = |version: Option<&str>| {
        let own = Means::Own(session.as_ref().and_then(|id| id.to_str().ok()).map(str::to_owned));
        let means = BTreeMap::from([(upstream.name.as_str().to_owned(), own)]);
        let version = version.unwrap_or(version::UNSAID).to_owned();
        Ticket { version, means, ..ticket.clone() }.sealed(&gate.seal)
    };
    let mut told = Vec::new();
    let mut sealed = None;
    while let Some(telling) = walk.next().await? {
        let mut version = None;
        told.push(super::telling::told(telling, status, &mut |reply| {
            let is_opened = reply.message.kind() == Kind::Response;
            version =
                reply.message.text(Field::ResultVersion).filter(|_| is_opened).map(|text| text.into_owned());
        }));
        if let Some(version) = version {
            sealed = seal(Some(&version));
            break;
        }
    }
    let work = Work::new(|teller| async move {
        for one in told {
            if teller.send(one).await.is_err() {
                return;
            }
        }
        tell_all(&mut walk, id.as_deref(), &teller, |_| {}).await;
    });
    let mut response = super::telling::respond(gate, work, false).await;
    if let Some(sealed) = sealed {
        response.headers_mut().insert(headers::SESSION, sealed);
    }
    Ok(response)
}

/// A session that is about to be opened.
pub(crate) fn new_ticket(route: &str, who: &Who, initialize: &Message) -> Ticket {
    let asked = initialize.text(Field::ProtocolVersion).unwrap_or_default();
    Ticket {
        id: lone_caller(),
        route: route.to_owned(),
        agent: who.agent(route),
        flow: who.flow(route),
        version: version::legacy(&asked).unwrap_or(version::LEGACY[0]).to_owned(),
        opened: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        capabilities: initialize.value(Field::Capabilities).unwrap_or_default(),
        client: initialize.value(Field::ClientInfo).unwrap_or_default(),
        means: BTreeMap::new(),
        party: OnceLock::new(),
    }
}

/// The stream a server speaks on without being asked.
pub(crate) async fn get(
    gate: &Arc<Gate>,
    shown: &Shown,
    target: Target,
    given: &HeaderMap,
) -> Response<Body> {
    let ticket = match ticket(gate, shown, &target, given) {
        Ok(ticket) => ticket,
        // Without a session there is no stream: that is how the revision without sessions is told apart.
        Err(refusal) if !given.contains_key(&headers::SESSION) => {
            let status =
                if refusal.code == -32600 { StatusCode::METHOD_NOT_ALLOWED } else { StatusCode::BAD_REQUEST };
            return empty(status);
        }
        Err(refusal) => return fault(&refusal, None),
    };
    if let Some(rest) = resume::taken_up(gate, &ticket, given) {
        return rest;
    }
    let last = gate.last_event(given.get(&headers::LAST_EVENT));
    let Target::One(upstream) = &target else { return all::get(gate, &ticket, last) };
    match (&upstream.route, ticket.means.get(upstream.name.as_str())) {
        (Route::Http(http), Some(Means::Own(session))) => {
            let session = ticket.session(session.as_deref());
            let (status, walk) = match http.listen(&session, given.get(&headers::LAST_EVENT)).await {
                Ok(replies) => {
                    let (party, back) = (ticket.party().clone(), Lane::Session(session));
                    (replies.status, Some(crate::session::listen(gate, upstream, replies, party, back)))
                }
                Err(refusal) => {
                    (StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_GATEWAY), None)
                }
            };
            match walk {
                // A server without a stream: what the gateway has to say has one all the same.
                _ if status == StatusCode::METHOD_NOT_ALLOWED => respond_listening(gate, upstream, None),
                Some(walk) if status.is_success() => respond_listening(gate, upstream, Some(walk)),
                _ => empty(status),
            }
        }
        (_, Some(Means::Shared)) => conversation::get(gate, upstream, &ticket, last),
        (_, Some(Means::Modern)) => old_client::get(gate, upstream, ticket),
        _ => empty(StatusCode::METHOD_NOT_ALLOWED),
    }
}

/// What a server says without being asked, if it does, and what the gateway says of its lists.
fn respond_listening(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    walk: Option<crate::session::Walk>,
) -> Response<Body> {
    let news = upstream.news.listen();
    let work = Work::new(|teller| async move {
        let theirs = async {
            let Some(mut walk) = walk else { return std::future::pending().await };
            // A stream that broke ends; the client comes back for the rest.
            while let Ok(Some(telling)) = walk.next().await {
                let told = super::telling::told(telling, StatusCode::OK, &mut |_| {});
                if teller.send(told).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = theirs => {}
            () = tell_own(news, &teller) => {}
        }
    });
    listening(gate, work, None)
}

/// The end of a session.
pub(crate) async fn delete(
    gate: &Arc<Gate>,
    shown: &Shown,
    target: Target,
    given: &HeaderMap,
) -> Response<Body> {
    let ticket = match ticket(gate, shown, &target, given) {
        Ok(ticket) => ticket,
        Err(refusal) if !given.contains_key(&headers::SESSION) => {
            let is_old = refusal.code == -32600;
            return empty(if is_old { StatusCode::METHOD_NOT_ALLOWED } else { StatusCode::BAD_REQUEST });
        }
        Err(refusal) => return fault(&refusal, None),
    };
    let is_known = gate.end_everywhere(ticket.id);
    for (name, means) in &ticket.means {
        if let (Some(upstream), Means::Own(session)) = (gate.upstream(name), means)
            && let Route::Http(http) = &upstream.route
        {
            // A server may not end sessions when asked; ours is over in any case.
            let _ = http.delete(&ticket.session(session.as_deref())).await;
        }
    }
    // A client that hears this may ask again, and another node with it.
    empty(if is_known { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE })
}

/// Marks an answer with the session it opened.
pub(crate) fn with_session(mut response: Response<Body>, sealed: Option<HeaderValue>) -> Response<Body> {
    if let Some(sealed) = sealed {
        response.headers_mut().insert(headers::SESSION, sealed);
    }
    response
}
