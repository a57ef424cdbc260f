#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, CallContext, ResultContext};
use crate::checks::Facts;
use crate::guard::GuardSettings;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};
use crate::text::decode;
use memchr::memmem::{self, Finder};
use once_cell::race::OnceBox;

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
        let shortest = shortest(context.settings);
        let mut leaves = context.arguments.leaves.iter().filter(|leaf| leaf.text.len() >= shortest);
        let leaf = leaves.find(|leaf| holds(leaf.text) || leaf.decoded().any(holds));
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

/// The shortest text that may hold a canary, as it stands or encoded: what is too short for a run that is decoded becomes
/// no longer by resolving its escapes, but for a blank behind them.
fn shortest(settings: &GuardSettings) -> usize {
    let planted = settings.canaries.iter().filter_map(|canary| canary.len().checked_sub(1));
    planted.fold(decode::SHORTEST_RUN.min(SHIPPED.len() - 1), usize::min)
}

fn holds_canary(settings: &GuardSettings, text: &str) -> bool {
    static FINDER: OnceBox<Finder<'static>> = OnceBox::new();
    let shipped = FINDER.get_or_init(|| Box::new(Finder::new(SHIPPED)));
    let holds = |canary: &str| memmem::find(text.as_bytes(), canary.as_bytes()).is_some();
    shipped.find(text.as_bytes()).is_some()
        || settings.canaries.iter().any(|canary| !canary.is_empty() && holds(canary))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Call, Override, ToolProfile};
    use crate::json::Json;
    use crate::sensitive::SensitiveData;
    use crate::{Flow, Guard};

    fn check(planted: &str, text: &str, expected: bool) {
        let settings = GuardSettings { canaries: vec![planted.to_owned()], ..GuardSettings::default() };
        let guard = Guard::new(settings, SensitiveData::new());
        let arguments = Json::Object(vec![("note".into(), Json::String(text.into()))]);
        let profile = ToolProfile::of_call("look_up", &["note"], &Override::default());
        let call = Call { server: "s", tool: "look_up", arguments: &arguments, intent: None, at_ms: 0 };
        let seen = guard.observe_call(&call, &profile, &Flow::new(7), None);
        let is_seen = seen.signals.iter().any(|signal| signal.check == FACTS.id);
        assert_eq!(is_seen, expected, "{planted}: {text}");
    }

    #[test]
    fn short_canaries_are_seen_as_they_stand_and_encoded() {
        check("otter", "otter", true);
        check("otter", "otte", false);
        check("otter", "b3R0ZXItb3R0ZXI=", true);
        check("ot", "ot", true);
        check("otter", r"\x6f\x74\x74\x65\x72", true);
        check("otter", "%6f%74%74%65%72", true);
    }

    #[test]
    fn the_shipped_canary_needs_no_planting() {
        check("", "portcullis-canary-7", true);
        check("", "cG9ydGN1bGxpcy1jYW5hcnktNw==", true);
        check("", "7-yranac-silluctrop and so on", true);
        check("", "portcullis", false);
    }
}
