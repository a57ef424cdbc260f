//! Cuts one text unit into words, identifiers, paths, addresses, tags and punctuation, in one walk.
//!
//! Every token knows its bytes in the raw text and the classes of its word (see [`super::lexicon`]), so checks
//! reason about who is addressed and what is demanded, not about spellings. ASCII runs take a fast path;
//! anything else is normalised (NFKC, invisibles stripped, lower-cased, look-alikes folded) chunk by chunk.

use crate::prelude::*;
use crate::text::bytes::Bytes;
use crate::text::fold;
use crate::text::lexicon::{Classes, Entry, Lexicon};
use crate::text::unicode::{is_stripped, is_unspaced};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Word,
    /// `snake_case`, `camelCase`, `kebab-case`, `dotted.name`, `name()`.
    Identifier,
    /// A file path, also a bare dotfile.
    Path,
    Url,
    Email,
    Number,
    /// `<name …>`, `</name>`, `<!--`, `[INST]`, `<|im_start|>`.
    Tag,
    /// A quotation mark or backtick.
    Quote,
    /// `.`, `!`, `?`, `。` and a line break that ends a paragraph or list item.
    Stop,
    /// `,`, `:`, `;`, brackets, dashes.
    Pause,
}

/// One token of a unit; `start..end` are bytes of the unit's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) shape: Shape,
    pub(crate) classes: Classes,
    /// The word's number in the lexicon, 0 if it is not there.
    pub(crate) word: u16,
    /// The first token of a line.
    pub(crate) opens_line: bool,
}

/// Cuts `text` into `tokens` (appended).
pub(crate) fn tokenise(text: &str, lexicon: &Lexicon, tokens: &mut Vec<Token>) {
    let first = tokens.len();
    let mut cutter = Cutter { text, bytes: text.as_bytes(), at: 0, lexicon, tokens, opens_line: true };
    cutter.run();
    lexicon.mark_phrases(tokens.get_mut(first..).unwrap_or_default());
}

struct Cutter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    lexicon: &'t Lexicon,
    tokens: &'t mut Vec<Token>,
    opens_line: bool,
}

impl Cutter<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C => self.at += 1,
                b'\n' => self.line_break(),
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.chunk(),
                b'~' | b'/' | b'\\' | b'$' | b'%' if self.starts_path() => self.chunk(),
                b'.' if self.starts_dotfile() => self.chunk(),
                b'<' | b'[' | b'#' if self.tag() => {}
                b'"' | b'\'' | b'`' => self.push_plain(1, Shape::Quote),
                b'.' | b'!' | b'?' => self.push_plain(1, Shape::Stop),
                b',' | b':' | b';' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'-' | b'=' | b'|' | b'<'
                | b'>' => {
                    self.push_plain(1, Shape::Pause);
                }
                128.. => self.foreign(),
                _ => self.at += 1,
            }
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(b' ')
    }

    fn push(&mut self, start: usize, end: usize, shape: Shape, entry: Entry) {
        self.tokens.push(Token {
            start: position(start),
            end: position(end),
            shape,
            classes: entry.classes,
            word: entry.word,
            opens_line: self.opens_line,
        });
        self.opens_line = false;
    }

    fn push_plain(&mut self, width: usize, shape: Shape) {
        self.push(self.at, self.at + width, shape, Entry::default());
        self.at += width;
    }

    /// A line break ends a sentence when the next line opens a paragraph, a list item or a heading.
    fn line_break(&mut self) {
        let start = self.at;
        let mut breaks = 0;
        while let byte @ (b'\n' | b' ' | b'\t' | b'\r') = self.peek(0) {
            if self.at >= self.bytes.len() {
                break;
            }
            breaks += usize::from(byte == b'\n');
            self.at += 1;
        }
        let opens_item = matches!(self.peek(0), b'-' | b'*' | b'#' | b'<' | b'|' | b'@' | 226)
            || (self.peek(0).is_ascii_digit() && matches!(self.peek(1), b'.' | b')'));
        let was_heading = self.tokens.last().is_some_and(|last| {
            last.shape == Shape::Pause && self.bytes.get(last.start as usize) == Some(&b':')
        });
        if breaks > 1 || opens_item || was_heading {
            self.push(start, start + 1, Shape::Stop, Entry::default());
        }
        self.opens_line = true;
    }

    fn starts_path(&self) -> bool {
        match self.peek(0) {
            b'~' => matches!(self.peek(1), b'/' | b'\\'),
            b'/' => self.peek(1).is_ascii_alphabetic() || self.peek(1) == b'.',
            b'\\' => self.peek(1) == b'\\',
            b'$' => {
                self.peek(1).is_ascii_uppercase()
                    || (self.peek(1) == b'{' && self.peek(2).is_ascii_uppercase())
            }
            _ => self.peek(1).is_ascii_uppercase() && self.peek(2).is_ascii_uppercase(),
        }
    }

    fn starts_dotfile(&self) -> bool {
        let opens = self.at == 0 || !self.bytes.get(self.at - 1).is_some_and(u8::is_ascii_alphanumeric);
        opens && self.peek(1).is_ascii_alphabetic()
    }

    /// The end of a run of characters that may stand inside a word, identifier, path or address, what it holds,
    /// and whether it runs into text beyond ASCII.
    fn chunk_end(&self) -> (usize, Bytes, bool) {
        let mut end = self.at;
        let mut seen = Bytes::default();
        loop {
            let rest = self.bytes.get(end..).unwrap_or_default();
            let inner = rest.iter().take_while(|byte| Bytes::of(**byte).any(INNER));
            end += inner.map(|byte| seen = seen.or(Bytes::of(*byte))).count();
            let kind = self.bytes.get(end).map_or(Bytes::default(), |byte| Bytes::of(*byte));
            if kind.any(Bytes::FOREIGN) {
                return (end, seen, !starts_unspaced(self.text, end));
            }
            if !kind.any(CONNECTORS) || end != self.at && !self.continues(end) {
                return (end, seen, false);
            }
            seen = seen.or(kind);
            end += 1;
        }
    }

    /// Whether a connector at `index` joins what is around it rather than ending the chunk.
    fn continues(&self, index: usize) -> bool {
        let next = self.bytes.get(index + 1).copied().unwrap_or(b' ');
        let joins =
            next.is_ascii_alphanumeric() || next >= 128 || matches!(next, b'_' | b'~' | b'$' | b'%' | b'*');
        match self.bytes.get(index) {
            Some(b'-') => {
                joins || next == b'-' && self.bytes.get(index + 2).is_some_and(u8::is_ascii_alphanumeric)
            }
            Some(b'/') => joins || matches!(next, b'.' | b'/' | b'{'),
            Some(b':') => next == b'/' || next == b'\\',
            Some(b'.' | b'@' | b'\'' | b'\\' | b'+') => joins || next == b'.' && self.is_pathlike(index),
            Some(b'=' | b'&' | b'?' | b'{' | b'}') => {
                self.is_pathlike(index) && (joins || matches!(next, b'/' | b'{'))
            }
            _ => false,
        }
    }

    fn is_pathlike(&self, end: usize) -> bool {
        self.bytes.get(self.at..end).is_some_and(|chunk| chunk.contains(&b'/'))
    }

    fn chunk(&mut self) {
        let (end, seen, runs_into_foreign) = self.chunk_end();
        if runs_into_foreign {
            return self.foreign();
        }
        let start = self.at;
        let chunk = self.text.get(start..end).unwrap_or_default();
        self.at = end.max(start + 1);
        match shape_of(chunk, seen) {
            Shape::Word if seen.any(Bytes::APOSTROPHE) => self.contraction(start, chunk),
            Shape::Word => self.push(start, end, Shape::Word, self.lexicon.word(chunk)),
            // A known word with capitals inside (`iGnOrE`) is that word, not an identifier.
            Shape::Identifier if seen.only(Bytes::LETTER) && self.lexicon.word(chunk).word != 0 => {
                self.push(start, end, Shape::Word, self.lexicon.word(chunk));
            }
            shape => self.push(start, end, shape, self.lexicon.special(chunk, shape)),
        }
    }

    /// A chunk of plain letters with an apostrophe: contractions are opened.
    fn contraction(&mut self, start: usize, chunk: &str) {
        let (head, tail) = chunk.split_once('\'').unwrap_or((chunk, ""));
        let end = start + chunk.len();
        for word in fold::open_contraction(head, tail.trim_start_matches('\'')) {
            self.push(start, end, Shape::Word, self.lexicon.word(word));
        }
    }

    /// A chunk with characters beyond ASCII: up to the next blank or ASCII punctuation.
    fn foreign(&mut self) {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let first_unspaced = rest.chars().next().is_some_and(is_unspaced);
        let mut end = start;
        for (offset, character) in rest.char_indices() {
            let stops = character.is_whitespace() && !is_stripped(character)
                || character.is_ascii_punctuation() && !joins_foreign(rest, offset, character)
                || offset > 0 && fold::is_foreign_punctuation(character)
                || is_unspaced(character) != first_unspaced && !is_stripped(character) && offset > 0;
            if stops {
                break;
            }
            end = start + offset + character.len_utf8();
            if fold::is_foreign_punctuation(character) {
                break;
            }
        }
        if end == start {
            // White space beyond ASCII, or a character that opens nothing.
            self.at += rest.chars().next().map_or(1, char::len_utf8);
            return;
        }
        self.at = end;
        let raw = self.text.get(start..end).unwrap_or_default();
        if first_unspaced {
            self.unspaced(start, end, raw);
        } else {
            self.folded(start, end, raw);
        }
    }

    fn folded(&mut self, start: usize, end: usize, raw: &str) {
        if let Some(character) = raw.chars().next().filter(|&c| fold::is_foreign_punctuation(c)) {
            return self.push(start, end, fold::punctuation_shape(character), Entry::default());
        }
        let word = fold::word(raw);
        let (head, tail) = word.split_once('\'').unwrap_or((&word, ""));
        if word.is_empty() {
            return;
        }
        if !tail.is_empty() && head.is_ascii() {
            for part in fold::open_contraction(head, tail) {
                self.push(start, end, Shape::Word, self.lexicon.word(part));
            }
            return;
        }
        match shape_of(&word, Bytes::all_of(&word)) {
            Shape::Word => self.push(start, end, Shape::Word, self.lexicon.word(&word)),
            shape => self.push(start, end, shape, self.lexicon.special(&word, shape)),
        }
    }

    /// Text without spaces between words: the lexicon's phrases are searched inside it.
    fn unspaced(&mut self, start: usize, end: usize, raw: &str) {
        let normal = fold::word(raw);
        let exact = normal.len() == raw.len();
        let before = self.tokens.len();
        for (from, to, entry) in self.lexicon.unspaced(&normal) {
            let (from, to) = if exact { (start + from, start + to) } else { (start, end) };
            self.push(from, to, Shape::Word, entry);
        }
        if self.tokens.len() == before {
            self.push(start, end, Shape::Word, Entry::default());
        }
    }

    /// `<name …>`, `</name>`, `<!--`, `<|…|>`, `[INST]`, `### Instruction`: markup that may frame an order.
    fn tag(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let width = fold::tag_width(rest, self.opens_line);
        if width == 0 {
            return false;
        }
        let tag = rest.get(..width).unwrap_or_default();
        self.push(self.at, self.at + width, Shape::Tag, self.lexicon.tag(tag));
        self.at += width;
        true
    }
}

/// Whether the character at `index` opens text without spaces, which is no part of the word before it.
fn starts_unspaced(text: &str, index: usize) -> bool {
    text.get(index..).and_then(|rest| rest.chars().next()).is_some_and(is_unspaced)
}

/// Whether ASCII punctuation stands inside a foreign chunk rather than ending it: `~/.ｓｓｈ/ｉｄ_ｒｓａ`.
fn joins_foreign(rest: &str, offset: usize, character: char) -> bool {
    match character {
        '_' | '-' | '\'' => true,
        '/' | '.' | '~' | '@' => rest
            .get(offset + 1..)
            .and_then(|tail| tail.chars().next())
            .is_some_and(|next| next.is_alphanumeric() || matches!(next, '.' | '/')),
        _ => false,
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Bytes that may stand anywhere inside a chunk.
const INNER: Bytes = Bytes::LETTER
    .or(Bytes::DIGIT)
    .or(Bytes::UNDERSCORE)
    .or(Bytes::TILDE)
    .or(Bytes::PERCENT)
    .or(Bytes::DOLLAR)
    .or(Bytes::STAR);

/// Bytes that join two parts of a chunk, or end it.
const CONNECTORS: Bytes = Bytes::DASH
    .or(Bytes::DOT)
    .or(Bytes::SLASH)
    .or(Bytes::AT)
    .or(Bytes::COLON)
    .or(Bytes::APOSTROPHE)
    .or(Bytes::BACKSLASH)
    .or(Bytes::JOINT);

/// What a chunk is, given the kinds of bytes in it.
fn shape_of(chunk: &str, seen: Bytes) -> Shape {
    const NUMBER: Bytes =
        Bytes::DIGIT.or(Bytes::DOT).or(Bytes::COLON).or(Bytes::DASH).or(Bytes::PERCENT).or(Bytes::SLASH);
    if seen.only(Bytes::LOWER.or(Bytes::FOREIGN)) {
        return Shape::Word;
    }
    if seen.any(Bytes::COLON) && chunk.contains("://") {
        return Shape::Url;
    }
    let has_domain = |at: usize| at > 0 && chunk.get(at..).is_some_and(|domain| domain.contains('.'));
    if seen.any(Bytes::AT) && chunk.find('@').is_some_and(has_domain) {
        return Shape::Email;
    }
    if seen.only(NUMBER) {
        return Shape::Number;
    }
    if seen.any(Bytes::SLASH.or(Bytes::BACKSLASH).or(Bytes::TILDE)) || chunk.starts_with(['.', '$', '%']) {
        return path_or_words(chunk);
    }
    let is_joined = seen.any(Bytes::UNDERSCORE.or(Bytes::DOT).or(Bytes::DASH));
    let may_have_inner = seen.any(Bytes::UPPER) && seen.any(Bytes::LOWER);
    if is_joined || may_have_inner && has_inner_capital(chunk.as_bytes()) {
        Shape::Identifier
    } else {
        Shape::Word
    }
}

/// `and/or`, `read/write`: words around a slash are not a path.
fn path_or_words(chunk: &str) -> Shape {
    let is_choice = chunk.starts_with(|c: char| c.is_ascii_alphabetic())
        && !chunk.contains(['.', '~', '\\', '$', '%', ':'])
        && chunk.split('/').count() == 2;
    if is_choice { Shape::Identifier } else { Shape::Path }
}

fn has_inner_capital(bytes: &[u8]) -> bool {
    let mut seen_lower = false;
    for byte in bytes {
        if seen_lower && byte.is_ascii_uppercase() {
            return true;
        }
        // An apostrophe ends the word before it: `l'API` is an article and a word.
        seen_lower = (seen_lower || byte.is_ascii_lowercase()) && *byte != b'\'';
    }
    false
}
