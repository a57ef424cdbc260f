//! The JSON format: structure against the schema, exact names, byte-identical runs.

use crate::fixture::Fixture;
use crate::schema::violations;
use portcullis_decide::Persona;
use portcullis_report::write_json;
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
