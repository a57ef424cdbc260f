//! SARIF 2.1.0 of any scanner: which definition a result means is found by its logical name, else by file and line.

use portcullis_report::agreement::Other;
use serde_json::Value;

use super::Foreign;

/// The findings of all runs; `None` if this is something else.
pub(super) fn findings(document: &Value) -> Option<Vec<Foreign>> {
    let runs = document.get("runs")?.as_array()?;
    let results = runs.iter().flat_map(|run| {
        let scanner = run["tool"]["driver"]["name"].as_str().unwrap_or("a scanner");
        let results = run["results"].as_array().into_iter().flatten();
        results.filter(|result| is_told(result)).map(|result| of_result(scanner, result))
    });
    Some(results.collect())
}

/// Suppressed results, and those that say that nothing is wrong, are no findings.
fn is_told(result: &Value) -> bool {
    let is_suppressed = result["suppressions"].as_array().is_some_and(|list| !list.is_empty());
    let is_finding =
        matches!(result["kind"].as_str(), None | Some("fail" | "open" | "review" | "informational"));
    is_finding && !is_suppressed && result["baselineState"] != "absent"
}

fn of_result(scanner: &str, result: &Value) -> Foreign {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rule = result["ruleId"].as_str().or(result["rule"]["id"].as_str()).unwrap_or("?").to_owned();
    let location = &result["locations"][0];
    let physical = &location["physicalLocation"];
    let line =
        physical["region"]["startLine"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
    let place = physical["artifactLocation"]["uri"].as_str().map(|uri| (path(uri), line));
    Foreign {
        name: name(result, &location["logicalLocations"][0]),
        place,
        what: Other {
            scanner: scanner.to_owned(),
            rule,
            severity: result["level"].as_str().unwrap_or("warning").to_owned(),
            message: text(&result["message"]["text"]),
        },
    }
}

/// The declared name: what scanners of MCP put into their properties, else the last part of the logical name.
fn name(result: &Value, logical: &Value) -> Option<String> {
    let properties = &result["properties"];
    let told = ["tool_name", "toolName", "tool", "name"].iter().find_map(|key| properties[*key].as_str());
    let qualified = logical["name"].as_str().or(logical["fullyQualifiedName"].as_str());
    let last = |name: &str| {
        let before_pointer = name.split('#').next().unwrap_or(name);
        before_pointer.rsplit('/').next().unwrap_or(before_pointer).to_owned()
    };
    told.map(str::to_owned).or_else(|| qualified.map(last)).filter(|name| !name.is_empty())
}

/// The path in a URI reference: without its scheme, and with its escapes undone.
fn path(uri: &str) -> String {
    let uri = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_found_where_scanners_put_them() {
        let check = |result: Value, expected: Option<&str>| {
            let log = json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "X"}}, "results": [result]}]});
            let found = findings(&log).expect("SARIF");
            assert_eq!(found.first().and_then(|one| one.name.as_deref()), expected, "{log}");
        };
        check(json!({"properties": {"tool_name": "a"}}), Some("a"));
        let logical =
            |name: &str| json!({"locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}]});
        check(logical("server/read#/description"), Some("read"));
        check(logical("read"), Some("read"));
        check(json!({}), None);
    }

    #[test]
    fn what_was_suppressed_is_no_finding() {
        let log =
            json!({"runs": [{"results": [{"suppressions": [{"kind": "external"}]}, {"kind": "pass"}]}]});
        assert_eq!(findings(&log).map(|found| found.len()), Some(0));
        assert!(findings(&json!({"results": []})).is_none());
    }

    #[test]
    fn uris_become_paths() {
        assert_eq!(path("file:///a%20b/c.json"), "/a b/c.json");
        assert_eq!(path("100%"), "100%");
    }
}
