//! A small JSON Schema reader: just what our schemas and that of SARIF use, and an error for anything else.

use serde_json::Value;

/// Every place where `value` breaks the schema `root`.
pub(crate) fn violations(root: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(root, root, value, "", &mut found);
    found
}

fn look(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let is_kept = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => true,
            // What they say of single texts: neither addresses nor patterns of ours are at stake.
            "format" | "pattern" => true,
            "$ref" => {
                let pointer = rule.as_str().expect("a reference").trim_start_matches('#');
                look(root, root.pointer(pointer).expect("the reference exists"), value, at, found);
                true
            }
            "const" => value == rule,
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => has_type(rule.as_str().expect("one type"), value),
            "minItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap_or(0))
            }
            "uniqueItems" => value.as_array().is_none_or(|items| are_unique(items)),
            "minimum" => value.as_f64() >= rule.as_f64(),
            "maximum" => value.as_f64() <= rule.as_f64(),
            "anyOf" => fitting(root, rule, value) > 0,
            "oneOf" => fitting(root, rule, value) == 1,
            "required" => {
                let keys = rule.as_array().expect("a list").iter();
                !value.is_object() || keys.flat_map(Value::as_str).all(|key| value.get(key).is_some())
            }
            "additionalProperties" => {
                let known = |key: &String| schema["properties"].get(key).is_some();
                let others = value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                match rule {
                    Value::Bool(is_open) => *is_open || others.count() == 0,
                    inner => {
                        others.for_each(|(key, member)| {
                            look(root, inner, member, &format!("{at}/{key}"), found)
                        });
                        true
                    }
                }
            }
            "properties" => {
                for (key, inner) in rule.as_object().expect("properties") {
                    if let Some(member) = value.get(key) {
                        look(root, inner, member, &format!("{at}/{key}"), found);
                    }
                }
                true
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    look(root, rule, item, &format!("{at}/{index}"), found);
                }
                true
            }
            other => panic!("the schema uses `{other}`, which this reader does not know"),
        };
        if !is_kept {
            found.push(format!("{at}: breaks `{keyword}`"));
        }
    }
}

fn are_unique(items: &[Value]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items.iter().take(index).any(|known| known == item))
}

/// How many of these schemas the value keeps.
fn fitting(root: &Value, options: &Value, value: &Value) -> usize {
    let keeps = |option: &&Value| {
        let mut inner = Vec::new();
        look(root, option, value, "", &mut inner);
        inner.is_empty()
    };
    options.as_array().expect("a list").iter().filter(keeps).count()
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    }
}
