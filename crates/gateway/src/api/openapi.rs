//! The description of the API in OpenAPI's words, made from the table of routes.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::route::Route;
use super::{Answer, Asked, BASE, ROUTES, Refused, data};
use crate::gate::Gate;

/// `GET /openapi.json`.
pub(super) async fn describe(_gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    data(description())
}

/// The whole description.
pub(super) fn description() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(format!("{BASE}{}", route.path)).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Portcullis", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" } },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
            },
            "schemas": { "Answer": envelope() },
        },
        "security": [{ "bearer": [] }, { "key": [] }],
    })
}

fn operation(route: &Route) -> Value {
    let mut parameters: Vec<Value> = parts(route.path)
        .map(|name| {
            json!({
                "name": name, "in": "path", "required": true, "schema": { "type": "string" },
            })
        })
        .collect();
    let is_read = route.method == http::Method::GET;
    if is_read {
        parameters.extend(route.takes.iter().map(|one| {
            json!({
                "name": one.name, "in": "query", "description": one.about, "schema": { "type": one.kind },
            })
        }));
    }
    let answer = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Answer" } } });
    let mut operation = json!({
        "operationId": id(route), "summary": route.about, "parameters": parameters,
        "description": format!("Needs the role {}.", route.role.as_str()),
        "responses": { "200": { "description": "Done", "content": answer }, "default": { "description": "Refused", "content": answer } },
    });
    if !is_read && !route.takes.is_empty() {
        let members: Map<String, Value> = route
            .takes
            .iter()
            .map(|one| (one.name.to_owned(), json!({ "type": one.kind, "description": one.about })))
            .collect();
        operation["requestBody"] = json!({ "content": { "application/json": {
            "schema": { "type": "object", "properties": members, "additionalProperties": false },
        } } });
    }
    operation
}

/// The parts of a path that stand for something.
fn parts(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// A name for the operation: its method and the fixed parts of its path.
fn id(route: &Route) -> String {
    let words = route.path.split('/').filter(|part| !part.is_empty());
    let word = |part: &str| part.replace(['{', '}'], "").replace(['-', '.'], "_");
    std::iter::once(route.method.as_str().to_lowercase()).chain(words.map(word)).collect::<Vec<_>>().join("_")
}

fn envelope() -> Value {
    json!({
        "type": "object", "required": ["success", "request_id"],
        "properties": {
            "success": { "type": "boolean" },
            "data": { "description": "What was asked for, if it succeeded." },
            "error": { "type": "string", "description": "What is wrong, and what to do." },
            "request_id": { "type": "string" },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described_once() {
        let description = description();
        let paths = description["paths"].as_object().unwrap();
        let described: usize = paths.values().map(|path| path.as_object().unwrap().len()).sum();
        assert_eq!(described, ROUTES.len());
        let mut ids: Vec<String> = ROUTES.iter().map(id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), ROUTES.len(), "an operation has a name of its own");
    }
}
