#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.window",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "More leaves within minutes than the limits allow",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationWindow;

impl CallCheck for ExfiltrationWindow {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        if context.outward().is_none() || !context.operation().acts() {
            return Vec::new();
        }
        let (limits, now) = (&context.settings.limits, context.call.at_ms);
        let is_personal = context.sensitive_found().iter().any(|found| found.is_personal);
        let within = |window_ms: u64| context.flow.sent_since(now, window_ms);
        let calls = within(60_000).count() + 1;
        let personal =
            within(limits.window_ms).filter(|sent| sent.has_sensitive).count() + usize::from(is_personal);
        let bytes: u64 =
            within(limits.window_ms).map(|sent| sent.bytes).sum::<u64>() + context.arguments.bytes;
        let signal = |severity: u8, detail: String| CallSignal {
            check: FACTS.id,
            source: Source::Behavioural,
            severity,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(700),
            pointer: String::new(),
            from_call: None,
            detail,
        };
        let mut signals = Vec::new();
        if calls > limits.calls_a_minute {
            signals.push(signal(70, format!("{calls} calls went out within a minute")));
        }
        if is_personal && personal >= limits.personal_sends {
            signals.push(signal(80, format!("personal data went out {personal} times within the window")));
        }
        if bytes > limits.bytes {
            signals.push(signal(75, format!("{bytes} bytes went out within the window")));
        }
        signals
    }
}
