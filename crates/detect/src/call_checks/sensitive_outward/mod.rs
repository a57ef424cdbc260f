#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext, SensitiveFound, is_everyday};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "sensitive.outward",
    tier: Tier::Hard,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "A secret or personal data leaves with the call",
    page: include_str!("README.md"),
};

/// The check.
pub struct SensitiveOutward;

impl CallCheck for SensitiveOutward {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let found = context.sensitive_found();
        let secret = found.iter().find(|found| found.is_bound_secret);
        let telling = found.iter().filter(|found| found.is_personal && !is_everyday(&found.kind));
        // The worst of them, and of equals the first.
        let personal = telling.rev().max_by_key(|found| found.severity);
        let signal = |found: &SensitiveFound, severity: u8| CallSignal {
            check: FACTS.id,
            source: Source::Sensitive,
            severity,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(found.confidence),
            pointer: crate::escape_line(&found.pointer, 200),
            from_call: None,
            detail: format!("{} leaves with this call", crate::escape_line(&found.kind, 60)),
        };
        let secret = secret.map(|found| signal(found, 90));
        secret.into_iter().chain(personal.map(|found| signal(found, found.severity))).collect()
    }
}
