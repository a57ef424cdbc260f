//! Sessions of agents that came to this node lately. Clients of 2026-07-28 have none.

use std::sync::Arc;

use portcullis_store::time_text;
use serde_json::{Value, json};

use super::activity::number;
use super::{Answer, Asked, Refused, data};
use crate::gate::Gate;
use crate::settings::ROUTER;
use crate::visits::Visit;

/// Sessions in one answer, unless asked for otherwise.
const USUAL: usize = 100;

/// `GET /sessions`.
pub(super) async fn list(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let query = asked.query(&["limit"])?;
    let limit: usize = number(&query, "limit")?.unwrap_or(USUAL);
    let all = gate.visits.all();
    let sessions: Vec<Value> = all.iter().take(limit.max(1)).map(|visit| shown(gate, visit)).collect();
    data(json!({ "sessions": sessions, "all": all.len() }))
}

fn shown(gate: &Gate, visit: &Visit) -> Value {
    let (route, server) = match visit.route.as_str() {
        "" => ("/mcp".to_owned(), None),
        ROUTER => (format!("/mcp/{ROUTER}"), None),
        server => (format!("/mcp/{server}"), Some(server)),
    };
    let time = |ms: u64| time_text(i64::try_from(ms.saturating_mul(1000)).unwrap_or(i64::MAX));
    json!({
        "session": visit.label, "route": route, "server": server, "protocol": visit.version,
        "client": visit.client, "first_seen": time(visit.first), "last_seen": time(visit.last),
        "calls": visit.calls, "ended": gate.is_ended(visit.id),
    })
}
