//! YAML, as Continue writes it: read only, since it cannot be changed in place with the same certainty.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{Member, Node, Place, Problem, Tree};

/// Deeper than any sensible file, shallow enough for any stack.
const DEEPEST: usize = 64;

/// Reads the first document of a file. Aliases are not followed: a few lines of them can stand for gigabytes.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { events: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            Some((Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _)) => {}
            Some((Event::StreamEnd | Event::DocumentEnd, span)) => {
                return Ok(Node { at: place(&span), span: None, value: Tree::Null });
            }
            Some((event, span)) => return reader.node(event, span, 0),
            None => return Ok(Node { at: Place::START, span: None, value: Tree::Null }),
        }
    }
}

struct Reader<'a> {
    events: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Problem> {
        self.events.next_event().transpose().map_err(|error| wrong(&error))
    }

    /// The next event inside a list or a map, which always have an end.
    fn inner(&mut self) -> Result<(Event<'a>, Span), Problem> {
        self.next()?.ok_or_else(|| Problem::at(Place::START, "this is no YAML".to_owned()))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Problem> {
        let at = place(&span);
        if depth > DEEPEST {
            return Err(Problem::at(at, "nested too deep".to_owned()));
        }
        let value = match event {
            Event::Scalar(text, style, ..) => scalar(text, style),
            Event::SequenceStart(..) => Tree::List(self.list(depth)?),
            Event::MappingStart(..) => Tree::Map(self.map(depth)?),
            _ => Tree::Null,
        };
        Ok(Node { at, span: None, value })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Problem> {
        let mut nodes = Vec::new();
        loop {
            match self.inner()? {
                (Event::SequenceEnd, _) => return Ok(nodes),
                (event, span) => nodes.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Member>, Problem> {
        let mut members = Vec::new();
        loop {
            let key = match self.inner()? {
                (Event::MappingEnd, _) => return Ok(members),
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let (event, span) = self.inner()?;
            let node = self.node(event, span, depth + 1)?;
            // A key that is no text names nothing we look for.
            if let Tree::Text(name) = key.value {
                members.push(Member { at: key.at, span: None, name, node });
            }
        }
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Tree {
    match (style, &*text) {
        (ScalarStyle::Plain, "" | "~" | "null") => Tree::Null,
        (ScalarStyle::Plain, "true") => Tree::Bool(true),
        (ScalarStyle::Plain, "false") => Tree::Bool(false),
        // Numbers stay texts: nothing we look for is one.
        _ => Tree::Text(text.into_owned()),
    }
}

fn place(span: &Span) -> Place {
    Place { line: span.start.line(), column: span.start.col() + 1 }
}

fn wrong(error: &ScanError) -> Problem {
    let at = Place { line: error.marker().line(), column: error.marker().col() + 1 };
    Problem::at(at, "this is no YAML".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_maps_and_texts_are_read_with_their_places() {
        let text = "# c\nname: x\nmcpServers:\n  - name: \"a b\"\n    args: [-y, 'true']\n    env: {A: &k s, B: *k}\n    on: true\n";
        let node = parse(text).unwrap();
        let server = &node.member("mcpServers").unwrap().elements()[0];
        assert_eq!(server.at.to_string(), "4:5");
        assert_eq!(
            server.plain(),
            serde_json::json!({"name": "a b", "args": ["-y", "true"], "env": {"A": "s", "B": null}, "on": true})
        );
    }

    #[test]
    fn what_cannot_be_read_is_said_without_repeating_it() {
        assert_eq!(parse("a: [1\nb: 2").unwrap_err().to_string(), "2:2: this is no YAML");
        assert!(parse(&"[".repeat(1000)).is_err());
    }
}
