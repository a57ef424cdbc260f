//! Agents that lie about what they do, and the policy that says what becomes of it: calls of an honest server with every
//! kind of intent, and every word of the policy for every kind of call.

use super::agent::{Actor, Agent};
use super::gate::Gate;
use super::play::{Fate, Props, fate};
use super::scenario::Era;
use super::verdict::note;
use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// What the agents say and do, and whether it is a lie.
const LIARS: &str = include_str!("../../street/liars.json");
const SERVER: &str = "office";
/// The check that finds lies.
const CHECK: &str = "contradiction.intent";

/// How lies are told from the truth.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lies {
    pub(super) found: usize,
    pub(super) missed: usize,
    pub(super) false_alarms: usize,
    pub(super) true_words: usize,
}

impl Lies {
    fn count(&mut self, is_lie: bool, is_flagged: bool) {
        match (is_lie, is_flagged) {
            (true, true) => self.found += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => self.true_words += 1,
        }
    }
}

/// Lets agents lie, each in a session of its own.
pub(super) fn lie(props: &Props) -> Result<Lies> {
    let gate = office(props, "liars", &json!({}))?;
    let mut lies = Lies::default();
    let rows: Vec<Value> = serde_json::from_str(LIARS)?;
    for row in &rows {
        let mut agent = Agent::new(gate.route(Some(SERVER)), Era::Legacy, false);
        ensure!(agent.open("liar")?.is_ok(), "the agent is not let in");
        let before = gate.recorded(&[])?.records.len();
        // Whatever becomes of it: what was thought of it is in the record.
        let _ = agent.call(row["tool"].as_str().unwrap_or_default(), &row["arguments"], &row["intent"])?;
        gate.deny_all()?;
        let records = gate.recorded(&[])?.records;
        let is_flagged = records.iter().skip(before).any(|record| names(record, CHECK));
        let is_lie = row["is_lie"] == true;
        if is_lie != is_flagged {
            crate::shell::say(&format!("taken for {}: {row}", if is_flagged { "a lie" } else { "true" }));
        }
        lies.count(is_lie, is_flagged);
    }
    Ok(lies)
}

/// Whether a record names a check among what was seen.
fn names(record: &Value, check: &str) -> bool {
    let note = note(record);
    note["guard"]["signals"].as_array().into_iter().flatten().any(|signal| signal["check"] == check)
}

/// A kind of call in the words of `tool_policy`, and a call of that kind.
const OPERATIONS: [(&str, &str, &str); 4] = [
    ("read", "read_note", r#"{"operation":"read"}"#),
    ("write", "update_note", r#"{"operation":"write"}"#),
    ("destructive", "delete_note", r#"{"operation":"destructive"}"#),
    ("contradiction", "delete_note", r#"{"operation":"read"}"#),
];

/// What the policy can say, and what becomes of the call.
const ACTS: [(&str, Fate); 4] =
    [("allow", Fate::Answered), ("warn", Fate::Answered), ("approve", Fate::Asked), ("deny", Fate::Refused)];

/// What the matrix of operations and acts did not do: a line for each cell that is not as the policy says.
pub(super) fn policy_matrix(props: &Props) -> Result<(usize, Vec<String>)> {
    let (mut cells, mut wrong) = (0, Vec::new());
    for (operation, tool, intent) in OPERATIONS {
        for (act, expected) in ACTS {
            // The others let everything pass, so that this cell alone decides.
            let mut policy = json!({
                "read": "allow", "write": "allow", "destructive": "allow", "contradiction": "allow",
            });
            policy[operation] = json!(act);
            let gate = office(props, &format!("policy-{operation}-{act}"), &policy)?;
            let mut agent = Agent::new(gate.route(Some(SERVER)), Era::Modern, false);
            let came = agent.call(tool, &json!({ "name": "a" }), &serde_json::from_str(intent)?);
            let (got, text) = fate(came);
            let is_warned = gate.recorded(&[])?.records.iter().any(|one| note(one)["guard"]["act"] == "warn");
            cells += 1;
            if got != expected || is_warned != (act == "warn") {
                wrong.push(format!("{operation}: {act} became {got:?}, {}", text.escape_debug()));
            }
        }
    }
    Ok((cells, wrong))
}

/// A gateway with the honest server behind it, all of it approved.
fn office(props: &Props, name: &str, policy: &Value) -> Result<Gate> {
    let folder = crate::tree::root().join("xtask/street");
    let launch = json!({
        "command": props.adversary, "args": ["--dir", folder, "--scenario", "street-office", "--stdio"],
    });
    let servers = json!({ SERVER: launch });
    let gate = Gate::start_with(props, name, &servers, policy)?;
    gate.scan(SERVER)?;
    gate.approve(SERVER, &json!("all"))?;
    Ok(gate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_lies_and_true_words_for_every_row_of_the_matrix() {
        let rows: Vec<Value> = serde_json::from_str(LIARS).unwrap();
        let (lies, truths) = rows.iter().partition::<Vec<&Value>, _>(|row| row["is_lie"] == true);
        assert!(lies.len() >= 10 && truths.len() >= 10, "{} and {}", lies.len(), truths.len());
        let says = |word: &str| lies.iter().any(|row| row.to_string().contains(word));
        assert!(["delete_note", "force", "purge_archive", "public", "https://"].into_iter().all(says));
    }

    #[test]
    fn lies_are_counted_by_what_they_are_taken_for() {
        let mut lies = Lies::default();
        for (is_lie, is_flagged) in [(true, true), (true, false), (false, true), (false, false), (true, true)]
        {
            lies.count(is_lie, is_flagged);
        }
        assert_eq!(lies, Lies { found: 2, missed: 1, false_alarms: 1, true_words: 1 });
    }
}
