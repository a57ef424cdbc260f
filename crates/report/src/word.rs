//! One check's word on one definition: what every format for people shows as one thing.

use portcullis_decide::{Finding, Persona};
use portcullis_detect::{Signal, Tier};

/// How loud a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// A discounted signal; only auditors see it.
    Note,
    /// A soft signal.
    Warning,
    /// A hard signal.
    Error,
}

impl Level {
    /// The word compilers use.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }

    pub(crate) fn of(signal: &Signal, is_discounted: bool) -> Level {
        match signal.tier {
            _ if is_discounted => Level::Note,
            Tier::Hard => Level::Error,
            Tier::Soft => Level::Warning,
        }
    }
}

/// One check's word on one definition.
pub(crate) struct Word<'a> {
    pub(crate) finding: &'a Finding,
    pub(crate) level: Level,
    /// Its strongest signal.
    pub(crate) first: &'a Signal,
    /// The others, strongest first.
    pub(crate) further: Vec<&'a Signal>,
}

/// The words of all checks on the finding's definition, in running order; auditors also get what was discounted.
pub(crate) fn words(finding: &Finding, persona: Persona) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for check in &finding.checks {
        let mut signals: Vec<&Signal> =
            finding.signals.iter().filter(|signal| signal.check == *check).collect();
        // Sorting is stable, so equals keep their place in the definition.
        signals.sort_by_key(|signal| std::cmp::Reverse(strength(signal)));
        if let Some((first, further)) = signals.split_first() {
            words.push(Word { finding, level: Level::of(first, false), first, further: further.to_vec() });
        }
    }
    if persona == Persona::Auditor {
        let notes = finding.discounted.iter();
        words.extend(notes.map(|first| Word { finding, level: Level::Note, first, further: Vec::new() }));
    }
    words
}

/// What makes one signal stronger than another.
pub(crate) fn strength(signal: &Signal) -> impl Ord + use<> {
    (signal.tier, signal.escalated, signal.confidence)
}
