//! A client of 2026-07-28 before a server of the revisions with `initialize`.
//!
//! A session of the gateway's own carries the calls. What the server asks in the middle of one becomes a result that
//! asks for input; the call waits here until the client comes back with it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use portcullis_decide::{Standing, admit};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::parked::Parked;
use crate::downstream::body::{Body, Teller, Told, Work};
use crate::downstream::telling::{
    answer, code_status, fault, json as json_response, listening, respond, status_of, told,
};
use crate::gate::Gate;
use crate::judge::Party;
use crate::members::Members;
use crate::quarantine::answer::shown_opening;
use crate::seal::Purpose;
use crate::session::{Walk, own, walk};
use crate::upstream::link::Caller;
use crate::upstream::opening::{self, Opening};
use crate::upstream::reply::{Item, Reply};
use crate::upstream::{Lane, Outgoing, Upstream, lone_caller};
use crate::version;
use crate::wire::{Fault, Field, Kind, Message};

/// Questions of one call at a time.
const MOST_QUESTIONS: usize = 16;
/// How long after a question another may come that belongs to it.
const TOGETHER: Duration = Duration::from_millis(40);

/// A request of a client.
pub(crate) async fn post(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    opening: &Opening,
    message: Message,
) -> Response<Body> {
    match &*message.method() {
        "server/discover" => {
            let shown = shown_opening(gate, upstream, opening).await;
            let answer =
                shown.and_then(|shown| answer(message.id(), discovered(&shown).to_string().as_bytes(), gate));
            return match answer {
                Ok(answer) => json_response(answer.into_bytes(), StatusCode::OK),
                Err(refusal) => fault(&refusal, message.id()),
            };
        }
        "subscriptions/listen" => return listen(gate, upstream, party, &message).await,
        _ => {}
    }
    let id = message.shared(Field::Id);
    let call = Call::of(gate, upstream, party, &message);
    let begun = match message.text(Field::RequestState) {
        Some(state) => call.resume(&state, &message).await,
        None => call.begin(message).await,
    };
    match begun {
        Ok((caller, walk)) => respond(gate, Work::new(|teller| call.run(caller, walk, teller)), false).await,
        Err(refusal) => fault(&refusal, id.as_deref()),
    }
}

/// What a server said when the session was opened, in the words of the newer revision.
pub(crate) fn discovered(opening: &Opening) -> Value {
    let said: Value = serde_json::from_slice(&opening.result).unwrap_or_default();
    let mut result = json!({
        "resultType": "complete",
        "supportedVersions": [version::MODERN],
        "capabilities": said["capabilities"],
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": said["serverInfo"] },
    });
    if let (Some(result), Some(text)) = (result.as_object_mut(), said.get("instructions")) {
        result.insert("instructions".into(), text.clone());
    }
    result
}

/// One request of a client.
struct Call {
    gate: Arc<Gate>,
    upstream: Arc<Upstream>,
    party: Party,
    id: Bytes,
    method: String,
    capabilities: Value,
    wants_log: bool,
    digest: [u8; 32],
}

impl Call {
    fn of(gate: &Arc<Gate>, upstream: &Arc<Upstream>, party: &Party, message: &Message) -> Call {
        let mut hash = Sha256::new();
        for part in [Field::Method, Field::Name, Field::Uri, Field::Arguments] {
            let raw = message.raw(part).unwrap_or_default();
            hash.update((raw.len() as u64).to_le_bytes());
            hash.update(raw);
        }
        Call {
            gate: Arc::clone(gate),
            upstream: Arc::clone(upstream),
            party: party.clone(),
            id: message.shared(Field::Id).unwrap_or_default(),
            method: message.method().into_owned(),
            capabilities: message.value(Field::MetaClientCapabilities).unwrap_or_default(),
            wants_log: message.has(Field::MetaLogLevel),
            digest: hash.finalize().into(),
        }
    }

    async fn begin(&self, message: Message) -> Result<(Caller, Walk), Fault> {
        let caller = lone_caller();
        let outgoing = Outgoing { message, lane: Lane::Shared(caller) };
        Ok((caller, walk(&self.gate, &self.upstream, outgoing, &self.party).await?))
    }

    /// The client came back: the call that waits goes on with its answer.
    async fn resume(&self, state: &str, message: &Message) -> Result<(Caller, Walk), Fault> {
        let unknown = || Fault::params("This requestState belongs to no call that waits here");
        let plain = self.gate.seal.open(Purpose::RequestState, state).ok_or_else(unknown)?;
        let (node, number): (Caller, u64) = serde_json::from_slice(&plain).map_err(|_| unknown())?;
        let parked = Some(node).filter(|node| *node == self.gate.lot.node);
        let mut parked = parked.and_then(|_| self.gate.lot.take(number, &self.digest)).ok_or_else(unknown)?;
        // Taken apart without loss: what the client answered is what the server hears.
        let responses = message.raw(Field::InputResponses).and_then(|raw| serde_json::from_slice(raw).ok());
        let responses = responses.unwrap_or(Members(Vec::new()));
        let response = |key: &str| responses.get(key).map(RawValue::get).filter(|text| text.starts_with('{'));
        if !parked.questions.iter().all(|(key, _)| response(key).is_some()) {
            // Without answers the questions stand.
            return Err(self.again(number, parked));
        }
        for (key, id) in &parked.questions {
            let result = response(key).unwrap_or_default();
            let text =
                [b"{\"jsonrpc\":\"2.0\",\"id\":", &id[..], b",\"result\":", result.as_bytes(), b"}"].concat();
            let answer = Message::one(Bytes::from(text), self.gate.settings.limits.message)?;
            tell_server(&parked.upstream, parked.caller, answer).await?;
        }
        parked.walk.continued(message);
        Ok((parked.caller, parked.walk))
    }

    /// The call waits on; the client is told what is missing.
    fn again(&self, number: u64, parked: Parked) -> Fault {
        // There is room: it was taken out just now.
        self.gate.lot.park(number, parked);
        Fault::params("inputResponses holds no answer to the question that was asked")
    }

    async fn run(self, caller: Caller, mut walk: Walk, teller: Teller) {
        loop {
            let told = match walk.next().await {
                Ok(None) => return,
                Err(refusal) => self.refused(&refusal),
                Ok(Some(telling)) => match question(telling.message()) {
                    Some(question) if !self.can(&question.method()) => self.decline(caller, question).await,
                    Some(question) => {
                        let mut questions = vec![question.clone()];
                        self.gather(&mut walk, &mut questions).await;
                        self.park(caller, walk, &questions, &teller).await;
                        return;
                    }
                    None if !self.is_wanted(telling.message()) => continue,
                    None => told(telling, StatusCode::OK, &mut |reply| self.dress(reply)),
                },
            };
            let is_end = matches!(told, Told::Answer(..));
            if teller.send(told).await.is_err() || is_end {
                return;
            }
        }
    }

    fn refused(&self, refusal: &Fault) -> Told {
        Told::Answer(refusal.answer(Some(&self.id)), status_of(refusal), None)
    }

    /// The server needs what the client cannot do: both are told.
    async fn decline(&self, caller: Caller, question: &Message) -> Told {
        let method = question.method();
        let refusal = Fault { code: -32601, ..Fault::internal("The client cannot do this") };
        if let Ok(answer) = Message::one(refusal.answer(question.id()), self.gate.settings.limits.message) {
            // A server that is gone needs no answer.
            let _ = tell_server(&self.upstream, caller, answer).await;
        }
        self.refused(&Fault::missing_capability(method.split('/').next().unwrap_or_default()))
    }

    /// Questions that come together are asked together.
    async fn gather(&self, walk: &mut Walk, questions: &mut Vec<Message>) {
        while questions.len() < MOST_QUESTIONS
            && let Ok(Ok(Some(telling))) = tokio::time::timeout(TOGETHER, walk.next()).await
        {
            questions.extend(question(telling.message()).filter(|one| self.can(&one.method())).cloned());
        }
    }

    /// The call waits; the client is asked what the server asked.
    async fn park(&self, caller: Caller, walk: Walk, questions: &[Message], teller: &Teller) {
        let number = self.gate.number();
        let state = serde_json::to_vec(&(self.gate.lot.node, number)).ok();
        let state = state.and_then(|plain| self.gate.seal.seal(Purpose::RequestState, &plain));
        let mut requests = Vec::new();
        let mut ids = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            let key = format!("question-{}", index + 1);
            let params = question.raw(Field::Params).map_or("{}".into(), String::from_utf8_lossy);
            let method = Value::from(&*question.method());
            requests.push(format!(r#""{key}":{{"method":{method},"params":{params}}}"#));
            ids.push((key, question.shared(Field::Id).unwrap_or_default()));
        }
        let upstream = Arc::clone(&self.upstream);
        let parked = Parked { walk, upstream, caller, questions: ids, digest: self.digest };
        let is_parked = self.gate.lot.park(number, parked);
        let told = match state.filter(|_| is_parked) {
            None => self.refused(&Fault::internal("Too many calls wait for input")),
            Some(state) => {
                let (id, requests) = (String::from_utf8_lossy(&self.id), requests.join(","));
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required","inputRequests":{{{requests}}},"requestState":"{state}"}}}}"#
                );
                Told::Answer(Bytes::from(text), StatusCode::OK, None)
            }
        };
        // A client that left will not come back; the call is given up in time.
        let _ = teller.send(told).await;
    }

    fn can(&self, method: &str) -> bool {
        match method {
            "sampling/createMessage" => self.capabilities.get("sampling").is_some(),
            "elicitation/create" => self.capabilities.get("elicitation").is_some(),
            "roots/list" => self.capabilities.get("roots").is_some(),
            _ => false,
        }
    }

    /// Of what a server says on the way, the newer revision knows progress, and log lines if they were asked for.
    fn is_wanted(&self, item: &Item) -> bool {
        let Item::Message(reply) = item else { return false };
        match (reply.message.kind(), &*reply.message.method()) {
            (Kind::Notification, "notifications/message") => self.wants_log,
            (Kind::Notification, method) => method == "notifications/progress",
            _ => true,
        }
    }

    /// What the newer revision asks of every result.
    fn dress(&self, reply: &mut Reply) {
        reply.status = code_status(&reply.message);
        if reply.message.kind() == Kind::Error {
            let is_missing = reply.message.raw(Field::ErrorCode) == Some(b"-32002");
            if is_missing && self.method == "resources/read" {
                reply.replace(reply.message.place(Field::ErrorCode), Bytes::from_static(b"-32602"));
            }
            return;
        }
        let Some(result) = reply.message.shared(Field::Result).filter(|result| result.starts_with(b"{"))
        else {
            return;
        };
        let mut members = Vec::new();
        if !reply.message.has(Field::ResultType) {
            members.push(r#""resultType":"complete""#);
        }
        let is_kept = self.method.ends_with("/list") || self.method == "resources/read";
        if is_kept && !reply.message.has(Field::Ttl) {
            members.push(r#""ttlMs":0"#);
        }
        if is_kept && !reply.message.has(Field::CacheScope) {
            members.push(r#""cacheScope":"private""#);
        }
        if !members.is_empty() {
            reply.splice.add_members(reply.message.place(Field::Result), &result, &members.join(","));
        }
    }
}

/// A question of the server in the middle of a call.
fn question(item: &Item) -> Option<&Message> {
    match item {
        Item::Message(reply) if reply.message.kind() == Kind::Request => Some(&reply.message),
        _ => None,
    }
}

async fn tell_server(upstream: &Upstream, caller: Caller, message: Message) -> Result<(), Fault> {
    let outgoing = Outgoing { message, lane: Lane::Shared(caller) };
    let admitted =
        admit(outgoing, Standing::Exposed).map_err(|_| Fault::internal("The answer may not leave"))?;
    upstream.forward(admitted).await.map(drop)
}

/// A subscription: what was asked for is acknowledged, then news of that kind come.
async fn listen(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    message: &Message,
) -> Response<Body> {
    let id = message.shared(Field::Id).unwrap_or_default();
    let wanted = message.value(Field::Notifications).unwrap_or_default();
    let watched: Vec<String> = wanted["resourceSubscriptions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|uri| uri.as_str().map(str::to_owned))
        .take(256)
        .collect();
    for uri in &watched {
        let Ok(request) = opening::request("resources/subscribe", &json!({ "uri": uri })) else { continue };
        let call = Call::of(gate, upstream, party, &request);
        if let Ok((_, mut walk)) = call.begin(request).await {
            // A server that cannot watch it sends no news of it.
            let _ = walk.next().await;
        }
    }
    upstream.gather_news();
    let mut news = upstream.news.listen();
    let work = Work::new(|teller| async move {
        if teller.send(acknowledged(&id, &wanted)).await.is_err() {
            return;
        }
        while let Some((_, message)) = news.next().await {
            let is_wanted = is_wanted(&wanted, &message);
            if is_wanted
                && teller
                    .send(told(own(message), StatusCode::OK, &mut |reply| tag(reply, &id)))
                    .await
                    .is_err()
            {
                return;
            }
        }
    });
    listening(gate, work, None)
}

/// What a subscription begins with.
pub(crate) fn acknowledged(id: &[u8], wanted: &Value) -> Told {
    let id = String::from_utf8_lossy(id);
    let text = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"notifications":{wanted}}}}}"#,
    );
    Told::Other(Bytes::from(text), None)
}

/// Whether a subscription asked for such news.
pub(crate) fn is_wanted(wanted: &Value, message: &Message) -> bool {
    match &*message.method() {
        "notifications/tools/list_changed" => wanted["toolsListChanged"] == true,
        "notifications/prompts/list_changed" => wanted["promptsListChanged"] == true,
        "notifications/resources/list_changed" => wanted["resourcesListChanged"] == true,
        _ => {
            let watched = wanted["resourceSubscriptions"].as_array();
            message.text(Field::Uri).is_some_and(|uri| watched.into_iter().flatten().any(|one| *one == *uri))
        }
    }
}

/// Marks news with the subscription they come for.
pub(crate) fn tag(reply: &mut Reply, id: &[u8]) {
    let member = format!(r#""io.modelcontextprotocol/subscriptionId":{}"#, String::from_utf8_lossy(id));
    let message = &reply.message;
    match (message.raw(Field::Meta), message.raw(Field::Params)) {
        (Some(raw), _) => reply.splice.add_members(message.place(Field::Meta), raw, &member),
        (None, Some(raw)) => {
            reply.splice.add_members(message.place(Field::Params), raw, &format!(r#""_meta":{{{member}}}"#))
        }
        (None, None) => {
            reply.splice.add_last(message.bytes(), &format!(r#""params":{{"_meta":{{{member}}}}}"#))
        }
    }
}
