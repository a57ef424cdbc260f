#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, ResultContext};
use crate::checks::Facts;
use crate::checks::terminal_escape::TerminalEscape;
use crate::checks::unicode_hidden::UnicodeHidden;
use crate::checks::{Context, ToolCheck};
use crate::prelude::*;
use crate::registry::{DefinitionId, Registry};
use crate::signal::{Threat, Tier};
use crate::text::lexicon::Lexicon;
use crate::text::reading::Reading;
use crate::text::unicode::is_invisible;
use crate::tool::Definition;

static FACTS: Facts = Facts {
    id: "result.hidden",
    tier: Tier::Hard,
    owasp: "MCP06:2025 Prompt Injection via Contextual Payloads",
    title: "A result holds characters that cannot be seen, or that steer a terminal",
    page: include_str!("README.md"),
};

/// The check.
pub struct ResultHidden;

impl CallCheck for ResultHidden {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        let Some(part) = suspicious_part(context.text) else { return Vec::new() };
        let definition = Definition::of_result(part);
        let reading = Reading::of(&definition, Lexicon::shipped());
        let registry = Registry::new();
        let inner = Context::new(&definition, &reading, &registry, DefinitionId::NONE);
        let signals = UnicodeHidden.inspect(&inner).into_iter().chain(TerminalEscape.inspect(&inner));
        signals
            .filter(|signal| signal.tier == Tier::Hard)
            .map(|signal| CallSignal {
                check: FACTS.id,
                source: Source::Static,
                severity: if signal.escalated { 80 } else { 60 },
                threat: Threat::PromptInjection,
                confidence: signal.confidence,
                pointer: String::new(),
                from_call: None,
                detail: signal.detail,
            })
            .take(2)
            .collect()
    }
}

/// Looked at around the first suspicious character.
const PART: usize = 4096;

/// The part of a text from shortly before its first character that cannot be seen or steers a terminal.
fn suspicious_part(text: &str) -> Option<&str> {
    // Nearly every text has none, and without a way out of the loop the compiler looks at many bytes at a time.
    let may_be_sign = |byte: &u8| (*byte < b' ' && *byte != b'\n' && *byte != b'\t') | (*byte >= 0x7F);
    if !text.as_bytes().iter().fold(false, |sum, byte| sum | may_be_sign(byte)) {
        return None;
    }
    let is_sign =
        |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r') || !c.is_ascii() && is_invisible(c);
    let found = text.find(is_sign).or_else(|| text.contains('\r').then_some(0))?;
    let from = (0..=found.saturating_sub(64)).rev().find(|at| text.is_char_boundary(*at))?;
    let to = (from..=(from + PART).min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
    text.get(from..to)
}
