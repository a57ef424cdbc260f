//! One strict pass over the bytes of a message: is it JSON, how deep, are keys unique, and where is what we need.

use std::borrow::Cow;

use super::place::{Field, Places, Role, Span, field, is_look_alike};

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    NotUtf8,
    NotJson(&'static str),
    TooDeep,
    DuplicateKey,
    LookAlike,
}

/// What one pass found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) places: Box<Places>,
    /// Where the elements are, if it is an array.
    pub(crate) elements: Option<Vec<Span>>,
}

/// Reads the bytes once.
pub(crate) fn scan(bytes: &[u8], deepest: u8) -> Result<Scan, Flaw> {
    if std::str::from_utf8(bytes).is_err() {
        return Err(Flaw::NotUtf8);
    }
    let mut walk =
        Walk { bytes, at: 0, left: deepest, keys: Vec::new(), opened: Vec::new(), found: Scan::default() };
    walk.blank();
    if walk.peek() == Some(b'[') {
        walk.found.elements = Some(Vec::new());
    }
    let is_batch = walk.found.elements.is_some();
    walk.value(if is_batch { Role::Other } else { Role::Top }, is_batch)?;
    walk.blank();
    if walk.at < bytes.len() { Err(Flaw::NotJson("something follows the message")) } else { Ok(walk.found) }
}

/// The characters of a string written between quotes; borrowed when nothing is escaped.
pub(crate) fn unquoted(quoted: &[u8]) -> Option<Cow<'_, str>> {
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_none() {
        return std::str::from_utf8(inner).ok().map(Cow::Borrowed);
    }
    serde_json::from_slice(quoted).ok().map(Cow::Owned)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u8,
    /// Keys of the objects that are open, innermost last.
    keys: Vec<Key>,
    /// Keys that had escapes, without them.
    opened: Vec<Box<[u8]>>,
    found: Scan,
}

#[derive(Clone, Copy)]
enum Key {
    Plain(Span),
    Opened(usize),
}

impl<'a> Walk<'a> {
    fn value(&mut self, role: Role, is_batch: bool) -> Result<Span, Flaw> {
        self.blank();
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.nested(|walk| walk.object(role))?,
            Some(b'[') => self.nested(|walk| walk.array(is_batch))?,
            Some(b'"') => drop(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            Some(_) => return Err(Flaw::NotJson("a value was expected")),
            None => return Err(Flaw::NotJson("the text ends too early")),
        }
        Ok(Span::new(start, self.at))
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Flaw>) -> Result<(), Flaw> {
        self.left = self.left.checked_sub(1).ok_or(Flaw::TooDeep)?;
        self.at += 1;
        read(self)?;
        self.left += 1;
        Ok(())
    }

    fn object(&mut self, role: Role) -> Result<(), Flaw> {
        if self.takes(b'}') {
            return Ok(());
        }
        let (first_key, first_opened) = (self.keys.len(), self.opened.len());
        loop {
            self.blank();
            if self.peek() != Some(b'"') {
                return Err(Flaw::NotJson("a key was expected"));
            }
            let key = self.key()?;
            self.keys.push(key);
            if !self.takes(b':') {
                return Err(Flaw::NotJson("`:` was expected"));
            }
            self.member(role, key)?;
            if self.takes(b'}') {
                break;
            }
            if !self.takes(b',') {
                return Err(Flaw::NotJson("`,` or `}` was expected"));
            }
        }
        self.check_unique(first_key)?;
        self.keys.truncate(first_key);
        self.opened.truncate(first_opened);
        Ok(())
    }

    fn member(&mut self, role: Role, key: Key) -> Result<(), Flaw> {
        if role == Role::Other {
            return self.value(Role::Other, false).map(drop);
        }
        let name = self.name(key);
        let field = field(role, name);
        if field.is_none() && is_look_alike(role, name) {
            return Err(Flaw::LookAlike);
        }
        let inner = match field {
            Some(Field::Params) => Role::Params,
            Some(Field::Result) => Role::Result,
            Some(Field::Error) => Role::Error,
            Some(Field::Meta) => Role::ParamsMeta,
            Some(Field::ResultMeta) => Role::ResultMeta,
            Some(Field::ResultTask) => Role::ResultTask,
            Some(Field::MetaRelatedTask | Field::ResultRelatedTask) => Role::RelatedTask,
            _ => Role::Other,
        };
        let span = self.value(inner, false)?;
        if let Some(field) = field {
            self.found.places.set(field, span);
        }
        Ok(())
    }

    fn array(&mut self, is_batch: bool) -> Result<(), Flaw> {
        if self.takes(b']') {
            return Ok(());
        }
        loop {
            let span = self.value(Role::Other, false)?;
            if is_batch && let Some(elements) = &mut self.found.elements {
                elements.push(span);
            }
            if self.takes(b']') {
                return Ok(());
            }
            if !self.takes(b',') {
                return Err(Flaw::NotJson("`,` or `]` was expected"));
            }
        }
    }

    fn key(&mut self) -> Result<Key, Flaw> {
        let start = self.at;
        let has_escapes = self.string()?;
        if !has_escapes {
            return Ok(Key::Plain(Span::new(start + 1, self.at - 1)));
        }
        let quoted = self.bytes.get(start..self.at).unwrap_or_default();
        let text: String = serde_json::from_slice(quoted).map_err(|_| Flaw::NotJson("an escape is wrong"))?;
        self.opened.push(text.into_bytes().into_boxed_slice());
        Ok(Key::Opened(self.opened.len() - 1))
    }

    fn name(&self, key: Key) -> &[u8] {
        match key {
            Key::Plain(span) => self.bytes.get(span.range()).unwrap_or_default(),
            Key::Opened(index) => self.opened.get(index).map(|key| &**key).unwrap_or_default(),
        }
    }

    /// Few keys are compared pairwise; many are sorted, so that no number of them makes it slow.
    fn check_unique(&self, first: usize) -> Result<(), Flaw> {
        let keys = self.keys.get(first..).unwrap_or_default();
        let has_twins = if keys.len() <= 12 {
            keys.iter().enumerate().any(|(index, one)| {
                let one = self.name(*one);
                keys.iter().take(index).any(|other| self.name(*other) == one)
            })
        } else {
            let mut names: Vec<&[u8]> = keys.iter().map(|key| self.name(*key)).collect();
            names.sort_unstable();
            names.windows(2).any(|pair| pair.first() == pair.last())
        };
        if has_twins { Err(Flaw::DuplicateKey) } else { Ok(()) }
    }

    /// Reads a string; whether it has escapes.
    fn string(&mut self) -> Result<bool, Flaw> {
        let mut has_escapes = false;
        self.at += 1;
        loop {
            self.plain();
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    self.escape()?;
                }
                Some(byte) if byte < 0x20 => return Err(Flaw::NotJson("a control character in a string")),
                Some(_) => self.at += 1,
                None => return Err(Flaw::NotJson("the text ends too early")),
            }
        }
        self.at += 1;
        Ok(has_escapes)
    }

    /// Skips eight bytes at a time as long as none of them ends, escapes or breaks a string.
    fn plain(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGHS: u64 = 0x8080_8080_8080_8080;
        let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
        while let Some(chunk) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk);
            let quote = has_zero(word ^ (ONES * b'"' as u64));
            let slash = has_zero(word ^ (ONES * b'\\' as u64));
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
            let found = quote | slash | control;
            if found != 0 {
                self.at += (found.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        const WRONG: Flaw = Flaw::NotJson("an escape is wrong");
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let first = self.hex(self.at + 2).ok_or(WRONG)?;
                self.at += 6;
                if (0xd800..0xdc00).contains(&first) {
                    // Half a pair stands for no character; readers differ in what they make of it.
                    let is_pair = self.bytes.get(self.at..self.at + 2) == Some(b"\\u");
                    let second = self.hex(self.at + 2).filter(|half| (0xdc00..0xe000).contains(half));
                    second.filter(|_| is_pair).ok_or(WRONG)?;
                    self.at += 6;
                } else if (0xdc00..0xe000).contains(&first) {
                    return Err(WRONG);
                }
            }
            _ => return Err(WRONG),
        }
        Ok(())
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
    }

    fn number(&mut self) -> Result<(), Flaw> {
        const WRONG: Flaw = Flaw::NotJson("a number is spelt wrong");
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => drop(self.digits()),
            _ => return Err(WRONG),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits().ok_or(WRONG)?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits().ok_or(WRONG)?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Flaw> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(Flaw::NotJson("a value was expected"));
        }
        self.at += word.len();
        Ok(())
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.blank();
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
