//! A message's way past the judge: asked about before it leaves, heard before its result goes back.

use std::sync::Arc;

use bytes::Bytes;
use portcullis_decide::policy::{Act, Verdict};
use portcullis_decide::{Admitted, Released, Standing, Withheld, admit_call};
use portcullis_store::{Draft, Kind as Recorded, Status};
use serde_json::json;
use tracing::warn;

use super::holding::{Held, Ruling, Waited};
use super::{Asked, Heard, Judged, Party, Refusal, refusal};
use crate::bridge::old_client::stateless;
use crate::gate::Gate;
use crate::intent::Intent;
use crate::session::now_us;
use crate::upstream::reply::Item;
use crate::upstream::{Lane, Outgoing, Upstream};
use crate::wire::{self, Fault, Field, Kind, Message, Splice, failed_result};

/// Documents from this size on are looked at off the threads that serve others.
const LARGE: usize = 64 << 10;

/// What of a message is judged.
pub(crate) struct Subject {
    tool: String,
    arguments: Bytes,
    is_call: bool,
}

impl Subject {
    /// Calls, and what else an agent asks a server for that brings content.
    pub(crate) fn of(message: &Message) -> Option<Subject> {
        if message.kind() != Kind::Request {
            return None;
        }
        let method = message.method();
        let (tool, field) = match &*method {
            "tools/call" => (message.text(Field::Name).unwrap_or_default().into_owned(), Field::Arguments),
            "resources/read" | "prompts/get" => (method.into_owned(), Field::Params),
            _ => return None,
        };
        let arguments = message.shared(field).unwrap_or_else(|| Bytes::from_static(b"{}"));
        Some(Subject { is_call: field == Field::Arguments, tool, arguments })
    }
}

/// A message that may leave, and what was thought of it; or what is told instead.
pub(crate) type Permitted = Result<(Admitted<Outgoing>, Option<Box<Judged>>), (Fault, Option<Box<Judged>>)>;

/// Judges a message and waits for a human if it must.
pub(crate) async fn permit(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    outgoing: Outgoing,
    subject: &Subject,
    intent: Option<&Intent>,
) -> Permitted {
    let asked = Asked { server: &upstream.name, tool: &subject.tool, arguments: &subject.arguments, intent };
    let look = || Box::new(gate.judge.call(&gate.quarantine, party, &asked));
    let judged = if subject.arguments.len() >= LARGE { tokio::task::block_in_place(look) } else { look() };
    if judged.verdict.act >= Act::Warn {
        alert(gate, &judged, party);
    }
    let refused = |why: Refusal, judged: Box<Judged>| {
        let text = refusal(&why, &judged.verdict.rules);
        let fault =
            if subject.is_call { Fault::tool_result(text) } else { Fault::invalid(text).with_status(200) };
        (fault, Some(judged))
    };
    let is_approved = match judged.verdict.act {
        Act::Deny if gate.judge.is_stopped() => return Err(refused(Refusal::Stopped, judged)),
        Act::Approve => match ask(gate, party, subject, &judged).await {
            Ok(()) => true,
            Err(why) => return Err(refused(why, judged)),
        },
        _ => false,
    };
    let outgoing = match judged.verdict.act {
        Act::Redact if subject.is_call => match redact(gate, upstream, outgoing, &judged, subject) {
            Ok(outgoing) => outgoing,
            Err(fault) => return Err((fault, Some(judged))),
        },
        _ => outgoing,
    };
    match admit_call(outgoing, Standing::Exposed, &judged.verdict, is_approved) {
        Ok(admitted) => Ok((admitted, Some(judged))),
        Err(_) => Err(refused(Refusal::Denied, judged)),
    }
}

/// Waits for a human, unless one allowed the same tool the same places before.
async fn ask(gate: &Gate, party: &Party, subject: &Subject, judged: &Judged) -> Result<(), Refusal> {
    if judged.is_allowed() {
        return Ok(());
    }
    let sameness = judged.sameness(party, &subject.arguments);
    let question = judged.question(party, &subject.arguments);
    let told = |held: &Held| {
        record(gate, held, "held until a human decides", Status::Held);
        gate.happening.tell("approval", &held.question.server, json!(held));
    };
    match gate.judge.holding.wait(sameness, question, told).await {
        Waited::Allowed(ruling) => {
            if ruling == Ruling::AllowDestination {
                judged.allow();
            }
            Ok(())
        }
        Waited::Denied => Err(Refusal::DeniedByHuman),
        Waited::NotYet(id) => Err(Refusal::Waiting(id)),
        Waited::Full => Err(Refusal::Full),
    }
}

/// The call with its secrets masked. Headers that repeat arguments say the same.
fn redact(
    gate: &Gate,
    upstream: &Upstream,
    outgoing: Outgoing,
    judged: &Judged,
    subject: &Subject,
) -> Result<Outgoing, Fault> {
    let Some(text) = judged.redacted(&subject.arguments) else { return Ok(outgoing) };
    let mut splice = Splice::new();
    splice.replace(outgoing.message.place(Field::Arguments), text);
    let message = outgoing.message.spliced(splice, gate.settings.limits.message)?;
    let lane = match outgoing.lane {
        Lane::Stateless(_) => Lane::Stateless(stateless(upstream, &message)),
        other => other,
    };
    Ok(Outgoing { message, lane })
}

/// Judges what came back.
pub(crate) fn hear(gate: &Gate, judged: &Judged, said: &[u8], is_error: bool) -> Heard {
    let look = || gate.judge.result(judged, said, is_error);
    if said.len() >= LARGE { tokio::task::block_in_place(look) } else { look() }
}

/// What is told in the place of a result that is held back.
pub(crate) fn withheld(held: Withheld<Item>, verdict: &Verdict, limits: wire::Limits) -> Released<Item> {
    let text = refusal(&Refusal::Withheld, &verdict.rules);
    held.replaced(|mut item| {
        if let Item::Message(reply) = &mut item {
            let (field, text) = match reply.message.kind() {
                Kind::Error => (Field::Error, json!({ "code": -32603, "message": text }).to_string()),
                _ => (Field::Result, failed_result(&text)),
            };
            // INVARIANT: the message stays one, and what is written is far below any limit.
            if let Err(fault) = reply.rewrite(field, Bytes::from(text), limits) {
                warn!(why = %fault.message, "a result cannot be held back as it should");
            }
        }
        item
    })
}

/// Tells whoever listens that something was raised.
fn alert(gate: &Gate, judged: &Judged, party: &Party) {
    let told = json!({ "session": party.session, "guard": judged.opinion.note });
    gate.happening.tell("alert", judged.server.as_str(), told);
}

/// Records that all calls were stopped, or may pass again.
pub(crate) fn record_switch(gate: &Gate, is_stopped: bool, by: &str) {
    let what = if is_stopped { "all calls are stopped" } else { "calls pass again" };
    let note = json!({ "what": what, "by": by }).to_string();
    let status = if is_stopped { Status::Refused } else { Status::Noted };
    let draft = Draft { note: Some(&note), ..Draft::new(Recorded::PolicyDecision, status, now_us()) };
    if let Err(why) = gate.settings.store.append(&draft) {
        warn!(%why, "that calls were stopped cannot be recorded");
    }
}

/// Records a decision about a call. That it cannot be recorded is said, and changes nothing about it.
pub(crate) fn record(gate: &Gate, held: &Held, what: &str, status: Status) {
    let question = &held.question;
    let note = json!({ "call": held.id, "what": what, "rules": question.rules, "by": held.by }).to_string();
    let draft = Draft {
        server: &question.server,
        tool: &question.tool,
        session: &question.session,
        risk: question.risk,
        note: Some(&note),
        ..Draft::new(Recorded::PolicyDecision, status, now_us())
    };
    if let Err(why) = gate.settings.store.append(&draft) {
        warn!(%why, "a decision about a call cannot be recorded");
    }
}
