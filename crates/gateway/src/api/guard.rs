//! What the guard holds and knows: calls that wait for a human, the switch that stops all, habits, the policy.

use std::sync::Arc;

use portcullis_detect::baseline::Baseline;
use portcullis_detect::json::Json;
use portcullis_report::posture::{write_dot, write_svg};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Answer, Asked, Refused, data, sessions, stored};
use crate::gate::Gate;
use crate::intent::Intent;
use crate::judge::holding::{Ruling, Undecidable};
use crate::judge::sharing::Known;
use crate::judge::switch::throw;
use crate::judge::{self, kept, passage};
use crate::quarantine::now_ms;
use crate::settings::ServerName;

/// `GET /approvals`.
pub(super) async fn approvals(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let inner = Arc::clone(gate);
    stored(move || {
        // What is written down is what every node can decide, and what was decided anywhere; what waits here is known
        // even if it could not be written down.
        let mut all = kept::all(&*inner.settings.store, now_ms())?;
        all.extend(inner.judge.holding.unkept());
        all.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        data(json!({ "approvals": all }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    decision: String,
}

/// `POST /approvals/{id}/decide`.
pub(super) async fn decide(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let decided: Decided = asked.body()?;
    let words = Ruling::ALL.map(Ruling::as_str).join(", ");
    let ruling = Ruling::named(&decided.decision)
        .ok_or_else(|| Refused::bad(format!("`decision` is one of {words}")))?;
    let (inner, id, who) = (Arc::clone(gate), asked.part("id").to_owned(), asked.who.name.clone());
    stored(move || match passage::decide(&inner, &id, ruling, &who) {
        Ok(held) => data(json!(held)),
        Err(Undecidable::Unknown) => {
            Err(Refused::not_found("No call of this id waits; it may have run out of time"))
        }
        Err(Undecidable::Decided) => Err(Refused::conflict("This call was decided already")),
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    #[serde(default = "yes")]
    stopped: bool,
}

fn yes() -> bool {
    true
}

/// `POST /stop-calls`.
pub(super) async fn stop(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let switch: Switch = asked.body()?;
    let (inner, who) = (Arc::clone(gate), asked.who.name.clone());
    stored(move || {
        throw(&inner, switch.stopped, &who).map_err(|why| {
            let now = if switch.stopped { "No call passes on this node, but" } else { "Calls stay stopped:" };
            Refused::internal(format!("{now} the store does not know it: {why}"))
        })?;
        data(json!({ "stopped": switch.stopped }))
    })
    .await
}

/// `GET /baseline`.
pub(super) async fn baselines(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let shown = |(agent, baseline): &(Arc<str>, Baseline)| habits(agent, baseline);
    let all: Vec<Value> = gate.judge.baselines.all().iter().map(shown).collect();
    data(json!({ "baselines": all }))
}

/// `POST /baseline/{agent}/ratify`.
pub(super) async fn ratify(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    changed(gate, &asked, Baseline::ratify).await
}

/// `POST /baseline/{agent}/reset`.
pub(super) async fn reset(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    changed(gate, &asked, |baseline| *baseline = Baseline::default()).await
}

async fn changed(gate: &Arc<Gate>, asked: &Asked, change: fn(&mut Baseline)) -> Result<Answer, Refused> {
    let (inner, agent) = (Arc::clone(gate), asked.part("agent").to_owned());
    stored(move || match inner.judge.baselines.change(&agent, change)? {
        true => data(json!({ "agent": agent })),
        false => Err(Refused::not_found("Nothing was learnt of such an agent")),
    })
    .await
}

/// What is known of an agent's habits, in numbers.
fn habits(agent: &str, baseline: &Baseline) -> Value {
    let record = baseline.to_record();
    json!({
        "agent": agent,
        "learning": baseline.is_learning(),
        "ratified": record.is_ratified,
        "sessions": record.sessions,
        "first": record.first_ms,
        "last": record.last_ms,
        "things": record.seen.len(),
        "forgotten": record.forgotten,
    })
}

/// `GET /policy`.
pub(super) async fn policy(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    data(gate.judge.shown())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pasted<'a> {
    server: String,
    tool: String,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default)]
    intent: Option<Value>,
    #[serde(default)]
    session: Option<String>,
}

/// `POST /policy/test`.
pub(super) async fn policy_test(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let pasted: Pasted<'_> = serde_json::from_slice(&asked.body)
        .map_err(|error| Refused::bad(format!("The body is not as it should be: {error}")))?;
    let server = ServerName::parse(&pasted.server)
        .ok_or_else(|| Refused::bad("`server` is a name of small letters, digits and hyphens"))?;
    let arguments = pasted.arguments.map_or("{}", RawValue::get);
    Json::parse(arguments).map_err(|error| Refused::bad(format!("`arguments` cannot be judged: {error}")))?;
    let intent = pasted.intent.as_ref().map(Intent::read);
    let is_understood = |intent: &Intent| intent.operation.is_some();
    if !intent.as_ref().is_none_or(is_understood) {
        return Err(Refused::bad("`intent` has an `operation`: read, write or destructive"));
    }
    let call = judge::Asked {
        server: &server,
        tool: &pasted.tool,
        arguments: arguments.as_bytes(),
        intent: intent.as_ref(),
        known: Known::All,
        is_too_often: false,
    };
    let tried = gate.judge.tried(&gate.quarantine, &call, pasted.session.as_deref());
    data(tried.ok_or_else(|| Refused::not_found(sessions::FORGOTTEN))?)
}

/// `GET /posture`.
pub(super) async fn posture(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let query = asked.query(&["format"])?;
    let servers = gate.servers();
    let report = gate.judge.posture(&gate.quarantine, servers.iter().map(|server| &server.name));
    let mut text = Vec::new();
    let (media, written) = match query.get("format").map_or("json", String::as_str) {
        "json" => return data(json!(*report)),
        "svg" => ("image/svg+xml", write_svg(&report, &mut text)),
        "dot" => ("text/vnd.graphviz", write_dot(&report, &mut text)),
        _ => return Err(Refused::bad("`format` is json, svg or dot")),
    };
    written.map_err(|error| Refused::internal(format!("The picture cannot be drawn: {error}")))?;
    Ok(Answer::Text(media, text.into()))
}
