//! Runs every example on the page of every check on calls.

use crate::cases::{Kind, examples};
use portcullis_detect::baseline::{Baseline, Habit};
use portcullis_detect::call::{Call, CallSignal, Intent, Operation, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Definition, Flow, Guard, GuardSettings, Kind as Declared};
use serde_json::Value;
use std::sync::LazyLock;

/// The guard as it ships.
pub(crate) fn guard() -> &'static Guard {
    static SHIPPED: LazyLock<Guard> =
        LazyLock::new(|| Guard::new(GuardSettings::default(), SensitiveData::new()));
    &SHIPPED
}

/// Everything the guard says about a session; sessions under `history` were clean and are ratified.
pub(crate) fn signals(session: &Value) -> Vec<CallSignal> {
    let mut baseline = Baseline::default();
    for (day, calls) in session["history"].as_array().into_iter().flatten().enumerate() {
        let (_, habits) = run(session, calls, None);
        baseline.learn(&habits, true, day as u64);
        baseline.ratify();
    }
    let known = session["history"].is_array().then_some(&baseline);
    run(session, &session["calls"], known).0
}

fn run(session: &Value, calls: &Value, baseline: Option<&Baseline>) -> (Vec<CallSignal>, Vec<Habit>) {
    let mut flow = Flow::new(11);
    let (mut all, mut habits) = (Vec::new(), Vec::new());
    for recorded in calls.as_array().expect("an example has calls") {
        let text = |key: &str| recorded[key].as_str().unwrap_or_default().to_owned();
        let json = |key: &str| Json::parse(&recorded[key].to_string()).expect("JSON stays JSON");
        let (server, tool, arguments, result) =
            (text("server"), text("tool"), json("arguments"), json("result"));
        let intent = intent(&recorded["intent"]);
        let second: u64 = text("ts").get(17..19).and_then(|second| second.parse().ok()).unwrap_or_default();
        let (server, tool) = (server.as_str(), tool.as_str());
        let call =
            Call { server, tool, arguments: &arguments, intent: intent.as_ref(), at_ms: second * 1000 };
        let profile = profile(session, &call);
        let seen = guard().observe_call(&call, &profile, &flow, baseline);
        all.extend(seen.signals);
        habits.push(seen.habit);
        let answered = guard().observe_result(&call, &profile, &flow, &result);
        all.extend(answered.signals);
        guard().remember(&call, &seen.departure, &result, answered.memory, &mut flow);
    }
    (all, habits)
}

fn intent(value: &Value) -> Option<Intent> {
    let word = value.as_str().or_else(|| value["operation"].as_str())?;
    let data_sensitivity = value["data_sensitivity"].as_str().map(str::to_owned);
    Some(Intent { operation: Operation::named(word), data_sensitivity, reason: None })
}

fn profile(session: &Value, call: &Call<'_>) -> ToolProfile {
    let tools = session["tools"].as_array();
    let declared = tools.into_iter().flatten().find(|tool| tool["name"] == call.tool);
    if let Some(tool) = declared {
        let definition =
            Definition::parse(call.server, Declared::Tool, &tool.to_string()).expect("a definition");
        return ToolProfile::of(&definition, &Override::default());
    }
    let names: Vec<&str> = call.arguments.members().iter().map(|(name, _)| &**name).collect();
    ToolProfile::of_call(call.tool, &names, &Override::default())
}

#[test]
fn every_example_of_every_page_agrees_with_its_check_on_calls() {
    let mut wrong = Vec::new();
    for facts in guard().facts() {
        for example in examples(facts.page) {
            let session: Value = serde_json::from_str(&example.json.replace("{cut}", "")).expect("JSON");
            let said = signals(&session);
            let is_raised = said.iter().any(|signal| signal.check == facts.id);
            if is_raised != (example.kind == Kind::Flagged) {
                let others: Vec<_> =
                    said.iter().map(|signal| (signal.check, signal.detail.as_str())).collect();
                wrong.push(format!("{} ({:?}) `{}`: {others:?}", facts.id, example.kind, example.heading));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples disagree:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_page_on_calls_opens_with_the_id_of_its_check() {
    for facts in guard().facts() {
        assert!(facts.page.starts_with(&format!("# {}: ", facts.id)), "{}", facts.id);
    }
}
