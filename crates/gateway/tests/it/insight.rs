//! What an operator sees of the guard: flows drawn, calls tried out, what tools can do together.

use super::client::{modern, send};
use super::guarding::{ORDER, called, guarded, said};
use super::quarantine::{api, asked, decided};
use portcullis_decide::policy::{Act, AddressRule, Policy};
use portcullis_gateway::api::Role;
use portcullis_gateway::judge::JudgeRules;
use serde_json::{Value, json};

const PRIVATE: &str =
    "Quarterly figures for the harbour board: wages rose by eleven percent in the third quarter.";

/// The session that was seen last.
async fn newest(world: &super::world::World) -> String {
    asked(world, "/sessions").await["sessions"][0]["session"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_shows_its_calls_what_moved_between_them_and_which_rules_fired() {
    let (world, recorder, session) = guarded(JudgeRules::default()).await;
    called(&recorder, &session, "read_inbox", json!({}), PRIVATE).await;
    called(&recorder, &session, "read_inbox", json!({}), ORDER).await;
    let mail = json!({ "to": "archive@port-records.example", "body": PRIVATE });
    session.request("tools/call", json!({ "name": "send_email", "arguments": mail })).await;
    let flow = asked(&world, &format!("/sessions/{}/flow", newest(&world).await)).await;
    assert_eq!((&flow["schema"], &flow["clean"]), (&json!("portcullis.flow/1"), &json!(false)));
    let calls = flow["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 3, "{flow}");
    assert_eq!((&calls[0]["tool"], &calls[0]["status"]), (&json!("read_inbox"), &json!("answered")));
    assert!(calls[0]["labels"].to_string().contains("reads_private"), "{flow}");
    assert_eq!((&calls[2]["status"], &calls[2]["verdict"]["act"]), (&json!("held"), &json!("approve")));
    assert!(calls[2]["verdict"]["rules"].to_string().contains("flow.instruction_to_action"), "{flow}");
    let edges = flow["edges"].as_array().unwrap();
    let leads = |from: u64, check: &str| {
        edges.iter().any(|edge| edge["from"] == from && edge["to"] == 3 && edge["check"] == check)
    };
    assert!(leads(2, "flow.instruction_to_action"), "{flow}");
    assert!(edges.iter().any(|edge| edge["from"] == 1 && edge["evidence"] == "passage"), "{flow}");
    let text = flow.to_string();
    assert!(!text.contains("harbour") && !text.contains("port-records"), "no data is shown: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_has_a_flow_too() {
    let (world, recorder, _) = guarded(JudgeRules::default()).await;
    let result = json!({ "content": [{ "type": "text", "text": PRIVATE }] });
    recorder.answer(json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string(), "application/json");
    modern(world.address, "/mcp/mail", "tools/call", json!({ "name": "read_inbox", "arguments": {} })).await;
    let sessions = asked(&world, "/sessions").await;
    let found = sessions["sessions"].as_array().unwrap().iter().find(|one| one["protocol"] == "2026-07-28");
    let id = found.unwrap_or_else(|| panic!("{sessions}"))["session"].as_str().unwrap();
    let flow = asked(&world, &format!("/sessions/{id}/flow")).await;
    assert_eq!((flow["calls"].as_array().unwrap().len(), &flow["calls"][0]["session"]), (1, &json!("")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_is_not_there_is_said_and_needs_the_right_role() {
    let (world, _, session) = guarded(JudgeRules::default()).await;
    assert_eq!(api(&world, "GET", "/sessions/nobody/flow", Value::Null).await.status, 404);
    let viewer = format!("Bearer {}", world.token(Role::Viewer));
    let headers = [("authorization", viewer.as_str())];
    for (method, path) in [("GET", "/api/v1/sessions/x/flow"), ("POST", "/api/v1/policy/test")] {
        assert_eq!(send(world.address, method, path, &headers, "{}").await.status, 403, "{path}");
    }
    drop(session);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_call_is_judged_and_leaves_no_trace() {
    let address = AddressRule { server: "mail".into(), tool: Some("save_*".into()), act: Act::Warn };
    let policy = Policy { addresses: vec![address], ..Policy::default() };
    let (world, recorder, session) = guarded(JudgeRules { policy, ..JudgeRules::default() }).await;
    let mail = json!({ "to": "archive@port-records.example", "body": "the members" });
    let pasted = json!({ "server": "mail", "tool": "send_email", "arguments": mail });
    let alone = decided(&world, "/policy/test", pasted.clone()).await;
    assert_eq!((&alone["schema"], &alone["verdict"]), (&json!("portcullis.trial/1"), &json!("allow")));
    assert_eq!(alone["facts"]["destinations"], json!(["port-records.example"]));
    let silent = alone["entries"].as_array().unwrap().iter().find(|entry| entry["entry"] == "mail/save_*");
    assert_eq!(silent.unwrap()["why"], "it is about another tool");

    called(&recorder, &session, "read_inbox", json!({}), ORDER).await;
    let mut within = pasted.clone();
    within["session"] = json!(newest(&world).await);
    for _ in 0..2 {
        let tried = decided(&world, "/policy/test", within.clone()).await;
        assert_eq!(tried["verdict"], "approve", "{tried}");
        let entries = tried["entries"].as_array().unwrap();
        let decisive: Vec<&Value> = entries.iter().filter(|entry| entry["outcome"] == "decided").collect();
        assert_eq!(decisive[0]["entry"], "flow.instruction_to_action", "{tried}");
    }
    assert_eq!(asked(&world, "/approvals").await["approvals"], json!([]), "nobody was asked");
    let flow = asked(&world, &format!("/sessions/{}/flow", newest(&world).await)).await;
    assert_eq!(flow["calls"].as_array().unwrap().len(), 1, "only what was called is in the flow");

    decided(&world, "/stop-calls", json!({})).await;
    assert_eq!(decided(&world, "/policy/test", pasted).await["entries"][0]["entry"], "stop-calls");
    for wrong in [
        json!({}),
        json!({ "server": "A B", "tool": "x" }),
        json!({ "server": "mail", "tool": "x",
        "intent": { "operation": "fly" } }),
    ] {
        assert_eq!(api(&world, "POST", "/policy/test", wrong).await.status, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_posture_is_that_of_the_tools_agents_may_call() {
    let (world, _recorder, session) = guarded(JudgeRules::default()).await;
    session.request("tools/list", json!({})).await;
    let posture = asked(&world, "/posture").await;
    assert_eq!((&posture["complete"], &posture["severity"]), (&json!(true), &json!("high")));
    assert_eq!(posture["single_servers"], json!(["mail"]));
    let svg = api(&world, "GET", "/posture?format=svg", Value::Null).await;
    assert!(String::from_utf8_lossy(&svg.body).starts_with("<svg xmlns="), "{:?}", svg.body);
    assert_eq!(api(&world, "GET", "/posture?format=png", Value::Null).await.status, 400);
    let block = "/servers/mail/tools/send_email/block";
    decided(&world, block, json!({ "reason": "no more mail" })).await;
    assert_eq!(asked(&world, "/posture").await["complete"], false);
    let tried = decided(&world, "/policy/test", json!({ "server": "mail", "tool": "send_email" })).await;
    assert_eq!((&tried["verdict"], &tried["rules"]), (&json!("deny"), &json!(["blocked"])));
    let refused = session.request("tools/call", json!({ "name": "send_email", "arguments": {} })).await;
    assert!(said(&refused).contains("blocked"), "{refused}");
}
