//! The eval gate: the limits a scorecard must keep, and every reason why it did not.

use std::fmt;

use super::category;
use super::tally::{Counts, Tally};

/// The limits, as shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Lowest share of attacks raised, overall and per category.
    pub(crate) min_recall: f64,
    /// Lowest share of attacks held, per structural category.
    pub(crate) min_held: f64,
    /// Highest share of hard negatives held.
    pub(crate) max_fp: f64,
    /// Highest share of benign definitions raised.
    pub(crate) max_raised: f64,
}

/// Whether the limits were kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    reasons: Vec<String>,
    summary: String,
    is_complete: bool,
}

impl Verdict {
    pub(crate) fn is_passed(&self) -> bool {
        self.reasons.is_empty()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doubt = if self.is_complete { "" } else { " (incomplete: some entries were not judged)" };
        if self.is_passed() {
            return write!(f, "GATE PASSED: {}{doubt}", self.summary);
        }
        write!(f, "GATE FAILED: {}{doubt}", self.reasons.join("; "))
    }
}

/// Holds a tally against the limits; `checks` are the registered ones.
pub(crate) fn hold(tally: &Tally, limits: Limits, checks: &[&str]) -> Verdict {
    let gated = tally.attacks.iter().filter(|(name, _)| category::is_answered(name, checks));
    let overall = gated.clone().fold(Counts::default(), |sum, (_, counts)| sum.plus(*counts));
    let mut reasons = Vec::new();
    if overall.n + tally.benign.n + tally.hard_negative.n == 0 {
        reasons.push("nothing was judged".into());
    }
    at_least(&mut reasons, "recall overall", overall.raised, overall.n, limits.min_recall);
    for (name, counts) in gated {
        at_least(&mut reasons, &format!("recall of {name}"), counts.raised, counts.n, limits.min_recall);
        if category::is_structural(name) {
            at_least(&mut reasons, &format!("held of {name}"), counts.held, counts.n, limits.min_held);
        }
    }
    let (hard, benign) = (tally.hard_negative, tally.benign);
    at_most(&mut reasons, "hard negatives held", hard.held, hard.n, limits.max_fp);
    at_most(&mut reasons, "benign raised", benign.raised, benign.n, limits.max_raised);
    let summary = format!(
        "{}/{} attacks raised, {} held; {}/{} hard negatives held; {}/{} benign raised",
        overall.raised, overall.n, overall.held, hard.held, hard.n, benign.raised, benign.n
    );
    Verdict { reasons, summary, is_complete: tally.gaps.is_empty() }
}

fn at_least(reasons: &mut Vec<String>, what: &str, part: u64, whole: u64, limit: f64) {
    if let Some(share) = super::tally::share(part, whole).filter(|share| *share < limit) {
        reasons.push(format!("{what} {share:.3} ({part}/{whole}) is below {limit}"));
    }
}

fn at_most(reasons: &mut Vec<String>, what: &str, part: u64, whole: u64, limit: f64) {
    if let Some(share) = super::tally::share(part, whole).filter(|share| *share > limit) {
        reasons.push(format!("{what} {share:.3} ({part}/{whole}) is above {limit}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { min_recall: 0.9, min_held: 0.9, max_fp: 0.05, max_raised: 0.05 };
    const CHECKS: &[&str] = &["shadowing.cross_server", "directive.covert"];

    fn tally(attacks: &[(&str, u64, u64, u64)], benign: (u64, u64), hard: (u64, u64)) -> Tally {
        let counts =
            |&(name, n, held, raised): &(&str, u64, u64, u64)| (name.into(), Counts { n, held, raised });
        Tally {
            attacks: attacks.iter().map(counts).collect(),
            benign: Counts { n: benign.0, held: 0, raised: benign.1 },
            hard_negative: Counts { n: hard.0, held: hard.1, raised: hard.1 },
            ..Tally::default()
        }
    }

    fn check(tally: Tally, expected: &str) {
        assert_eq!(hold(&tally, LIMITS, CHECKS).to_string(), expected);
    }

    #[test]
    fn limits_that_are_just_kept_pass() {
        check(
            tally(&[("shadowing", 50, 45, 45), ("tool_poisoning", 10, 0, 9)], (20, 1), (20, 1)),
            "GATE PASSED: 54/60 attacks raised, 45 held; 1/20 hard negatives held; 1/20 benign raised",
        );
    }

    #[test]
    fn every_broken_limit_is_named() {
        check(
            tally(&[("shadowing", 50, 44, 50), ("tool_poisoning", 10, 0, 8)], (20, 2), (20, 2)),
            "GATE FAILED: held of shadowing 0.880 (44/50) is below 0.9; \
             recall of tool_poisoning 0.800 (8/10) is below 0.9; \
             hard negatives held 0.100 (2/20) is above 0.05; benign raised 0.100 (2/20) is above 0.05",
        );
    }

    #[test]
    fn a_category_without_a_check_is_not_gated() {
        check(
            tally(&[("other", 50, 0, 0), ("shadowing", 1, 1, 1)], (0, 0), (0, 0)),
            "GATE PASSED: 1/1 attacks raised, 1 held; 0/0 hard negatives held; 0/0 benign raised",
        );
    }

    #[test]
    fn an_empty_corpus_never_passes() {
        check(Tally::default(), "GATE FAILED: nothing was judged");
    }
}
