#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::prelude::*;
use crate::sensitive::{Family, Hit, Sensitive, SensitiveData, Strength};
use crate::signal::{Evidence, Signal, Threat, Tier};
use crate::text::reading::Passage;

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
        let data = SensitiveData::shipped();
        let has_decoded = context.reading.passages().iter().any(Passage::is_decoded);
        // Most definitions hold nothing: one look over all their text says so.
        if !has_decoded && credentials(data, &context.definition.text).next().is_none() {
            return Vec::new();
        }
        let passages = context.reading.passages().iter();
        passages
            .flat_map(|passage| {
                credentials(data, &passage.text).map(|hit| signal(context, passage, data, &hit))
            })
            .collect()
    }
}

/// What opens or pays something, bound by its shape; a word beside a random value is too little to raise a tool for.
fn credentials(data: &SensitiveData, text: &str) -> impl Iterator<Item = Hit> {
    data.plain(text.as_bytes()).into_iter().filter(|hit| {
        let facts = data.facts(hit.row);
        let opens = facts.family == Family::Secret && hit.strength == Strength::Bound || facts.kind == "card";
        opens && hit.doubt.is_none()
    })
}

fn signal(context: &Context<'_>, passage: &Passage<'_>, data: &SensitiveData, hit: &Hit) -> Signal {
    let pointer = context.definition.pointer(passage.unit);
    let facts = data.facts(hit.row);
    // Only the masked value leaves: a report is read by more people than the definition.
    let value = Sensitive::new(passage.text.get(hit.start..hit.end).unwrap_or_default());
    let masked = value.masked(facts);
    Signal {
        check: FACTS.id,
        tier: Tier::Soft,
        threat: Threat::Exfiltration,
        confidence: hit.confidence,
        escalated: false,
        evidence: Evidence::new(&pointer, &passage.rungs, &masked, 0, masked.len()),
        detail: format!("looks like a live credential: {}", facts.id),
        discount: None,
    }
}
