//! Counts outcomes: rows by source, label, category and visibility; totals; who was missed, who was wronged.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use portcullis_decide::Incomplete;
use portcullis_detect::escape_line;

use super::category;
use super::entry::{Class, Entry};
use super::judging::Outcome;

/// How many were judged, held and raised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) n: u64,
    pub(crate) held: u64,
    pub(crate) raised: u64,
}

impl Counts {
    fn record(&mut self, outcome: &Outcome) {
        self.n += 1;
        self.held += u64::from(outcome.is_held);
        self.raised += u64::from(outcome.is_raised);
    }

    pub(crate) fn plus(self, other: Counts) -> Counts {
        Counts { n: self.n + other.n, held: self.held + other.held, raised: self.raised + other.raised }
    }

    /// The share raised; `None` of nothing.
    pub(crate) fn raised_share(self) -> Option<f64> {
        share(self.raised, self.n)
    }
}

/// `part` of `whole`; `None` of nothing.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What a row of the scorecard is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowKey {
    pub(crate) source: String,
    pub(crate) label: &'static str,
    pub(crate) category: String,
    pub(crate) visible: Option<String>,
}

/// An honest definition that was raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FalseAlarm {
    pub(crate) id: String,
    pub(crate) checks: Vec<&'static str>,
    pub(crate) is_held: bool,
}

/// Everything counted in one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: BTreeMap<RowKey, Counts>,
    /// By category: the attacks that count (visible ones, where the corpus says so).
    pub(crate) attacks: BTreeMap<String, Counts>,
    /// By the category they resemble: hard negatives.
    pub(crate) resembling: BTreeMap<String, Counts>,
    pub(crate) benign: Counts,
    pub(crate) hard_negative: Counts,
    /// Attacks that count and were not raised, in the order of the corpus.
    pub(crate) missed: Vec<String>,
    /// Attacks of structural categories that were raised but not held.
    pub(crate) not_held: Vec<String>,
    pub(crate) false_alarms: Vec<FalseAlarm>,
    pub(crate) gaps: Vec<Incomplete>,
    /// Where an id stands in `false_alarms`: a tool drawn a thousand times is listed once.
    pub(crate) alarm_places: BTreeMap<String, usize>,
}

impl Tally {
    /// Counts one outcome.
    pub(crate) fn record(&mut self, entry: &Entry, outcome: Outcome) {
        let key = RowKey {
            source: entry.source.clone(),
            label: if entry.is_malicious { "malicious" } else { "benign" },
            category: entry.category.clone(),
            visible: entry.visible.clone(),
        };
        self.rows.entry(key).or_default().record(&outcome);
        for reason in &outcome.gaps {
            self.gaps.push(Incomplete { subject: escape_line(&entry.id, 100), reason: reason.clone() });
        }
        match entry.class() {
            Class::Malicious if entry.is_counted() => self.record_attack(entry, &outcome),
            Class::Malicious => {}
            Class::Benign => self.benign.record(&outcome),
            Class::HardNegative => {
                self.hard_negative.record(&outcome);
                if let Some(resembles) = &entry.resembles {
                    self.resembling.entry(resembles.clone()).or_default().record(&outcome);
                }
            }
        }
        if !entry.is_malicious && outcome.is_raised {
            self.alarm(entry, outcome);
        }
    }

    /// All attacks that count.
    pub(crate) fn malicious(&self) -> Counts {
        self.attacks.values().fold(Counts::default(), |sum, counts| sum.plus(*counts))
    }

    /// Drops repetitions that many draws bring.
    pub(crate) fn finish(&mut self) {
        unrepeated(&mut self.missed);
        unrepeated(&mut self.not_held);
        self.gaps.sort();
        self.gaps.dedup();
    }

    fn record_attack(&mut self, entry: &Entry, outcome: &Outcome) {
        self.attacks.entry(entry.category.clone()).or_default().record(outcome);
        if !outcome.is_raised {
            self.missed.push(entry.id.clone());
        } else if !outcome.is_held && category::is_structural(&entry.category) {
            self.not_held.push(entry.id.clone());
        }
    }

    fn alarm(&mut self, entry: &Entry, outcome: Outcome) {
        match self.alarm_places.entry(entry.id.clone()) {
            Slot::Vacant(slot) => {
                slot.insert(self.false_alarms.len());
                let alarm =
                    FalseAlarm { id: entry.id.clone(), checks: outcome.checks, is_held: outcome.is_held };
                self.false_alarms.push(alarm);
            }
            Slot::Occupied(slot) => {
                let Some(alarm) = self.false_alarms.get_mut(*slot.get()) else { return };
                alarm.is_held |= outcome.is_held;
                for check in outcome.checks {
                    if !alarm.checks.contains(&check) {
                        alarm.checks.push(check);
                    }
                }
            }
        }
    }
}

fn unrepeated(ids: &mut Vec<String>) {
    let mut seen = std::collections::BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
}
