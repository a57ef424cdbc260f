#![doc = include_str!("README.md")]

use crate::baseline::{self, Novelty};
use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "baseline.novelty",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "The call is unlike what this agent did before",
    page: include_str!("README.md"),
};

/// The check.
pub struct BaselineNovelty;

impl CallCheck for BaselineNovelty {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let Some(known) = context.baseline.filter(|_| context.operation().acts()) else { return Vec::new() };
        let habit = baseline::habit(context);
        let signal = |severity: u8, detail: &str| CallSignal {
            check: FACTS.id,
            source: Source::Behavioural,
            severity,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(600),
            pointer: String::new(),
            from_call: None,
            detail: detail.to_owned(),
        };
        let mut signals = Vec::new();
        let is_new = |wanted: Novelty| known.novelties(&habit).any(|novelty| novelty == wanted);
        // A new step alone is curiosity, a new address alone is a new contact; together they are a new errand.
        if !known.is_learning() && is_new(Novelty::Destination) && is_new(Novelty::Edge) {
            signals.push(signal(50, "a destination and an order of calls that this agent never used"));
        }
        if known.is_outlier(&habit) {
            signals.push(signal(50, "far more goes out than this tool ever took"));
        }
        signals
    }
}
