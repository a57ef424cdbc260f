//! The scorecard as JSON, schema `portcullis.eval/1`.
//!
//! Recall of a row is raised/n of its attacks. Precision needs honest definitions of the same kind: it is
//! tp/(tp+fp) where fp counts the hard negatives of this run that resemble the category and were raised, and
//! null where the run has none of those. F1 is their harmonic mean. Rows of labelled texts have a type and a
//! strength instead.

use portcullis_decide::Persona;
use serde::Serialize;

use super::category;
use super::data::DataRow;
use super::operations::Operations;
use super::setup::Setup;
use super::tally::{Counts, FalseAlarm, RowKey, Tally, share};
use crate::args::EvalArguments;

/// The whole scorecard.
#[derive(Serialize)]
pub(crate) struct Scorecard<'a> {
    schema: &'static str,
    persona: &'static str,
    complete: bool,
    rows: Vec<AnyRow<'a>>,
    totals: Totals,
    missed: &'a [String],
    false_alarms: Vec<Alarm<'a>>,
    not_held: &'a [String],
    categories: Vec<CategoryRow<'a>>,
    registry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Operations>,
    rules_version: &'static str,
    incomplete: Vec<Gap<'a>>,
}

/// A row about definitions, or one about sensitive data in texts.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyRow<'a> {
    Definitions(Row<'a>),
    Data(DataRow),
}

#[derive(Serialize)]
struct Row<'a> {
    source: &'a str,
    label: &'static str,
    category: &'a str,
    visible: Option<&'a str>,
    n: u64,
    held: u64,
    raised: u64,
    recall: Option<f64>,
    precision: Option<f64>,
    f1: Option<f64>,
}

/// A category over all sources: what the gate looks at.
#[derive(Serialize)]
struct CategoryRow<'a> {
    category: &'a str,
    n: u64,
    held: u64,
    raised: u64,
    recall: Option<f64>,
    false_alarms: u64,
    precision: Option<f64>,
    f1: Option<f64>,
    gated: bool,
}

#[derive(Serialize)]
struct Totals {
    malicious: Total,
    benign: Total,
    hard_negative: Total,
}

#[derive(Serialize)]
struct Total {
    n: u64,
    held: u64,
    raised: u64,
}

#[derive(Serialize)]
struct Alarm<'a> {
    id: &'a str,
    checks: &'a [&'static str],
    tier: &'static str,
}

#[derive(Serialize)]
struct Gap<'a> {
    subject: &'a str,
    reason: &'a str,
}

/// The scorecard of a run; `checks` are the registered ones.
pub(crate) fn of<'a>(
    tally: &'a Tally,
    data_rows: Vec<DataRow>,
    operations: Option<Operations>,
    arguments: &EvalArguments,
    checks: &[&str],
) -> Scorecard<'a> {
    let definitions = tally.rows.iter().map(|(key, counts)| AnyRow::Definitions(row(key, *counts, tally)));
    let is_random = matches!(arguments.registry, Setup::Random(_));
    Scorecard {
        schema: "portcullis.eval/1",
        persona: Persona::from(arguments.persona).as_str(),
        complete: tally.gaps.is_empty(),
        rows: definitions.chain(data_rows.into_iter().map(AnyRow::Data)).collect(),
        totals: Totals {
            malicious: total(tally.malicious()),
            benign: total(tally.benign),
            hard_negative: total(tally.hard_negative),
        },
        missed: &tally.missed,
        false_alarms: tally.false_alarms.iter().map(alarm).collect(),
        not_held: &tally.not_held,
        categories: tally
            .attacks
            .iter()
            .map(|(name, counts)| category_row(name, *counts, tally, checks))
            .collect(),
        registry: arguments.registry.to_string(),
        draws: is_random.then_some(arguments.draws),
        seed: is_random.then_some(arguments.seed),
        operations,
        rules_version: portcullis_detect::RULES_VERSION,
        incomplete: tally.gaps.iter().map(|gap| Gap { subject: &gap.subject, reason: &gap.reason }).collect(),
    }
}

fn row<'a>(key: &'a RowKey, counts: Counts, tally: &Tally) -> Row<'a> {
    let is_attack = key.label == "malicious";
    let recall = counts.raised_share().filter(|_| is_attack);
    let precision = precision(&key.category, counts, tally).filter(|_| is_attack);
    Row {
        source: &key.source,
        label: key.label,
        category: &key.category,
        visible: key.visible.as_deref(),
        n: counts.n,
        held: counts.held,
        raised: counts.raised,
        recall: recall.map(rounded),
        precision: precision.map(rounded),
        f1: f1(recall, precision).map(rounded),
    }
}

fn category_row<'a>(name: &'a str, counts: Counts, tally: &Tally, checks: &[&str]) -> CategoryRow<'a> {
    let recall = counts.raised_share();
    let precision = precision(name, counts, tally);
    CategoryRow {
        category: name,
        n: counts.n,
        held: counts.held,
        raised: counts.raised,
        recall: recall.map(rounded),
        false_alarms: tally.resembling.get(name).map_or(0, |counts| counts.raised),
        precision: precision.map(rounded),
        f1: f1(recall, precision).map(rounded),
        gated: category::is_answered(name, checks),
    }
}

fn precision(category: &str, counts: Counts, tally: &Tally) -> Option<f64> {
    let honest = tally.resembling.get(category)?;
    share(counts.raised, counts.raised + honest.raised)
}

fn f1(recall: Option<f64>, precision: Option<f64>) -> Option<f64> {
    let (recall, precision) = (recall?, precision?);
    let sum = recall + precision;
    Some(if sum > 0.0 { 2.0 * recall * precision / sum } else { 0.0 })
}

/// Four digits: enough to see one entry in a thousand, short enough to read.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn total(counts: Counts) -> Total {
    Total { n: counts.n, held: counts.held, raised: counts.raised }
}

fn alarm(alarm: &FalseAlarm) -> Alarm<'_> {
    Alarm { id: &alarm.id, checks: &alarm.checks, tier: if alarm.is_held { "hard" } else { "soft" } }
}
