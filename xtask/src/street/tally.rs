//! What became of all plays: what to complain about, and a line for each scenario.

use super::scenario::{Scenario, Way};
use super::verdict::Verdict;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A scenario, played in one way.
pub(super) struct Played<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) way: Way,
    pub(super) verdict: Result<Verdict>,
}

impl Played<'_> {
    /// What is not as the scenario says.
    pub(super) fn complaint(&self) -> Option<String> {
        let told = match &self.verdict {
            Ok(verdict) if verdict.is_as_told(self.scenario) => return None,
            Ok(verdict) => format!("it is {}: {}", verdict.outcome, verdict.missed.join("; ")),
            Err(error) => format!("it broke off: {error:#}"),
        };
        let Scenario { id, today, .. } = self.scenario;
        Some(format!("{id} ({}), {today} today: {told}", self.way))
    }
}

/// One line for each scenario, for the report: the worst of its plays counts.
pub(super) fn lines(played: &[Played<'_>]) -> Vec<Value> {
    let mut scenarios: BTreeMap<&str, Vec<&Played<'_>>> = BTreeMap::new();
    for one in played {
        scenarios.entry(&one.scenario.id).or_default().push(one);
    }
    scenarios.values().map(|plays| line(plays)).collect()
}

fn line(plays: &[&Played<'_>]) -> Value {
    let scenario = plays.first().map(|one| one.scenario);
    let verdicts: Vec<&Verdict> = plays.iter().filter_map(|one| one.verdict.as_ref().ok()).collect();
    let is_whole = verdicts.len() == plays.len();
    let worst = verdicts.iter().find(|verdict| !verdict.is_ideal());
    let times: Vec<f64> = verdicts.iter().filter_map(|verdict| verdict.ms).collect();
    let outcome = worst.or(verdicts.first()).map_or("passed", |verdict| verdict.outcome);
    let mut line = json!({
        "scenario": scenario.map_or("", |one| one.id.as_str()),
        "reached": is_whole && worst.is_none(),
        "outcome": outcome,
    });
    if !times.is_empty() {
        line["ms"] = json!(times.iter().sum::<f64>() / times.len() as f64);
    }
    // The file says why it falls short; what it does not know is said here.
    let unknown = plays.iter().find_map(|one| one.complaint());
    if let Some(why) = unknown {
        line["why"] = json!(why);
    }
    line
}
