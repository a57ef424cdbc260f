//! What happens at the edges: nothing to look at, too much to look at, and limits that are reported when they are hit.

use crate::stage::{Scene, detector, shown};
use data_encoding::BASE64;
use miniz_oxide::deflate::compress_to_vec_zlib;
use portcullis_detect::{Cap, Definition, Kind};
use serde_json::json;

fn parse(json: &str) -> Result<Definition, String> {
    Definition::parse("example", Kind::Tool, json).map_err(|bad| bad.reason)
}

/// The limits that one tool hits.
fn caps(tool: &serde_json::Value) -> Vec<Cap> {
    let observation = Scene::alone(tool.to_string()).observe(detector()).expect("the tool can be read");
    assert_eq!(observation.coverage.is_complete(), observation.coverage.caps.is_empty());
    observation.coverage.caps
}

/// `text` in base64, `times` over.
fn wrapped(text: &str, times: usize) -> String {
    (0..times).fold(text.to_owned(), |inner, _| BASE64.encode(inner.as_bytes()))
}

#[test]
fn nesting_without_end_is_an_error_and_no_crash() {
    for (open, close) in [("[", "]"), (r#"{"properties":"#, "}"), (r#"{"items":[{"a":"#, "}]}")] {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        assert!(parse(&format!(r#"{{"name": "a", "inputSchema": {deep}}}"#)).is_err(), "{open}");
    }
    let moderate = format!("{}1{}", r#"{"properties":"#.repeat(40), "}".repeat(40));
    assert!(parse(&format!(r#"{{"name": "a", "inputSchema": {moderate}}}"#)).is_ok());
}

#[test]
fn what_is_no_json_is_an_error_that_can_be_printed() {
    for text in
        ["", "{", "{\"name\": }", "nul", "{\"name\": \"a\"} trailing", "\u{1b}[31m", "{\"a\": \"\u{1}\"}"]
    {
        let reason = parse(text).expect_err("this is no JSON");
        assert!(!reason.is_empty() && !reason.chars().any(char::is_control), "{reason:?}");
    }
    assert!(parse(&format!("\"{}\"", "x".repeat(64 << 20))).is_err(), "a definition has a largest size");
}

#[test]
fn a_tool_with_nothing_to_say_gives_no_signal() {
    let tools = [
        r#"{"name": "list_notes"}"#,
        r#"{"name": "list_notes", "description": ""}"#,
        r#"{"name": "list_notes", "description": "Lists notes."}"#,
        r#"{"name": "list_notes", "description": null, "inputSchema": null}"#,
        r#"{"name": "list_notes", "inputSchema": {}, "outputSchema": {}, "annotations": {}}"#,
        r#"{"name": "list_notes", "inputSchema": {"type": "object", "properties": {}}}"#,
        r#"{"name": "", "description": " \n "}"#,
        "{}",
    ];
    for tool in tools {
        let observation = Scene::alone(tool).observe(detector()).expect("the tool can be read");
        assert!(observation.signals.is_empty(), "{tool}: {}", shown(&observation.signals));
        assert!(observation.coverage.is_complete(), "{tool}");
        assert_eq!(observation.coverage.checks_run, detector().facts().count(), "{tool}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_read_twice() {
    let tool = r#"{"name": "a", "description": "Opens the room\u200b next door.", "description": "Opens the room."}"#;
    assert!(Scene::alone(tool).signals().iter().any(|signal| signal.check == "unicode.hidden"));
}

#[test]
fn encodings_deeper_than_the_ladder_are_reported() {
    let tool =
        |times| json!({ "name": "a", "description": wrapped("the tide comes in at noon on Friday", times) });
    for times in 0..=3 {
        assert_eq!(caps(&tool(times)), [], "{times} layers");
    }
    assert_eq!(caps(&tool(5)), [Cap::DecodingDepth]);
}

#[test]
fn more_encoded_strings_than_the_ladder_follows_are_reported() {
    let properties: serde_json::Map<String, serde_json::Value> = (0..400)
        .map(|number| {
            let text = wrapped(&format!("the boat in berth {number} is painted blue"), 2);
            (format!("berth{number}"), json!({ "type": "string", "description": text }))
        })
        .collect();
    let found = caps(&json!({ "name": "a", "inputSchema": { "type": "object", "properties": properties } }));
    assert_eq!(found, [Cap::DecodedTexts]);
}

#[test]
fn a_compression_bomb_is_reported_and_not_unpacked() {
    let line = "all quiet in the harbour, nothing to report\n";
    let bomb = BASE64.encode(&compress_to_vec_zlib(line.repeat(100_000).as_bytes(), 9));
    let found = caps(&json!({ "name": "a", "description": format!("{bomb} {bomb} {bomb}") }));
    assert_eq!(found, [Cap::DecodedBytes]);
}

#[test]
fn signals_beyond_the_limit_are_reported() {
    let values: Vec<String> = (0..200).map(|number| format!("berth\u{200b}{number}")).collect();
    let tool = json!({
        "name": "a",
        "inputSchema": { "type": "object", "properties": { "berth": { "type": "string", "enum": values } } }
    });
    let observation = Scene::alone(tool.to_string()).observe(detector()).expect("the tool can be read");
    let hidden = observation.signals.iter().filter(|signal| signal.check == "unicode.hidden").count();
    assert_eq!(hidden, 32, "as many as are kept");
    assert!(observation.coverage.caps.contains(&Cap::Signals));
    assert!(!observation.coverage.is_complete());
}
