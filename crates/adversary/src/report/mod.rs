//! The table of measured rates, from what a street test wrote down, beside the rates that were expected.

mod metrics;

use crate::library::Library;
use crate::scenario::{CATEGORIES, OUTCOMES, PROMISES, Scenario};
use metrics::Figures;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What became of one scenario: whether the gate did what `ideal` asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    scenario: String,
    reached: bool,
    /// What the gate made of it, in the word of scenarios.
    outcome: Option<String>,
    /// How long the request took in which it was noticed.
    ms: Option<f64>,
    #[serde(default)]
    why: String,
}

/// A scenario and what became of it.
type Measured<'a> = (&'a Scenario, &'a Outcome);

/// The share of scenarios that must reach their ideal.
const WHOLE: u32 = 92;

/// The report in Markdown. Each text holds JSON lines and has the name of its file.
pub(crate) fn report(library: &Library, texts: &[(String, String)]) -> Result<String, String> {
    let (outcomes, figures) = read(library, texts)?;
    let measured: Vec<(&Scenario, &Outcome)> = library
        .scenarios
        .iter()
        .filter_map(|scenario| Some((scenario, outcomes.get(&scenario.id)?)))
        .collect();
    let (twins, attacks): (Vec<_>, Vec<_>) =
        measured.iter().partition(|(scenario, _)| scenario.twin_of.is_some());
    let mut out = String::from(
        "# Measured rates\n\nOf the scenarios of each kind, how many were met as a perfect gate would meet them.\n\n",
    );
    out.push_str("| category | attack | scenarios | met | measured | expected | |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n");
    for promise in &PROMISES {
        let rate = Rate::of(attacks.iter().filter(|(scenario, _)| scenario.row == Some(promise.name)));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {}% | {} |",
            promise.category,
            promise.attack,
            rate.cells(),
            promise.rate,
            rate.verdict(promise.rate)
        );
    }
    out.push_str("\n| category | scenarios | met | measured |\n| --- | ---: | ---: | ---: |\n");
    for category in CATEGORIES {
        let rate = Rate::of(attacks.iter().filter(|(scenario, _)| scenario.category == category));
        let _ = writeln!(out, "| {} | {} |", category.replace('_', " "), rate.cells());
    }
    let whole = Rate::of(measured.iter());
    let _ = writeln!(
        out,
        "| **all attacks** | {} |\n| **harmless twins let through** | {} |\n| **all scenarios** | {} |\n",
        Rate::of(attacks.iter()).cells(),
        Rate::of(twins.iter()).cells(),
        whole.cells()
    );
    let _ = writeln!(out, "All scenarios: {} (at least {WHOLE}% expected).", whole.verdict(WHOLE));
    metrics::write(&mut out, &attacks, &twins, &figures);
    write_missed(&mut out, &measured);
    write_unmeasured(&mut out, library, &outcomes);
    Ok(out)
}

type Read = (BTreeMap<String, Outcome>, Figures);

fn read(library: &Library, texts: &[(String, String)]) -> Result<Read, String> {
    let (mut outcomes, mut figures) = (BTreeMap::new(), Figures::default());
    for (file, text) in texts {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: String| format!("{}:{}: {what}", file.escape_debug(), index + 1);
            let unread = |error: serde_json::Error| wrong(error.to_string());
            let value: Value = serde_json::from_str(line).map_err(unread)?;
            if value.get("figure").is_some() {
                figures.add(serde_json::from_value(value).map_err(unread)?).map_err(wrong)?;
                continue;
            }
            let outcome: Outcome = serde_json::from_value(value).map_err(unread)?;
            library.find(&outcome.scenario).map_err(wrong)?;
            if let Some(word) = outcome.outcome.as_deref().filter(|word| !OUTCOMES.contains(word)) {
                return Err(wrong(crate::mistake::unknown("outcome", word, &OUTCOMES)));
            }
            let name = outcome.scenario.clone();
            if outcomes.insert(name.clone(), outcome).is_some() {
                return Err(wrong(format!("a second outcome of {name}")));
            }
        }
    }
    Ok((outcomes, figures))
}

/// How many of how many.
struct Rate {
    all: usize,
    met: usize,
}

impl Rate {
    fn of<'a>(measured: impl Iterator<Item = &'a (&'a Scenario, &'a Outcome)>) -> Rate {
        measured.fold(Rate { all: 0, met: 0 }, |rate, (_, outcome)| Rate {
            all: rate.all + 1,
            met: rate.met + usize::from(outcome.reached),
        })
    }

    fn cells(&self) -> String {
        let share = self.permille().map_or("-".to_owned(), |share| format!("{}.{}%", share / 10, share % 10));
        format!("{} | {} | {share}", self.all, self.met)
    }

    /// Rounded down: 99.96% is not all.
    fn permille(&self) -> Option<usize> {
        (self.met * 1000).checked_div(self.all)
    }

    fn verdict(&self, percent: u32) -> &'static str {
        match self.permille() {
            None => "not measured",
            Some(share) if share >= percent as usize * 10 => "as expected",
            Some(_) => "**below**",
        }
    }
}

fn write_missed(out: &mut String, measured: &[(&Scenario, &Outcome)]) {
    let missed: Vec<_> = measured.iter().filter(|(_, outcome)| !outcome.reached).collect();
    if missed.is_empty() {
        return;
    }
    out.push_str("\n| scenario | should be | is today | why |\n| --- | --- | --- | --- |\n");
    for (scenario, outcome) in missed {
        let known = scenario.shortfall.as_deref().unwrap_or_default();
        let why = if outcome.why.is_empty() { known } else { &outcome.why };
        let _ =
            writeln!(out, "| {} | {} | {} | {} |", scenario.id, scenario.ideal, scenario.today, cell(why));
    }
}

/// A text of others, as one cell: nothing in it ends the cell or reaches a terminal raw.
fn cell(text: &str) -> String {
    text.escape_debug().to_string().replace('|', "\\|").replace('<', "&lt;")
}

fn write_unmeasured(out: &mut String, library: &Library, outcomes: &BTreeMap<String, Outcome>) {
    let is_missing = |scenario: &&Scenario| !outcomes.contains_key(&scenario.id);
    let missing: Vec<&str> =
        library.scenarios.iter().filter(is_missing).map(|scenario| scenario.id.as_str()).collect();
    if !missing.is_empty() {
        let _ = writeln!(out, "\nNot measured: {}.", missing.join(", "));
    }
}
