//! Runs the scanner over `corpus/` and fails if it misses too much or cries wolf too often.

use super::Outcome;
use crate::{shell, tree};
use anyhow::Result;
use std::process::Command;

/// The thresholds of the gate: attacks raised (in every category), structural attacks held, hard negatives held,
/// honest tools raised.
///
/// The goal is 0.90 and 0.90. Recall on reworded attacks is not there yet (`docs/benchmarks.md` says where), so the
/// first threshold is a ratchet: it stands just under what is reached and only ever goes up.
const THRESHOLDS: [&str; 8] =
    ["--min-recall", "0.74", "--min-held", "0.95", "--max-fp", "0.00", "--max-raised", "0.02"];

pub(super) fn run() -> Outcome {
    let mut command = Command::new(tree::portcullis()?);
    command.args(["eval", "--corpus", "corpus", "--gate"]).args(THRESHOLDS).current_dir(tree::root());
    let scorecard = shell::output(&mut command)?;
    summary(&scorecard)
}

/// "586 attacks: 580 raised, 401 held; …" from the scorecard.
fn summary(scorecard: &str) -> Result<Option<String>> {
    let scorecard: serde_json::Value = serde_json::from_str(scorecard)?;
    let part = |label: &str| {
        let total = &scorecard["totals"][label];
        format!("{} {label}: {} raised, {} held", total["n"], total["raised"], total["held"])
    };
    let parts = ["malicious", "hard_negative", "benign"].map(part);
    Ok(Some(parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_the_scorecard_says() {
        let scorecard = r#"{"totals":{"malicious":{"n":9,"held":5,"raised":8},"benign":{"n":3,"held":0,"raised":1},
            "hard_negative":{"n":4,"held":0,"raised":2}}}"#;
        assert_eq!(
            summary(scorecard).unwrap().unwrap(),
            "9 malicious: 8 raised, 5 held; 4 hard_negative: 2 raised, 0 held; 3 benign: 1 raised, 0 held"
        );
        assert!(summary("not JSON").is_err());
    }
}
