//! Refusals in JSON-RPC's own words: a code, a sentence, and the HTTP status that goes with them.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::Value;

/// An error to be answered instead of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The code of JSON-RPC or of the protocol.
    pub code: i32,
    /// A sentence; it never holds a value that came with a message.
    pub message: Cow<'static, str>,
    /// What the revision asks for beside the sentence.
    pub data: Option<Value>,
    /// The status of the HTTP answer that carries it.
    pub status: u16,
    /// Whether it is told as the result of a tool, so that the model reads it, and not only the client.
    pub is_result: bool,
}

impl Fault {
    const fn new(code: i32, status: u16, message: Cow<'static, str>) -> Fault {
        Fault { code, message, data: None, status, is_result: false }
    }

    /// The bytes are no JSON text.
    pub fn parse(message: &'static str) -> Fault {
        Fault::new(-32700, 400, Cow::Borrowed(message))
    }

    /// JSON, but no message we take.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Fault {
        Fault::new(-32600, 400, message.into())
    }

    /// The method is not known, or is not part of this revision.
    pub fn no_method(method: &str) -> Fault {
        // A method is short in every revision; a longer one is none and need not be repeated.
        let shown: String = method.chars().filter(|c| !c.is_control()).take(64).collect();
        Fault::new(-32601, 404, Cow::Owned(format!("Method not found: {shown}")))
    }

    /// Something about the parameters.
    pub fn params(message: impl Into<Cow<'static, str>>) -> Fault {
        Fault::new(-32602, 400, message.into())
    }

    /// We, or the server behind us, could not do it.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Fault {
        Fault::new(-32603, 502, message.into())
    }

    /// A call that may not be: the model is told why, as what the tool said.
    pub fn tool_result(message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { is_result: true, ..Fault::new(-32602, 200, message.into()) }
    }

    /// The same with another HTTP status.
    pub fn with_status(self, status: u16) -> Fault {
        Fault { status, ..self }
    }

    /// A message over the limit.
    pub fn too_large(limit: u32) -> Fault {
        Fault::new(
            -32600,
            413,
            Cow::Owned(format!("The message is larger than the gateway's limit of {limit} bytes")),
        )
    }

    /// Headers and body disagree (2026-07-28).
    pub fn header_mismatch(message: String) -> Fault {
        Fault::new(-32020, 400, Cow::Owned(message))
    }

    /// The client lacks a capability the call needs (2026-07-28).
    pub fn missing_capability(capability: &str) -> Fault {
        let data = serde_json::json!({ "requiredCapabilities": { capability: {} } });
        let text = format!("This request needs the client capability {capability}");
        Fault { data: Some(data), ..Fault::new(-32021, 400, Cow::Owned(text)) }
    }

    /// A revision the addressed server does not speak (2026-07-28).
    pub fn unsupported_version(requested: &str, supported: &[&str]) -> Fault {
        let data = serde_json::json!({ "supported": supported, "requested": requested });
        Fault { data: Some(data), ..Fault::new(-32022, 400, Cow::Borrowed("Unsupported protocol version")) }
    }

    /// The answer to the request with this id, which is written as it came.
    pub fn answer(&self, id: Option<&[u8]>) -> Bytes {
        let mut text = Vec::with_capacity(128);
        text.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        text.extend_from_slice(id.unwrap_or(b"null"));
        if self.is_result {
            text.extend_from_slice(format!(",\"result\":{}}}", failed_result(&self.message)).as_bytes());
            return Bytes::from(text);
        }
        text.extend_from_slice(format!(",\"error\":{{\"code\":{},\"message\":", self.code).as_bytes());
        text.extend_from_slice(Value::from(&*self.message).to_string().as_bytes());
        if let Some(data) = &self.data {
            text.extend_from_slice(format!(",\"data\":{data}").as_bytes());
        }
        text.extend_from_slice(b"}}");
        Bytes::from(text)
    }
}

/// A tool's result that says what went wrong.
pub fn failed_result(message: &str) -> String {
    let said = Value::from(message);
    format!(r#"{{"content":[{{"type":"text","text":{said}}}],"isError":true,"resultType":"complete"}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_carries_the_id_as_it_came() {
        let answer = Fault::no_method("x\"y").answer(Some(b"12345678901234567890"));
        let expected = r#"{"jsonrpc":"2.0","id":12345678901234567890,"error":{"code":-32601,"message":"Method not found: x\"y"}}"#;
        assert_eq!(answer, expected);
    }

    #[test]
    fn a_refused_call_is_what_the_tool_said() {
        let answer = Fault::tool_result("held").answer(Some(b"1"));
        let value: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(value["result"]["content"][0]["text"], "held");
        assert_eq!((&value["result"]["isError"], &value["error"]), (&Value::Bool(true), &Value::Null));
    }

    #[test]
    fn data_is_beside_the_sentence() {
        let answer = Fault::unsupported_version("v9", &["2026-07-28"]).answer(None);
        let value: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(value["error"]["data"]["supported"][0], "2026-07-28");
        assert_eq!((&value["id"], &value["error"]["code"]), (&Value::Null, &Value::from(-32022)));
    }
}
