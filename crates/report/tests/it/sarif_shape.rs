//! SARIF against its standard. The official schema is not ours to ship, so the part of the standard we write is put
//! down in `data/sarif-shape.json`; what a schema cannot say is asserted here.

use crate::fixture::Fixture;
use crate::schema::violations;
use portcullis_decide::Persona;
use portcullis_report::write_sarif;
use serde_json::{Value, json};

fn shape() -> Value {
    serde_json::from_str(include_str!("../data/sarif-shape.json")).expect("the shape is JSON")
}

fn log(fixture: &Fixture) -> Value {
    serde_json::from_str(&fixture.written(write_sarif)).expect("SARIF is JSON")
}

#[test]
fn every_log_has_the_shape_of_the_standard() {
    for fixture in [
        Fixture::clean(),
        Fixture::new(Persona::Auditor),
        Fixture::compared(Persona::Auditor),
        Fixture { pages: Some("https://pages.example/{check}"), ..Fixture::new(Persona::Regular) },
    ] {
        assert_eq!(violations(&shape(), &log(&fixture)), Vec::<String>::new());
    }
}

#[test]
fn the_shape_notices_what_is_wrong() {
    let mut log = log(&Fixture::new(Persona::Regular));
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    log["runs"][0]["results"][0]["rank"] = json!(101.0);
    log["runs"][0]["tool"]["driver"]["rules"][1] = log["runs"][0]["tool"]["driver"]["rules"][0].clone();
    log["runs"][0]["invocations"][0]["exit"] = json!(1);
    let mut found = violations(&shape(), &log);
    found.sort();
    assert_eq!(
        found,
        [
            "/runs/0/invocations/0: breaks `additionalProperties`",
            "/runs/0/results/0/level: breaks `enum`",
            "/runs/0/results/0/rank: breaks `maximum`",
            "/runs/0/tool/driver/rules: breaks `uniqueItems`",
        ]
    );
}

#[test]
fn hosts_get_what_they_sort_and_link_by() {
    let fixture = Fixture { pages: Some("https://pages.example/{check}"), ..Fixture::new(Persona::Regular) };
    for rule in log(&fixture)["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules") {
        let severity =
            rule["properties"]["security-severity"].as_str().and_then(|text| text.parse::<f64>().ok());
        assert!(severity.is_some_and(|severity| (0.1..=10.0).contains(&severity)), "{rule}");
        assert!(rule["help"]["markdown"].as_str().is_some_and(|page| !page.is_empty()));
        assert_eq!(rule["helpUri"], format!("https://pages.example/{}", rule["id"].as_str().expect("an id")));
    }
}

#[test]
fn a_baseline_says_what_is_new() {
    let log = log(&Fixture::compared(Persona::Pedantic));
    let states: Vec<String> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| format!("{} {}", result["ruleId"], result["baselineState"]))
        .collect();
    assert!(states.contains(&"\"unicode.hidden\" \"new\"".to_owned()), "{states:?}");
    assert!(states.contains(&"\"directive.imperative\" \"unchanged\"".to_owned()), "{states:?}");
    assert!(log["runs"][0]["results"][0]["baselineState"].is_string());
    assert!(
        self::log(&Fixture::new(Persona::Regular))["runs"][0]["results"][0].get("baselineState").is_none()
    );
}
