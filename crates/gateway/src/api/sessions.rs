//! Sessions of agents that came to this node lately, and what happened in their flows. Clients of 2026-07-28 have no
//! sessions: for them it is the flow of an agent that is listed.

use std::cmp::Reverse;
use std::sync::Arc;

use portcullis_detect::escape_line;
use portcullis_store::time_text;
use serde_json::{Value, json};

use super::activity::number;
use super::{Answer, Asked, Refused, data};
use crate::gate::Gate;
use crate::judge::flows::{FlowKey, Strand};
use crate::settings::ROUTER;
use crate::version;
use crate::visits::Visit;

/// Sessions in one answer, unless asked for otherwise.
const USUAL: usize = 100;
/// Characters of an agent's name.
const LONGEST: usize = 100;

/// What is said of a session whose flow is not there.
pub(super) const FORGOTTEN: &str = "Nothing is known of the flow of such a session: it ended, or made no call here; the activity has its records";

/// `GET /sessions`.
pub(super) async fn list(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let query = asked.query(&["limit"])?;
    let limit: usize = number(&query, "limit")?.unwrap_or(USUAL);
    let visits = gate.visits.all();
    let mut all: Vec<(u64, Value)> = visits.iter().map(|visit| (visit.last, shown(gate, visit))).collect();
    all.extend(without_session(gate));
    all.sort_by_key(|(last, _)| Reverse(*last));
    let count = all.len();
    let sessions: Vec<Value> = all.into_iter().take(limit.max(1)).map(|(_, value)| value).collect();
    data(json!({ "sessions": sessions, "all": count }))
}

/// `GET /sessions/{id}/flow`.
pub(super) async fn flow(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    data(gate.judge.flow_shown(asked.part("id")).ok_or_else(|| Refused::not_found(FORGOTTEN))?)
}

/// The flows of agents that have no session, with when they were last used.
fn without_session(gate: &Gate) -> Vec<(u64, Value)> {
    let shown = |(key, strand): (FlowKey, Arc<Strand>)| {
        let inner = strand.lock();
        let (first, last) = inner.journal.span().filter(|_| inner.journal.has_session(""))?;
        let shown = json!({
            "session": key.label(), "route": null, "server": null, "protocol": version::MODERN,
            "client": escape_line(&inner.agent, LONGEST), "first_seen": time(first), "last_seen": time(last),
            "calls": inner.journal.noted(), "ended": false,
        });
        Some((last, shown))
    };
    gate.judge.flows.all().into_iter().filter_map(shown).collect()
}

/// Milliseconds since 1970 as people write a time.
fn time(ms: u64) -> String {
    time_text(i64::try_from(ms.saturating_mul(1000)).unwrap_or(i64::MAX))
}

fn shown(gate: &Gate, visit: &Visit) -> Value {
    let (route, server) = match visit.route.as_str() {
        "" => ("/mcp".to_owned(), None),
        ROUTER => (format!("/mcp/{ROUTER}"), None),
        server => (format!("/mcp/{server}"), Some(server)),
    };
    json!({
        "session": visit.label, "route": route, "server": server, "protocol": visit.version,
        "client": visit.client, "first_seen": time(visit.first), "last_seen": time(visit.last),
        "calls": visit.calls, "ended": gate.is_ended(visit.id),
    })
}
