#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext, ResultContext};
use crate::checks::Facts;
use crate::guard::GuardSettings;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "canary.seen",
    tier: Tier::Hard,
    owasp: "MCP01:2025 Token Mismanagement & Secret Exposure",
    title: "A planted token was touched",
    page: include_str!("README.md"),
};

/// What every canary begins with that was made without a word of one's own.
const SHIPPED: &str = "portcullis-canary-";

/// The check.
pub struct CanarySeen;

impl CallCheck for CanarySeen {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let holds = |text: &str| holds_canary(context.settings, text);
        let leaf = context.arguments.leaves.iter().find(|leaf| leaf.texts().any(|(text, _)| holds(text)));
        let signal = leaf.map(|leaf| signal(100, &leaf.pointer, "a planted token is about to leave"));
        signal.into_iter().collect()
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        let is_read = holds_canary(context.settings, context.text);
        let signal =
            is_read.then(|| signal(60, "", "a planted token was read: nobody has honest business there"));
        signal.into_iter().collect()
    }
}

fn holds_canary(settings: &GuardSettings, text: &str) -> bool {
    let holds = |canary: &str| memchr::memmem::find(text.as_bytes(), canary.as_bytes()).is_some();
    holds(SHIPPED) || settings.canaries.iter().any(|canary| !canary.is_empty() && holds(canary))
}

fn signal(severity: u8, pointer: &str, detail: &str) -> CallSignal {
    CallSignal {
        check: FACTS.id,
        source: Source::Sensitive,
        severity,
        threat: Threat::Exfiltration,
        confidence: Confidence::new(1000),
        pointer: crate::escape_line(pointer, 200),
        from_call: None,
        detail: detail.to_owned(),
    }
}
