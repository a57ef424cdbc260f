//! A call that waits for a human: what its agent hears meanwhile, and how its user is asked in their own client.

use std::sync::Arc;

use bytes::Bytes;
use portcullis_decide::Standing;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::holding::{Question, Ruling, Used, Waited, Waiting};
use super::passage::{self, Permit, Subject};
use super::{Judged, Party, Refusal, User, words};
use crate::downstream::local::Local;
use crate::gate::Gate;
use crate::members::Members;
use crate::seal::Purpose;
use crate::upstream::{Outgoing, Upstream, lone_caller};
use crate::wire::{Fault, Field, Message, Splice};

/// The name of our question among those a result may ask.
const KEY: &str = "portcullis-approval";

/// A call that waits.
pub(crate) struct Wait {
    outgoing: Outgoing,
    subject: Subject,
    judged: Box<Judged>,
    waiting: Waiting,
    party: Party,
    question: Question,
    /// How often progress was told, and when it is next.
    told: u32,
    next: Instant,
    /// Whether the user is still to be asked.
    is_to_ask: bool,
    /// The question the client has open in its session.
    asked: Option<(Arc<Local>, Bytes)>,
    ended: Option<Waited>,
}

/// What comes next of a call that waits.
pub(crate) enum Step {
    /// Its client is told.
    Tell(Message),
    /// Its client is told, and that is its answer.
    Answer(Message),
    /// It waits no longer.
    Ended(Waited),
}

impl Wait {
    pub(super) fn new(
        party: &Party,
        outgoing: Outgoing,
        subject: Subject,
        judged: Box<Judged>,
        waiting: Waiting,
        question: Question,
    ) -> Wait {
        // Once for each call: whoever comes again is not asked again.
        let is_to_ask = judged.bench.rules.asks_user && waiting.is_new;
        let (party, next) = (party.clone(), Instant::now());
        Wait {
            outgoing,
            subject,
            judged,
            waiting,
            party,
            question,
            told: 0,
            next,
            is_to_ask,
            asked: None,
            ended: None,
        }
    }

    /// What comes next. INVARIANT: who stops listening in the middle loses nothing.
    pub(crate) async fn next(&mut self, gate: &Arc<Gate>) -> Result<Step, Fault> {
        if let Some(ended) = self.ended.take() {
            return Ok(Step::Ended(ended));
        }
        if std::mem::take(&mut self.is_to_ask)
            && let Some(step) = self.ask(gate)?
        {
            return Ok(step);
        }
        let holding = &gate.judge.holding;
        let token = self.outgoing.message.shared(Field::MetaProgressToken);
        tokio::select! {
            biased;
            ended = holding.decided(&mut self.waiting) => self.ended(ended),
            () = tokio::time::sleep_until(self.next), if token.is_some() => {
                self.next = Instant::now() + holding.tells();
                self.told += 1;
                Ok(Step::Tell(self.progress(&token.unwrap_or_default())?))
            }
        }
    }

    /// It was decided, or its time is over. A question that somebody else answered is taken back; one that nobody did
    /// can still be answered, for the same call that comes again.
    fn ended(&mut self, ended: Waited) -> Result<Step, Fault> {
        if !matches!(ended, Waited::NotYet)
            && let Some((local, id)) = self.asked.take()
            && local.unask(&id)
        {
            self.ended = Some(ended);
            let id: Value = serde_json::from_slice(&id).unwrap_or_default();
            let reason = "it was decided elsewhere";
            return Ok(Step::Tell(notification("cancelled", &json!({ "requestId": id, "reason": reason }))?));
        }
        Ok(Step::Ended(ended))
    }

    pub(crate) fn message(&self) -> &Message {
        &self.outgoing.message
    }

    /// What becomes of it, and the decision it used up. Much may have happened while it waited: `standing` is how the tool
    /// stands now.
    pub(crate) fn over(
        self,
        gate: &Gate,
        upstream: &Upstream,
        ended: Waited,
        standing: Standing,
    ) -> (Permit, Option<Box<Used>>) {
        let Wait { outgoing, subject, judged, waiting, .. } = self;
        let why = match ended {
            Waited::Allowed(..) if gate.judge.switch.is_stopped() => Refusal::Stopped,
            // The same call came to another node too, and that was faster.
            Waited::Allowed(_, used) if !passage::use_up(gate, used.held()) => Refusal::UsedUp,
            Waited::Allowed(ruling, used) => {
                if ruling == Ruling::AllowDestination {
                    judged.allow();
                }
                let permit = passage::leave(gate, upstream, outgoing, &subject, judged, Some(standing));
                return (permit, Some(used));
            }
            Waited::Denied => {
                passage::forget(gate, &waiting.id);
                Refusal::DeniedByHuman
            }
            Waited::Lapsed => Refusal::Lapsed,
            Waited::UsedUp => Refusal::UsedUp,
            Waited::NotYet => Refusal::Waiting(waiting.id),
        };
        (subject.refused(&why, judged), None)
    }

    /// Small steps: whatever the server says of its own progress later is more.
    fn progress(&self, token: &[u8]) -> Result<Message, Fault> {
        let token: Value = serde_json::from_slice(token).unwrap_or_default();
        let message = words::waiting(&self.waiting.id, &self.question.rules.join(", "));
        let progress = f64::from(self.told) / 1000.0;
        let params = json!({ "progressToken": token, "progress": progress, "message": message });
        notification("progress", &params)
    }

    /// Asks the user, if their client can.
    fn ask(&mut self, gate: &Arc<Gate>) -> Result<Option<Step>, Fault> {
        match self.party.user {
            User::Unasked => Ok(None),
            User::InSession(caller) => {
                let Some(local) = gate.local(caller) else { return Ok(None) };
                // Nobody can guess it: a server that asks under the same name would get the answer meant for us.
                let id = Bytes::from(format!("\"portcullis-{:032x}\"", lone_caller()));
                // A client with too many questions is asked no more.
                let Ok(answer) = local.ask(id.clone()) else { return Ok(None) };
                let params = form(&self.question);
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{},"method":"elicitation/create","params":{params}}}"#,
                    String::from_utf8_lossy(&id)
                );
                self.hear(gate, Arc::clone(&local), id.clone(), answer);
                self.asked = Some((local, id));
                Ok(Some(Step::Tell(Message::one(Bytes::from(text), gate.settings.limits.message)?)))
            }
            User::ByResult => self.ask_by_result(gate),
        }
    }

    /// The answer counts as long as the call can be decided, also when its agent waits no longer.
    fn hear(
        &self,
        gate: &Arc<Gate>,
        local: Arc<Local>,
        id: Bytes,
        answer: tokio::sync::oneshot::Receiver<Message>,
    ) {
        let (gate, call, by) = (Arc::clone(gate), self.waiting.id.clone(), self.user());
        tokio::spawn(async move {
            let answer = tokio::time::timeout(gate.judge.holding.keeps(), answer).await;
            match answer.ok().and_then(Result::ok) {
                Some(answer) => decide(&gate, &call, answer.value(Field::Result), &by),
                None => drop(local.unask(&id)),
            }
        });
    }

    /// Who decides when the user does.
    fn user(&self) -> String {
        format!("the user of {}", words::shown(&self.party.agent))
    }

    /// Clients without sessions are asked by a result, and come again with the answer.
    fn ask_by_result(&self, gate: &Gate) -> Result<Option<Step>, Fault> {
        let message = &self.outgoing.message;
        // A call that brings answers to its server would lose them.
        if message.has(Field::RequestState) || message.has(Field::InputResponses) {
            return Ok(None);
        }
        let state = json!([self.waiting.id, self.user(), &*self.party.agent]).to_string();
        let Some(state) = gate.seal.seal(Purpose::Approval, state.as_bytes()) else { return Ok(None) };
        let result = json!({
            "resultType": "input_required",
            "inputRequests": { KEY: { "method": "elicitation/create", "params": form(&self.question) } },
            "requestState": state,
        });
        let answer = crate::downstream::telling::answer(message.id(), result.to_string().as_bytes(), gate)?;
        Ok(Some(Step::Answer(answer)))
    }
}

/// A request that may bring a user's answer to a question of ours: the answer counts, and the request goes on without it.
pub(crate) fn taken(gate: &Gate, party: &mut Party, message: Message) -> Result<Message, Fault> {
    let state = message.text(Field::RequestState);
    let state = state.and_then(|state| gate.seal.open(Purpose::Approval, &state));
    let Some(state) = state else { return Ok(message) };
    let stale = |_| Fault::params("This requestState belongs to no call that waits");
    let (call, by, agent): (String, String, String) = serde_json::from_slice(&state).map_err(stale)?;
    if *agent != *party.agent {
        return Err(Fault::params("This requestState was given to another agent").with_status(200));
    }
    let responses = message.raw(Field::InputResponses).and_then(|raw| serde_json::from_slice(raw).ok());
    let answer = responses.and_then(|all: Members| serde_json::from_str(all.get(KEY)?.get()).ok());
    decide(gate, &call, answer, &by);
    // Whatever was answered, nobody is asked twice.
    party.user = User::Unasked;
    let limits = gate.settings.limits.message;
    let without = |message: Message, field: Field| {
        if !message.has(field) {
            return Ok(message);
        }
        let mut splice = Splice::new();
        splice.remove_member(message.bytes(), message.place(field));
        message.spliced(splice, limits)
    };
    without(without(message, Field::RequestState)?, Field::InputResponses)
}

/// Takes a user's answer as the decision, if it is one. Whoever closes the question decides nothing; a decision that
/// somebody else made stands.
fn decide(gate: &Gate, call: &str, answer: Option<Value>, by: &str) {
    let ruling = answer.and_then(|answer| match answer["action"].as_str()? {
        "accept" => Ruling::named(answer["content"]["decision"].as_str()?),
        "decline" => Some(Ruling::Deny),
        _ => None,
    });
    if let Some(ruling) = ruling {
        let _ = passage::decide(gate, call, ruling, by);
    }
}

/// The form a user sees.
fn form(question: &Question) -> Value {
    let all = Ruling::ALL.into_iter();
    let all = all.filter(|one| *one != Ruling::AllowDestination || !question.destinations.is_empty());
    let (words, names): (Vec<&str>, Vec<&str>) = all
        .map(|ruling| match ruling {
            Ruling::AllowOnce => (ruling.as_str(), "Allow this call"),
            Ruling::AllowDestination => (ruling.as_str(), "Allow this tool to go there from now on"),
            Ruling::Deny => (ruling.as_str(), "Deny"),
        })
        .unzip();
    let decision = json!({ "type": "string", "title": "Decision", "enum": words, "enumNames": names });
    json!({
        "message": words::request(question),
        "requestedSchema": {
            "type": "object", "properties": { "decision": decision }, "required": ["decision"],
        },
    })
}

fn notification(name: &str, params: &Value) -> Result<Message, Fault> {
    let text = json!({ "jsonrpc": "2.0", "method": format!("notifications/{name}"), "params": params });
    Message::one(Bytes::from(text.to_string()), crate::wire::Limits::default())
}
