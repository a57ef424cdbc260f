//! What the checks say of a definition since it changed, beside what they said before.

use crate::Finding;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use portcullis_detect::Tier;

/// A check that signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The check, by id.
    pub check: &'static str,
    /// Whether it holds the tool.
    pub is_hard: bool,
}

/// The checks on two versions of a definition, each list ordered by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rescan {
    /// Those that signal only on the new version, or are hard only there.
    pub came: Vec<Word>,
    /// Those that signal on both.
    pub stayed: Vec<Word>,
    /// Those that signalled only on the old version.
    pub went: Vec<Word>,
}

impl Rescan {
    /// Compares the findings on two versions; `None` is a version with nothing against it.
    pub fn between(before: Option<&Finding>, after: Option<&Finding>) -> Self {
        let (old, new) = (words(before), words(after));
        let word = |(check, is_hard): (&&'static str, &bool)| Word { check, is_hard: *is_hard };
        let is_known = |(check, is_hard): &(&&'static str, &bool)| old.get(*check) >= Some(*is_hard);
        Rescan {
            came: new.iter().filter(|one| !is_known(one)).map(word).collect(),
            stayed: new.iter().filter(is_known).map(word).collect(),
            went: old.iter().filter(|(check, _)| !new.contains_key(*check)).map(word).collect(),
        }
    }
}

/// The checks that count in a finding, and whether any of their signals is hard.
fn words(finding: Option<&Finding>) -> BTreeMap<&'static str, bool> {
    let mut words = BTreeMap::new();
    for signal in finding.iter().flat_map(|finding| &finding.signals) {
        *words.entry(signal.check).or_default() |= signal.tier == Tier::Hard;
    }
    words
}
