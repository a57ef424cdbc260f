//! The outcome of one scan: findings, what could not be read or checked, and the counts.

use crate::baseline::{Baseline, News};
use crate::finding::{Finding, Severity, judge};
use crate::lock::Drift;
use crate::persona::Persona;
use crate::suppression::{Idle, Suppressed, Suppression};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use portcullis_detect::{Definition, Observation, RULES_VERSION};

/// Something that was not, or not wholly, looked at. A scan with one of these never looks clean.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Incomplete {
    /// The file, server or definition it concerns. May be hostile: escape before printing.
    pub subject: String,
    /// What happened and what to do about it.
    pub reason: String,
}

/// How much was found, by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Definitions looked at.
    pub definitions: usize,
    /// Findings the persona shows, by severity.
    pub info: usize,
    /// See `info`.
    pub low: usize,
    /// See `info`.
    pub medium: usize,
    /// See `info`.
    pub high: usize,
    /// See `info`.
    pub critical: usize,
    /// Checks on definitions whose word an operator suppressed.
    pub suppressed: usize,
    /// Findings the persona does not show.
    pub ignored: usize,
    /// Findings the baseline has.
    pub known: usize,
}

impl Totals {
    /// All findings the persona shows.
    pub fn findings(&self) -> usize {
        self.critical + self.high + self.medium + self.low + self.info
    }
}

/// The outcome of one scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// All findings, also those the persona does not show; ordered by server, kind and name.
    pub findings: Vec<Finding>,
    /// What was not looked at.
    pub incomplete: Vec<Incomplete>,
    /// Servers that were found and that nobody asked to read.
    pub never_scanned: Vec<Incomplete>,
    /// What a reader should know about how it was made.
    pub notes: Vec<String>,
    /// How many definitions were looked at.
    pub definitions: usize,
    /// The servers that were looked at, ordered.
    pub servers: Vec<Box<str>>,
    /// Whose eyes the report is for.
    pub persona: Persona,
    /// What an operator suppressed; no longer among the findings.
    pub suppressed: Vec<Suppressed>,
    /// Suppressions that did nothing, and why.
    pub idle: Vec<(Suppression, Idle)>,
    /// Where definitions are not what the lock says; empty without a lock.
    pub drift: Vec<Drift>,
    /// What was compared with, if anything was.
    pub baseline: Option<Baseline>,
    /// What the baseline has; no longer among the findings.
    pub known: Vec<Finding>,
    /// The reader wants to see only what is new.
    pub hides_known: bool,
    /// The counts of findings that were told and forgotten.
    pub told: Totals,
}

impl Report {
    /// Adds what was observed on one definition.
    pub fn add(&mut self, definition: &Definition, observation: Observation) {
        self.definitions += 1;
        if let Err(place) = self.servers.binary_search_by(|server| (**server).cmp(definition.server())) {
            self.servers.insert(place, definition.server().into());
        }
        for check in &observation.coverage.failed {
            self.incomplete_on(
                definition,
                alloc::format!("the check {check} failed on it; please report this"),
            );
        }
        for cap in &observation.coverage.caps {
            self.incomplete_on(definition, alloc::format!("a limit was reached: {}", cap.explain()));
        }
        self.findings.extend(judge(definition, observation));
    }

    /// Takes out what an operator suppressed, and notes which suppressions did nothing.
    pub fn suppress(&mut self, suppressions: &[Suppression], now: u64) {
        self.suppress_findings(suppressions, now);
        self.note_idle(suppressions, now);
    }

    /// Takes out what an operator suppressed, check by check; what is left of a finding is weighed anew.
    pub fn suppress_findings(&mut self, suppressions: &[Suppression], now: u64) {
        let is_live = |suppression: &&Suppression| !suppression.is_expired(now);
        for finding in core::mem::take(&mut self.findings) {
            let by = |check: &str| {
                suppressions.iter().filter(is_live).find(|suppression| suppression.is_about(&finding, check))
            };
            for check in &finding.checks {
                let one = by(check).and_then(|by| Some((by, finding.only(|signal| signal.check == *check)?)));
                let Some((by, finding)) = one else { continue };
                let strongest = finding.signals.iter().max_by_key(|s| (s.tier, s.escalated, s.confidence));
                let Some(signal) = strongest.cloned() else { continue };
                self.suppressed.push(Suppressed { finding, signal, by: by.clone() });
            }
            self.findings.extend(finding.only(|signal| by(signal.check).is_none()));
        }
    }

    /// Notes which suppressions did nothing, once everything was suppressed.
    pub fn note_idle(&mut self, suppressions: &[Suppression], now: u64) {
        for suppression in suppressions {
            let is_used = self.suppressed.iter().any(|suppressed| suppressed.by == *suppression);
            let idle = if suppression.is_expired(now) { Idle::Expired } else { Idle::Unused };
            self.idle.extend((!is_used).then(|| (suppression.clone(), idle)));
        }
    }

    /// Takes out what an earlier scan saw too, check by check; what is left of a finding is weighed anew.
    pub fn compare(&mut self, baseline: Baseline) {
        for finding in core::mem::take(&mut self.findings) {
            let is_known = |check: &str| baseline.news(&finding, check, RULES_VERSION) == News::Known;
            self.known.extend(finding.only(|signal| is_known(signal.check)));
            self.findings.extend(finding.only(|signal| !is_known(signal.check)));
        }
        self.baseline = Some(baseline);
    }

    /// Why a check's word on a finding is new, if there is a baseline to compare with.
    pub fn news(&self, finding: &Finding, check: &str) -> Option<News> {
        Some(self.baseline.as_ref()?.news(finding, check, RULES_VERSION))
    }

    /// What the baseline has and the reader wants to see.
    pub fn shown_known(&self) -> impl Iterator<Item = &Finding> {
        self.known.iter().filter(|finding| !self.hides_known && self.persona.wants(finding))
    }

    /// Forgets the findings but for their counts, once they were told: a stream of them has no end.
    pub fn forget(&mut self) {
        self.told = self.totals();
        self.findings.clear();
    }

    /// Puts findings and gaps into their fixed order, whatever order definitions were added in.
    pub fn sort(&mut self) {
        self.findings.sort_by(|a, b| (&a.server, a.kind, &a.name).cmp(&(&b.server, b.kind, &b.name)));
        self.incomplete.sort();
    }

    /// Whether everything was looked at.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_empty()
    }

    /// The findings the persona wants to see.
    pub fn shown(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| self.persona.wants(finding))
    }

    /// The counts for the last line.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals {
            definitions: self.definitions,
            suppressed: self.suppressed.len(),
            known: self.known.iter().filter(|finding| self.persona.wants(finding)).count(),
            ..self.told
        };
        for finding in &self.findings {
            let count = match finding.severity {
                _ if !self.persona.wants(finding) => &mut totals.ignored,
                Severity::Info => &mut totals.info,
                Severity::Low => &mut totals.low,
                Severity::Medium => &mut totals.medium,
                Severity::High => &mut totals.high,
                Severity::Critical => &mut totals.critical,
            };
            *count += 1;
        }
        totals
    }

    fn incomplete_on(&mut self, definition: &Definition, reason: String) {
        let subject = alloc::format!("{}/{}", definition.server(), definition.name());
        self.incomplete.push(Incomplete { subject, reason });
    }
}
