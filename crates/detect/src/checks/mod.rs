//! The checks on a definition, one folder each. The list below is the running order.

pub mod capability_mismatch;
pub mod directive_covert;
pub mod directive_imperative;
pub mod payload_decoded;
pub mod secret_embedded;
pub mod shadowing_cross_server;
pub mod terminal_escape;
pub mod unicode_hidden;

use crate::intent::Intents;
use crate::prelude::*;
use crate::registry::{DefinitionId, Registry};
use crate::signal::{Signal, Tier};
use crate::text::reading::Reading;
use crate::tool::Definition;
use core::cell::OnceCell;

/// What is fixed about a check.
#[derive(PartialEq, Eq)]
pub struct Facts {
    /// `noun.quality`: names what is wrong in the tool. Never changes its meaning.
    pub id: &'static str,
    /// The highest tier a signal of this check may have.
    pub tier: Tier,
    /// The item of the OWASP MCP Top 10 (2025) it belongs to.
    pub owasp: &'static str,
    /// One sentence.
    pub title: &'static str,
    /// The page: rustdoc, book, `explain`, SARIF help and test cases in one.
    pub page: &'static str,
}

/// One check: observes a definition and returns signals. Pure and total.
pub trait ToolCheck: Send + Sync {
    /// The check's facts.
    fn facts(&self) -> &'static Facts;
    /// The signals on one definition, in a fixed order.
    fn inspect(&self, context: &Context<'_>) -> Vec<Signal>;
}

/// What a check may look at.
pub struct Context<'a> {
    pub(crate) definition: &'a Definition,
    pub(crate) reading: &'a Reading<'a>,
    pub(crate) registry: &'a Registry,
    pub(crate) id: DefinitionId,
    intents: OnceCell<Intents>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        definition: &'a Definition,
        reading: &'a Reading<'a>,
        registry: &'a Registry,
        id: DefinitionId,
    ) -> Self {
        Context { definition, reading, registry, id, intents: OnceCell::new() }
    }

    /// The definition under inspection.
    pub fn definition(&self) -> &Definition {
        self.definition
    }

    /// What the sentences of the definition want, worked out once for all checks that ask.
    pub(crate) fn intents(&self) -> &Intents {
        self.intents.get_or_init(|| Intents::of(self))
    }
}

/// All checks, in running order.
pub(crate) fn all() -> Vec<Box<dyn ToolCheck>> {
    vec![
        Box::new(unicode_hidden::UnicodeHidden),
        Box::new(terminal_escape::TerminalEscape),
        Box::new(shadowing_cross_server::ShadowingCrossServer),
        Box::new(payload_decoded::PayloadDecoded),
        Box::new(directive_covert::DirectiveCovert),
        Box::new(directive_imperative::DirectiveImperative),
        Box::new(capability_mismatch::CapabilityMismatch),
        Box::new(secret_embedded::SecretEmbedded),
    ]
}

/// Of signals that lie on the same unit, the most confident: clusters overlap, and one passage is one thing.
pub(crate) fn strongest_per_unit(signals: impl Iterator<Item = Signal>) -> Vec<Signal> {
    let mut kept: Vec<Signal> = Vec::new();
    for signal in signals {
        let same = |known: &Signal| {
            known.evidence.pointer() == signal.evidence.pointer()
                && known.evidence.decodings() == signal.evidence.decodings()
        };
        match kept.iter_mut().find(|known| same(known)) {
            Some(known) if known.confidence < signal.confidence => *known = signal,
            Some(_) => {}
            None => kept.push(signal),
        }
    }
    kept
}
