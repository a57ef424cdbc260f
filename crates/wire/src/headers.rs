//! Header agreement of 2026-07-28: what headers say about a request must be what its body says.

use std::borrow::Cow;

use data_encoding::BASE64;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::{Fault, Field, Message};

/// The revision of the request.
pub const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The session of the revisions with sessions.
pub const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The method of the request.
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// The tool, prompt, resource or task of the request.
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What headers of arguments begin with.
pub const PARAM: &str = "mcp-param-";
/// The last event a client has seen.
pub const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

const BEFORE: &str = "=?base64?";
const AFTER: &str = "?=";

/// An argument that a tool wants in a header too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// Its keys from the arguments down.
    pub path: Vec<String>,
    /// The name after `Mcp-Param-`.
    pub header: String,
}

/// Which member of the parameters `Mcp-Name` repeats.
pub fn named_by(method: &str) -> Option<Field> {
    match method {
        "tools/call" | "prompts/get" => Some(Field::Name),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Some(Field::Uri),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some(Field::TaskId),
        _ => None,
    }
}

/// Checks the headers of a request against its body.
pub fn check(headers: &HeaderMap, message: &Message, mirrored: &[Mirrored]) -> Result<(), Fault> {
    let method = message.method();
    let said = single(headers, &METHOD)?.ok_or_else(|| missing("Mcp-Method"))?;
    if said != method {
        return Err(mismatch("Mcp-Method"));
    }
    if let Some(name) = named_by(&method).and_then(|field| message.text(field)) {
        let said = single(headers, &NAME)?.ok_or_else(|| missing("Mcp-Name"))?;
        if decode(said).ok_or_else(|| mismatch("Mcp-Name"))? != name {
            return Err(mismatch("Mcp-Name"));
        }
    }
    if method == "tools/call" && !mirrored.is_empty() {
        let arguments = message.value(Field::Arguments).unwrap_or_default();
        mirrored.iter().try_for_each(|one| check_argument(headers, one, &arguments))?;
    }
    Ok(())
}

/// Checks the revision: what the header says, if it says anything, the body says too.
pub fn check_version(headers: &HeaderMap, body: &str) -> Result<(), Fault> {
    let said = single(headers, &VERSION)?.ok_or_else(|| missing("MCP-Protocol-Version"))?;
    if said == body { Ok(()) } else { Err(mismatch("MCP-Protocol-Version")) }
}

fn check_argument(headers: &HeaderMap, mirrored: &Mirrored, arguments: &Value) -> Result<(), Fault> {
    let full = format!("Mcp-Param-{}", mirrored.header);
    let Ok(name) = HeaderName::try_from(&full) else { return Ok(()) };
    let body = mirrored.path.iter().try_fold(arguments, |value, key| value.get(key)).and_then(plain);
    match (single(headers, &name)?, body) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(missing(&full)),
        (Some(said), Some(body)) if decode(said).as_deref() == Some(&*body) => Ok(()),
        (Some(_), _) => Err(mismatch(&full)),
    }
}

/// The headers that a request to a server of 2026-07-28 must have.
pub fn required(message: &Message, mirrored: &[Mirrored]) -> Vec<(HeaderName, HeaderValue)> {
    let method = message.method();
    let mut headers = Vec::new();
    let mut add = |name: HeaderName, text: &str| headers.extend(encode(text).map(|value| (name, value)));
    add(METHOD, &method);
    if let Some(name) = named_by(&method).and_then(|field| message.text(field)) {
        add(NAME, &name);
    }
    if method == "tools/call" && !mirrored.is_empty() {
        let arguments = message.value(Field::Arguments).unwrap_or_default();
        for one in mirrored {
            let value = one.path.iter().try_fold(&arguments, |value, key| value.get(key)).and_then(plain);
            let name = HeaderName::try_from(format!("{PARAM}{}", one.header.to_ascii_lowercase()));
            if let (Some(value), Ok(name)) = (value, name) {
                add(name, &value);
            }
        }
    }
    headers
}

/// The arguments a tool wants mirrored, by the `x-mcp-header` marks of its input schema.
pub fn mirrored(schema: &Value) -> Vec<Mirrored> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found);
    found
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirrored>) {
    // INVARIANT: schemas come out of messages, whose depth is bounded.
    for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(key.clone());
        if let Some(header) =
            property.get("x-mcp-header").and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            found.push(Mirrored { path: path.clone(), header: header.to_owned() });
        }
        collect(property, path, found);
        path.pop();
    }
}

/// A header that may be given once. Readers differ in which of two they take.
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Fault::header_mismatch(format!("The header {name} is given twice")));
    }
    let text = value.to_str().map_err(|_| mismatch(name.as_str()))?;
    Ok(Some(text.trim_matches([' ', '\t'])))
}

/// What a header value stands for; `None` if it is marked as base64 and is none.
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix(BEFORE).and_then(|inner| inner.strip_suffix(AFTER)) {
        None => Some(Cow::Borrowed(value)),
        Some(inner) => String::from_utf8(BASE64.decode(inner.as_bytes()).ok()?).ok().map(Cow::Owned),
    }
}

/// A text as a header value; as base64 if it could not travel otherwise.
pub fn encode(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
        && text.trim_matches(' ') == text
        && !(text.starts_with(BEFORE) && text.ends_with(AFTER));
    let value = if is_plain {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{BEFORE}{}{AFTER}", BASE64.encode(text.as_bytes())))
    };
    HeaderValue::from_str(&value).ok()
}

fn plain(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

fn missing(name: &str) -> Fault {
    Fault::header_mismatch(format!("The header {name} is missing"))
}

fn mismatch(name: &str) -> Fault {
    Fault::header_mismatch(format!("The header {name} does not say what the body says"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use bytes::Bytes;
    use proptest::prelude::*;

    fn call(name: &str, arguments: &str) -> Message {
        let name = Value::from(name);
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name},"arguments":{arguments}}}}}"#
        );
        Message::one(Bytes::from(text), Limits::default()).unwrap()
    }

    fn marked() -> Vec<Mirrored> {
        mirrored(&serde_json::json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "a": {"properties": {"b": {"type": "integer", "x-mcp-header": "Deep"}}},
        }}))
    }

    fn check_with(headers: &[(&'static str, &str)], expected: bool) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let got = check(&map, &call("weather", r#"{"region":"Hello","a":{"b":7}}"#), &marked());
        assert_eq!(got.is_ok(), expected, "{headers:?}: {got:?}");
        assert!(got.is_ok() || got.is_err_and(|fault| fault.code == -32020 && fault.status == 400));
    }

    #[test]
    fn headers_agree_with_the_body_or_are_refused() {
        let all = [
            ("mcp-method", "tools/call"),
            ("mcp-name", "weather"),
            ("mcp-param-region", "Hello"),
            ("mcp-param-deep", "7"),
        ];
        let with = |index: usize, value: &'static str| {
            let mut headers = all;
            headers[index].1 = value;
            headers
        };
        check_with(&all, true);
        check_with(&with(2, "=?base64?SGVsbG8=?="), true);
        check_with(&with(1, "  weather  "), true);
        for index in 0..4 {
            let mut headers = all.to_vec();
            headers.remove(index);
            check_with(&headers, false);
        }
        check_with(&with(0, "TOOLS/CALL"), false);
        check_with(&with(1, "other"), false);
        check_with(&with(2, "=?base64?SGVsbG8?="), false);
        check_with(&with(2, "=?base64?SGVs!!!bG8=?="), false);
        check_with(&with(3, "8"), false);
        let mut twice = all.to_vec();
        twice.push(("mcp-name", "weather"));
        check_with(&twice, false);
    }

    proptest! {
        #[test]
        fn what_we_send_agrees(name in "\\PC{0,20}", region in "[\\x00-\\x7f]{0,12}|\\PC{0,12}") {
            let message = call(&name, &serde_json::json!({"region": region}).to_string());
            let headers = required(&message, &marked()).into_iter().collect();
            prop_assert_eq!(check(&headers, &message, &marked()), Ok(()));
        }

        #[test]
        fn what_is_encoded_is_decoded(text in "\\PC{0,40}|[ \\t=?a-z0-9]{0,40}") {
            let value = encode(&text).unwrap();
            let decoded = decode(value.to_str().unwrap()).unwrap();
            prop_assert_eq!(decoded, text.as_str());
        }
    }
}
