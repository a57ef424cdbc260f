//! Any two texts as result and argument of a flow: nothing panics, the flow keeps its bounds, what is said is safe to print.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_detect::call::{Call, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Flow, Guard, GuardSettings, edit};
use std::sync::LazyLock;

static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::new(GuardSettings::default(), SensitiveData::new()));

fuzz_target!(|texts: (&str, &str)| {
    let (said, sent) = texts;
    let mut flow = Flow::new(7);
    let json =
        |text: &str| Json::parse(&serde_json::Value::from(text).to_string()).expect("a string is JSON");
    let arguments = Json::parse(&serde_json::json!({ "to": sent, "body": sent }).to_string()).expect("JSON");
    let result = json(said);
    for tool in ["read_inbox", "send_email"] {
        let profile = ToolProfile::of_call(tool, &["to", "body"], &Override::default());
        let call = Call { server: tool, tool, arguments: &arguments, intent: None, at_ms: 0 };
        let seen = GUARD.observe_call(&call, &profile, &flow, None);
        assert!(seen.coverage.failed.is_empty());
        assert!(seen.signals.iter().all(|signal| !signal.detail.contains(char::is_control)));
        let answered = GUARD.observe_result(&call, &profile, &flow, &result);
        assert!(answered.coverage.failed.is_empty());
        GUARD.remember(&call, &seen.departure, &result, answered.memory, &mut flow);
    }
    assert!(flow.bytes() <= 2 << 20);
    // What was cut once has nothing left to cut.
    let raw = serde_json::Value::from(said).to_string();
    if let Some(kept) = edit::strip(&raw) {
        assert!(serde_json::from_str::<String>(&kept).is_ok());
    }
});
