//! SARIF against the schema of its standard, which the package `serde-sarif` brings along; what a schema cannot say is
//! asserted here.

use std::path::Path;
use std::process::Command;

use crate::fixture::Fixture;
use crate::schema::violations;
use portcullis_decide::Persona;
use portcullis_report::write_sarif;
use serde_json::{Value, json};

/// The schema of OASIS, found where cargo keeps the package.
fn schema() -> Value {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--offline", "--manifest-path", manifest]);
    let metadata: Value =
        serde_json::from_slice(&cargo.output().expect("cargo runs").stdout).expect("cargo writes JSON");
    let mut packages = metadata["packages"].as_array().expect("packages").iter();
    let package =
        packages.find(|package| package["name"] == "serde-sarif").expect("a dependency of these tests");
    let folder = Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
    let text = std::fs::read_to_string(folder.join("src/schema.json")).expect("the package has the schema");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    assert!(
        schema["$id"].as_str().is_some_and(|id| id.ends_with("sarif-schema-2.1.0.json")),
        "{}",
        schema["$id"]
    );
    schema
}

fn log(fixture: &Fixture) -> Value {
    serde_json::from_str(&fixture.written(write_sarif)).expect("SARIF is JSON")
}

#[test]
fn every_log_keeps_the_schema_of_the_standard() {
    let schema = schema();
    for fixture in [
        Fixture::clean(),
        Fixture::new(Persona::Auditor),
        Fixture::compared(Persona::Auditor),
        Fixture { pages: Some("https://pages.example/{check}"), ..Fixture::new(Persona::Regular) },
    ] {
        assert_eq!(violations(&schema, &log(&fixture)), Vec::<String>::new());
    }
}

#[test]
fn the_schema_notices_what_is_wrong() {
    let mut log = log(&Fixture::new(Persona::Regular));
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    log["runs"][0]["results"][0]["rank"] = json!(101.0);
    log["runs"][0]["tool"]["driver"]["rules"][1] = log["runs"][0]["tool"]["driver"]["rules"][0].clone();
    log["runs"][0]["invocations"][0]["exit"] = json!(1);
    let mut found = violations(&schema(), &log);
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
