#![doc = include_str!("README.md")]

use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, ResultContext};
use crate::checks::Facts;
use crate::flow::walk;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};
use memchr::memmem::Finder;
use once_cell::race::OnceBox;

static FACTS: Facts = Facts {
    id: "result.image_exfiltration",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "A result wants a picture or link shown whose address takes data out",
    page: include_str!("README.md"),
};

/// The check.
pub struct ResultImageExfiltration;

impl CallCheck for ResultImageExfiltration {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        // Most results show no link at all; that is found out at once.
        if !has_scheme(context.text) {
            return Vec::new();
        }
        let carrying = links(context.text).find(|link| takes_data(context, link));
        let signal = carrying.map(|_| CallSignal {
            check: FACTS.id,
            source: Source::Static,
            severity: 75,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(800),
            pointer: String::new(),
            from_call: None,
            detail: "the address of a picture or link has room for data, or carries some".to_owned(),
        });
        signal.into_iter().collect()
    }
}

/// Whether `://` stands in a text, however long.
fn has_scheme(text: &str) -> bool {
    static FINDER: OnceBox<Finder<'static>> = OnceBox::new();
    FINDER.get_or_init(|| Box::new(Finder::new("://"))).find(text.as_bytes()).is_some()
}

/// The addresses of Markdown and HTML pictures, and of Markdown links.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["](", "src=\"", "src='"];
    let found = starts
        .into_iter()
        .flat_map(|start| memchr::memmem::find_iter(text.as_bytes(), start).map(move |at| at + start.len()));
    found.filter_map(|at| {
        let rest = text.get(at..)?;
        let end = rest.find([')', '"', '\'', ' ', '\n', '>']).unwrap_or(rest.len());
        rest.get(..end).filter(|link| link.contains("://"))
    })
}

/// How many bytes behind "replace" the word stands that is to be replaced.
const NEAR: usize = 40;

/// A word in capitals that the text itself asks to replace: "replacing DATA by …".
fn is_to_be_replaced(text: &str, value: &str) -> bool {
    let is_word = value.len() > 2 && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_word
        && memchr::memmem::find_iter(text.as_bytes(), "eplac").any(|at| {
            let behind = text.as_bytes().get(at..).unwrap_or_default();
            memchr::memmem::find(behind.get(..NEAR).unwrap_or(behind), value.as_bytes()).is_some()
        })
}

/// A gap to be filled, or private data of another call in the query.
fn takes_data(context: &ResultContext<'_>, link: &str) -> bool {
    let Some((_, query)) = link.split_once(['?', '#']) else { return false };
    let is_gap = |value: &str| {
        let lower = value.to_ascii_lowercase();
        lower.contains(['{', '[', '<'])
            || ["your_", "insert", "secret", "summary_here", "data_here"]
                .iter()
                .any(|word| lower.contains(word))
    };
    let mut values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
    if values.any(|value| is_gap(value) || is_to_be_replaced(context.text, value)) {
        return true;
    }
    let server = crate::guard::server_hash(context.call.server);
    let steps = walk(query, 1000).0;
    context.flow.hits(query, &steps).iter().any(|hit| hit.origin.is_private && hit.origin.server != server)
}
