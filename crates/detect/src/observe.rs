//! Runs every check over one definition, each isolated, always in the same order.

use crate::checks::{self, Context, Facts, ToolCheck};
use crate::isolate::isolated;
use crate::prelude::*;
use crate::registry::{DefinitionId, Registry};
use crate::signal::Signal;
use crate::text::lexicon::Lexicon;
use crate::text::reading::Reading;
use crate::tool::Definition;
use core::fmt;

/// A limit that kept part of a definition from being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cap {
    /// More encoded strings in one definition than the decoding ladder follows.
    DecodedTexts,
    /// More decoded bytes than the ladder yields for one definition.
    DecodedBytes,
    /// Encodings nested deeper than the ladder goes.
    DecodingDepth,
    /// More signals of one check on one definition than are kept.
    Signals,
    /// More arguments, or longer ones, than are looked at in one call.
    Arguments,
    /// More of a result than is looked at.
    Result,
    /// More results than the state of a flow remembers.
    FlowState,
}

impl Cap {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Cap::DecodedTexts => "decoded_texts",
            Cap::DecodedBytes => "decoded_bytes",
            Cap::DecodingDepth => "decoding_depth",
            Cap::Signals => "signals",
            Cap::Arguments => "arguments",
            Cap::Result => "result",
            Cap::FlowState => "flow_state",
        }
    }

    /// One sentence for the operator.
    pub fn explain(self) -> &'static str {
        match self {
            Cap::DecodedTexts => "more encoded strings than the decoding ladder follows",
            Cap::DecodedBytes => "more decoded text than the decoding ladder yields",
            Cap::DecodingDepth => "encodings nested deeper than the decoding ladder goes",
            Cap::Signals => "more signals of one check than are kept",
            Cap::Arguments => "more arguments than are looked at",
            Cap::Result => "more of a result than is looked at",
            Cap::FlowState => "more results than the state of a flow remembers",
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was looked at, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// How many checks ran to their end.
    pub checks_run: usize,
    /// The ids of checks that panicked; `guard.arguments` and `guard.result` stand for what all of them share.
    pub failed: Vec<&'static str>,
    /// The limits that were reached, each once.
    pub caps: Vec<Cap>,
}

impl Coverage {
    /// Whether every check ran over all of the definition.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.caps.is_empty()
    }

    /// Whether a check failed or had to stop before it had seen all of this call or result: the policy says what that
    /// means. What a flow forgot of earlier results is its bound, and no failure.
    pub fn is_degraded(&self) -> bool {
        !self.shortfalls().is_empty()
    }

    /// What did not look at all of it: checks that failed, then budgets that were too small, for the record.
    pub fn shortfalls(&self) -> Vec<&'static str> {
        let budgets = self.caps.iter().filter(|cap| matches!(cap, Cap::Arguments | Cap::Result));
        self.failed.iter().copied().chain(budgets.map(|cap| cap.as_str())).collect()
    }
}

/// All signals on one definition, in a fixed order, and the coverage. Observing cannot fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The signals, by check in running order, then by place.
    pub signals: Vec<Signal>,
    /// What was looked at.
    pub coverage: Coverage,
}

/// The most signals one check keeps for one definition.
const MOST_SIGNALS: usize = 32;

/// The checks and their tables, built once and shared.
pub struct Detector {
    lexicon: &'static Lexicon,
    checks: Vec<Box<dyn ToolCheck>>,
}

impl Default for Detector {
    fn default() -> Self {
        Detector::new()
    }
}

impl Detector {
    /// A detector with all checks of this version.
    pub fn new() -> Self {
        Detector { lexicon: Lexicon::shipped(), checks: checks::all() }
    }

    /// A detector with one check and no other.
    pub(crate) fn only(check: Box<dyn ToolCheck>) -> Self {
        Detector { lexicon: Lexicon::shipped(), checks: vec![check] }
    }

    /// A detector with one more check: a rule of the operator's own, or an embedder's check.
    #[must_use]
    pub fn with_check(mut self, check: Box<dyn ToolCheck>) -> Self {
        self.checks.push(check);
        self
    }

    /// The facts of every check, in running order.
    pub fn facts(&self) -> impl Iterator<Item = &'static Facts> {
        self.checks.iter().map(|check| check.facts())
    }

    /// Observes one definition that the registry keeps.
    pub fn observe(&self, registry: &Registry, id: DefinitionId) -> Observation {
        let definition = registry.definition(id);
        definition.map(|definition| self.observe_whole(registry, id, definition)).unwrap_or_default()
    }

    /// Observes one definition that the registry knows by this id, and need not keep.
    pub fn observe_whole(
        &self,
        registry: &Registry,
        id: DefinitionId,
        definition: &Definition,
    ) -> Observation {
        let reading = Reading::of(definition, self.lexicon);
        let mut observation = Observation::default();
        observation.coverage.caps = reading.caps().to_vec();
        let context = Context::new(definition, &reading, registry, id);
        for check in &self.checks {
            let Some(mut signals) = isolated(|| check.inspect(&context)) else {
                observation.coverage.failed.push(check.facts().id);
                continue;
            };
            observation.coverage.checks_run += 1;
            if signals.len() > MOST_SIGNALS {
                signals.truncate(MOST_SIGNALS);
                observation.coverage.note(Cap::Signals);
            }
            observation.signals.append(&mut signals);
        }
        observation
    }
}

impl Coverage {
    /// Records that a limit was reached.
    pub(crate) fn note(&mut self, cap: Cap) {
        if !self.caps.contains(&cap) {
            self.caps.push(cap);
        }
    }
}
