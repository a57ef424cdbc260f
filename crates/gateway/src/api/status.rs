//! How the gateway is: what runs, what is held, what an operator should know.

use std::collections::BTreeMap;
use std::sync::Arc;

use portcullis_decide::approval::State;
use serde_json::{Value, json};

use super::{Answer, Asked, Refused, data};
use crate::gate::Gate;
use crate::quarantine::reading::Outcome;

/// `GET /status`.
pub(super) async fn status(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let servers = gate.servers();
    let picture = gate.quarantine.picture();
    let mut states: BTreeMap<&str, usize> = State::ALL.map(|state| (state.as_str(), 0)).into();
    let mut held = 0;
    for server in servers.iter() {
        let Some(known) = picture.server(server.name.as_str()) else { continue };
        for (state, count) in &known.tally.states {
            *states.entry(state).or_default() += count;
        }
        held += known.tally.held;
    }
    drop(picture);
    let is_unread = |outcome: Outcome| !matches!(outcome, Outcome::Complete);
    let unread = servers.iter().filter(|server| is_unread(server.readings.outcome())).count();
    let held_servers =
        servers.iter().filter(|one| gate.quarantine.server_hold(one.name.as_str()).is_some()).count();
    let scheme = if gate.settings.tls.is_some() { "https" } else { "http" };
    data(json!({
        "listens": gate.address.get().map(|address| format!("{scheme}://{address}")),
        "version": env!("CARGO_PKG_VERSION"), "rules_version": portcullis_detect::RULES_VERSION,
        "uptime_s": gate.age(), "sessions": gate.session_count(), "guard": gate.judge.status(),
        "servers": { "all": servers.len(), "held": held_servers, "not_complete": unread },
        "definitions": { "held": held, "by_state": states },
        "warnings": gate.quarantine.settings().warnings(),
    }))
}

/// `GET /suppressions`.
pub(super) async fn suppressions(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let one = |one: &portcullis_decide::suppression::Suppression| {
        json!({
            "check": one.check, "subject": one.subject, "content": one.content.to_string(),
            "reason": one.reason, "expires": one.expires,
        })
    };
    let all: Vec<Value> = gate.quarantine.noted().suppressions().iter().map(one).collect();
    data(json!({ "suppressions": all }))
}

/// `GET /checks`.
pub(super) async fn checks(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let one = |facts: &&portcullis_detect::Facts| json!({ "id": facts.id, "tier": facts.tier.as_str(), "owasp": facts.owasp, "title": facts.title });
    let all: Vec<Value> = gate.quarantine.checks().iter().map(one).collect();
    data(json!({ "rules_version": portcullis_detect::RULES_VERSION, "checks": all }))
}
