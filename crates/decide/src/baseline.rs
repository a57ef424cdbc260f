//! What an earlier scan saw, so that a later one can say what is new, and why: the definition, or the rules.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Fingerprint;

use crate::Finding;

/// One definition as an earlier scan saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The operator's name of the server.
    pub server: Box<str>,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile: escape before printing.
    pub name: Box<str>,
    /// The exact definition.
    pub content: Fingerprint,
    /// The checks that had something to say about it.
    pub checks: Vec<Box<str>>,
}

/// Everything an earlier scan saw, and with which rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The version of the rule pack.
    pub rules_version: Box<str>,
    /// All checks that ran.
    pub checks: Vec<Box<str>>,
    seen: BTreeMap<(Box<str>, Kind, Box<str>), Vec<Seen>>,
}

/// Whether a check's word on a definition is new, and what changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The earlier scan said it too.
    Known,
    /// The definition is new.
    Appeared,
    /// The definition changed.
    Changed,
    /// The definition is what it was; the rules changed.
    Rules,
    /// Neither the definition nor the rules changed: what other servers declare did.
    Neighbours,
}

impl News {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            News::Known => "known",
            News::Appeared => "appeared",
            News::Changed => "changed",
            News::Rules => "rules",
            News::Neighbours => "neighbours",
        }
    }

    /// A clause for the operator.
    pub fn explain(self) -> &'static str {
        match self {
            News::Known => "the baseline has it",
            News::Appeared => "the definition is new",
            News::Changed => "the definition changed",
            News::Rules => "the rules changed; the definition did not",
            News::Neighbours => "what other servers declare changed; the definition did not",
        }
    }
}

impl Baseline {
    /// A baseline of what was seen with these rules.
    pub fn new(rules_version: &str, checks: Vec<Box<str>>, seen: Vec<Seen>) -> Self {
        let mut baseline = Baseline { rules_version: rules_version.into(), checks, seen: BTreeMap::new() };
        for one in seen {
            baseline.seen.entry((one.server.clone(), one.kind, one.name.clone())).or_default().push(one);
        }
        baseline
    }

    /// What was seen, by server, kind and name.
    pub fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.seen.values().flatten()
    }

    /// Whether a check's word on the finding's definition is new under the rules of `rules_version`.
    pub fn news(&self, finding: &Finding, check: &str, rules_version: &str) -> News {
        let key = (finding.server.clone(), finding.kind, finding.name.clone());
        let Some(versions) = self.seen.get(&key) else { return News::Appeared };
        let mut same = versions.iter().filter(|seen| finding.fingerprint == Some(seen.content)).peekable();
        if same.peek().is_none() {
            return News::Changed;
        }
        if same.any(|seen| seen.checks.iter().any(|known| **known == *check)) {
            return News::Known;
        }
        let has_run = self.checks.iter().any(|known| **known == *check);
        if has_run && *self.rules_version == *rules_version { News::Neighbours } else { News::Rules }
    }
}
