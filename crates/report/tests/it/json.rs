//! The JSON format: structure against the schema, exact names, byte-identical runs.

use crate::fixture::Fixture;
use crate::schema::violations;
use portcullis_decide::Persona;
use portcullis_detect::Kind;
use portcullis_report::agreement::{self, Agreement, Other, Raised};
use portcullis_report::inventory::{self, Inventory, Listed, Package, Remark};
use portcullis_report::{json_lines, write_json};
use serde_json::{Value, json};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../schema/report-1.json")).expect("the schema is JSON")
}

fn document(fixture: &Fixture) -> Value {
    serde_json::from_str(&fixture.written(write_json)).expect("the report is JSON")
}

#[test]
fn reports_keep_the_shipped_schema() {
    for fixture in [
        Fixture::clean(),
        Fixture::new(Persona::Regular),
        Fixture::new(Persona::Pedantic),
        Fixture::new(Persona::Auditor),
        Fixture::compared(Persona::Auditor),
        Fixture { pages: Some("https://pages.example/{check}"), ..Fixture::clean() },
    ] {
        assert_eq!(violations(&schema(), &document(&fixture)), Vec::<String>::new());
    }
}

#[test]
fn the_schema_notices_what_is_wrong() {
    let mut report = document(&Fixture::new(Persona::Auditor));
    report["findings"][0]["risk"] = json!(101);
    report["findings"][0]["signals"][0]["tier"] = json!("firm");
    report["more"] = json!(1);
    report["totals"].as_object_mut().expect("an object").remove("low");
    let mut found = violations(&schema(), &report);
    found.sort();
    assert_eq!(
        found,
        [
            "/findings/0/risk: breaks `maximum`",
            "/findings/0/signals/0/tier: breaks `enum`",
            "/totals: breaks `required`",
            ": breaks `additionalProperties`",
        ]
    );
}

#[test]
fn hostile_names_are_exact_and_cannot_be_seen_to_act() {
    let fixture = Fixture::new(Persona::Regular);
    let text = fixture.written(write_json);
    assert!(!text.contains('\u{202e}') && text.contains("send\\u202eevil"));
    assert_eq!(document(&fixture)["findings"][0]["name"], "send\u{202e}evil");
}

#[test]
fn the_persona_decides_what_is_listed_and_the_rest_is_counted() {
    for (persona, shown, ignored) in
        [(Persona::Regular, 1, 2), (Persona::Pedantic, 2, 1), (Persona::Auditor, 3, 0)]
    {
        let report = document(&Fixture::new(persona));
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(shown), "{persona:?}");
        assert_eq!(report["totals"]["ignored"], ignored, "{persona:?}");
    }
}

#[test]
fn an_incomplete_report_says_so() {
    let report = document(&Fixture::new(Persona::Regular));
    assert_eq!(report["complete"], false);
    assert_eq!(report["incomplete"], json!([{"subject": "broken.json:3:9", "reason": "expected `:`"}]));
    assert_eq!(document(&Fixture::clean())["complete"], true);
}

#[test]
fn every_line_keeps_the_schema_of_lines_and_the_last_is_the_summary() {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/report-lines-1.json")).expect("the schema is JSON");
    for fixture in [Fixture::clean(), Fixture::new(Persona::Auditor), Fixture::compared(Persona::Auditor)] {
        let text = fixture.written(json_lines::write);
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        for line in &lines {
            assert_eq!(violations(&schema, line), Vec::<String>::new(), "{line}");
        }
        let (last, others) = lines.split_last().expect("a line");
        assert_eq!(last["type"], "summary");
        let found = others.iter().filter(|line| line["type"] == "finding").count();
        assert_eq!(last["totals"]["findings"], found);
    }
    let broken = json!({"type": "incomplete", "subject": "a"});
    assert_eq!(violations(&schema, &broken), [": breaks `anyOf`"]);
}

#[test]
fn hostile_names_cannot_end_a_line() {
    let text = Fixture::new(Persona::Regular).written(json_lines::write);
    assert!(!text.contains('\u{202e}') && text.contains("send\\u202eevil"));
}

#[test]
fn what_is_new_says_why() {
    let report = document(&Fixture::compared(Persona::Regular));
    assert_eq!(report["baseline"]["rules_version"], "0.0.1");
    assert_eq!(report["findings"][0]["news"], json!([{"check": "unicode.hidden", "why": "rules"}]));
    assert_eq!(
        report["known"].as_array().map(Vec::len),
        Some(0),
        "alone it is a soft finding of low severity"
    );
    let known = &document(&Fixture::compared(Persona::Pedantic))["known"][0];
    assert_eq!(known["news"], json!([{"check": "directive.imperative", "why": "known"}]));
}

#[test]
fn an_inventory_keeps_its_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/inventory-1.json")).expect("the schema is JSON");
    let package = Package { registry: "oci", name: "a".into(), version: None, pin: "none" };
    let remark = Remark { id: "launch.unpinned", text: "name a version".into() };
    let listed = |package, remarks| Listed {
        server: "a\u{202e}".into(),
        client: "Cursor".into(),
        file: "mcp.json".into(),
        line: 1,
        column: 2,
        level: "user",
        transport: "stdio",
        start: "docker run a".into(),
        package,
        state: "used",
        remarks,
    };
    let servers = vec![listed(Some(package), vec![remark]), listed(None, Vec::new())];
    let incomplete = Fixture::new(Persona::Regular).report.incomplete;
    let mut text = Vec::new();
    inventory::write_json(&Inventory { servers, incomplete }, &mut text).expect("memory takes everything");
    let document: Value = serde_json::from_slice(&text).expect("an inventory is JSON");
    assert_eq!(violations(&schema, &document), Vec::<String>::new());
    assert!(text.is_ascii(), "hostile names are escaped");
}

#[test]
fn an_agreement_keeps_its_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/agreement-1.json")).expect("the schema is JSON");
    let fixture = Fixture::new(Persona::Regular);
    let other =
        Other { scanner: "x".into(), rule: "y".into(), severity: "high".into(), message: String::new() };
    let raised = |ours, theirs| Raised { server: "mail", kind: Kind::Tool, name: "send", ours, theirs };
    let raised = vec![raised(fixture.report.findings.first(), vec![&other]), raised(None, vec![&other])];
    let agreement = Agreement { definitions: 3, raised, unmatched: vec![("?", &other)] };
    let mut text = Vec::new();
    agreement::write_json(&agreement, &mut text).expect("memory takes everything");
    let document: Value = serde_json::from_slice(&text).expect("an agreement is JSON");
    assert_eq!(violations(&schema, &document), Vec::<String>::new());
    let totals = &document["totals"];
    assert_eq!(
        (&totals["both"], &totals["only_theirs"], &totals["neither"]),
        (&json!(1), &json!(1), &json!(1))
    );
}
