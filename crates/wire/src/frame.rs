//! A JSON-RPC message: the bytes as they came, and where in them everything is.

use std::borrow::Cow;

use bytes::Bytes;

use super::place::{Field, Limits, Places, Span};
use super::scan::{self, Flaw};
use super::{Fault, Splice};

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Wants an answer.
    Request,
    /// Wants none.
    Notification,
    /// An answer that worked.
    Response,
    /// An answer that did not.
    Error,
}

/// One message. INVARIANT: its bytes passed the strict reader, so that they mean the same to every reader.
#[derive(Clone, Debug)]
pub struct Message {
    bytes: Bytes,
    /// Boxed: a message changes hands a dozen times, and its places are six times as large as the rest.
    places: Box<Places>,
    kind: Kind,
}

/// What a body or a line holds.
#[derive(Clone, Debug)]
pub enum Reading {
    /// A message.
    One(Message),
    /// Several, as 2025-03-26 allows.
    Batch(Vec<Message>),
}

/// Reads a body or a line.
pub fn read(bytes: Bytes, limits: Limits) -> Result<Reading, Fault> {
    if bytes.len() > limits.bytes as usize {
        return Err(Fault::too_large(limits.bytes));
    }
    let found = scan::scan(&bytes, limits.depth).map_err(|flaw| refused(flaw, limits))?;
    let Some(elements) = found.elements else {
        return Message::new(bytes, found.places).map(Reading::One);
    };
    if elements.is_empty() {
        return Err(Fault::invalid("An empty batch"));
    }
    let message = |span: &Span| {
        let element = bytes.slice(span.range());
        let found = scan::scan(&element, limits.depth).map_err(|flaw| refused(flaw, limits))?;
        match found.elements {
            None => Message::new(element, found.places),
            Some(_) => Err(Fault::invalid("A batch inside a batch")),
        }
    };
    elements.iter().map(message).collect::<Result<_, _>>().map(Reading::Batch)
}

fn refused(flaw: Flaw, limits: Limits) -> Fault {
    match flaw {
        Flaw::NotUtf8 => Fault::parse("Parse error: not UTF-8"),
        Flaw::NotJson(why) => Fault { message: format!("Parse error: {why}").into(), ..Fault::parse("") },
        Flaw::TooDeep => Fault::invalid(format!("Nested deeper than {} levels", limits.depth)),
        Flaw::DuplicateKey => Fault::invalid("A key occurs twice in one object"),
        Flaw::LookAlike => Fault::invalid("A key differs from one of the protocol's only by case"),
    }
}

impl Message {
    fn new(bytes: Bytes, places: Box<Places>) -> Result<Message, Fault> {
        let has = |field| places.get(field).is_there();
        let text = |field| bytes.get(places.get(field).range()).unwrap_or_default();
        if scan::unquoted(text(Field::Jsonrpc)).as_deref() != Some("2.0") {
            return Err(Fault::invalid("No JSON-RPC 2.0 message"));
        }
        let kind = match (has(Field::Method), has(Field::Id), has(Field::Result), has(Field::Error)) {
            (true, true, false, false) => Kind::Request,
            (true, false, false, false) => Kind::Notification,
            (false, true, true, false) => Kind::Response,
            (false, _, false, true) => Kind::Error,
            _ => return Err(Fault::invalid("Neither request nor notification nor answer")),
        };
        let first = |field| text(field).first().copied();
        let is_named = matches!(first(Field::Id), Some(b'"' | b'-' | b'0'..=b'9'));
        if has(Field::Id) && !is_named && !(kind == Kind::Error && text(Field::Id) == b"null") {
            return Err(Fault::invalid("An id is a string or a number"));
        }
        if has(Field::Method) && first(Field::Method) != Some(b'"') {
            return Err(Fault::invalid("A method is a string"));
        }
        let is_object = |field| !has(field) || first(field) == Some(b'{');
        if !is_object(Field::Params) || !is_object(Field::Meta) {
            return Err(Fault::params("params and _meta are objects"));
        }
        if !is_object(Field::Error) {
            return Err(Fault::invalid("An error is an object"));
        }
        Ok(Message { bytes, places, kind })
    }

    /// Reads one message that we wrote ourselves or changed ourselves, or that must not be a batch.
    pub fn one(bytes: Bytes, limits: Limits) -> Result<Message, Fault> {
        match read(bytes, limits)? {
            Reading::One(message) => Ok(message),
            Reading::Batch(_) => Err(Fault::invalid("Batches are not part of this revision")),
        }
    }

    /// The message as it came.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The message as it came.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// What kind it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Where a member is.
    pub fn place(&self, field: Field) -> Span {
        self.places.get(field)
    }

    /// Whether a member is there.
    pub fn has(&self, field: Field) -> bool {
        self.place(field).is_there()
    }

    /// A member as it is written; `None` if it is not there.
    pub fn raw(&self, field: Field) -> Option<&[u8]> {
        let place = self.place(field);
        if place.is_there() { self.bytes.get(place.range()) } else { None }
    }

    /// The same, sharing the message's bytes.
    pub fn shared(&self, field: Field) -> Option<Bytes> {
        let place = self.place(field);
        place.is_there().then(|| self.bytes.slice(place.range()))
    }

    /// A member that is a string.
    pub fn text(&self, field: Field) -> Option<Cow<'_, str>> {
        self.raw(field).and_then(scan::unquoted)
    }

    /// The method; empty for an answer.
    pub fn method(&self) -> Cow<'_, str> {
        self.text(Field::Method).unwrap_or_default()
    }

    /// The id as it is written.
    pub fn id(&self) -> Option<&[u8]> {
        self.raw(Field::Id)
    }

    /// Whether this answers something.
    pub fn is_answer(&self) -> bool {
        matches!(self.kind, Kind::Response | Kind::Error)
    }

    /// A member as a value; for the few that are built anew.
    pub fn value(&self, field: Field) -> Option<serde_json::Value> {
        self.raw(field).and_then(|raw| serde_json::from_slice(raw).ok())
    }

    /// The message with some places written anew; everything else stays bit for bit.
    pub fn spliced(self, splice: Splice, limits: Limits) -> Result<Message, Fault> {
        if splice.is_empty() {
            return Ok(self);
        }
        Message::one(splice.applied(&self.bytes), limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Kind, i32>) {
        let got = match read(Bytes::from(text.to_owned()), Limits::default()) {
            Ok(Reading::One(message)) => Ok(message.kind()),
            Ok(Reading::Batch(_)) => Err(0),
            Err(fault) => Err(fault.code),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn kinds_are_told_apart() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, Ok(Kind::Request));
        check(r#"{"jsonrpc":"2.0","method":"a","params":{}}"#, Ok(Kind::Notification));
        check(r#" {"result":{},"id":"x","jsonrpc":"2.0"} "#, Ok(Kind::Response));
        check(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#, Ok(Kind::Error));
        check(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, Ok(Kind::Error));
        check(r#"{"jsonrpc":"2.0","error":{}}"#, Ok(Kind::Error));
        check(r#"[{"jsonrpc":"2.0","method":"a"}]"#, Err(0));
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_right_code() {
        for text in [
            "",
            " ",
            "{",
            "nul",
            "{\"a\":01}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\t\"}",
            "{}{}",
            "[1,]",
            "{\"a\":1e}",
        ] {
            check(text, Err(-32700));
        }
        for text in [
            "1",
            "[]",
            "{}",
            "[1]",
            "[[]]",
            r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","\u006dethod":"b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":{"y":1,"y":2}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"a","NAME":"b"}}"#,
        ] {
            check(text, Err(-32600));
        }
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#, Err(-32602));
        let bad = read(Bytes::from_static(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"), Limits::default());
        assert_eq!(bad.err().map(|fault| fault.code), Some(-32700));
    }

    #[test]
    fn many_keys_are_unique_too() {
        let members = |last: &str| {
            let keys: Vec<String> = (0..5000).map(|index| format!("\"k{index}\":0")).collect();
            format!(r#"{{"jsonrpc":"2.0","method":"a","params":{{{},"{last}":0}}}}"#, keys.join(","))
        };
        check(&members("k5000"), Ok(Kind::Notification));
        check(&members("k4711"), Err(-32600));
    }

    #[test]
    fn depth_and_size_are_limited() {
        let deep = |levels: usize| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"a","params":{}{}}}"#,
                "{\"a\":".repeat(levels) + "1",
                "}".repeat(levels)
            )
        };
        check(&deep(63), Ok(Kind::Notification));
        check(&deep(64), Err(-32600));
        let limits = Limits { bytes: 8, depth: 64 };
        assert_eq!(read(Bytes::from_static(b"123456789"), limits).err().map(|fault| fault.status), Some(413));
    }

    #[test]
    fn members_are_where_they_are() {
        let text = r#"{"jsonrpc":"2.0","id":"a\"b","method":"tools\/call","params":{"_meta":{"progressToken":1.50},"name":"n","arguments":{"name":"other"}}}"#;
        let message = Message::one(Bytes::from_static(text.as_bytes()), Limits::default()).unwrap();
        assert_eq!(message.method(), "tools/call");
        assert_eq!(message.id(), Some(&br#""a\"b""#[..]));
        assert_eq!(message.raw(Field::MetaProgressToken), Some(&b"1.50"[..]));
        assert_eq!(message.text(Field::Name).as_deref(), Some("n"));
        assert_eq!(message.raw(Field::Arguments), Some(&br#"{"name":"other"}"#[..]));
        assert_eq!(message.raw(Field::Result), None);
    }
}
