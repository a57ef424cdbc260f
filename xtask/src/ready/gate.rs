//! Runs the scanner over the definitions and the guard over the sessions in `corpus/`, and fails if either misses too
//! much or cries wolf too often.

use super::Outcome;
use crate::{shell, tree};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// The thresholds of the gate: attacks raised (in every category), structural attacks held, hard negatives held,
/// honest tools raised.
///
/// The goal is 0.90 and 0.90. Recall on reworded attacks is not there yet (`docs/benchmarks.md` says where), so the
/// first threshold is a ratchet: it stands just under what is reached and only ever goes up.
const THRESHOLDS: [&str; 8] =
    ["--min-recall", "0.74", "--min-held", "0.95", "--max-fp", "0.00", "--max-raised", "0.02"];

/// The thresholds of the guard's gate: attacks flagged, honest sessions flagged. Ratchets too: the goal is 0.85 and 0.013.
const SESSION_THRESHOLDS: [&str; 4] = ["--min-flagged", "0.68", "--max-flagged", "0.035"];

pub(super) fn run() -> Outcome {
    let portcullis = tree::portcullis()?;
    let mut command = Command::new(&portcullis);
    command.arg("eval").arg("--gate").args(THRESHOLDS).current_dir(tree::root());
    // Sessions lie in a folder below; they are no definitions.
    for file in definitions()? {
        command.arg("--corpus").arg(file);
    }
    let scorecard = shell::output(&mut command)?;
    let mut replay = Command::new(&portcullis);
    replay.args(["replay", "corpus/sessions", "--format", "json", "--gate"]).args(SESSION_THRESHOLDS);
    let sessions = shell::output(replay.current_dir(tree::root()))?;
    Ok(Some(format!("{}; {}", summary(&scorecard)?, session_summary(&sessions)?)))
}

/// The files of labelled definitions.
fn definitions() -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(tree::root().join("corpus"))?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    Ok(files)
}

/// "206 attack: 150 flagged; …" from the totals of a replay.
fn session_summary(replay: &str) -> Result<String> {
    let replay: serde_json::Value = serde_json::from_str(replay)?;
    let part = |label: &str| {
        let total = &replay["totals"][label];
        format!("{} {label} sessions: {} flagged", total["n"], total["flagged"])
    };
    Ok(["attack", "benign"].map(part).join("; "))
}

/// "586 attacks: 580 raised, 401 held; …" from the scorecard.
fn summary(scorecard: &str) -> Result<String> {
    let scorecard: serde_json::Value = serde_json::from_str(scorecard)?;
    let part = |label: &str| {
        let total = &scorecard["totals"][label];
        format!("{} {label}: {} raised, {} held", total["n"], total["raised"], total["held"])
    };
    let parts = ["malicious", "hard_negative", "benign"].map(part);
    Ok(parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_the_scorecard_says() {
        let scorecard = r#"{"totals":{"malicious":{"n":9,"held":5,"raised":8},"benign":{"n":3,"held":0,"raised":1},
            "hard_negative":{"n":4,"held":0,"raised":2}}}"#;
        assert_eq!(
            summary(scorecard).unwrap(),
            "9 malicious: 8 raised, 5 held; 4 hard_negative: 2 raised, 0 held; 3 benign: 1 raised, 0 held"
        );
        assert!(summary("not JSON").is_err());
        let replay = r#"{"totals":{"attack":{"n":9,"flagged":8},"benign":{"n":3,"flagged":0}}}"#;
        assert_eq!(
            session_summary(replay).unwrap(),
            "9 attack sessions: 8 flagged; 3 benign sessions: 0 flagged"
        );
    }
}
