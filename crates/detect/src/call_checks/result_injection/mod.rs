#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, ResultContext};
use crate::checks::Facts;
use crate::flow::SPOKEN;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "result.injection",
    tier: Tier::Soft,
    owasp: "MCP06:2025 Prompt Injection via Contextual Payloads",
    title: "A result speaks to the model instead of answering",
    page: include_str!("README.md"),
};

/// The check.
pub struct ResultInjection;

impl CallCheck for ResultInjection {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        // Results speak of tools and models all day long; only what is done about it later shows what it was.
        if context.directives.manner.iter().all(|manner| *manner == SPOKEN) {
            return Vec::new();
        }
        let manner = context.directives.manner.join("; ");
        vec![CallSignal {
            check: FACTS.id,
            source: Source::Static,
            severity: 75,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(if context.directives.manner.len() > 1 { 900 } else { 700 }),
            pointer: String::new(),
            from_call: None,
            detail: format!("a passage of the result {manner}"),
        }]
    }
}
