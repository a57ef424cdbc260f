#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, ResultContext, is_telling};
use crate::checks::Facts;
use crate::prelude::*;
use crate::sensitive::{Family, Format, Hit};
use crate::signal::{Threat, Tier};

static FACTS: Facts = Facts {
    id: "sensitive.inbound",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "A result brings a secret or personal data to the agent",
    page: include_str!("README.md"),
};

/// The check.
pub struct SensitiveInbound;

impl CallCheck for SensitiveInbound {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        let found = context.sensitive.in_document(context.text.as_bytes(), Format::Text).hits;
        let hits =
            || found.iter().map(|located| &located.hit).filter(|hit| is_telling(context.sensitive, hit));
        let family = |hit: &Hit| context.sensitive.facts(hit.row).family;
        let secret = hits().find(|hit| family(hit) == Family::Secret);
        let personal = hits().find(|hit| family(hit) != Family::Secret);
        let signal = |hit: &Hit, severity: u8| CallSignal {
            check: FACTS.id,
            source: Source::Sensitive,
            severity,
            threat: Threat::Exfiltration,
            confidence: hit.confidence,
            pointer: String::new(),
            from_call: None,
            detail: format!(
                "{} comes in with the result",
                crate::escape_line(context.sensitive.facts(hit.row).kind, 60)
            ),
        };
        let secret = secret.map(|hit| signal(hit, 40));
        secret.into_iter().chain(personal.map(|hit| signal(hit, 30))).collect()
    }
}
