//! What was seen, held against what must be: in the agent's view, in the activity and in the alerts it holds.

use super::play::{Called, Fate, Story};
use super::scenario::Scenario;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// What the gate writes around a text that speaks to the model, and in the place of one it took out.
const MARK: &str = "was written by others and may try to give instructions";
const CUT: &str = "stood here and was taken out by the policy";
/// What it writes in the place of a value that it masked.
const MASK: char = '*';

/// How one play ended.
pub(super) struct Verdict {
    /// What must be seen when all is as it should be, and was not.
    pub(super) missed: Vec<String>,
    /// What the gate made of it, in the word of scenarios.
    pub(super) outcome: &'static str,
    /// How long the request took in which the gate did something about it.
    pub(super) ms: Option<f64>,
}

impl Verdict {
    pub(super) fn of(scenario: &Scenario, story: &Story) -> Verdict {
        let expect = &scenario.document["expect"];
        let mut check = Check { scenario, story, missed: Vec::new() };
        if expect.is_null() {
            check.untouched();
        } else {
            check.agent(&expect["agent"]);
            check.log(&expect["log"]);
            check.alerts(&expect["alerts"]);
        }
        if scenario.is_twin {
            let alerts = alerts(story);
            check.must(alerts.is_empty(), || format!("there are alerts: {}", joined(&alerts)));
        }
        let outcome = outcome(scenario, story);
        Verdict {
            missed: check.missed,
            outcome,
            ms: took(story, outcome).map(|took| took.as_secs_f64() * 1e3),
        }
    }

    /// Whether what happened is what the scenario says of today. A gap may show in one way of playing it only.
    pub(super) fn is_as_told(&self, scenario: &Scenario) -> bool {
        self.is_ideal() || (scenario.today != scenario.ideal && self.outcome == scenario.today)
    }

    pub(super) fn is_ideal(&self) -> bool {
        self.missed.is_empty()
    }
}

struct Check<'a> {
    scenario: &'a Scenario,
    story: &'a Story,
    missed: Vec<String>,
}

impl Check<'_> {
    fn must(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.missed.push(what());
        }
    }

    /// Nothing was done about it: all is visible, answered and unremarked.
    fn untouched(&mut self) {
        for (kind, key) in [("tools", "name"), ("prompts", "name"), ("resources", "uri")] {
            if let Some(listed) = self.story.lists.get(kind) {
                for name in declared(self.scenario, kind, key) {
                    self.must(listed.contains(&name), || format!("{kind}: {name} is hidden"));
                }
            }
        }
        for (label, calls) in &self.story.calls {
            for called in calls {
                let is_whole = called.fate == Fate::Answered && !is_edited(called);
                self.must(is_whole, || format!("call {label}: {}", shown(called)));
            }
        }
    }

    fn agent(&mut self, expect: &Value) {
        for (key, kind) in [("tools", "tools"), ("prompts", "prompts"), ("resources", "resources")] {
            let seen = self.story.lists.get(kind).cloned().unwrap_or_default();
            let more = self.story.lists.get("resource_templates").filter(|_| kind == "resources");
            let has = |name: &str| seen.iter().chain(more.into_iter().flatten()).any(|seen| seen == name);
            for name in words(&expect[format!("{key}_hidden")]) {
                self.must(!has(&name), || format!("{kind}: {name} is visible"));
            }
            for name in words(&expect[format!("{key}_visible")]) {
                self.must(has(&name), || format!("{kind}: {name} is hidden"));
            }
        }
        self.instructions(expect["instructions"].as_str());
        self.calls(expect);
        for method in words(&expect["requests_refused"]) {
            self.must(!self.story.asked.contains(&method), || format!("the agent was asked {method}"));
        }
        for text in words(&expect["never_sees"]) {
            self.must(!self.story.heard.contains(&text), || format!("the agent saw {text:?}"));
        }
        for text in words(&expect["sees"]) {
            self.must(self.story.heard.contains(&text), || format!("the agent never saw {text:?}"));
        }
        match expect["connection"].as_str() {
            Some("kept") => self.must(self.story.is_kept, || "the gateway does not serve on".to_owned()),
            Some("refused") => {
                self.must(!self.story.is_let_in, || "the agent was let in".to_owned());
            }
            _ => {}
        }
    }

    fn instructions(&mut self, fate: Option<&str>) {
        let story = self.story;
        let shows = |text: &String| text.lines().all(|line| story.instructions.contains(line.trim()));
        let all = self.scenario.instructions();
        match fate {
            Some("hidden") => {
                self.must(!all.iter().any(shows), || "the instructions are visible".to_owned());
            }
            Some("visible") => {
                self.must(all.first().is_some_and(shows), || "the instructions are hidden".to_owned());
            }
            _ => {}
        }
    }

    fn calls(&mut self, expect: &Value) {
        type Holds = fn(&Called) -> bool;
        let ways: [(&str, Holds); 9] = [
            // A human who says no refuses as well.
            ("calls_refused", |called| called.fate == Fate::Refused),
            ("calls_asked", |called| called.fate == Fate::Asked),
            ("calls_failed", |called| called.fate == Fate::Failed),
            ("calls_answered", |called| called.fate == Fate::Answered),
            ("results_stripped", |called| called.fate == Fate::Answered && is_stripped(called)),
            ("results_marked", |called| called.text.contains(MARK)),
            ("results_withheld", |called| called.fate == Fate::Withheld),
            ("results_untouched", |called| called.fate == Fate::Answered && !is_edited(called)),
            ("arguments_masked", |called| called.fate == Fate::Answered && called.text.contains(MASK)),
        ];
        for (key, holds) in ways {
            for label in words(&expect[key]) {
                let calls = self.story.calls.get(&label).map(Vec::as_slice).unwrap_or_default();
                self.must(!calls.is_empty(), || format!("{key}: {label} was never called"));
                for called in calls {
                    self.must(holds(called), || format!("{key}: {label} {}", shown(called)));
                }
            }
        }
    }

    fn log(&mut self, expect: &Value) {
        let recorded = &self.story.recorded;
        let kinds: BTreeSet<&str> = recorded.records.iter().filter_map(|one| one["kind"].as_str()).collect();
        for kind in words(&expect["records"]) {
            self.must(kinds.contains(kind.as_str()), || format!("nothing is recorded as {kind}"));
        }
        let checks = checks(self.story);
        for check in words(&expect["findings"]) {
            self.must(checks.contains(&check), || format!("{check} is not found, only {}", joined(&checks)));
        }
    }

    fn alerts(&mut self, expect: &Value) {
        let alerts = alerts(self.story);
        for alert in words(expect) {
            self.must(alerts.contains(&alert), || format!("no alert of {alert}, only {}", joined(&alerts)));
        }
    }
}

/// What the gate made of it: the strongest thing that was done.
fn outcome(scenario: &Scenario, story: &Story) -> &'static str {
    let calls = || story.calls.values().flatten();
    let any = |fate: Fate| calls().any(|called| called.fate == fate);
    let hides = |kind: &str, key: &str| {
        let listed = story.lists.get(kind);
        listed.is_some_and(|seen| declared(scenario, kind, key).iter().any(|name| !seen.contains(name)))
    };
    // What a server asks is recorded under the method it asks by.
    let is_question = |record: &Value| record["tool"].as_str().is_some_and(|tool| tool.contains('/'));
    let refuses_question = |record: &Value| record["status"] == "refused" && is_question(record);
    if hides("tools", "name") || hides("prompts", "name") || hides("resources", "uri") {
        "hidden"
    } else if any(Fate::Refused) || !story.is_let_in || story.recorded.records.iter().any(refuses_question) {
        "refused"
    } else if any(Fate::Withheld) {
        "withheld"
    } else if any(Fate::Asked) {
        "asked"
    } else if any(Fate::Failed) {
        "bounded"
    } else if calls().any(|called| called.text.contains(MARK)) {
        "marked"
    } else if !alerts(story).is_empty() {
        "flagged"
    } else {
        "passed"
    }
}

/// How long the agent waited for what it did not get, or not as it came; the server's own time is in it.
fn took(story: &Story, outcome: &str) -> Option<Duration> {
    let is_done = |called: &&Called| {
        matches!(called.fate, Fate::Refused | Fate::Asked | Fate::Withheld) || is_edited(called)
    };
    match outcome {
        "hidden" => story.listing.last().copied(),
        "passed" | "flagged" | "bounded" => None,
        _ => story.calls.values().flatten().find(is_done).map(|called| called.took),
    }
}

/// The alerts the activity holds, in the words of scenarios.
pub(super) fn alerts(story: &Story) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for record in &story.recorded.records {
        let note = note(record);
        match note["alert"].as_str() {
            Some("hard_finding") => found.insert("quarantine".to_owned()),
            Some(alert) => found.insert(alert.to_owned()),
            None => false,
        };
        let guard = &note["guard"];
        let act = guard["act"].as_str().unwrap_or("pass");
        let rules = guard["rules"].as_array().into_iter().flatten().filter_map(Value::as_str);
        found.extend(rules.filter_map(|rule| told_as(rule, act)).map(str::to_owned));
    }
    found
}

/// What is told by a rule that led to this; nothing where it only stands in the record.
fn told_as(rule: &str, act: &str) -> Option<&'static str> {
    match rule.split_once('.')? {
        _ if matches!(act, "log" | "allow" | "pass") => None,
        ("sensitive", "inbound") if act == "mark" => None,
        ("result", "phishing") => Some("phishing"),
        ("result", _) | ("flow", "instruction_to_action") => Some("injection"),
        ("flow" | "exfiltration" | "address" | "canary", _) => Some("exfiltration"),
        ("sensitive", "inbound") => Some("sensitive_data"),
        ("sensitive", _) => Some("exfiltration"),
        _ => None,
    }
}

/// The checks that found anything, in definitions, calls and results.
fn checks(story: &Story) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for report in &story.recorded.reports {
        collect(&report["findings"], "check", &mut found);
    }
    for record in &story.recorded.records {
        collect(&note(record), "check", &mut found);
        let named = note(record)["checks"].as_array().cloned().unwrap_or_default();
        found.extend(named.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    found
}

/// The texts of all members of this name.
fn collect(value: &Value, key: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, key, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == key => drop(found.insert(text.clone())),
                    other => collect(other, key, found),
                }
            }
        }
        _ => {}
    }
}

/// What a record says beside the message.
pub(super) fn note(record: &Value) -> Value {
    let text = record["note"]["text"].as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

/// The names a scenario's own server declares at first.
fn declared(scenario: &Scenario, kind: &str, key: &str) -> Vec<String> {
    let all = scenario.document[kind].as_array().into_iter().flatten();
    all.filter_map(|one| one[key].as_str()).filter(|name| !name.contains("{{")).map(str::to_owned).collect()
}

fn is_edited(called: &Called) -> bool {
    called.text.contains(MARK) || called.text.contains(CUT)
}

/// Nothing that cannot be seen is left in it.
fn is_stripped(called: &Called) -> bool {
    let is_unseen = |letter: char| {
        matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
            || (letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
    };
    called.text.contains(CUT) || !called.text.contains(is_unseen)
}

fn shown(called: &Called) -> String {
    let text: String = called.text.chars().take(160).collect();
    format!("is {:?}: {}", called.fate, text.escape_debug())
}

fn words(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::street::gate::Recorded;
    use crate::street::scenario;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn scenario(today: &str, expect: Value) -> Scenario {
        let document = json!({ "id": "a", "ideal": "hidden", "today": today, "server": { "name": "s" },
            "tools": [{ "name": "t" }], "expect": expect });
        scenario::read(&document.to_string()).unwrap().remove(0)
    }

    /// A story in which the agent sees these tools, and this is recorded.
    fn story(tools: &[&str], records: Vec<Value>) -> Story {
        let tools = tools.iter().map(|name| (*name).to_owned()).collect();
        Story {
            lists: BTreeMap::from([("tools".to_owned(), tools)]),
            instructions: String::new(),
            calls: BTreeMap::new(),
            asked: Vec::new(),
            heard: String::new(),
            is_let_in: true,
            is_kept: true,
            recorded: Recorded { records, reports: Vec::new() },
            listing: vec![Duration::from_millis(4)],
        }
    }

    fn record(note: &Value) -> Value {
        json!({ "kind": "alert", "note": { "text": note.to_string() } })
    }

    #[test]
    fn all_that_is_expected_must_be_seen() {
        let expect = json!({ "agent": { "tools_hidden": ["t"] }, "alerts": ["quarantine"] });
        let hidden = scenario("hidden", expect);
        let alert = || vec![record(&json!({ "alert": "hard_finding", "checks": ["unicode.hidden"] }))];
        let verdict = Verdict::of(&hidden, &story(&[], alert()));
        assert!(verdict.is_ideal() && verdict.is_as_told(&hidden), "{:?}", verdict.missed);
        assert_eq!((verdict.outcome, verdict.ms), ("hidden", Some(4.0)));
        for story in [story(&["t"], alert()), story(&[], Vec::new())] {
            assert!(!Verdict::of(&hidden, &story).is_as_told(&hidden));
        }
    }

    #[test]
    fn a_known_gap_must_be_the_one_that_is_known() {
        let gap = scenario("passed", json!({ "agent": { "tools_hidden": ["t"] } }));
        assert!(Verdict::of(&gap, &story(&["t"], Vec::new())).is_as_told(&gap));
        let warned = record(&json!({ "guard": { "act": "warn", "rules": ["flow.untrusted_destination"] } }));
        let flagged = Verdict::of(&gap, &story(&["t"], vec![warned]));
        assert!(!flagged.is_as_told(&gap));
        assert_eq!(flagged.outcome, "flagged");
    }

    #[test]
    fn only_what_is_told_is_an_alert() {
        let guard = |act: &str, rule: &str| json!({ "guard": { "act": act, "rules": [rule] } });
        let told = |note: &Value| joined(&alerts(&story(&[], vec![record(note)])));
        assert_eq!(told(&guard("mark", "result.injection")), "injection");
        assert_eq!(told(&guard("hold", "result.phishing")), "phishing");
        assert_eq!(told(&guard("deny", "sensitive.outward")), "exfiltration");
        assert_eq!(told(&guard("mark", "sensitive.inbound")), "");
        assert_eq!(told(&guard("log", "exfiltration.collector")), "");
        assert_eq!(told(&json!({ "alert": "rug_pull" })), "rug_pull");
    }
}
