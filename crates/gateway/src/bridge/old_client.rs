//! A client of the revisions with `initialize` before a server of 2026-07-28.
//!
//! What the client said once is said again with every request; a result that asks for input becomes requests to the
//! client, whose answers go into the next round.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::downstream::body::{Body, Teller, Told, Work};
use crate::downstream::local::{Local, Own};
use crate::downstream::resume;
use crate::downstream::telling::{
    done, empty, fault, json as json_response, listening, status_of, tell_own, told,
};
use crate::gate::Gate;
use crate::members::Members;
use crate::session::walk;
use crate::ticket::Ticket;
use crate::upstream::opening::Opening;
use crate::upstream::reply::Item;
use crate::upstream::{Lane, Outgoing, Upstream};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, Splice, headers};

/// Rounds of input one call may take.
const MOST_ROUNDS: usize = 10;

/// What a server of the newer revision says of itself, in the words of the older ones.
pub(crate) fn opened(opening: &Opening, version: &str) -> Value {
    let said: Value = serde_json::from_slice(&opening.result).unwrap_or_default();
    let info = &said["_meta"]["io.modelcontextprotocol/serverInfo"];
    let info = if info.is_object() { info.clone() } else { json!({ "name": "unknown", "version": "0" }) };
    let mut result =
        json!({ "protocolVersion": version, "capabilities": said["capabilities"], "serverInfo": info });
    if let (Some(result), Some(text)) = (result.as_object_mut(), said.get("instructions")) {
        result.insert("instructions".into(), text.clone());
    }
    result
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
        Own::Subscribed => return subscribed(gate, upstream, &ticket, &local, &message).await,
        Own::Other => {}
    }
    match (message.kind(), &*message.method()) {
        (Kind::Request, "logging/setLevel") => {
            local.set_level(&message.text(Field::Level).unwrap_or_default());
            done(gate, message.id())
        }
        (Kind::Notification, "notifications/cancelled") => {
            local.cancel(message.raw(Field::RequestId).unwrap_or_default());
            empty(StatusCode::ACCEPTED)
        }
        (Kind::Notification, _) => empty(StatusCode::ACCEPTED),
        (Kind::Response | Kind::Error, _) => {
            // One that nobody waits for, or no longer, goes nowhere.
            let _ = local.answer(message);
            empty(StatusCode::ACCEPTED)
        }
        (Kind::Request, _) => {
            let session = Arc::clone(&ticket);
            let call =
                Call { gate: Arc::clone(gate), upstream: Arc::clone(upstream), ticket, local, message };
            resume::respond(gate, &session, Work::new(|teller| call.run(teller))).await
        }
    }
}

/// The session watches a resource. On the path of one server its own stream asks for updates; where there are several,
/// the gateway does for all sessions.
async fn subscribed(
    gate: &Gate,
    upstream: &Arc<Upstream>,
    ticket: &Ticket,
    local: &Local,
    message: &Message,
) -> Response<Body> {
    if ticket.is_of_all() {
        let uri = message.text(Field::Uri).unwrap_or_default();
        match upstream.watch(&uri).await {
            Ok(watching) => local.hold(upstream.name.as_str(), &uri, watching),
            Err(refusal) => return fault(&refusal, message.id()),
        }
    }
    done(gate, message.id())
}

/// One request of the client, over all its rounds.
struct Call {
    gate: Arc<Gate>,
    upstream: Arc<Upstream>,
    ticket: Arc<Ticket>,
    local: Arc<Local>,
    message: Message,
}

/// How a round ended.
enum Round {
    Done,
    /// The server asks: what for, and what it wants to see again.
    Asked(Members, Option<Box<RawValue>>),
}

impl Call {
    async fn run(self, teller: Teller) {
        let id = self.message.shared(Field::Id).unwrap_or_default();
        let cancelled = self.local.run(id.clone());
        let rounds = self.rounds(&teller);
        tokio::select! {
            () = cancelled.notified() => {}
            outcome = rounds => if let Err(refusal) = outcome {
                let answer = Told::Answer(refusal.answer(Some(&id)), status_of(&refusal), None);
                // A client that left needs no answer.
                let _ = teller.send(answer).await;
            }
        }
        self.local.ran(&id);
    }

    async fn rounds(&self, teller: &Teller) -> Result<(), Fault> {
        let mut extra = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let Round::Asked(requests, state) = self.round(&extra, teller).await? else { return Ok(()) };
            extra = vec![format!(r#""inputResponses":{{{}}}"#, self.ask(requests, teller).await?)];
            extra.extend(state.map(|state| format!(r#""requestState":{state}"#)));
        }
        Err(Fault::internal("The server asks for input again and again"))
    }

    async fn round(&self, extra: &[String], teller: &Teller) -> Result<Round, Fault> {
        let message = dressed(&self.message, &self.ticket, self.local.level(), extra, &self.gate)?;
        let lane = Lane::Stateless(stateless(&self.upstream, &message));
        let outgoing = Outgoing { message, lane };
        let mut walk = walk(&self.gate, &self.upstream, outgoing, self.ticket.party()).await?;
        while let Some(telling) = walk.next().await? {
            if let Item::Message(reply) = telling.message()
                && let Some(asked) = asked(&reply.message)
            {
                return Ok(asked);
            }
            let told = told(telling, StatusCode::OK, &mut |_| {});
            let is_end = matches!(told, Told::Answer(..));
            if teller.send(told).await.is_err() || is_end {
                return Ok(Round::Done);
            }
        }
        Ok(Round::Done)
    }

    /// Asks the client everything the server wants to know; its answers come back as members of an object, each as the
    /// client wrote it.
    async fn ask(&self, requests: Members, teller: &Teller) -> Result<String, Fault> {
        let mut answers = Vec::new();
        for (key, request) in requests.0 {
            let request: Members = serde_json::from_str(request.get())
                .map_err(|_| Fault::internal("The server asks for what is no request"))?;
            let method = request.text("method").unwrap_or_default();
            if !self.ticket.can(&method) {
                return Err(
                    Fault::missing_capability(method.split('/').next().unwrap_or_default()).with_status(200)
                );
            }
            let id = format!("\"portcullis-{}\"", self.gate.number());
            let answer = self.local.ask(Bytes::from(id.clone()))?;
            let (method, params) = (Value::from(method), request.get("params").map_or("{}", RawValue::get));
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
            let left = |_| Fault::internal("The client left");
            teller.send(Told::Other(Bytes::from(text), None)).await.map_err(left)?;
            answers.push((key, answer));
        }
        let mut all = Vec::new();
        for (key, answer) in answers {
            let late = |_| Fault::internal("The client did not answer in time");
            let answer =
                tokio::time::timeout(self.gate.settings.timing.answer, answer).await.map_err(late)?;
            let answer = answer.map_err(|_| Fault::internal("The client left"))?;
            let result = answer.raw(Field::Result);
            let result =
                result.ok_or_else(|| Fault::internal("The client could not answer the server's request"))?;
            all.push(format!("{}:{}", Value::from(key), String::from_utf8_lossy(result)));
        }
        Ok(all.join(","))
    }
}

/// What an answer asks for, if it does.
fn asked(message: &Message) -> Option<Round> {
    if message.text(Field::ResultType).as_deref() != Some("input_required") {
        return None;
    }
    let result: Members = serde_json::from_slice(message.raw(Field::Result)?).ok()?;
    let requests = result.get("inputRequests").and_then(|raw| serde_json::from_str(raw.get()).ok());
    let state = result.get("requestState").map(ToOwned::to_owned);
    Some(Round::Asked(requests.unwrap_or(Members(Vec::new())), state))
}

/// The headers of a request that stands alone.
pub(crate) fn stateless(upstream: &Upstream, message: &Message) -> Vec<(HeaderName, HeaderValue)> {
    let tool = message.text(Field::Name).unwrap_or_default();
    let mut all = headers::required(message, &upstream.mirrored(&tool));
    all.push((headers::VERSION, HeaderValue::from_static(version::MODERN)));
    all
}

/// The request with everything it must say about itself, and extra members of its parameters.
fn dressed(
    message: &Message,
    ticket: &Ticket,
    level: Option<String>,
    extra: &[String],
    gate: &Gate,
) -> Result<Message, Fault> {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": version::MODERN,
        "io.modelcontextprotocol/clientCapabilities": if ticket.capabilities.is_object() { ticket.capabilities.clone() } else { json!({}) },
    });
    if ticket.client.is_object() {
        meta["io.modelcontextprotocol/clientInfo"] = ticket.client.clone();
    }
    if let Some(level) = level {
        meta["io.modelcontextprotocol/logLevel"] = Value::from(level);
    }
    let mut splice = Splice::new();
    let mut members = extra.to_vec();
    match message.raw(Field::Meta) {
        Some(raw) => splice.add_members(message.place(Field::Meta), raw, &inside(&meta)),
        None => members.push(format!(r#""_meta":{meta}"#)),
    }
    let members = members.join(",");
    match message.raw(Field::Params) {
        Some(raw) if !members.is_empty() => {
            splice.add_members(message.place(Field::Params), raw, &members);
        }
        Some(_) => {}
        None => splice.add_last(message.bytes(), &format!(r#""params":{{{members}}}"#)),
    }
    message.clone().spliced(splice, gate.settings.limits.message)
}

/// The members of an object, without its braces.
fn inside(object: &Value) -> String {
    let text = object.to_string();
    text.trim_start_matches('{').strip_suffix('}').unwrap_or_default().to_owned()
}

/// The stream of a session: a subscription to everything, opened anew when the session watches other resources, and
/// what the gateway says of the server's lists.
pub(crate) fn get(gate: &Arc<Gate>, upstream: &Arc<Upstream>, ticket: Arc<Ticket>) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else { return empty(StatusCode::NOT_FOUND) };
    let (inner, upstream, news) = (Arc::clone(gate), Arc::clone(upstream), upstream.news.listen());
    let work = Work::new(|teller| async move {
        let mut watched = local.watched.subscribe();
        let theirs = async {
            loop {
                watched.mark_unchanged();
                let listening = listen(&inner, &upstream, &ticket, &local, &teller);
                tokio::select! {
                    changed = watched.changed() => if changed.is_err() { return },
                    // A server without subscriptions, or one that is gone: the stream stays, silent.
                    _ = listening => if watched.changed().await.is_err() { return },
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

async fn listen(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    ticket: &Ticket,
    local: &Local,
    teller: &Teller,
) -> Result<(), Fault> {
    let params = json!({ "notifications": {
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": local.subscribed(upstream.name.as_str()),
    } });
    let request = crate::upstream::opening::request("subscriptions/listen", &params)?;
    let message = dressed(&request, ticket, None, &[], gate)?;
    let lane = Lane::Stateless(stateless(upstream, &message));
    let mut walk = walk(gate, upstream, Outgoing { message, lane }, ticket.party()).await?;
    while let Some(telling) = walk.next().await? {
        let is_news = matches!(telling.message(), Item::Message(reply)
            if reply.message.kind() == Kind::Notification && reply.message.method() != "notifications/subscriptions/acknowledged");
        if is_news && teller.send(told(telling, StatusCode::OK, &mut |_| {})).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Opens a session.
pub(crate) fn open(gate: &Gate, opening: &Opening, ticket: &Ticket, id: Option<&[u8]>) -> Response<Body> {
    let result = opened(opening, &ticket.version).to_string();
    match crate::downstream::telling::answer(id, result.as_bytes(), gate) {
        Ok(answer) => json_response(answer.into_bytes(), StatusCode::OK),
        Err(refusal) => fault(&refusal, id),
    }
}
