#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::patterns::{card, secrets};
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::reading::Passage;
use core::ops::Range;

static FACTS: Facts = Facts {
    id: "secret.embedded",
    tier: Tier::Soft,
    owasp: "MCP01:2025 Token Mismanagement & Secret Exposure",
    title: "A live credential stands in the definition",
    page: include_str!("README.md"),
};

/// The check.
pub struct SecretEmbedded;

impl ToolCheck for SecretEmbedded {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let has_decoded = context.reading.passages().iter().any(Passage::is_decoded);
        let text = &context.definition.text;
        if !has_decoded && !secrets::may_hold(text) && card::find(text).is_none() {
            return Vec::new();
        }
        let mut signals = Vec::new();
        for passage in context.reading.passages() {
            for hit in secrets::find(&passage.text) {
                signals.push(signal(context, passage, hit.start..hit.end, hit.row.id, hit.row.confidence));
            }
            if let Some((start, end)) = card::find(&passage.text) {
                signals.push(signal(context, passage, start..end, "payment_card", 850));
            }
        }
        signals
    }
}

fn signal(
    context: &Context<'_>,
    passage: &Passage<'_>,
    range: Range<usize>,
    kind: &str,
    confidence: u16,
) -> Signal {
    let pointer = context.definition.pointer(passage.unit);
    let masked = mask(passage.text.get(range).unwrap_or_default());
    Signal {
        check: FACTS.id,
        tier: Tier::Soft,
        threat: Threat::Exfiltration,
        confidence: Confidence::new(confidence),
        escalated: false,
        // Only the masked value leaves: a report is read by more people than the definition.
        evidence: Evidence::new(&pointer, &passage.rungs, &masked, 0, masked.len()),
        detail: format!("looks like a live credential: {kind}"),
        discount: None,
    }
}

/// The first and last characters, with stars between.
fn mask(value: &str) -> String {
    let count = value.chars().count();
    let keep = if count >= 16 { 4 } else { 2 };
    let head: String = value.chars().take(keep).collect();
    let tail: String = value.chars().skip(count.saturating_sub(keep)).collect();
    format!("{head}********{tail}")
}
