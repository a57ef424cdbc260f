#![doc = include_str!("README.md")]

use crate::call::address::{AddressKind, has_scheme};
use crate::call::view::Leaf;
use crate::call::{CallSignal, ParameterRole, Source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::{Privacy, atoms};
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.encoded_address",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "The address itself carries data",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationEncodedAddress;

impl CallCheck for ExfiltrationEncodedAddress {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let signals = context.arguments.leaves.iter();
        signals.filter_map(|leaf| carrying(context, leaf)).take(1).collect()
    }
}

/// A label of a host longer than this is no name; a value in a query longer than this is no key word.
const LONG_LABEL: usize = 28;
const LONG_VALUE: usize = 40;

fn carrying(context: &CallContext<'_>, leaf: &Leaf<'_>) -> Option<CallSignal> {
    let address = leaf.addresses().iter().find(|address| {
        address.kind != AddressKind::Mail
            && !address.is_internal
            && (has_data_label(&address.host) || has_data(&address.rest))
    });
    let server = || crate::guard::server_hash(context.call.server);
    let is_text = leaf.role == ParameterRole::Payload;
    let from = has_scheme(leaf.text).then(|| private_hit(context, leaf, server())).flatten();
    let address = address.filter(|_| !is_text);
    let (severity, confidence) = match (address, from) {
        (_, Some(_)) => (85, 850),
        (Some(_), None) => (60, 600),
        (None, None) => return None,
    };
    Some(CallSignal {
        check: FACTS.id,
        source: Source::Flow,
        severity,
        threat: Threat::Exfiltration,
        confidence: Confidence::new(confidence),
        pointer: crate::escape_line(&leaf.pointer, 200),
        from_call: from,
        detail: match from {
            Some(call) => format!("the address carries data that call {} read", call + 1),
            None => "a part of the address reads like encoded data".to_owned(),
        },
    })
}

/// Which call read the private data that hangs behind the host.
fn private_hit(context: &CallContext<'_>, leaf: &Leaf<'_>, server: u64) -> Option<u32> {
    let mut hits = leaf.hits(context.flow).iter().chain(leaf.decoded_hits(context.flow).iter().flatten());
    let foreign = hits.find(|hit| hit.origin.privacy != Privacy::Public && hit.origin.server != server);
    // The address itself may stand in what was read: then nothing was added to it.
    let is_quoted = leaf.addresses().iter().all(|address| address.rest.len() < 8);
    foreign.filter(|_| !is_quoted).filter(|_| !is_whole_known(context, leaf)).map(|hit| hit.origin.call)
}

fn is_whole_known(context: &CallContext<'_>, leaf: &Leaf<'_>) -> bool {
    let mut is_known = false;
    atoms(leaf.text, &leaf.steps, |atom| {
        is_known |= atom.is_address && context.flow.origin_of(atom.hash).is_some()
    });
    is_known
}

fn has_data_label(host: &str) -> bool {
    // Honest names this long have hyphens between their words.
    let is_long = |label: &&str| label.len() >= LONG_LABEL && (!label.contains('-') || is_dense(label));
    let long = host.split('.').filter(is_long).count();
    let coded = host.split('.').filter(|label| label.len() >= 16 && is_dense(label)).count();
    long >= 1 || coded >= 2
}

fn has_data(rest: &str) -> bool {
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .any(|(_, value)| value.len() >= LONG_VALUE && is_dense(value))
}

/// Letters and digits mixed without words between: base32, hex, base64.
fn is_dense(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let separators = text.bytes().filter(|byte| matches!(byte, b'-' | b'_' | b'+' | b'%' | b' ')).count();
    let vowels = text.bytes().filter(|byte| b"aeiouAEIOU".contains(byte)).count();
    separators * 8 < text.len() && (digits * 8 >= text.len() || vowels * 6 < text.len())
}
