//! What a YAML file holds, in its order and with its lines, and how it is written as JSON.

use std::fmt::Write;

/// A value and the line it stands on. Two nodes are equal when their values are.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// JSON that is written as it was spelt: a number, or what a client sent.
    Spelt(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.value == other.value
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Node {
        Node { line: 0, value }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Node {
        Value::Text(text.to_owned()).into()
    }
}

impl From<u64> for Node {
    fn from(number: u64) -> Node {
        Value::Spelt(number.to_string()).into()
    }
}

impl Node {
    pub(crate) fn map<const N: usize>(entries: [(&str, Node); N]) -> Node {
        Value::Map(entries.map(|(key, node)| (key.to_owned(), node)).into()).into()
    }

    pub(crate) fn list(nodes: impl IntoIterator<Item = Node>) -> Node {
        Value::List(nodes.into_iter().collect()).into()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// Puts an entry into a map, over one of the same key.
    pub(crate) fn put(&mut self, key: &str, node: Node) {
        let Value::Map(entries) = &mut self.value else { return };
        match entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = node,
            None => entries.push((key.to_owned(), node)),
        }
    }

    pub(crate) fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same tree with every text, keys too, changed.
    pub(crate) fn with_texts(&self, change: &impl Fn(&str) -> String) -> Node {
        let value = match &self.value {
            Value::Text(text) => Value::Text(change(text)),
            Value::List(items) => Value::List(items.iter().map(|item| item.with_texts(change)).collect()),
            Value::Map(entries) => {
                let changed = entries.iter().map(|(key, node)| (change(key), node.with_texts(change)));
                Value::Map(changed.collect())
            }
            other => other.clone(),
        };
        Node { line: self.line, value }
    }

    /// JSON as it is served: everything that need not be escaped is raw.
    pub(crate) fn json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, false);
        out
    }

    /// JSON for people and terminals: every character outside printable ASCII is an escape.
    pub(crate) fn ascii_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, true);
        out
    }

    fn write(&self, out: &mut String, is_ascii: bool) {
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
            Value::Spelt(number) => out.push_str(number),
            Value::Text(text) => write_text(out, text, is_ascii),
            Value::List(items) => {
                write_all(out, ['[', ']'], items, |out, item| item.write(out, is_ascii));
            }
            Value::Map(entries) => write_all(out, ['{', '}'], entries, |out, (key, node)| {
                write_text(out, key, is_ascii);
                out.push(':');
                node.write(out, is_ascii);
            }),
        }
    }
}

fn write_all<T>(out: &mut String, [open, close]: [char; 2], all: &[T], one: impl Fn(&mut String, &T)) {
    out.push(open);
    for (index, item) in all.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        one(out, item);
    }
    out.push(close);
}

fn write_text(out: &mut String, text: &str, is_ascii: bool) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' || (is_ascii && !(' '..='~').contains(&c)) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // INVARIANT: writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_it_holds_in_its_order() {
        let node = Node::map([
            (
                "b",
                Node::list([
                    Value::Null.into(),
                    Value::Bool(true).into(),
                    Value::Spelt("1.50".to_owned()).into(),
                ]),
            ),
            ("a", "line\n\"q\" \u{1b} \u{e9}\u{e0041}".into()),
        ]);
        assert_eq!(
            node.json(),
            "{\"b\":[null,true,1.50],\"a\":\"line\\n\\\"q\\\" \\u001b \u{e9}\u{e0041}\"}"
        );
        assert!(node.ascii_json().ends_with("\\u001b \\u00e9\\udb40\\udc41\"}"));
        let read: serde_json::Value = serde_json::from_str(&node.ascii_json()).unwrap();
        assert_eq!(read["a"], "line\n\"q\" \u{1b} \u{e9}\u{e0041}");
    }
}
