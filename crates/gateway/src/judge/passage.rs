//! A message's way past the judge: asked about before it leaves, heard before its result goes back.

use std::sync::Arc;

use bytes::Bytes;
use portcullis_decide::policy::{Act, ResultAct, ResultVerdict};
use portcullis_decide::{Admitted, Released, Standing, Withheld, admit_call};
use portcullis_store::{Draft, Kind as Recorded, Status, Store, StoreError};
use serde_json::json;
use tracing::warn;

use super::holding::{Held, Ruling, Sameness, Undecidable, Used};
use super::waiting::Wait;
use super::{Asked, Heard, Judged, Party, Refusal, alerting, kept, refusal};
use crate::bridge::old_client::stateless;
use crate::gate::Gate;
use crate::intent::Intent;
use crate::quarantine::now_ms;
use crate::session::now_us;
use crate::settings::ServerName;
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
            // What a task yields is read later, and is a result all the same.
            "tasks/get" | "tasks/result" => ("tasks/get".to_owned(), Field::Params),
            _ => return None,
        };
        let arguments = message.shared(field).unwrap_or_else(|| Bytes::from_static(b"{}"));
        Some(Subject { is_call: field == Field::Arguments, tool, arguments })
    }

    /// What is told in the place of an answer.
    pub(super) fn refused(&self, why: &Refusal, judged: Box<Judged>) -> Permit {
        let text = refusal(why, &judged.verdict.rules);
        let fault =
            if self.is_call { Fault::tool_result(text) } else { Fault::invalid(text).with_status(200) };
        Permit::Refused(fault, Some(judged))
    }
}

/// What becomes of a message that was judged.
pub(crate) enum Permit {
    /// It may leave.
    Passes(Admitted<Outgoing>, Option<Box<Judged>>),
    /// This is told instead.
    Refused(Fault, Option<Box<Judged>>),
    /// A human must decide first.
    Waits(Box<Wait>),
}

/// Judges a message.
pub(crate) async fn permit(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    party: &Party,
    outgoing: Outgoing,
    subject: Subject,
    intent: Option<&Intent>,
) -> Permit {
    let (server, tool, arguments) = (&upstream.name, &*subject.tool, &*subject.arguments);
    let (known, reached) = if gate.judge.limits_rates() {
        // Both questions travel together.
        let reached = gate.judge.reached(party, server.as_str(), tool);
        Box::pin(async { tokio::join!(gate.judge.catch_up(party), reached) }).await
    } else {
        (gate.judge.catch_up(party).await, None)
    };
    let asked = Asked { server, tool, arguments, intent, known, is_too_often: reached.is_some() };
    let look = || Box::new(gate.judge.call(&gate.quarantine, party, &asked));
    let judged = if subject.arguments.len() >= LARGE { tokio::task::block_in_place(look) } else { look() };
    alerting::call(gate, &judged);
    if let Some(reached) = reached.filter(|_| !gate.judge.switch.is_stopped()) {
        return subject.refused(&Refusal::TooOften(reached), judged);
    }
    match judged.verdict.act {
        Act::Deny if gate.judge.switch.is_stopped() => subject.refused(&Refusal::Stopped, judged),
        // A human allowed the same tool the same places before.
        Act::Approve if !judged.is_allowed() => hold(gate, party, outgoing, subject, judged),
        Act::Approve => leave(gate, upstream, outgoing, &subject, judged, Some(Standing::Exposed)),
        _ => leave(gate, upstream, outgoing, &subject, judged, None),
    }
}

/// Lets a call wait for a human.
fn hold(
    gate: &Arc<Gate>,
    party: &Party,
    outgoing: Outgoing,
    subject: Subject,
    judged: Box<Judged>,
) -> Permit {
    let sameness = judged.sameness(party, &subject.arguments);
    let question = judged.question(party, &subject.arguments);
    meet(gate, sameness);
    let told = |held: &Held| {
        record(gate, held, "held until a human decides", Status::Held);
        let is_kept = stored(gate, |store| kept::keep(store, held, &sameness)).is_some();
        gate.happening.tell("approval", &held.question.server, || json!(held));
        alerting::held(gate, &judged, Some(held));
        is_kept
    };
    match gate.judge.holding.enter(sameness, question.clone(), told) {
        Some(waiting) => {
            Permit::Waits(Box::new(Wait::new(party, outgoing, subject, judged, waiting, question)))
        }
        None => {
            alerting::held(gate, &judged, None);
            subject.refused(&Refusal::Full, judged)
        }
    }
}

/// Takes up the same call from another node if it waits there, and forgets it here if it had its end there.
fn meet(gate: &Gate, sameness: Sameness) {
    let holding = &gate.judge.holding;
    let known = holding.known(&sameness);
    let same = stored(gate, |store| kept::same(store, &sameness, now_ms()));
    if let (Some(id), Some(same)) = (&known, &same)
        && same.as_ref().is_none_or(|held| held.id != *id)
    {
        holding.ended_elsewhere(id);
    }
    if let Some(Some(held)) = same
        && holding.known(&sameness).is_none()
    {
        holding.take_up(held, sameness);
    }
}

/// The message as it may leave, if the verdict lets it; `approved` says that a human did, and how the tool stands now.
pub(super) fn leave(
    gate: &Gate,
    upstream: &Upstream,
    outgoing: Outgoing,
    subject: &Subject,
    judged: Box<Judged>,
    approved: Option<Standing>,
) -> Permit {
    let outgoing = match judged.verdict.act {
        Act::Redact if subject.is_call => match redact(gate, upstream, outgoing, &judged, subject) {
            Ok(outgoing) => outgoing,
            Err(fault) => return Permit::Refused(fault, Some(judged)),
        },
        _ => outgoing,
    };
    let standing = approved.clone().unwrap_or(Standing::Exposed);
    match admit_call(outgoing, standing, &judged.verdict, approved.is_some()) {
        Ok(admitted) => Permit::Passes(admitted, Some(judged)),
        Err(_) => subject.refused(&Refusal::Denied, judged),
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
    let heard = if said.len() >= LARGE { tokio::task::block_in_place(look) } else { look() };
    alerting::result(gate, judged, &heard);
    heard
}

/// What is told in the place of a result that is held back.
pub(crate) fn withheld(
    held: Withheld<Item>,
    verdict: &ResultVerdict,
    limits: wire::Limits,
) -> Released<Item> {
    let text = refusal(&Refusal::Withheld, &verdict.names());
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

/// Judges what a server asks of an agent or its user, and records it if anything was found.
pub(crate) fn hear_question(gate: &Gate, party: &Party, server: &ServerName, question: &Message) -> Heard {
    let server = server.as_str();
    let params = question.shared(Field::Params).unwrap_or_else(|| Bytes::from_static(b"{}"));
    let method = question.method();
    let look = || gate.judge.question(party, server, &method, &params);
    let heard = if params.len() >= LARGE { tokio::task::block_in_place(look) } else { look() };
    alerting::question(gate, party, (server, &method), &heard);
    record_heard(gate, party, (server, &method), "a question of the server", &heard);
    heard
}

/// Records the judgement on what came back for something that is no call, and so has no record of its own.
pub(crate) fn record_content(gate: &Gate, judged: &Judged, heard: &Heard) {
    let place = (judged.server.as_str(), judged.tool.as_str());
    record_heard(gate, &judged.party, place, "content that an agent asked for", heard);
}

/// Records what was found in something of a server, if anything was done about it.
fn record_heard(gate: &Gate, party: &Party, (server, tool): (&str, &str), what: &str, heard: &Heard) {
    if heard.verdict.act == ResultAct::Pass {
        return;
    }
    let note = json!({ "what": what, "guard": heard.opinion.note }).to_string();
    let is_held = heard.verdict.act == ResultAct::Hold;
    let status = if is_held { Status::Refused } else { Status::Noted };
    let draft = Draft {
        server,
        tool,
        session: &party.session,
        risk: heard.opinion.risk,
        note: Some(&note),
        ..Draft::new(Recorded::PolicyDecision, status, now_us())
    };
    append(gate, &draft);
}

/// Decides a call that waits here or on another node, once, and records who did before the call hears of it.
pub(crate) fn decide(gate: &Gate, id: &str, ruling: Ruling, by: &str) -> Result<Held, Undecidable> {
    let known = stored(gate, |store| kept::find(store, id, now_ms())).flatten();
    let here = || gate.judge.holding.all().into_iter().find(|held| held.id == id);
    let held = known.or_else(here).ok_or(Undecidable::Unknown)?;
    if held.ruling.is_some() {
        return Err(Undecidable::Decided);
    }
    let held = Held { ruling: Some(ruling), by: Some(by.to_owned()), ..held };
    let status = if ruling == Ruling::Deny { Status::Refused } else { Status::Noted };
    record(gate, &held, ruling.as_str(), status);
    if stored(gate, |store| kept::rule(store, id, ruling, by)) == Some(false) {
        record(gate, &held, "somebody else had decided it a moment before", Status::Noted);
        return Err(Undecidable::Decided);
    }
    gate.judge.holding.hear(std::slice::from_ref(&held));
    gate.happening.tell("decision", &held.question.server, || json!(held));
    Ok(held)
}

/// Uses the decision about a call up; false if another node did, or nobody can tell.
pub(super) fn use_up(gate: &Gate, held: &Held) -> bool {
    stored(gate, |store| kept::use_up(store, &held.id)) == Some(true)
}

/// Gives a decision back that was used up.
pub(crate) fn give_back(gate: &Gate, used: Used) {
    let held = used.held();
    if let (Some(ruling), Some(by)) = (held.ruling, held.by.as_deref()) {
        stored(gate, |store| kept::keep(store, held, used.sameness()));
        stored(gate, |store| kept::rule(store, &held.id, ruling, by));
    }
    gate.judge.holding.give_back(used);
}

/// Forgets a call that has its end.
pub(crate) fn forget(gate: &Gate, id: &str) {
    stored(gate, |store| kept::forget(store, id));
}

/// What the store says; `None` if it cannot be asked, which is said.
fn stored<T>(gate: &Gate, ask: impl FnOnce(&dyn Store) -> Result<T, StoreError>) -> Option<T> {
    let ask = || ask(&*gate.settings.store);
    let answer = if gate.settings.record_waits { tokio::task::block_in_place(ask) } else { ask() };
    answer.map_err(|why| warn!(%why, "what is known of a call that waits is not known to all nodes")).ok()
}

/// Records a decision about a call.
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
    let write = || append(gate, &draft);
    if gate.settings.record_waits { tokio::task::block_in_place(write) } else { write() }
}

/// Records a decision. That it cannot be recorded is said, and changes nothing about it.
fn append(gate: &Gate, draft: &Draft<'_>) {
    if let Err(why) = gate.settings.store.append(draft) {
        warn!(%why, "a decision of the policy cannot be recorded");
    }
}

/// Lets other nodes know what came; what they cannot know of is held back.
pub(crate) async fn settle(gate: &Gate, party: &Party) -> Result<(), Fault> {
    match gate.judge.settle(party).await {
        true => Ok(()),
        false => Err(Fault::internal(
            "The result is held back: neither flow_store nor store can be reached, so other gateways would not know \
             of it; the operator must see to them",
        )
        .with_status(500)),
    }
}
