//! Which sessions came to this node, and when: for people who look, and bounded whatever clients do.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use portcullis_detect::escape_line;
use serde_json::Value;

use crate::quarantine::now_ms;
use crate::ticket::Ticket;
use crate::upstream::link::Caller;

/// Sessions that are remembered; the half that was silent longest makes room.
const MOST: usize = 1000;
/// Characters of what a client says of itself.
const LONGEST: usize = 100;

/// What is remembered of a session.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) id: Caller,
    /// Its name in records.
    pub(crate) label: String,
    /// The path it was opened on: a server's name, `router`, or nothing for all servers.
    pub(crate) route: String,
    /// The revision of the protocol.
    pub(crate) version: String,
    /// Who the client says it is, escaped.
    pub(crate) client: Option<String>,
    /// When it was first and last seen here, in milliseconds since 1970.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Calls of tools that came here.
    pub(crate) calls: u64,
}

/// The sessions that came to this node.
#[derive(Default)]
pub(crate) struct Visits(Mutex<HashMap<Caller, Visit>>);

impl Visits {
    /// A session sent something.
    pub(crate) fn note(&self, ticket: &Ticket, is_call: bool) {
        let now = now_ms();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(&ticket.id) {
            let mut times: Vec<u64> = known.values().map(|visit| visit.last).collect();
            times.sort_unstable();
            let middle = times.get(times.len() / 2).copied().unwrap_or_default();
            // Those of the very same moment go too: there must be room.
            known.retain(|_, visit| visit.last > middle);
        }
        let visit = known.entry(ticket.id).or_insert_with(|| Visit::first(ticket, now));
        visit.last = now;
        visit.calls += u64::from(is_call);
    }

    /// All that are remembered, the last to be seen first.
    pub(crate) fn all(&self) -> Vec<Visit> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Visit> = known.values().cloned().collect();
        drop(known);
        all.sort_by(|one, other| (other.last, &one.label).cmp(&(one.last, &other.label)));
        all
    }
}

impl Visit {
    fn first(ticket: &Ticket, now: u64) -> Visit {
        let said = |key: &str| ticket.client.get(key).and_then(Value::as_str);
        let client = said("name").map(|name| match said("version") {
            Some(version) => escape_line(&format!("{name} {version}"), LONGEST),
            None => escape_line(name, LONGEST),
        });
        Visit {
            id: ticket.id,
            label: ticket.label(),
            route: ticket.route.clone(),
            version: ticket.version.clone(),
            client,
            first: now,
            last: now,
            calls: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(id: Caller) -> Ticket {
        let client = serde_json::json!({ "name": "a\u{202e}b", "version": "1" });
        let text = serde_json::json!({ "i": id, "r": "", "v": "2025-11-25", "t": 7, "n": client, "s": {} });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_session_is_remembered_with_its_calls() {
        let visits = Visits::default();
        [false, true, true].into_iter().for_each(|is_call| visits.note(&ticket(5), is_call));
        let all = visits.all();
        assert_eq!((all.len(), all[0].calls), (1, 2));
        assert_eq!(all[0].client.as_deref(), Some("aU+202Eb 1"));
    }

    #[test]
    fn no_more_are_remembered_than_may_be() {
        let visits = Visits::default();
        (0..5000).for_each(|id| visits.note(&ticket(id), false));
        assert!((1..=MOST).contains(&visits.all().len()));
    }
}
