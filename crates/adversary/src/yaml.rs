//! Reads one YAML document into nodes. Plain scalars mean what they mean in JSON; everything else is text.

use crate::mistake::{Mistake, Place};
use crate::node::{Node, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

/// No scenario needs more.
const MOST_BYTES: usize = 1 << 20;
const MOST_DEPTH: usize = 64;

/// Reads the document of a file. Anchors, aliases and tags are refused: what is read is what stands there.
pub(crate) fn read(file: &str, text: &str) -> Result<Node, Mistake> {
    let wrong = |line: usize, what: String| Mistake::new(Place::new(file, line, ""), what);
    if text.len() > MOST_BYTES {
        return Err(wrong(1, format!("the file has more than {MOST_BYTES} bytes")));
    }
    let mut reader = Reader { parser: Parser::new_from_str(text) };
    let document = reader.document().map_err(|(line, what)| wrong(line, what))?;
    Ok(document)
}

type Outcome<T> = Result<T, (usize, String)>;

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Outcome<Node> {
        let mut document = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return document.ok_or((1, "the file is empty".to_owned())),
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
                _ if document.is_some() => {
                    return Err((span.start.line(), "a file holds one document".to_owned()));
                }
                event => document = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn next(&mut self) -> Outcome<(Event<'a>, Span)> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err((error.marker().line(), format!("no valid YAML: {}", error.info()))),
            None => Err((1, "the file ends early".to_owned())),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Outcome<Node> {
        let line = span.start.line();
        if depth > MOST_DEPTH {
            return Err((line, format!("nested deeper than {MOST_DEPTH}")));
        }
        let value = match event {
            Event::Scalar(text, style, 0, None) => scalar(text.into_owned(), style),
            Event::SequenceStart(0, None) => self.list(depth)?,
            Event::MappingStart(0, None) => self.map(depth)?,
            _ => return Err((line, "anchors, aliases and tags are not part of the format".to_owned())),
        };
        Ok(Node { line, value })
    }

    fn list(&mut self, depth: usize) -> Outcome<Value> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(items)),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Outcome<Value> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            let line = span.start.line();
            let key = match event {
                Event::MappingEnd => return Ok(Value::Map(entries)),
                Event::Scalar(text, _, 0, None) => text.into_owned(),
                _ => return Err((line, "a key is text".to_owned())),
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err((line, format!("`{}` stands here twice", key.escape_debug())));
            }
            let (event, span) = self.next()?;
            let mut node = self.node(event, span, depth + 1)?;
            node.line = line;
            entries.push((key, node));
        }
    }
}

fn scalar(text: String, style: ScalarStyle) -> Value {
    if !matches!(style, ScalarStyle::Plain) {
        return Value::Text(text);
    }
    match serde_json::from_str(&text) {
        Ok(serde_json::Value::Null) => Value::Null,
        Ok(serde_json::Value::Bool(yes)) => Value::Bool(yes),
        Ok(serde_json::Value::Number(_)) => Value::Spelt(text),
        _ => Value::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_json_would_mean() {
        let text = "a: 1.50\nb: [true, null, yes, '1', \"\\u200b\\U000E0041\"]\nc:\n  - d: |\n      two\n      lines\n";
        let node = read("f", text).unwrap();
        assert_eq!(
            node.json(),
            "{\"a\":1.50,\"b\":[true,null,\"yes\",\"1\",\"\u{200b}\u{e0041}\"],\"c\":[{\"d\":\"two\\nlines\\n\"}]}"
        );
        assert_eq!(node.get("c").map(|c| c.line), Some(3));
    }

    #[test]
    fn refuses_with_a_line() {
        let check =
            |text: &str, expected: &str| assert_eq!(read("f", text).unwrap_err().to_string(), expected);
        check("a: 1\nb: 2\na: 3\n", "f:3: `a` stands here twice");
        check("a: &x 1\nb: *x\n", "f:1: anchors, aliases and tags are not part of the format");
        check("a: !!str 1", "f:1: anchors, aliases and tags are not part of the format");
        check("", "f:1: the file is empty");
        check("a: 1\n---\nb: 2\n", "f:3: a file holds one document");
        assert!(read("f", &"[".repeat(200)).unwrap_err().to_string().contains("deeper"));
        assert!(read("f", "a: [").is_err());
    }
}
