#![doc = include_str!("README.md")]

use crate::call::address::AddressKind;
use crate::call::{CallSignal, ParameterRole, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "address.disguised",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "An address is spelt so that it does not look like what it is",
    page: include_str!("README.md"),
};

/// The check.
pub struct AddressDisguised;

impl CallCheck for AddressDisguised {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let disguised =
            context.arguments.leaves.iter().filter(|leaf| leaf.role != ParameterRole::Payload).find_map(
                |leaf| {
                    let address = leaf.addresses().iter().find(|address| {
                        address.kind == AddressKind::Link
                            && (address.disguise.is_some() || is_metadata(&address.host))
                    })?;
                    Some((leaf, address))
                },
            );
        let signal = disguised.map(|(leaf, address)| CallSignal {
            check: FACTS.id,
            source: Source::Static,
            severity: 80,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(850),
            pointer: crate::escape_line(&leaf.pointer, 200),
            from_call: None,
            detail: address.disguise.unwrap_or("the address of a cloud's metadata service").to_owned(),
        });
        signal.into_iter().collect()
    }
}

fn is_metadata(host: &str) -> bool {
    matches!(host, "169.254.169.254" | "metadata.google.internal" | "100.100.100.200" | "fd00:ec2::254")
}
