//! How the judge is, and what it does, for an operator who asks.

use serde_json::{Value, json};

use super::{Judge, outline, words};

impl Judge {
    /// How it is, for whoever asks how the gateway is.
    pub(crate) fn status(&self) -> Value {
        json!({
            "stopped": self.switch.is_stopped(),
            "stopped_by": self.switch.thrown(),
            "waiting": self.holding.all().iter().filter(|held| held.ruling.is_none()).count(),
            "flows": self.flows.count(),
            "flow_bytes": self.flows.bytes(),
            "flows_forgotten": self.flows.forgotten(),
            "flow_store": self.sharing.as_ref().map(|sharing| json!({
                "place": sharing.store().place(), "up": sharing.store().is_there(),
            })),
        })
    }

    /// What is done about which calls, in words.
    pub(crate) fn shown(&self) -> Value {
        let bench = self.bench();
        outline(&bench.rules, &bench.guard)
    }

    /// What happened in the flow of a session; `None` if nothing is known of one.
    pub(crate) fn flow_shown(&self, session: &str) -> Option<Value> {
        let strand = self.flows.named(session)?;
        let inner = strand.lock();
        let (calls, edges) = inner.journal.shown();
        let bounds = inner.flow.bounds();
        Some(json!({
            "schema": "portcullis.flow/1",
            "session": session,
            "agent": words::shown(&inner.agent),
            "clean": inner.is_clean,
            "calls": calls,
            "edges": edges,
            "forgotten": {
                "calls": inner.journal.forgotten(), "results": bounds.origins_evicted,
                "passages": bounds.passages_evicted, "results_cut": bounds.results_cut,
            },
        }))
    }
}
