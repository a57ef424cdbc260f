//! The figures a gate is judged by as a whole, and whether they are good enough to rely on it.

use super::{Measured, Outcome};
use crate::mistake;
use crate::scenario::Scenario;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A figure that is measured beside the scenarios.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    figure: String,
    value: f64,
    /// How many samples it rests on.
    of: u64,
}

/// The names such a figure can have, and how they are shown.
const KNOWN: [(&str, &str); 4] = [
    ("contradiction_precision", "Contradiction precision"),
    ("contradiction_recall", "Contradiction recall"),
    ("classification_accuracy", "Classification accuracy"),
    ("pii_f1", "PII detection F1"),
];

/// Such figures by name.
#[derive(Default)]
pub(super) struct Figures(BTreeMap<String, Figure>);

impl Figures {
    pub(super) fn add(&mut self, figure: Figure) -> Result<(), String> {
        let names = KNOWN.map(|(name, _)| name);
        if !names.contains(&figure.figure.as_str()) {
            return Err(mistake::unknown("figure", &figure.figure, &names));
        }
        let name = figure.figure.clone();
        match self.0.insert(name.clone(), figure) {
            None => Ok(()),
            Some(_) => Err(format!("{name} stands here twice")),
        }
    }
}

/// What a gate is asked for before anybody relies on it.
struct Demand {
    metric: &'static str,
    bar: &'static str,
    value: Option<f64>,
    is_met: fn(f64) -> bool,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    Share,
    Milliseconds,
}

impl Unit {
    fn shown(self, value: Option<f64>) -> String {
        match (self, value) {
            (_, None) => "not measured".to_owned(),
            (Unit::Share, Some(value)) => format!("{:.1}%", value * 100.0),
            (Unit::Milliseconds, Some(value)) => format!("{value:.1} ms"),
        }
    }
}

/// Writes all figures, and the verdict.
pub(super) fn write(out: &mut String, attacks: &[Measured<'_>], twins: &[Measured<'_>], figures: &Figures) {
    let demands = demands(attacks, twins);
    out.push_str("\n| metric | measured | demanded |\n| --- | ---: | --- |\n");
    let mut line = |metric: &str, value: String, bar: &str| {
        let _ = writeln!(out, "| {metric} | {value} | {bar} |");
    };
    for demand in &demands {
        line(demand.metric, demand.unit.shown(demand.value), demand.bar);
    }
    let is_rug_pull = |scenario: &Scenario| scenario.category == "rug_pull";
    let pulled: Vec<Measured<'_>> =
        attacks.iter().filter(|(scenario, _)| is_rug_pull(scenario)).copied().collect();
    line("Rug pull detection rate", Unit::Share.shown(detected(&pulled)), "");
    for (name, title) in KNOWN {
        let figure = figures.0.get(name);
        let of = figure.map(|figure| format!(" of {}", figure.of)).unwrap_or_default();
        line(title, Unit::Share.shown(figure.map(|figure| figure.value)) + &of, "");
    }
    let unmet: Vec<&str> = demands
        .iter()
        .filter(|demand| !demand.value.is_some_and(demand.is_met))
        .map(|demand| demand.metric)
        .collect();
    let verdict = if unmet.is_empty() {
        "yes".to_owned()
    } else {
        format!("no, by {}", unmet.join(", ").to_lowercase())
    };
    let _ = writeln!(
        out,
        "\nAn attack is detected if the gate did anything about it; a false alarm is a twin about which it did. \
         Ready for production by all demands: {verdict}."
    );
}

fn demands(attacks: &[Measured<'_>], twins: &[Measured<'_>]) -> [Demand; 4] {
    let detection = detected(attacks);
    let times: Vec<f64> = attacks.iter().filter_map(|(_, outcome)| outcome.ms).collect();
    let average = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    let demand = |metric, bar, value, is_met| Demand { metric, bar, value, is_met, unit: Unit::Share };
    [
        demand("Attack detection rate", "above 99%", detection, |value| value > 0.99),
        demand("False negative rate", "below 1%", detection.map(|share| 1.0 - share), |value| value < 0.01),
        demand("False positive rate", "below 5%", detected(twins), |value| value < 0.05),
        Demand {
            unit: Unit::Milliseconds,
            ..demand("Average detection time", "below 50 ms", average, |value| value < 50.0)
        },
    ]
}

/// The share about which the gate did anything; twins that it let through as they are do not count.
fn detected(measured: &[Measured<'_>]) -> Option<f64> {
    let is_noticed = |(scenario, outcome): &&Measured<'_>| match scenario.twin_of {
        Some(_) => !outcome.reached,
        None => is_detected(outcome),
    };
    let noticed = measured.iter().filter(is_noticed).count();
    (!measured.is_empty()).then(|| noticed as f64 / measured.len() as f64)
}

/// Whether the gate did what is ideal, or anything at all.
fn is_detected(outcome: &Outcome) -> bool {
    outcome.reached || outcome.outcome.as_deref().is_some_and(|word| word != "passed")
}
