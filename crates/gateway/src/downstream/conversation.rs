//! Sessions with a server that has one conversation for all of them: a child process.

use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use portcullis_decide::Standing;
use serde_json::Value;

use super::body::{Body, Told, Work};
use super::legacy::{new_ticket, with_session};
use super::local::{Local, Own};
use super::telling::{answer, done, empty, fault, json, listening, status_of, told};
use super::{resume, tasks};
use crate::bridge::old_client;
use crate::gate::Gate;
use crate::judge::Who;
use crate::quarantine::answer::shown_opening;
use crate::session::{own, walk};
use crate::ticket::{Means, Ticket};
use crate::upstream::reply::{Item, Reply};
use crate::upstream::{Lane, Outgoing, Upstream};
use crate::wire::{Fault, Field, Kind, Message, Splice};

/// Opens a session: what the server said at the beginning of the conversation is said again.
pub(crate) async fn open(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    who: &Who,
    message: &Message,
) -> Result<Response<Body>, Fault> {
    let mut ticket = new_ticket(upstream.name.as_str(), who, message);
    let server = upstream.name.as_str().to_owned();
    if let Some(opening) = upstream.modern().await? {
        ticket.means.insert(server, Means::Modern);
        let opening = shown_opening(gate, upstream, &opening).await?;
        let response = old_client::open(gate, &opening, &ticket, message.id());
        return Ok(with_session(response, ticket.sealed(&gate.seal)));
    }
    let opening =
        upstream.legacy().await?.ok_or_else(|| Fault::internal("The server did not begin a session"))?;
    let opening = shown_opening(gate, upstream, &opening).await?;
    ticket.means.insert(server, Means::Shared);
    let answer = answer(message.id(), &opening.result, gate)?;
    let mut splice = Splice::new();
    splice.replace(answer.place(Field::ResultVersion), format!("\"{}\"", ticket.version));
    let sealed = ticket.sealed(&gate.seal);
    Ok(with_session(json(splice.applied(answer.bytes()), StatusCode::OK), sealed))
}

/// A message of a client.
pub(crate) async fn post(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    ticket: Arc<Ticket>,
    message: Message,
) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else {
        return fault(&Fault::invalid("Session not found").with_status(404), message.id());
    };
    match local.own(upstream.name.as_str(), &message) {
        Own::Done => return done(gate, message.id()),
        Own::Refused(refusal) => return fault(&refusal, message.id()),
        Own::Subscribed => upstream.gather_news(),
        Own::Other if message.method() == "notifications/initialized" => return empty(StatusCode::ACCEPTED),
        Own::Other if message.method() == "logging/setLevel" => {
            local.set_level(&message.text(Field::Level).unwrap_or_default());
            // The server speaks to all sessions: it is told only what makes it say more.
            if !upstream.would_say_more(&message) {
                return done(gate, message.id());
            }
        }
        // The conversation is shared: the list would show this agent the others' tasks.
        Own::Other if message.method() == "tasks/list" => {
            return fault(&Fault::no_method("tasks/list").with_status(200), message.id());
        }
        Own::Other => {}
    }
    relay(gate, upstream, ticket, local, message).await
}

async fn relay(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    ticket: Arc<Ticket>,
    local: Arc<Local>,
    message: Message,
) -> Response<Body> {
    let id = message.shared(Field::Id);
    let wants_answer = message.kind() == Kind::Request;
    let is_about_tasks = tasks::is_about(&message);
    let outgoing = Outgoing { message, lane: Lane::Shared(ticket.id) };
    let mut walk = match walk(gate, upstream, outgoing, ticket.party()).await {
        Ok(walk) => walk,
        Err(refusal) => return fault(&refusal, id.as_deref()),
    };
    if !wants_answer {
        return empty(StatusCode::ACCEPTED);
    }
    let upstream = Arc::clone(upstream);
    let session = Arc::clone(&ticket);
    let work = Work::new(|teller| async move {
        loop {
            let next = match walk.next().await {
                Ok(Some(telling)) => telling,
                Ok(None) => return,
                Err(refusal) => {
                    let answer = Told::Answer(refusal.answer(id.as_deref()), status_of(&refusal), None);
                    // A client that left needs no answer.
                    let _ = teller.send(answer).await;
                    return;
                }
            };
            if let Item::Message(reply) = next.message()
                && !local.hears(&reply.message)
            {
                continue;
            }
            if let Some(question) = beyond(&ticket, next.message()) {
                decline(&upstream, &ticket, &question).await;
                continue;
            }
            let told = told(next, StatusCode::OK, &mut |reply| {
                if ticket.is_of_all() {
                    tasks::mark(reply, upstream.name.as_str(), is_about_tasks);
                    among_all(&upstream, &local, reply);
                }
            });
            let is_end = matches!(told, Told::Answer(..));
            if teller.send(told).await.is_err() || is_end {
                return;
            }
        }
    });
    resume::respond(gate, &session, work).await
}

/// Where a session has several servers, a question's id says whose it is.
fn among_all(upstream: &Upstream, local: &Local, reply: &mut Reply) {
    if reply.message.kind() != Kind::Request || reply.is_ours {
        return;
    }
    let id = reply.message.shared(Field::Id).unwrap_or_default();
    let server = upstream.name.as_str();
    let tagged = format!("{server}:{}", String::from_utf8_lossy(&id));
    local.expect(server, id);
    reply.replace(reply.message.place(Field::Id), Value::from(tagged).to_string());
}

/// A question of the server that this client never said it could answer.
fn beyond(ticket: &Ticket, item: &Item) -> Option<Bytes> {
    let Item::Message(reply) = item else { return None };
    let is_beyond = reply.message.kind() == Kind::Request && !ticket.can(&reply.message.method());
    is_beyond.then(|| reply.message.shared(Field::Id).unwrap_or_default())
}

/// Answers in the client's place.
async fn decline(upstream: &Upstream, ticket: &Ticket, id: &[u8]) {
    let refusal = Fault { code: -32601, ..Fault::internal("The client cannot do this") };
    if let Ok(message) = Message::one(refusal.answer(Some(id)), crate::wire::Limits::default())
        && let Ok(admitted) =
            portcullis_decide::admit(Outgoing { message, lane: Lane::Shared(ticket.id) }, Standing::Exposed)
    {
        // A server that is gone needs no answer.
        let _ = upstream.forward(admitted).await;
    }
}

/// The stream of a session: what the server tells everybody, and updates of what this session watches.
pub(crate) fn get(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    ticket: &Ticket,
    last: Option<u64>,
) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else { return empty(StatusCode::NOT_FOUND) };
    let mut news = upstream.news.listen_after(last);
    let (server, inner) = (upstream.name.clone(), Arc::clone(gate));
    let work = Work::new(|teller| async move {
        while let Some((number, message)) = news.next().await {
            if !local.wants(server.as_str(), &message) {
                continue;
            }
            let mut name = |reply: &mut Reply| reply.event = Some(inner.event(number));
            if teller.send(told(own(message), StatusCode::OK, &mut name)).await.is_err() {
                return;
            }
        }
    });
    listening(gate, work, None)
}
