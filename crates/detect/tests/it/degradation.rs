//! A check on calls that panics, and a call or result too large for the budget, are recorded; what was seen is kept.

use portcullis_detect::call::{Call, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{CallCheck, Cap, Coverage, Facts, Flow, Guard, GuardSettings, Tier};
use serde_json::json;

static PANICS: Facts =
    Facts { id: "test.panics", tier: Tier::Soft, owasp: "none", title: "Panics on every call", page: "" };

struct Panics;

impl CallCheck for Panics {
    fn facts(&self) -> &'static Facts {
        &PANICS
    }

    fn inspect_call(
        &self,
        _context: &portcullis_detect::CallContext<'_>,
    ) -> Vec<portcullis_detect::call::CallSignal> {
        panic!("a check may have a bug")
    }

    fn inspect_result(
        &self,
        _context: &portcullis_detect::ResultContext<'_>,
    ) -> Vec<portcullis_detect::call::CallSignal> {
        panic!("a check may have a bug")
    }
}

fn guard() -> Guard {
    Guard::new(GuardSettings::default(), SensitiveData::new())
}

/// What a guard says of a call to a collector, and of an answer.
fn observe(guard: &Guard, arguments: &Json, result: &Json) -> (Vec<&'static str>, Coverage, Coverage) {
    let names: Vec<&str> = arguments.members().iter().map(|(name, _)| &**name).collect();
    let profile = ToolProfile::of_call("post_data", &names, &Override::default());
    let call = Call { server: "http", tool: "post_data", arguments, intent: None, at_ms: 0 };
    let flow = Flow::new(3);
    let seen = guard.observe_call(&call, &profile, &flow, None);
    let answered = guard.observe_result(&call, &profile, &flow, result);
    (seen.signals.iter().map(|signal| signal.check).collect(), seen.coverage, answered.coverage)
}

fn to_json(value: &serde_json::Value) -> Json {
    Json::parse(&value.to_string()).expect("JSON")
}

#[test]
fn a_panicking_check_is_recorded_and_the_others_are_heard() {
    let arguments = to_json(&json!({"url": "https://webhook.site/9f3c", "body": "notes"}));
    let (whole, sound, _) = observe(&guard(), &arguments, &Json::Null);
    assert!(!whole.is_empty() && !sound.is_degraded(), "the call must have a signal to lose");
    let broken = guard().with_check(Box::new(Panics));
    let (kept, of_call, of_result) = observe(&broken, &arguments, &Json::Null);
    assert_eq!(kept, whole);
    for coverage in [of_call, of_result] {
        assert_eq!(coverage.failed, [PANICS.id]);
        assert!(coverage.is_degraded());
        assert_eq!(coverage.checks_run, guard().facts().count());
    }
}

#[test]
fn arguments_beyond_the_budget_are_recorded() {
    let many: Vec<String> = (0..2000).map(|number| format!("value {number}")).collect();
    let (_, coverage, _) = observe(&guard(), &to_json(&json!({ "rows": many })), &Json::Null);
    assert_eq!(coverage.caps, [Cap::Arguments]);
    assert!(coverage.is_degraded() && coverage.failed.is_empty());
}

#[test]
fn a_result_beyond_the_budget_is_recorded() {
    let long = to_json(&json!("a b c d ".repeat(150_000)));
    let (_, _, coverage) = observe(&guard(), &Json::Null, &long);
    assert!(coverage.caps.contains(&Cap::Result) && coverage.is_degraded());
    let (_, _, coverage) = observe(&guard(), &Json::Null, &to_json(&json!("a b c d")));
    assert!(!coverage.is_degraded());
}
