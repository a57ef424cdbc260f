//! What Cisco's mcp-scanner writes: `{"scan_results": […]}` or the list alone, findings by analyser or as a list.

use portcullis_report::agreement::Other;
use serde_json::Value;

use super::Foreign;

/// The findings; `None` if this is something else.
pub(super) fn findings(document: &Value) -> Option<Vec<Foreign>> {
    let results: Vec<&Value> = match document {
        Value::Array(results) => results.iter().collect(),
        Value::Object(members) => match members.get("scan_results") {
            Some(results) => results.as_array()?.iter().collect(),
            // With known client configs it writes a list for each of them.
            None => members.values().flat_map(|list| list.as_array().into_iter().flatten()).collect(),
        },
        _ => return None,
    };
    let is_result = |result: &&Value| result.get("findings").is_some() || result.get("is_safe").is_some();
    if !results.iter().all(is_result) || results.is_empty() && document.get("scan_results").is_none() {
        return None;
    }
    Some(results.iter().flat_map(|result| of_result(result)).collect())
}

fn of_result(result: &Value) -> Vec<Foreign> {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let names = ["tool_name", "prompt_name", "resource_name", "resource_uri", "name"];
    let name = names.iter().find_map(|key| result.get(key)?.as_str()).map(str::to_owned);
    let foreign = |scanner: &str, severity: String, rule: String, message: String| Foreign {
        name: name.clone(),
        place: None,
        what: Other { scanner: format!("cisco {scanner}"), rule, severity: severity.to_lowercase(), message },
    };
    match result.get("findings") {
        Some(Value::Object(analysers)) => {
            let found = analysers.iter().filter(|(_, told)| told["total_findings"].as_u64() != Some(0));
            let one = |(analyser, told): (&String, &Value)| {
                let threats = told["threat_names"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let rule = threats.collect::<Vec<_>>().join(", ");
                let short = analyser.trim_end_matches("_analyzer");
                foreign(short, text(told, "severity"), rule, text(told, "threat_summary"))
            };
            found.map(one).collect()
        }
        Some(Value::Array(list)) => {
            let one = |told: &Value| {
                foreign(
                    &text(told, "analyzer"),
                    text(told, "severity"),
                    text(told, "threat_category"),
                    text(told, "summary"),
                )
            };
            list.iter().map(one).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(document: Value, expected: Option<&[&str]>) {
        let told = findings(&document).map(|found| {
            let line = |one: &Foreign| {
                let Other { scanner, rule, severity, .. } = &one.what;
                format!("{} {scanner} {severity} {rule}", one.name.as_deref().unwrap_or("?"))
            };
            found.iter().map(line).collect::<Vec<_>>()
        });
        assert_eq!(told, expected.map(|lines| lines.iter().map(ToString::to_string).collect()), "{document}");
    }

    #[test]
    fn both_of_its_shapes_are_read() {
        let by_analyser = json!({"tool_name": "a", "is_safe": false, "findings": {
            "yara_analyzer": {"severity": "HIGH", "threat_names": ["PROMPT INJECTION"], "total_findings": 1},
            "api_analyzer": {"severity": "SAFE", "threat_names": [], "total_findings": 0}}});
        let expected: &[&str] = &["a cisco yara high PROMPT INJECTION"];
        check(json!({"server_url": "x", "scan_results": [by_analyser.clone()]}), Some(expected));
        check(json!([by_analyser.clone()]), Some(expected));
        check(json!({"/home/config.json": [by_analyser]}), Some(expected));
        let listed = json!({"prompt_name": "p", "findings": [{"severity": "LOW", "analyzer": "yara", "threat_category": "X"}]});
        check(json!([listed]), Some(&["p cisco yara low X"]));
        check(json!({"scan_results": []}), Some(&[]));
    }

    #[test]
    fn anything_else_is_refused() {
        check(json!({"tools": [{"name": "a"}]}), None);
        check(json!({}), None);
        check(json!("x"), None);
    }
}
