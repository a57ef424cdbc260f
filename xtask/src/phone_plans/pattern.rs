//! The part of regular expressions that numbering plans are written in, asked which leading digits it allows.

use anyhow::{Result, bail};

enum Node {
    /// A digit of a set, one bit for each.
    Digit(u16),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, usize, usize),
}

/// A pattern such as `[2-9]\d{9}|3\d{6}`.
pub(super) struct Pattern(Node);

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self> {
        let mut reader = Reader { rest: text };
        let node = reader.either()?;
        if !reader.rest.is_empty() {
            bail!("`{text}`: cannot read `{}`", reader.rest);
        }
        Ok(Pattern(node))
    }

    /// Whether some number of `length` digits that begins with the three digits of `triple` matches.
    pub(super) fn allows(&self, triple: u16, length: usize) -> bool {
        let leading = [triple / 100, triple / 10 % 10, triple % 10];
        // One bit for every position the match may have come to.
        ends(&self.0, 1, &leading, length) >> length & 1 == 1
    }
}

fn ends(node: &Node, starts: u32, leading: &[u16], length: usize) -> u32 {
    match node {
        Node::Digit(set) => (0..length)
            .filter(|&at| starts >> at & 1 == 1)
            .filter(|&at| leading.get(at).is_none_or(|digit| set >> digit & 1 == 1))
            .fold(0, |all, at| all | 1 << (at + 1)),
        Node::Sequence(nodes) => nodes.iter().fold(starts, |at, node| ends(node, at, leading, length)),
        Node::Either(nodes) => nodes.iter().fold(0, |all, node| all | ends(node, starts, leading, length)),
        Node::Repeat(node, least, most) => {
            let mut at = starts;
            let mut all = if *least == 0 { starts } else { 0 };
            for round in 1..=*most {
                at = ends(node, at, leading, length);
                if round >= *least {
                    all |= at;
                }
            }
            all
        }
    }
}

struct Reader<'p> {
    rest: &'p str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn either(&mut self) -> Result<Node> {
        let mut nodes = vec![self.sequence()?];
        while self.take("|") {
            nodes.push(self.sequence()?);
        }
        Ok(Node::Either(nodes))
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut nodes = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let node = self.single()?;
            nodes.push(self.repeated(node)?);
        }
        Ok(Node::Sequence(nodes))
    }

    fn single(&mut self) -> Result<Node> {
        if self.take("(?:") || self.take("(") {
            let node = self.either()?;
            if !self.take(")") {
                bail!("no closing bracket before `{}`", self.rest);
            }
            return Ok(node);
        }
        if self.take("\\d") {
            return Ok(Node::Digit(0x3ff));
        }
        if self.take("[") {
            let mut set = 0;
            while !self.take("]") {
                let first = self.digit()?;
                let last = if self.take("-") { self.digit()? } else { first };
                set |= (first..=last).fold(0, |set, digit| set | 1 << digit);
            }
            return Ok(Node::Digit(set));
        }
        Ok(Node::Digit(1 << self.digit()?))
    }

    fn repeated(&mut self, node: Node) -> Result<Node> {
        if self.take("?") {
            return Ok(Node::Repeat(Box::new(node), 0, 1));
        }
        if !self.take("{") {
            return Ok(node);
        }
        let Some((counts, rest)) = self.rest.split_once('}') else { bail!("no end of `{{{}`", self.rest) };
        self.rest = rest;
        let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
        Ok(Node::Repeat(Box::new(node), least.parse()?, most.parse()?))
    }

    fn digit(&mut self) -> Result<u32> {
        let mut characters = self.rest.chars();
        let Some(digit) = characters.next().and_then(|first| first.to_digit(10)) else {
            bail!("`{}` does not begin with a digit", self.rest);
        };
        self.rest = characters.as_str();
        Ok(digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, triple: u16, length: usize, expected: bool) {
        let allows = Pattern::new(pattern).unwrap().allows(triple, length);
        assert_eq!(allows, expected, "{pattern} {triple} {length}");
    }

    #[test]
    fn leading_digits_and_lengths() {
        check(r"[2-9]\d{9}|3\d{6}", 212, 10, true);
        check(r"[2-9]\d{9}|3\d{6}", 112, 10, false);
        check(r"[2-9]\d{9}|3\d{6}", 312, 7, true);
        check(r"[2-9]\d{9}|3\d{6}", 412, 7, false);
        check(r"4(?:0[02]|37)\d{1,3}", 402, 4, true);
        check(r"4(?:0[02]|37)\d{1,3}", 401, 4, false);
        check(r"4(?:0[02]|37)\d{1,3}", 437, 7, false);
        check(r"8\d{5}(?:\d{2})?", 800, 8, true);
        check(r"8\d{5}(?:\d{2})?", 800, 7, false);
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(Pattern::new("a").is_err());
        assert!(Pattern::new("(1").is_err());
        assert!(Pattern::new("1)").is_err());
    }
}
