//! The signals of one definition -> one finding: severity by distinct checks, combined confidence, risk score.

use alloc::boxed::Box;
use alloc::vec::Vec;
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_detect::{Confidence, Definition, Kind, Observation, Signal, Threat, Tier};

/// Below this confidence (thousandths) a discounted signal counts for nothing; only auditors see it.
const COUNTS_FROM: u16 = 300;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Only discounted signals; nothing to act on.
    Info,
    /// One soft check.
    Low,
    /// Two soft checks.
    Medium,
    /// Three or more soft checks, or a hard one.
    High,
    /// A hard check that escalated: several hidden classes, or a decoded message.
    Critical,
}

impl Severity {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// Whether a tool is dangerous or merely worth a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreatLevel {
    /// Nothing counted.
    Clean,
    /// Soft signals only.
    Warning,
    /// At least one hard signal.
    Dangerous,
}

impl ThreatLevel {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            ThreatLevel::Clean => "clean",
            ThreatLevel::Warning => "warning",
            ThreatLevel::Dangerous => "dangerous",
        }
    }
}

/// What should happen to the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Nothing.
    None,
    /// A human should look; the tool is not held by this alone.
    Review,
    /// The tool is held until a human accepts it.
    Quarantine,
}

impl Action {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::None => "none",
            Action::Review => "review",
            Action::Quarantine => "quarantine",
        }
    }
}

/// All that is wrong with one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The operator's name of the server. May be hostile: escape before printing.
    pub server: Box<str>,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile: escape before printing.
    pub name: Box<str>,
    /// The exact definition it is about, if the caller works with identities.
    pub fingerprint: Option<Fingerprint>,
    /// How bad it is.
    pub severity: Severity,
    /// Dangerous or warning.
    pub threat_level: ThreatLevel,
    /// What should happen.
    pub action: Action,
    /// The threat of the strongest signal.
    pub threat: Threat,
    /// Independent signals added up.
    pub confidence: Confidence,
    /// 0 to 100.
    pub risk: u8,
    /// The distinct checks that counted, in running order.
    pub checks: Vec<&'static str>,
    /// The signals that counted.
    pub signals: Vec<Signal>,
    /// Signals that were discounted to nothing, with their reasons.
    pub discounted: Vec<Signal>,
}

impl Finding {
    /// Whether the finding holds the tool.
    pub fn is_hard(&self) -> bool {
        self.threat_level == ThreatLevel::Dangerous
    }

    /// The finding with only those signals `keeps` wants, weighed anew; `None` if there are none.
    pub(crate) fn only(&self, keeps: impl Fn(&Signal) -> bool) -> Option<Finding> {
        let kept = |signals: &[Signal]| signals.iter().filter(|signal| keeps(signal)).cloned().collect();
        let Finding { server, kind, name, fingerprint, .. } = self;
        let (server, name) = (server.clone(), name.clone());
        let subject = Subject { server, kind: *kind, name, fingerprint: *fingerprint };
        weigh(subject, kept(&self.signals), kept(&self.discounted))
    }
}

/// The finding on `definition`, `None` if nothing at all was signalled.
pub fn judge(definition: &Definition, observation: Observation) -> Option<Finding> {
    let (signals, discounted): (Vec<Signal>, Vec<Signal>) =
        observation.signals.into_iter().partition(|signal| signal.confidence.thousandths() >= COUNTS_FROM);
    let subject = Subject {
        server: definition.server().into(),
        kind: definition.kind(),
        name: definition.name().into(),
        fingerprint: None,
    };
    weigh(subject, signals, discounted)
}

/// What a finding is about.
struct Subject {
    server: Box<str>,
    kind: Kind,
    name: Box<str>,
    fingerprint: Option<Fingerprint>,
}

fn weigh(subject: Subject, signals: Vec<Signal>, discounted: Vec<Signal>) -> Option<Finding> {
    let strongest =
        signals.iter().chain(&discounted).max_by_key(|signal| (signal.tier, signal.confidence))?;
    let threat = strongest.threat;
    let hard = distinct(signals.iter().filter(|signal| signal.tier == Tier::Hard));
    let all = distinct(signals.iter());
    let severity = if !hard.is_empty() {
        let escalated = signals.iter().any(|signal| signal.tier == Tier::Hard && signal.escalated);
        if escalated { Severity::Critical } else { Severity::High }
    } else {
        soft_severity(all.len())
    };
    let (threat_level, action) = match (hard.len(), all.len()) {
        (1.., _) => (ThreatLevel::Dangerous, Action::Quarantine),
        (0, 1..) => (ThreatLevel::Warning, Action::Review),
        (0, 0) => (ThreatLevel::Clean, Action::None),
    };
    Some(Finding {
        server: subject.server,
        kind: subject.kind,
        name: subject.name,
        fingerprint: subject.fingerprint,
        severity,
        threat_level,
        action,
        threat,
        confidence: combined(&all, &signals),
        risk: risk(!hard.is_empty(), all.len()),
        checks: all,
        signals,
        discounted,
    })
}

fn distinct<'a>(signals: impl Iterator<Item = &'a Signal>) -> Vec<&'static str> {
    let mut checks = Vec::new();
    for signal in signals {
        if !checks.contains(&signal.check) {
            checks.push(signal.check);
        }
    }
    checks
}

fn soft_severity(distinct_checks: usize) -> Severity {
    match distinct_checks {
        0 => Severity::Info,
        1 => Severity::Low,
        2 => Severity::Medium,
        3.. => Severity::High,
    }
}

/// Agreement between checks raises confidence; repeats of one check do not, they are not independent.
fn combined(checks: &[&'static str], signals: &[Signal]) -> Confidence {
    checks.iter().fold(Confidence::default(), |sum, check| {
        let best =
            signals.iter().filter(|signal| signal.check == *check).map(|signal| signal.confidence).max();
        sum.combined(best.unwrap_or_default())
    })
}

/// Hard 70 and 10 for each further distinct check; soft 15, 40, 60; at most 100.
fn risk(is_hard: bool, distinct_checks: usize) -> u8 {
    let score = match (is_hard, distinct_checks) {
        (_, 0) => 0,
        (true, more) => 70 + 10 * (more - 1),
        (false, 1) => 15,
        (false, 2) => 40,
        (false, 3..) => 60,
    };
    u8::try_from(score.min(100)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risk_dominates_by_hard_and_adds_by_distinct_checks() {
        let hard: Vec<u8> = (1..=5).map(|checks| risk(true, checks)).collect();
        assert_eq!(hard, [70, 80, 90, 100, 100]);
        let soft: Vec<u8> = (0..=4).map(|checks| risk(false, checks)).collect();
        assert_eq!(soft, [0, 15, 40, 60, 60]);
    }

    #[test]
    fn soft_severity_counts_distinct_checks() {
        let severities: Vec<Severity> = (0..=4).map(soft_severity).collect();
        assert_eq!(
            severities,
            [Severity::Info, Severity::Low, Severity::Medium, Severity::High, Severity::High]
        );
    }
}
