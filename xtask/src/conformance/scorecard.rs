//! What the suite found: a verdict per scenario, from the files it wrote.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How one scenario went.
#[derive(Debug, Default)]
struct Verdict {
    passed: usize,
    /// The message of each failed check; a warning of the suite is not one.
    failed: Vec<String>,
    warned: usize,
}

/// All scenarios that ran, and which of them count.
pub(super) struct Scorecard {
    required: Vec<String>,
    verdicts: BTreeMap<String, Verdict>,
}

impl Scorecard {
    /// Reads the results of a run: a folder `server-SCENARIO-TIME` for each scenario.
    pub(super) fn read(results: &Path, required: Vec<String>) -> Result<Scorecard> {
        let mut verdicts = BTreeMap::new();
        for entry in fs::read_dir(results)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(scenario) = scenario(&name) else { continue };
            let text = fs::read_to_string(entry.path().join("checks.json"));
            let text = text.with_context(|| format!("{name} has no checks"))?;
            verdicts.insert(scenario.to_owned(), verdict(&text)?);
        }
        Ok(Scorecard { required, verdicts })
    }

    /// A line per scenario: those that count first, in the suite's order.
    pub(super) fn table(&self) -> String {
        let width = self.verdicts.keys().chain(&self.required).map(String::len).max().unwrap_or_default();
        let others = self.verdicts.keys().filter(|name| !self.required.contains(name));
        let lines = self.required.iter().map(|name| (name, true)).chain(others.map(|name| (name, false)));
        let lines = lines.map(|(name, counts)| {
            let (word, figures) = match self.verdicts.get(name) {
                None => ("FAILED", "did not run".to_owned()),
                Some(verdict) => (verdict.word(counts), verdict.figures()),
            };
            format!("{name:<width$}  {word:<12} {figures}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn summary(&self) -> String {
        let passed = self.required.iter().filter(|name| self.has_passed(name)).count();
        format!("{passed} of {} scenarios pass", self.required.len())
    }

    /// Whether everything that counts has passed; nothing at all is not enough.
    pub(super) fn is_passed(&self) -> bool {
        !self.required.is_empty() && self.required.iter().all(|name| self.has_passed(name))
    }

    fn has_passed(&self, name: &str) -> bool {
        self.verdicts.get(name).is_some_and(Verdict::is_passed)
    }
}

impl Verdict {
    /// A scenario in which no check ran shows nothing.
    fn is_passed(&self) -> bool {
        self.failed.is_empty() && self.passed > 0
    }

    fn word(&self, counts: bool) -> &'static str {
        match (self.is_passed(), counts) {
            (true, _) => "passed",
            (false, true) => "FAILED",
            (false, false) => "not required",
        }
    }

    fn figures(&self) -> String {
        let mut figures = format!("{} checks", self.passed + self.failed.len());
        if self.warned > 0 {
            figures += &format!(", {} warnings", self.warned);
        }
        if let Some(first) = self.failed.first() {
            let first: String = first.chars().take(120).collect();
            figures += &format!(", {} failed: {first}", self.failed.len());
        }
        figures
    }
}

/// The scenario in `server-SCENARIO-2026-01-31T01-02-03-004Z`.
fn scenario(folder: &str) -> Option<&str> {
    let rest = folder.strip_prefix("server-")?;
    let time = rest.len().checked_sub("-2026-01-31T01-02-03-004Z".len())?;
    rest.get(..time)
}

fn verdict(checks: &str) -> Result<Verdict> {
    let checks: Vec<Value> = serde_json::from_str(checks)?;
    let mut verdict = Verdict::default();
    for check in &checks {
        match check["status"].as_str() {
            Some("SUCCESS") => verdict.passed += 1,
            Some("FAILURE") => {
                let message = check["errorMessage"].as_str().or(check["id"].as_str()).unwrap_or_default();
                verdict.failed.push(message.lines().next().unwrap_or_default().to_owned());
            }
            Some("WARNING") => verdict.warned += 1,
            _ => {}
        }
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(required: &[&str], checks: &[(&str, &str)]) -> Scorecard {
        let verdicts =
            checks.iter().map(|(name, text)| ((*name).to_owned(), verdict(text).unwrap())).collect();
        Scorecard { required: required.iter().map(|name| (*name).to_owned()).collect(), verdicts }
    }

    const GOOD: &str = r#"[{"status":"SUCCESS"},{"status":"INFO"},{"status":"WARNING"}]"#;
    const BAD: &str = r#"[{"status":"SUCCESS"},{"status":"FAILURE","errorMessage":"no\nmore"}]"#;

    #[test]
    fn every_required_scenario_has_to_pass() {
        assert!(card(&["a"], &[("a", GOOD), ("b", BAD)]).is_passed());
        assert!(!card(&["a", "b"], &[("a", GOOD), ("b", BAD)]).is_passed());
        assert!(!card(&["a", "b"], &[("a", GOOD)]).is_passed());
        assert!(!card(&[], &[("a", GOOD)]).is_passed());
        assert!(!card(&["a"], &[("a", r#"[{"status":"SKIPPED"}]"#)]).is_passed());
    }

    #[test]
    fn the_table_says_what_failed() {
        let card = card(&["bb", "c"], &[("a", BAD), ("bb", GOOD)]);
        let expected = "\
bb  passed       1 checks, 1 warnings
c   FAILED       did not run
a   not required 2 checks, 1 failed: no";
        assert_eq!(card.table(), expected);
        assert_eq!(card.summary(), "1 of 2 scenarios pass");
    }

    #[test]
    fn a_folder_names_its_scenario() {
        assert_eq!(scenario("server-server-initialize-2026-11-16T02-59-27-068Z"), Some("server-initialize"));
        assert_eq!(scenario("log.txt"), None);
    }
}
