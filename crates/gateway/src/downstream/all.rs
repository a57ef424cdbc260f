//! All servers as one: names lead to servers, lists are put together, answers find their way back.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderMap;
use http::{Response, StatusCode};
use portcullis_decide::Standing;
use portcullis_detect::Kind as Definition;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::body::{Body, Told, Work};
use super::legacy::{new_ticket, with_session};
use super::router::{self, Answered, Taken};
use super::telling::{answer, done, empty, fault, json as json_response, listening, told};
use super::{conversation, instructions, modern, tasks};
use crate::bridge::{old_client, old_server};
use crate::catalogue::{Kind as Listed, Owner};
use crate::gate::Gate;
use crate::judge::{Party, Who};
use crate::news::Listener;
use crate::review;
use crate::session::own;
use crate::settings::ServerName;
use crate::ticket::Ticket;
use crate::upstream::reply::Reply;
use crate::upstream::{Upstream, opening};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message, Splice, headers};

/// Resources one subscription may watch.
const MOST_WATCHED: usize = 256;

/// What the gateway offers for all servers together.
fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": true }, "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true }, "completions": {}, "logging": {},
    })
}

/// Opens a session.
pub(crate) async fn open(gate: &Arc<Gate>, route: &str, who: &Who, message: &Message) -> Response<Body> {
    let ticket = new_ticket(route, who, message);
    let mut result = json!({
        "protocolVersion": ticket.version, "capabilities": capabilities(), "serverInfo": opening::identity(),
    });
    if ticket.is_router() {
        result["capabilities"] = json!({ "tools": {}, "logging": {} });
        result["instructions"] = Value::from(router::INSTRUCTIONS);
    } else {
        let said = instructions::said(gate).await;
        if let Some(text) = instructions::merged(&said) {
            result["instructions"] = Value::from(text);
        }
        if ticket.version == version::LEGACY[0] && said.iter().any(|(_, said)| tasks::has(said)) {
            result["capabilities"]["tasks"] = tasks::capability();
        }
    }
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
            log_from(gate, &message).await;
            return done(gate, message.id());
        }
        (Kind::Request, method) => {
            if !ticket.is_router()
                && let Some(kind) = Listed::listed_by(method)
            {
                return tell(gate, message.id(), &listed(gate, kind, "").await);
            }
        }
        (Kind::Notification, "notifications/cancelled") => {
            local.cancel(message.raw(Field::RequestId).unwrap_or_default());
            for upstream in gate.servers().iter() {
                drop(conversation::post(gate, upstream, Arc::clone(&ticket), message.clone()).await);
            }
            return empty(StatusCode::ACCEPTED);
        }
        (Kind::Notification, _) => return empty(StatusCode::ACCEPTED),
        (Kind::Response | Kind::Error, _) => return answered(gate, ticket, message).await,
    }
    if !ticket.is_router() && review::is_called(&message) {
        return own_tool(gate, &ticket.label(), "", &message).await;
    }
    let id = message.shared(Field::Id);
    let message = match ticket.is_router() {
        false => message,
        true => match router::take(gate, &ticket.label(), message).await {
            Ok(Taken::Call(message)) => *message,
            Ok(Taken::Answer(_, members)) => {
                return tell(gate, id.as_deref(), format!("{{{members}}}").as_bytes());
            }
            Err(refusal) => return fault(&refusal, id.as_deref()),
        },
    };
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

/// Everything of one kind, with these members before it; the gateway's own tool stands last.
async fn listed(gate: &Arc<Gate>, kind: Listed, before: &str) -> Bytes {
    let listing = gate.catalogue.listing(gate, kind).await;
    match kind {
        Listed::Tools => listing.result(kind, before, &[Bytes::from(review::definition(gate).to_string())]),
        Listed::Prompts | Listed::Resources | Listed::Templates => listing.result(kind, before, &[]),
    }
}

/// A call of the gateway's own tool.
async fn own_tool(gate: &Arc<Gate>, session: &str, before: &str, message: &Message) -> Response<Body> {
    match review::call(gate, session, message).await {
        Ok(members) => tell(gate, message.id(), format!("{{{before}{members}}}").as_bytes()),
        Err(refusal) => fault(&refusal, message.id()),
    }
}

/// Tells all servers with sessions which lines are wanted. Those without are told with every request.
async fn log_from(gate: &Gate, message: &Message) {
    let level = message.text(Field::Level).unwrap_or_default().into_owned();
    let mut telling = JoinSet::new();
    for upstream in gate.servers().iter().filter(|one| one.would_say_more(message)) {
        let (upstream, params) = (Arc::clone(upstream), json!({ "level": level }));
        telling.spawn(async move {
            let told = async {
                if upstream.modern().await?.is_none() {
                    upstream.ask("logging/setLevel", params).await?;
                }
                Ok::<(), Fault>(())
            };
            // A server without log lines refuses, and one that is gone has none.
            let _ = tokio::time::timeout(instructions::PATIENCE, told).await;
        });
    }
    telling.join_all().await;
}

/// The client's answer to a question of some server. One that nobody waits for goes nowhere.
async fn answered(gate: &Arc<Gate>, ticket: Arc<Ticket>, message: Message) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else { return empty(StatusCode::ACCEPTED) };
    let Some(message) = local.answer(message) else { return empty(StatusCode::ACCEPTED) };
    let id = message.text(Field::Id).unwrap_or_default().into_owned();
    let Some((upstream, raw)) =
        id.split_once(':').and_then(|(server, raw)| Some((gate.upstream(server)?, raw)))
    else {
        return empty(StatusCode::ACCEPTED);
    };
    if !local.expected(upstream.name.as_str(), raw.as_bytes()) {
        return empty(StatusCode::ACCEPTED);
    }
    let mut splice = Splice::new();
    splice.replace(message.place(Field::Id), raw.to_owned());
    match message.clone().spliced(splice, gate.settings.limits.message) {
        Ok(answer) => conversation::post(gate, &upstream, ticket, answer).await,
        Err(refusal) => fault(&refusal, message.id()),
    }
}

/// Whose something is that no list shows because it is held; the walk says that it is.
fn held(gate: &Gate, kind: Listed, name: &str) -> Option<Owner> {
    let (server, own) = name.split_once("__")?;
    let kind = if kind == Listed::Tools { Definition::Tool } else { Definition::Prompt };
    let upstream = gate.upstream(server)?;
    let is_held = matches!(gate.quarantine.standing(server, kind, own), Standing::Held(_));
    is_held.then(|| Owner { server: upstream.name.clone(), name: own.to_owned() })
}

/// The server a request is meant for, and the request in that server's words.
async fn addressed(
    gate: &Arc<Gate>,
    message: Message,
) -> Result<(Arc<Upstream>, Message), (Fault, Option<Bytes>)> {
    let id = message.shared(Field::Id);
    let unknown = |what: &str| (Fault::params(format!("Unknown {what}")).with_status(200), id.clone());
    let mut splice = Splice::new();
    let owner = match &*message.method() {
        method @ ("tools/call" | "prompts/get") => {
            let (kind, what) =
                if method == "tools/call" { (Listed::Tools, "tool") } else { (Listed::Prompts, "prompt") };
            let name = message.text(Field::Name).unwrap_or_default();
            let listing = gate.catalogue.listing(gate, kind).await;
            let owner = listing.owner(&name).cloned().or_else(|| held(gate, kind, &name));
            let owner = owner.ok_or_else(|| unknown(what))?;
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
                    let listing = gate.catalogue.listing(gate, Listed::Prompts).await;
                    let name = reference["name"].as_str().unwrap_or_default();
                    let owner = listing.owner(name).ok_or_else(|| unknown("prompt"))?.clone();
                    reference["name"] = Value::from(owner.name.as_str());
                    splice.replace(message.place(Field::Reference), reference.to_string());
                    owner
                }
            }
        }
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
            let task = message.text(Field::TaskId).unwrap_or_default();
            let (upstream, own) = tasks::owner(gate, &task).ok_or_else(|| unknown("task"))?;
            splice.replace(message.place(Field::TaskId), Value::from(own).to_string());
            Owner { server: upstream.name.clone(), name: String::new() }
        }
        method => return Err((Fault::no_method(method), id)),
    };
    let upstream = gate.upstream(owner.server.as_str()).ok_or_else(|| unknown("server"))?;
    let message =
        message.spliced(splice, gate.settings.limits.message).map_err(|refusal| (refusal, id.clone()))?;
    Ok((upstream, message))
}

async fn resource(gate: &Arc<Gate>, uri: &str) -> Option<Owner> {
    let listing = gate.catalogue.listing(gate, Listed::Resources).await;
    if let Some(owner) = listing.owner(uri) {
        return Some(owner.clone());
    }
    let templates = gate.catalogue.listing(gate, Listed::Templates).await;
    templates.owner(uri).or_else(|| templates.fitting(uri)).cloned()
}

/// What the revision without sessions asks of results, and of those that could be kept.
const COMPLETE: &str = r#""resultType":"complete","#;
const KEPT: &str = r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#;

/// What the gateway says of itself to clients without sessions.
fn discovered(capabilities: &Value) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": [version::MODERN], "capabilities": capabilities,
        "ttlMs": 0, "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": opening::identity() },
    })
}

/// A request of a client without sessions that searches for tools.
pub(crate) async fn modern_search(gate: &Arc<Gate>, party: &Party, message: Message) -> Response<Body> {
    if message.method() == "server/discover" {
        let mut result = discovered(&json!({ "tools": {} }));
        result["instructions"] = Value::from(router::INSTRUCTIONS);
        return tell(gate, message.id(), result.to_string().as_bytes());
    }
    let id = message.shared(Field::Id);
    match router::take(gate, "", message).await {
        // The client's headers say what it called here, not what is called behind it.
        Ok(Taken::Call(message)) => modern_post(gate, party, None, *message).await,
        Ok(Taken::Answer(answered, members)) => {
            let before = if answered == Answered::List { KEPT } else { COMPLETE };
            tell(gate, id.as_deref(), format!("{{{before}{members}}}").as_bytes())
        }
        Err(refusal) => fault(&refusal, id.as_deref()),
    }
}

/// A request of a client without sessions.
pub(crate) async fn modern_post(
    gate: &Arc<Gate>,
    party: &Party,
    given: Option<&HeaderMap>,
    message: Message,
) -> Response<Body> {
    let method = message.method();
    if let Some(kind) = Listed::listed_by(&method) {
        return tell(gate, message.id(), &listed(gate, kind, KEPT).await);
    }
    if method == "server/discover" {
        let mut result = discovered(&capabilities());
        let said = instructions::said(gate).await;
        if let Some(text) = instructions::merged(&said) {
            result["instructions"] = Value::from(text);
        }
        if said.iter().any(|(_, said)| tasks::has_extension(said)) {
            result["capabilities"]["extensions"] = tasks::extensions();
        }
        return tell(gate, message.id(), result.to_string().as_bytes());
    }
    if method == "subscriptions/listen" {
        return listen(gate, &message).await;
    }
    drop(method);
    if review::is_called(&message) {
        return own_tool(gate, "", COMPLETE, &message).await;
    }
    let (upstream, message) = match addressed(gate, message).await {
        Ok(addressed) => addressed,
        Err((refusal, id)) => return fault(&refusal, id.as_deref()),
    };
    let mut given = given.cloned();
    // The header follows the body: both say what the server calls it.
    if let Some(given) = &mut given
        && let Some(name) = headers::named_by(&message.method()).and_then(|field| message.text(field))
        && let Some(value) = headers::encode(&name)
    {
        given.insert(headers::NAME, value);
    }
    modern::among_all(gate, &upstream, party, given.as_ref(), message).await
}

/// The stream of a session: what any server tells everybody.
pub(crate) fn get(gate: &Arc<Gate>, ticket: &Ticket, last: Option<u64>) -> Response<Body> {
    let Some(local) = gate.local(ticket.id) else { return empty(StatusCode::NOT_FOUND) };
    let is_router = ticket.is_router();
    // The tools of the search are always the same.
    let is_wanted = move |server: &str, message: &Message| !is_router && local.wants(server, message);
    let inner = Arc::clone(gate);
    let name = move |reply: &mut Reply, number| reply.event = Some(inner.event(number));
    news(gate, gate.news.listen_after(last), None, is_wanted, name)
}

/// A subscription of a client without sessions.
async fn listen(gate: &Arc<Gate>, message: &Message) -> Response<Body> {
    let id = message.shared(Field::Id).unwrap_or_default();
    let mut wanted = message.value(Field::Notifications).unwrap_or_default();
    let asked: Vec<String> =
        serde_json::from_value(wanted["resourceSubscriptions"].take()).unwrap_or_default();
    let coming = gate.news.listen();
    let mut watched = BTreeMap::new();
    for uri in asked.into_iter().take(MOST_WATCHED) {
        // What nobody has, or lets nobody watch, is not agreed to.
        if let Some(owner) = resource(gate, &uri).await
            && let Some(upstream) = gate.upstream(owner.server.as_str())
            && let Ok(watching) = upstream.watch(&uri).await
        {
            watched.insert(uri, (upstream.name.clone(), watching));
        }
    }
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.remove("resourceSubscriptions");
        if !watched.is_empty() {
            wanted.insert("resourceSubscriptions".into(), watched.keys().cloned().collect());
        }
    }
    let first = old_server::acknowledged(&id, &wanted);
    let is_wanted = move |server: &str, message: &Message| match message.text(Field::Uri) {
        Some(uri) => watched.get(&*uri).is_some_and(|(owner, _)| owner.as_str() == server),
        None => old_server::is_wanted(&wanted, message),
    };
    news(gate, coming, Some(first), is_wanted, move |reply, _| old_server::tag(reply, &id))
}

fn news(
    gate: &Arc<Gate>,
    mut coming: Listener<(ServerName, Message)>,
    first: Option<Told>,
    is_wanted: impl Fn(&str, &Message) -> bool + Send + Sync + 'static,
    mut dress: impl FnMut(&mut Reply, u64) + Send + 'static,
) -> Response<Body> {
    gate.servers().iter().for_each(|upstream| upstream.gather_news());
    let work = Work::new(|teller| async move {
        while let Some((number, (server, message))) = coming.next().await {
            let mut dress = |reply: &mut Reply| dress(reply, number);
            if is_wanted(server.as_str(), &message)
                && teller.send(told(own(message), StatusCode::OK, &mut dress)).await.is_err()
            {
                return;
            }
        }
    });
    listening(gate, work, first)
}
