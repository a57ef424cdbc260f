//! Shapes: a small pattern language that compiles in a microsecond and matches without tables.
//!
//! A regular-expression engine needs a tenth of a millisecond to compile a row and megabytes of tables for all
//! of them; credentials need neither. A shape is bytes, classes `[A-Za-z0-9_-]`, counted runs `{32}`, `{20,64}`,
//! `?`, `+`, groups `(live|test)` that may be optional, and one `^` where the row's literal stands when it is not
//! at the front. Matching is anchored, greedy, and counted in steps.

use crate::prelude::*;

/// The most steps one match may take; a row that needs more is written wrongly (its tests show it).
const MOST_STEPS: usize = 1024;
/// What `+` and `*` mean: everything is bounded.
const LONGEST_RUN: u16 = 1024;

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Class([u64; 4]);

impl Class {
    const EMPTY: Class = Class([0; 4]);

    fn insert(&mut self, byte: u8) {
        if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    fn is_apart(self, other: Class) -> bool {
        self.0.iter().zip(other.0).all(|(word, more)| word & more == 0)
    }

    fn union(self, other: Class) -> Class {
        let mut all = self;
        for (word, more) in all.0.iter_mut().zip(other.0) {
            *word |= more;
        }
        all
    }
}

#[derive(Clone, Copy)]
enum Step {
    /// As many bytes of the class as there are, between the two counts.
    Run {
        class: u16,
        least: u16,
        most: u16,
        /// Giving bytes back cannot help: what follows is never one of the class, or is the end.
        keeps: bool,
    },
    /// Try the next step first, the named one if that fails.
    Split(u16),
    Jump(u16),
    Done,
}

/// A compiled pattern.
pub(super) struct Shape {
    classes: Vec<Class>,
    steps: Vec<Step>,
    /// What may stand before the literal, and how much of it.
    lead: Class,
    longest_lead: usize,
    /// What may not follow the match: more of the same would make it a part of something longer.
    tail: Class,
}

impl Shape {
    /// Compiles a pattern; `None` if it is not well formed.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let mut parser =
            Parser { rest: pattern.as_bytes(), classes: Vec::new(), steps: Vec::new(), literal_at: None };
        parser.alternatives()?;
        if !parser.rest.is_empty() {
            return None;
        }
        parser.steps.push(Step::Done);
        let Parser { classes, steps, literal_at, .. } = parser;
        let mut shape = Shape { classes, steps, lead: Class::EMPTY, longest_lead: 0, tail: word_class() };
        shape.measure_lead(literal_at.unwrap_or(0));
        shape.mark_keepers();
        if let Some(Step::Run { class, .. }) = shape.steps.iter().rev().nth(1) {
            shape.tail = shape.tail.union(shape.class(*class));
        }
        Some(shape)
    }

    fn measure_lead(&mut self, literal_at: usize) {
        for step in self.steps.iter().take(literal_at) {
            if let Step::Run { class, most, .. } = *step {
                self.lead = self.lead.union(self.class(class));
                self.longest_lead += usize::from(most);
            }
        }
    }

    /// A shorter last run would be refused by what follows it; a shorter run before another class by that class.
    fn mark_keepers(&mut self) {
        let classes = &self.classes;
        let class = |index: u16| classes.get(usize::from(index)).copied().unwrap_or(Class::EMPTY);
        let mut next = None;
        for step in self.steps.iter_mut().rev() {
            let after = next.replace(*step);
            if let Step::Run { class: own, keeps, .. } = step {
                *keeps = match after {
                    Some(Step::Done) => true,
                    Some(Step::Run { class: other, least: 1.., .. }) => class(*own).is_apart(class(other)),
                    _ => false,
                };
            }
        }
    }

    /// Whether something of the value may stand before the literal.
    pub(super) fn has_lead(&self) -> bool {
        self.longest_lead > 0
    }

    /// Whether every value of this shape has the same length, and one too long to be a word.
    pub(super) fn is_exact(&self) -> bool {
        let lengths = self.steps.iter().try_fold(0, |length, step| match step {
            Step::Run { least, most, .. } if least == most => Some(length + usize::from(*most)),
            Step::Done => Some(length),
            _ => None,
        });
        lengths.is_some_and(|length| length >= 20)
    }

    fn class(&self, index: u16) -> Class {
        self.classes.get(usize::from(index)).copied().unwrap_or(Class::EMPTY)
    }

    /// The match around a literal found at `literal`: its first byte and the byte after its last.
    pub(super) fn around(&self, bytes: &[u8], literal: usize) -> Option<(usize, usize)> {
        let mut start = literal;
        while literal - start < self.longest_lead
            && start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|&byte| self.lead.has(byte))
        {
            start -= 1;
        }
        let end = self.at(bytes, start)?;
        (end > literal).then_some((start, end))
    }

    /// The end of the match that begins at `start`, if nothing that follows continues it.
    pub(super) fn at(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let end = self.run(bytes, start)?;
        let continues = bytes.get(end).is_some_and(|&byte| self.tail.has(byte));
        (!continues).then_some(end)
    }

    fn run(&self, bytes: &[u8], start: usize) -> Option<usize> {
        // Where to go on when a path fails: the step, and the positions it may still be tried at.
        let mut retries: Vec<(usize, usize, usize)> = Vec::new();
        let (mut step, mut at) = (0, start);
        for _ in 0..MOST_STEPS {
            let next = match *self.steps.get(step)? {
                Step::Done => return Some(at),
                Step::Jump(to) => Some((usize::from(to), at)),
                Step::Split(other) => {
                    retries.push((usize::from(other), at, at));
                    Some((step + 1, at))
                }
                Step::Run { class, least, most, keeps } => {
                    let class = self.classes.get(usize::from(class))?;
                    let rest = bytes.get(at..).unwrap_or_default();
                    let count =
                        rest.iter().take(usize::from(most)).take_while(|&&byte| class.has(byte)).count();
                    let fewest = at + usize::from(least);
                    let longest = at + count;
                    if longest > fewest && !keeps {
                        retries.push((step + 1, fewest, longest - 1));
                    }
                    (longest >= fewest).then_some((step + 1, longest))
                }
            };
            (step, at) = match next {
                Some(place) => place,
                None => {
                    let (step, fewest, longest) = retries.pop()?;
                    if longest > fewest {
                        retries.push((step, fewest, longest - 1));
                    }
                    (step, longest)
                }
            };
        }
        None
    }
}

fn word_class() -> Class {
    let mut class = Class::EMPTY;
    (0..=255u8).filter(u8::is_ascii_alphanumeric).for_each(|byte| class.insert(byte));
    class
}

struct Parser<'p> {
    rest: &'p [u8],
    classes: Vec<Class>,
    steps: Vec<Step>,
    literal_at: Option<usize>,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.next();
        }
        found
    }

    /// `a|b|c` until the end or a closing bracket.
    fn alternatives(&mut self) -> Option<()> {
        let mut exits = Vec::new();
        loop {
            let begin = self.steps.len();
            self.sequence()?;
            if !self.take(b'|') {
                break;
            }
            self.insert(begin, |end| Step::Split(end + 1));
            exits.push(self.steps.len());
            self.steps.push(Step::Done);
        }
        let end = u16::try_from(self.steps.len()).ok()?;
        for exit in exits {
            *self.steps.get_mut(exit)? = Step::Jump(end);
        }
        Some(())
    }

    fn sequence(&mut self) -> Option<()> {
        while let Some(&byte) = self.rest.first() {
            match byte {
                b'|' | b')' => break,
                b'^' => {
                    self.next();
                    self.literal_at = Some(self.steps.len());
                }
                b'(' => {
                    self.next();
                    self.group()?;
                }
                _ => self.piece()?,
            }
        }
        Some(())
    }

    fn group(&mut self) -> Option<()> {
        let begin = self.steps.len();
        self.alternatives()?;
        if !self.take(b')') {
            return None;
        }
        if self.take(b'?') {
            self.insert(begin, Step::Split);
        }
        Some(())
    }

    /// Puts a step at `begin`, made from the index that the end of the program then has.
    fn insert(&mut self, begin: usize, make: impl Fn(u16) -> Step) {
        for step in self.steps.iter_mut().skip(begin) {
            if let Step::Split(to) | Step::Jump(to) = step {
                *to += 1;
            }
        }
        let end = u16::try_from(self.steps.len() + 1).unwrap_or(u16::MAX);
        self.steps.insert(begin, make(end));
    }

    fn piece(&mut self) -> Option<()> {
        let class = self.class()?;
        let (least, most) = self.counts()?;
        let index = self.classes.iter().position(|known| *known == class).unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        self.steps.push(Step::Run { class: u16::try_from(index).ok()?, least, most, keeps: false });
        Some(())
    }

    fn class(&mut self) -> Option<Class> {
        let mut class = Class::EMPTY;
        match self.next()? {
            b'[' => {
                let negated = self.take(b'^');
                while !self.take(b']') {
                    let first = self.member()?;
                    if self.rest.first() == Some(&b'-') && self.rest.get(1) != Some(&b']') {
                        self.next();
                        (first..=self.member()?).for_each(|byte| class.insert(byte));
                    } else {
                        class.insert(first);
                    }
                }
                if negated {
                    class = Class(class.0.map(|word| !word));
                }
            }
            b'\\' => {
                let escaped = self.next()?;
                class.insert(unescape(escaped));
            }
            byte => class.insert(byte),
        }
        Some(class)
    }

    fn member(&mut self) -> Option<u8> {
        match self.next()? {
            b'\\' => self.next().map(unescape),
            byte => Some(byte),
        }
    }

    fn counts(&mut self) -> Option<(u16, u16)> {
        if self.take(b'?') {
            return Some((0, 1));
        }
        if self.take(b'+') {
            return Some((1, LONGEST_RUN));
        }
        if self.take(b'*') {
            return Some((0, LONGEST_RUN));
        }
        if !self.take(b'{') {
            return Some((1, 1));
        }
        let least = self.number()?;
        let most = if self.take(b',') { self.number()? } else { least };
        (self.take(b'}') && least <= most).then_some((least, most))
    }

    fn number(&mut self) -> Option<u16> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        core::str::from_utf8(number).ok()?.parse().ok()
    }
}

fn unescape(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, literal: usize, expected: Option<(usize, usize)>) {
        let shape = Shape::new(pattern).expect("well formed");
        assert_eq!(shape.around(text.as_bytes(), literal), expected, "{pattern} on {text}");
    }

    #[test]
    fn runs_groups_and_leads() {
        check("AK(IA|SA)[A-Z2-7]{4}", "AKIAABCD", 0, Some((0, 8)));
        check("AK(IA|SA)[A-Z2-7]{4}", "AKSAABCD rest", 0, Some((0, 8)));
        check("AK(IA|SA)[A-Z2-7]{4}", "AKIAABCDE", 0, None);
        check("AK(IA|SA)[A-Z2-7]{4}", "AKXAABCD", 0, None);
        check("k-(live-)?[a-z]{3,5}", "k-live-abcd", 0, Some((0, 11)));
        check("k-(live-)?[a-z]{3,5}", "k-abcd.", 0, Some((0, 6)));
        check("[0-9]{3,5}^:AA[a-z]+", "x 1234:AAbc", 6, Some((2, 11)));
        check("[0-9]{3,5}^:AA[a-z]+", "12:AAbc", 2, None);
        check("a[a-z]{1,9}z", "abczdz-", 0, Some((0, 6)));
        check("(a|b|c)x", "cx", 0, Some((0, 2)));
        check("(aa|(b|c)d)?x{2}", "cdxx", 0, Some((0, 4)));
        check(r"[^ \n]{2}\.[\-x]{2}", "ab.-x", 0, Some((0, 5)));
    }

    #[test]
    fn broken_patterns_are_refused() {
        for broken in ["(a", "a)", "[a", "a{2", "a{3,2}"] {
            assert!(Shape::new(broken).is_none(), "{broken}");
        }
    }
}
