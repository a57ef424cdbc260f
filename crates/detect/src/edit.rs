//! Results as they go back to the agent: what cannot be seen is cut out, what speaks to the model is marked.
//!
//! Both take the raw JSON of a result and splice it: what is not touched keeps its bytes.

use crate::prelude::*;
use crate::text::unicode::{Hidden, hidden_class, joins_honestly};

/// The result without characters that cannot be seen or steer a terminal, raw or escaped; `None` if there are none.
pub fn strip(raw: &str) -> Option<String> {
    let mut kept = String::with_capacity(raw.len());
    let mut before = ' ';
    let mut rest = raw;
    while let Some((character, width)) = next(rest) {
        let (piece, tail) = rest.split_at(width);
        let is_escape = piece.starts_with('\\');
        if !is_cut(character, before, is_escape) {
            kept.push_str(piece);
            before = character;
        }
        rest = tail;
    }
    (kept.len() < raw.len()).then_some(kept)
}

/// The result with a note in front of its first text; `None` if it holds no text to mark.
pub fn mark(raw: &str, note: &str) -> Option<String> {
    let at = text_start(raw)?;
    let (head, tail) = (raw.get(..at)?, raw.get(at..)?);
    let note: String = note.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect();
    Some(format!("{head}[{note}] {tail}"))
}

/// Where the first text begins: behind the opening quotation mark of a `text`, or of a result that is a string.
fn text_start(raw: &str) -> Option<usize> {
    let blanks = raw.len() - raw.trim_start().len();
    if raw.trim_start().starts_with('"') {
        return Some(blanks + 1);
    }
    raw.match_indices("\"text\"").find_map(|(at, key)| {
        let behind = at + key.len();
        let value = raw.get(behind..)?.trim_start().strip_prefix(':')?.trim_start();
        value.starts_with('"').then(|| raw.len() - value.len() + 1)
    })
}

/// The next character, with escapes and surrogate pairs resolved, and the bytes it takes.
fn next(rest: &str) -> Option<(char, usize)> {
    let first = rest.chars().next()?;
    if first != '\\' {
        return Some((first, first.len_utf8()));
    }
    let Some(high) = unit(rest) else {
        let width = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
        return Some(('\\', width));
    };
    let low = rest.get(6..).and_then(unit);
    match (char::from_u32(high), low) {
        (Some(character), _) => Some((character, 6)),
        (None, Some(low)) if (0xDC00..0xE000).contains(&low) && (0xD800..0xDC00).contains(&high) => {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            Some((char::from_u32(code).unwrap_or('\\'), 12))
        }
        (None, _) => Some(('\\', 6)),
    }
}

/// The number of `\uXXXX` at the start of a text.
fn unit(rest: &str) -> Option<u32> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

fn is_cut(character: char, before: char, is_escape: bool) -> bool {
    let is_control = is_escape && character.is_control() && !matches!(character, '\n' | '\t' | '\r');
    let is_hidden = match hidden_class(character) {
        Some(Hidden::Tag | Hidden::ZeroWidth) => !joins_honestly(before) && !is_emoji(before),
        Some(Hidden::Bidi) => matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'),
        _ => false,
    };
    is_control || is_hidden
}

/// Emoji are glued together, and flags spelt, with characters that are cut elsewhere.
fn is_emoji(character: char) -> bool {
    matches!(u32::from(character), 0x2600..=0x27BF | 0x1F000..=0x1FAFF | 0xFE0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_cut_raw_and_escaped() {
        let check = |raw: &str, expected: Option<&str>| assert_eq!(strip(raw).as_deref(), expected, "{raw}");
        check(r#"{"text":"a\u200bb"}"#, Some(r#"{"text":"ab"}"#));
        check("\"a\u{200B}b\"", Some("\"ab\""));
        check(r#""x\u001b[31my""#, Some(r#""x[31my""#));
        check(r#""x\udb40\udc41y""#, Some(r#""xy""#));
        check(r#""line\nnext \\u200b""#, None);
        check("\"👩\u{200D}🚀\"", None);
    }

    #[test]
    fn a_note_stands_in_front_of_the_first_text() {
        let marked = mark(r#"{"content":[{"type":"text", "text" : "hi"}]}"#, "written by others");
        assert_eq!(
            marked.as_deref(),
            Some(r#"{"content":[{"type":"text", "text" : "[written by others] hi"}]}"#)
        );
        assert_eq!(mark(r#""hi""#, "n\"o").as_deref(), Some(r#""[no] hi""#));
        assert_eq!(mark("42", "note"), None);
    }
}
