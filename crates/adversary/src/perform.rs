//! One request from its arrival to its answer: counted, answered as the scenario says, on whatever wire it came.

use crate::declared::{self, dress, text_result};
use crate::node::{Node, Value};
use crate::rpc::{self, Client, METHOD_NOT_FOUND, Message, UNSUPPORTED_VERSION};
use crate::scenario::{Aside, Body, Era, Response};
use crate::stage::Stage;
use crate::template::{self, Moment};
use std::io::{Error, Result};
use std::time::{Duration, Instant};

/// How long the client may think about a question of ours.
const PATIENCE: Duration = Duration::from_secs(30);
/// As good as for ever.
const NEVER: Duration = Duration::from_secs(24 * 3600);
/// How often a waiting request looks whether its client is still there.
const GLANCE: Duration = Duration::from_millis(100);

/// A request and who sent it.
pub(crate) struct Request {
    /// The session it belongs to; empty where there is only one, or none.
    pub(crate) conversation: String,
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) message: Message,
    pub(crate) era: Era,
    pub(crate) client: Client,
}

/// What is finally sent, and how.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    pub(crate) frames: Vec<Vec<u8>>,
    pub(crate) pieces: Option<(u64, u64)>,
    pub(crate) endless: Option<Vec<u8>>,
    pub(crate) hang_up_after: Option<u64>,
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
}

/// The way back to the client that asked.
pub(crate) trait Wire {
    /// Sends a frame that is not the answer.
    fn aside(&mut self, frame: &[u8]) -> Result<()>;
    /// Sends the answer.
    fn deliver(&mut self, delivery: &Delivery) -> Result<()>;
    /// Whether nobody is there any more to hear the answer.
    fn is_gone(&mut self) -> bool;
}

/// Answers a request.
pub(crate) fn perform(stage: &Stage, request: &Request, wire: &mut dyn Wire) -> Result<()> {
    let state = stage.enter(&request.method, &request.client.name);
    let (_, declared) = stage.server.declared_in(&state);
    let mut moment = Moment {
        scenario: stage.scenario.clone(),
        id: request.id.clone(),
        client: state.client.clone(),
        calls: state.calls,
        lists: state.lists,
        arguments: request.message.params["arguments"].clone(),
        answers: serde_json::json!({}),
    };
    let declared = rendered(declared, &moment);
    let outcome = match stage.server.response(&request.method, request.message.subject(), &state) {
        None => wire.deliver(&honest(stage, request, &declared)),
        Some(response) => Performance { stage, request, declared, response }.run(&mut moment, wire),
    };
    stage.announce(&request.client.name);
    outcome
}

/// The tree with all its templates filled.
pub(crate) fn rendered(node: &Node, moment: &Moment) -> Node {
    node.with_texts(&|text| template::render_text(text, moment))
}

/// The answer of a server that has nothing special to say to this.
fn honest(stage: &Stage, request: &Request, declared: &Node) -> Delivery {
    if !stage.eras.contains(&request.era) {
        let code = if request.era == Era::Modern { METHOD_NOT_FOUND } else { UNSUPPORTED_VERSION };
        return failed(request, code, "not of this era");
    }
    match declared::answer(&stage.server, declared, request.era, &request.message, &request.method) {
        Ok(result) => answered(request, declared, result),
        Err((code, message)) => failed(request, code, &message),
    }
}

fn answered(request: &Request, declared: &Node, result: Node) -> Delivery {
    let is_modern = request.era == Era::Modern;
    let result = if is_modern { dress(result, declared, &request.method) } else { result };
    Delivery { frames: vec![rpc::response(&request.id, &result)], status: 200, ..Delivery::default() }
}

fn failed(request: &Request, code: i32, message: &str) -> Delivery {
    let status = if request.era == Era::Modern && code == METHOD_NOT_FOUND { 404 } else { 200 };
    let frame = rpc::failure(Some(&request.id), code, message);
    Delivery { frames: vec![frame], status, ..Delivery::default() }
}

/// A request for which the scenario has a response.
struct Performance<'a> {
    stage: &'a Stage,
    request: &'a Request,
    declared: Node,
    response: &'a Response,
}

impl Performance<'_> {
    fn run(&self, moment: &mut Moment, wire: &mut dyn Wire) -> Result<()> {
        if let Some(questions) = self.open_questions() {
            return wire.deliver(&answered(self.request, &self.declared, rendered(&questions, moment)));
        }
        moment.answers = self.request.message.params["inputResponses"].clone();
        for aside in &self.response.before {
            self.aside(aside, moment, wire)?;
        }
        let delivery = self.delivery(moment);
        let pause = if delivery.is_none() { NEVER } else { Duration::from_millis(self.response.delay_ms) };
        let is_taken_back = self.is_taken_back_within(pause, wire);
        match delivery {
            Some(delivery) if !is_taken_back || self.response.ignores_cancel => wire.deliver(&delivery),
            _ => Err(Error::other("this request is not answered")),
        }
    }

    /// Waits, at most so long; whether the client took its request back or left meanwhile.
    fn is_taken_back_within(&self, pause: Duration, wire: &mut dyn Wire) -> bool {
        let Request { conversation, id, .. } = self.request;
        let until = Instant::now() + pause;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.stage.is_cancelled_within(conversation, id, left.min(GLANCE)) {
                return true;
            }
            if left.is_zero() || wire.is_gone() {
                return !left.is_zero();
            }
        }
    }

    /// In the stateless era questions are a result, until the client brings the answers.
    fn open_questions(&self) -> Option<Node> {
        if self.request.era != Era::Modern || self.request.message.params.get("inputResponses").is_some() {
            return None;
        }
        let mut questions = Node::map([]);
        for aside in &self.response.before {
            if let Aside::Ask { method, params, key, .. } = aside
                && self.may_ask(aside)
            {
                questions
                    .put(key, Node::map([("method", method.as_str().into()), ("params", params.clone())]));
            }
        }
        let state = ("requestState", "asked".into());
        let kind = ("resultType", "input_required".into());
        (!questions.entries().is_empty()).then(|| Node::map([kind, ("inputRequests", questions), state]))
    }

    fn may_ask(&self, aside: &Aside) -> bool {
        match aside {
            Aside::Ask { method, is_forced, .. } => *is_forced || self.request.client.can_answer(method),
            Aside::Notify { .. } => false,
        }
    }

    fn aside(&self, aside: &Aside, moment: &mut Moment, wire: &mut dyn Wire) -> Result<()> {
        match aside {
            Aside::Notify { method, params, repeat } => {
                let Some(params) = self.told(params, moment) else { return Ok(()) };
                let frame = rpc::notification(method, &params);
                (0..*repeat).try_for_each(|_| wire.aside(&frame))
            }
            Aside::Ask { method, params, key, .. } => {
                if self.request.era == Era::Legacy && self.may_ask(aside) {
                    let (id, answer) = self.stage.ask();
                    wire.aside(&rpc::request(id, method, &rendered(params, moment)))?;
                    let answer = answer.recv_timeout(PATIENCE).unwrap_or_default();
                    self.stage.gave_up(id);
                    if !moment.answers.is_object() {
                        moment.answers = serde_json::json!({});
                    }
                    moment.answers[key] = answer;
                }
                Ok(())
            }
        }
    }

    /// A notification's parameters. Progress goes by the token the client gave; without one it is not told.
    fn told(&self, params: &Node, moment: &Moment) -> Option<Node> {
        let mut params = rendered(params, moment);
        if params.get("progressToken").is_some_and(|token| token.value == Value::Null) {
            let token = self.request.message.params["_meta"].get("progressToken")?;
            params.put("progressToken", Value::Spelt(token.to_string()).into());
        }
        Some(params)
    }

    /// `None` if there is to be no answer.
    fn delivery(&self, moment: &Moment) -> Option<Delivery> {
        let Response { body, pieces, endless, hang_up_after, status, headers, .. } = self.response;
        let mut delivery = match body {
            Body::Result(result) => answered(self.request, &self.declared, rendered(result, moment)),
            Body::Echo => answered(self.request, &self.declared, text_result(&moment.arguments.to_string())),
            Body::Error(error) => Delivery {
                frames: vec![rpc::error(&self.request.id, &rendered(error, moment))],
                ..Delivery::default()
            },
            Body::Raw(frames) => Delivery {
                frames: frames.iter().map(|frame| template::render(frame, moment)).collect(),
                ..Delivery::default()
            },
            Body::Silent => return None,
        };
        delivery.pieces = *pieces;
        delivery.endless = endless.as_ref().map(|text| template::render(text, moment));
        delivery.hang_up_after = *hang_up_after;
        delivery.status = *status;
        delivery.headers =
            headers.iter().map(|(key, value)| (key.clone(), template::render_text(value, moment))).collect();
        Some(delivery)
    }
}
