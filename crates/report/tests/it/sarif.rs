//! The SARIF format: what code hosts rely on.

use std::collections::BTreeSet;

use crate::fixture::Fixture;
use portcullis_decide::Persona;
use portcullis_report::write_sarif;
use serde_json::{Value, json};

fn run(fixture: &Fixture) -> Value {
    let log: Value = serde_json::from_str(&fixture.written(write_sarif)).expect("SARIF is JSON");
    assert_eq!(log["version"], "2.1.0");
    log["runs"][0].clone()
}

#[test]
fn every_rule_is_declared_even_when_clean() {
    let run = run(&Fixture::clean());
    let rules = &run["tool"]["driver"]["rules"];
    insta::assert_json_snapshot!(rules, @r##"
[
  {
    "defaultConfiguration": {
      "level": "error"
    },
    "fullDescription": {
      "text": "The text holds characters a reader cannot see"
    },
    "help": {
      "markdown": "# unicode.hidden\n\nCharacters nobody sees.\n",
      "text": "# unicode.hidden\n\nCharacters nobody sees.\n"
    },
    "id": "unicode.hidden",
    "name": "UnicodeHidden",
    "properties": {
      "precision": "very-high",
      "security-severity": "8.5",
      "tags": [
        "security",
        "mcp",
        "MCP03:2025 Tool Poisoning"
      ]
    },
    "shortDescription": {
      "text": "The text holds characters a reader cannot see"
    }
  },
  {
    "defaultConfiguration": {
      "level": "warning"
    },
    "fullDescription": {
      "text": "The text gives the model orders"
    },
    "help": {
      "markdown": "# directive.imperative\n\nOrders to the model.\n",
      "text": "# directive.imperative\n\nOrders to the model.\n"
    },
    "id": "directive.imperative",
    "name": "DirectiveImperative",
    "properties": {
      "precision": "medium",
      "security-severity": "5.5",
      "tags": [
        "security",
        "mcp",
        "MCP06:2025 Intent Flow Subversion"
      ]
    },
    "shortDescription": {
      "text": "The text gives the model orders"
    }
  }
]
"##);
    assert_eq!(run["results"], json!([]));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn a_result_names_rule_place_and_identity() {
    let run = run(&Fixture::new(Persona::Regular));
    let result = serde_json::to_string_pretty(&run["results"][0]).expect("JSON is written");
    // The name holds a direction override, which may not stand in a source file.
    insta::assert_snapshot!(result.replace('\u{202e}', "<202e>"), @r#"
{
  "level": "error",
  "locations": [
    {
      "logicalLocations": [
        {
          "fullyQualifiedName": "mail/sendU+202Eevil#/description",
          "kind": "function"
        }
      ],
      "physicalLocation": {
        "artifactLocation": {
          "uri": "servers/mail%20box.json"
        },
        "region": {
          "startColumn": 7,
          "startLine": 4
        }
      }
    }
  ],
  "message": {
    "text": "mail/sendU+202Eevil#/description: something is hidden here (in Sends a letter \\[now\\](http://x).U+200BU+200B 日本語)"
  },
  "occurrenceCount": 2,
  "partialFingerprints": {
    "portcullis/identity/v1": "mail|tool|send<202e>evil|/description|unicode.hidden"
  },
  "properties": {
    "action": "quarantine",
    "decodings": [],
    "kind": "tool",
    "name": "send<202e>evil",
    "risk": 80,
    "server": "mail",
    "severity": "critical",
    "threat": "tool_poisoning"
  },
  "rank": 95.0,
  "ruleId": "unicode.hidden",
  "ruleIndex": 0
}
"#);
}

#[test]
fn signals_of_one_check_in_one_field_are_one_result() {
    let run = run(&Fixture::new(Persona::Auditor));
    let results = run["results"].as_array().expect("a list");
    let told: Vec<String> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let count = &result["occurrenceCount"];
            format!("{} {} {} x{count}", text(&result["level"]), text(&result["ruleId"]), text(place))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
error unicode.hidden mail/sendU+202Eevil#/description x2
error unicode.hidden mail/sendU+202Eevil#/inputSchema/properties/q/default x1
error unicode.hidden mail/sendU+202Eevil#/title x1
warning directive.imperative mail/sendU+202Eevil#/description x1
warning directive.imperative notes/prompts/daily#/description x1
note directive.imperative notes/guard#/description x1
");
    let identities: BTreeSet<String> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    assert_eq!(identities.len(), results.len(), "no two results share their identity");
}

#[test]
fn rule_indices_point_at_the_rule() {
    let run = run(&Fixture::new(Persona::Auditor));
    for result in run["results"].as_array().expect("a list") {
        let index =
            result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("an index");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn scanned_text_cannot_make_a_link() {
    let run = run(&Fixture::new(Persona::Regular));
    let message = run["results"][0]["message"]["text"].as_str().expect("a message");
    assert!(message.contains("\\[now\\](http://x)"), "{message}");
}

#[test]
fn an_incomplete_scan_is_not_a_success() {
    let run = run(&Fixture::new(Persona::Regular));
    insta::assert_json_snapshot!(run["invocations"], @r#"
[
  {
    "executionSuccessful": false,
    "toolExecutionNotifications": [
      {
        "level": "error",
        "message": {
          "text": "broken.json:3:9: expected `:`"
        }
      }
    ]
  }
]
"#);
}
