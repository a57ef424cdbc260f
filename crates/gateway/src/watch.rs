//! One request as it is watched: counted, timed and traced until it ends, however it ends.

use std::sync::Arc;
use std::time::Instant;

use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::gate::Gate;
use crate::metrics::{Outcome, method};
use crate::settings::ServerName;
use crate::wire::{Kind, Message};

/// A request that is on its way. One that is dropped without an end has failed.
pub(crate) struct Watch {
    gate: Arc<Gate>,
    server: ServerName,
    method: &'static str,
    began: Instant,
    span: Span,
    outcome: Outcome,
}

impl Watch {
    /// Watches a request; other messages have no end to wait for.
    pub(crate) fn of(gate: &Arc<Gate>, server: &ServerName, message: &Message) -> Option<Watch> {
        if message.kind() != Kind::Request {
            return None;
        }
        let method = method(&message.method());
        let span = info_span!(
            target: crate::traces::TARGET, "request", server = server.as_str(), method, outcome = Empty
        );
        gate.metrics.began();
        let (gate, server, began) = (Arc::clone(gate), server.clone(), Instant::now());
        Some(Watch { gate, server, method, began, span, outcome: Outcome::Failed })
    }

    pub(crate) fn ends(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.span.record("outcome", self.outcome.as_str());
        self.gate.metrics.ended(self.server.as_str(), self.method, self.outcome, self.began.elapsed());
    }
}
