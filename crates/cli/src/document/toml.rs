//! TOML, as Codex writes it.

use std::ops::Range;

use serde_json::Number;
use toml_edit::{Document, InlineTable, Item, Table, Value};

use super::{Member, Node, Place, Problem, Ruler, Tree};

/// Deeper than any sensible file; the parser has a bound of its own for inline values, not for headers.
const DEEPEST: usize = 64;

/// Reads a whole file.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let ruler = Ruler::new(text);
    // INVARIANT: the parser counts from the byte-order mark's end, we from the start of the file.
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let reader = Reader { ruler, start };
    let document = Document::parse(text.get(start..).unwrap_or_default()).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        // The parser's words may repeat what stands there, which may be a secret; ours do not.
        Problem::at(reader.ruler.place(offset + start), "this is no TOML".to_owned())
    })?;
    let members = reader.table(document.as_table(), 0)?;
    Ok(Node { at: Place::START, span: None, value: Tree::Map(members) })
}

struct Reader<'a> {
    ruler: Ruler<'a>,
    start: usize,
}

impl Reader<'_> {
    fn place(&self, span: Option<&Range<usize>>) -> Place {
        span.map_or(Place::START, |span| self.ruler.place(span.start))
    }

    fn shifted(&self, span: Option<Range<usize>>) -> Option<Range<usize>> {
        span.map(|span| span.start + self.start..span.end + self.start)
    }

    fn member(&self, key: &toml_edit::Key, node: Node) -> Member {
        let span = self.shifted(key.span());
        Member { at: self.place(span.as_ref()), span, name: key.get().to_owned(), node }
    }

    fn table(&self, table: &Table, depth: usize) -> Result<Vec<Member>, Problem> {
        let keyed = table.iter().filter_map(|(name, item)| Some((table.key(name)?, item)));
        keyed.map(|(key, item)| Ok(self.member(key, self.item(key, item, depth)?))).collect()
    }

    fn inline(&self, table: &InlineTable, depth: usize) -> Result<Vec<Member>, Problem> {
        let keyed = table.iter().filter_map(|(name, value)| Some((table.key(name)?, value)));
        keyed.map(|(key, value)| Ok(self.member(key, self.value(value, depth)?))).collect()
    }

    fn item(&self, key: &toml_edit::Key, item: &Item, depth: usize) -> Result<Node, Problem> {
        let at = self.place(self.shifted(key.span()).as_ref());
        if depth > DEEPEST {
            return Err(Problem::at(at, "nested too deep".to_owned()));
        }
        let value = match item {
            Item::Value(value) => return self.value(value, depth + 1),
            Item::None => Tree::Null,
            // A table below headers may stand in several pieces: it has members, but no bytes of its own.
            Item::Table(table) => Tree::Map(self.table(table, depth + 1)?),
            Item::ArrayOfTables(tables) => {
                let tables = tables.iter().map(|table| {
                    Ok(Node { at, span: None, value: Tree::Map(self.table(table, depth + 1)?) })
                });
                Tree::List(tables.collect::<Result<_, Problem>>()?)
            }
        };
        Ok(Node { at, span: None, value })
    }

    fn value(&self, value: &Value, depth: usize) -> Result<Node, Problem> {
        let span = self.shifted(value.span());
        let at = self.place(span.as_ref());
        if depth > DEEPEST {
            return Err(Problem::at(at, "nested too deep".to_owned()));
        }
        let tree = match value {
            Value::String(text) => Tree::Text(text.value().clone()),
            Value::Integer(number) => Tree::Number(Number::from(*number.value())),
            Value::Float(number) => Number::from_f64(*number.value()).map_or(Tree::Null, Tree::Number),
            Value::Boolean(bool) => Tree::Bool(*bool.value()),
            Value::Datetime(time) => Tree::Text(time.value().to_string()),
            Value::Array(array) => {
                let nodes = array.iter().map(|value| self.value(value, depth + 1));
                Tree::List(nodes.collect::<Result<_, _>>()?)
            }
            Value::InlineTable(table) => Tree::Map(self.inline(table, depth + 1)?),
        };
        // A dotted key inside braces makes a table without bytes of its own.
        let span = span.filter(|_| !matches!(value, Value::InlineTable(table) if table.is_dotted()));
        Ok(Node { at, span, value: tree })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_their_bytes_are_found_wherever_they_stand() {
        let text = "\u{feff}# a\r\n[a.b]\r\nx = \"\u{e9}\" # c\r\ny = [1, {z = true}]\r\n[a]\r\nb.d.e = 'q'\r\n[a.c]\nf=1.5\n";
        let node = parse(&text.replace("b.d.e", "d.e")).unwrap();
        let text = text.replace("b.d.e", "d.e");
        let a = node.member("a").unwrap();
        let written = |span: &Option<Range<usize>>| text[span.clone().unwrap()].to_owned();
        let x = a.member("b").unwrap().find("x").unwrap();
        assert_eq!((written(&x.span), written(&x.node.span)), ("x".to_owned(), "\"\u{e9}\"".to_owned()));
        assert_eq!(x.at.to_string(), "3:1");
        let y = a.member("b").unwrap().member("y").unwrap();
        assert_eq!(written(&y.span), "[1, {z = true}]");
        assert_eq!(a.member("d").unwrap().find("e").unwrap().at.to_string(), "6:3");
        assert!(a.span.is_none());
        assert_eq!(a.member("c").unwrap().plain(), serde_json::json!({"f": 1.5}));
    }

    #[test]
    fn an_error_says_where_and_repeats_nothing() {
        assert_eq!(parse("a = 1\nb = sk-secret\n").unwrap_err().to_string(), "2:5: this is no TOML");
        let deep = format!("[{}a]\nb = 1\n", "a.".repeat(100));
        assert!(parse(&deep).is_err());
    }
}
