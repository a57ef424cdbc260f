//! One request as it is watched: counted, timed and traced until it ends, however it ends.

use std::sync::Arc;
use std::time::Instant;

use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::gate::Gate;
use crate::metrics::{CALL, Outcome, method};
use crate::upstream::Upstream;
use crate::wire::{Kind, Message};

/// A request that is on its way. One that is dropped without an end has failed.
pub(crate) struct Watch {
    gate: Arc<Gate>,
    upstream: Arc<Upstream>,
    method: &'static str,
    began: Instant,
    span: Span,
    outcome: Outcome,
}

impl Watch {
    /// Watches a request; other messages have no end to wait for.
    pub(crate) fn of(gate: &Arc<Gate>, upstream: &Arc<Upstream>, message: &Message) -> Option<Watch> {
        if message.kind() != Kind::Request {
            return None;
        }
        let method = method(&message.method());
        let span = info_span!(
            target: crate::traces::TARGET, "request", server = upstream.name.as_str(), method, outcome = Empty
        );
        gate.metrics.began();
        let (gate, upstream, began) = (Arc::clone(gate), Arc::clone(upstream), Instant::now());
        Some(Watch { gate, upstream, method, began, span, outcome: Outcome::Failed })
    }

    pub(crate) fn ends(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.span.record("outcome", self.outcome.as_str());
        let (metrics, name, took) = (&self.gate.metrics, self.upstream.name.as_str(), self.began.elapsed());
        if self.method == CALL && self.outcome == Outcome::Answered {
            metrics.call_ended(self.upstream.answered.get_or_init(|| metrics.answered(name)), took);
        } else {
            metrics.ended(name, self.method, self.outcome, took);
        }
    }
}
