//! JSON with comments, every value with the place where it stands, so that an error can point at it.

use std::collections::HashSet;

use super::{Member, Node, Place, Problem, Ruler, Tree};

/// Deeper than any sensible file, shallow enough for any stack.
const DEEPEST: usize = 64;

/// Reads a whole file.
pub(crate) fn parse(text: &str) -> Result<Node, Problem> {
    read(text, false)
}

/// Reads a whole file in which a comma may stand after the last element, as editors let their users write.
pub(crate) fn parse_leniently(text: &str) -> Result<Node, Problem> {
    read(text, true)
}

fn read(text: &str, allows_trailing_comma: bool) -> Result<Node, Problem> {
    let at = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut reader = Reader { text, at, ruler: Ruler::new(text), allows_trailing_comma };
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("nothing may follow the closing brace")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    ruler: Ruler<'a>,
    allows_trailing_comma: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn place(&self) -> Place {
        self.ruler.place(self.at)
    }

    fn wrong(&self, message: &str) -> Problem {
        Problem::at(self.place(), message.to_owned())
    }

    /// Passes over space and comments.
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if space > 0 {
                self.at += space;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| self.wrong("this comment does not end"))?;
                self.at += end + "/**/".len();
            } else {
                return Ok(());
            }
        }
    }

    fn eat(&mut self, token: char) -> Result<bool, Problem> {
        self.skip()?;
        let is_there = self.peek() == Some(token);
        self.at += if is_there { token.len_utf8() } else { 0 };
        Ok(is_there)
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        self.skip()?;
        let (at, start) = (self.place(), self.at);
        if depth > DEEPEST {
            return Err(self.wrong("nested too deep"));
        }
        let value = match self.peek() {
            Some('{') => self.map(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Tree::Text(self.text()?),
            _ => self.word()?,
        };
        Ok(Node { at, span: Some(start..self.at), value })
    }

    /// Passes what follows an element: the end, or a comma and then perhaps the end.
    fn ends(&mut self, closing: char) -> Result<bool, Problem> {
        if self.eat(closing)? {
            return Ok(true);
        }
        if !self.eat(',')? {
            return Err(self.wrong(&format!("a comma or {closing} belongs here")));
        }
        Ok(self.allows_trailing_comma && self.eat(closing)?)
    }

    fn list(&mut self, depth: usize) -> Result<Tree, Problem> {
        self.eat('[')?;
        let mut nodes = Vec::new();
        if self.eat(']')? {
            return Ok(Tree::List(nodes));
        }
        loop {
            nodes.push(self.value(depth + 1)?);
            if self.ends(']')? {
                return Ok(Tree::List(nodes));
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Tree, Problem> {
        self.eat('{')?;
        let mut members: Vec<Member> = Vec::new();
        let mut names = HashSet::new();
        if self.eat('}')? {
            return Ok(Tree::Map(members));
        }
        loop {
            self.skip()?;
            let (at, start) = (self.place(), self.at);
            if self.peek() != Some('"') {
                return Err(self.wrong("a key in double quotes belongs here"));
            }
            let name = self.text()?;
            let span = Some(start..self.at);
            if !names.insert(name.clone()) {
                return Err(Problem::at(at, format!("`{name}` is here twice")));
            }
            if !self.eat(':')? {
                return Err(self.wrong("a colon belongs here"));
            }
            members.push(Member { at, span, name, node: self.value(depth + 1)? });
            if self.ends('}')? {
                return Ok(Tree::Map(members));
            }
        }
    }

    fn text(&mut self) -> Result<String, Problem> {
        let rest = self.rest();
        let mut is_escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            ends
        });
        let (end, _) = end.ok_or_else(|| self.wrong("this text does not end"))?;
        let literal = rest.get(..=end).unwrap_or_default();
        let text = serde_json::from_str(literal).map_err(|_| self.wrong("this is no JSON text"))?;
        self.at += literal.len();
        Ok(text)
    }

    fn word(&mut self) -> Result<Tree, Problem> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let value = match word {
            "" => return Err(self.wrong("a value belongs here")),
            "null" => Tree::Null,
            "true" => Tree::Bool(true),
            "false" => Tree::Bool(false),
            number => Tree::Number(serde_json::from_str(number).map_err(|_| self.wrong("this is no value"))?),
        };
        self.at += word.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_are_kept_out_and_in() {
        let text = "// first\n{ /* why */ \"b\": [1, -2.5e3, true, null], // then\n  \"a\": \"x // \\\" no \\u0041\" }\n";
        let node = parse(text).unwrap();
        let names: Vec<&str> = node.members().iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(node.members()[1].at.to_string(), "3:3");
        assert!(matches!(&node.member("a").unwrap().value, Tree::Text(text) if text == "x // \" no A"));
        assert!(matches!(&node.member("b").unwrap().value, Tree::List(nodes) if nodes.len() == 4));
    }

    #[test]
    fn bytes_are_known_of_every_value() {
        let text = "\u{feff}{ \"a\": [1, \"\u{e9}\",], // x\r\n \"b\": {},\n}";
        let node = parse_leniently(text).unwrap();
        let written = |span: &Option<std::ops::Range<usize>>| &text[span.clone().unwrap()];
        assert_eq!(written(&node.span), &text[3..]);
        assert_eq!(written(&node.members()[0].node.span), "[1, \"\u{e9}\",]");
        assert_eq!(
            (written(&node.members()[1].span), node.members()[1].at.to_string().as_str()),
            ("\"b\"", "2:2")
        );
        assert!(parse(text).is_err(), "commas at the end are only for those who ask");
        assert!(parse_leniently("[,]").is_err() && parse_leniently("[1,,]").is_err());
    }

    #[test]
    fn an_error_says_where() {
        for (text, expected) in [
            ("{\n  \"a\": 1,\n}", "3:1: a key in double quotes belongs here"),
            ("{\"a\": 1, \"a\": 2}", "1:10: `a` is here twice"),
            ("{\"a\" 1}", "1:6: a colon belongs here"),
            ("[1 2]", "1:4: a comma or ] belongs here"),
            ("{\"a\": yes}", "1:7: this is no value"),
            ("{} {}", "1:4: nothing may follow the closing brace"),
            ("/* a", "1:1: this comment does not end"),
            ("\"a", "1:1: this text does not end"),
            ("\"\\q\"", "1:1: this is no JSON text"),
            ("", "1:1: a value belongs here"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
        }
        assert!(parse(&"[".repeat(100)).unwrap_err().to_string().ends_with("nested too deep"));
    }
}
