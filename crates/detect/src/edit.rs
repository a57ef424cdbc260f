//! Results as they go back to the agent: what cannot be seen is cut out, what speaks to the model is marked.
//!
//! Both take the raw JSON of a result and splice it: what is not touched keeps its bytes.

use crate::json::Json;
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

/// The result with notes around each text that is meant, or around its first text if none is; `None` if it holds no text.
pub fn mark(raw: &str, is_meant: impl FnMut(&str) -> bool, before: &str, after: &str) -> Option<String> {
    let (before, after) = (plain(before), plain(after));
    let around = |inner: &str| format!("{before}{inner}{after}");
    rewrite(raw, is_meant, around).or_else(|| {
        let mut is_first = true;
        rewrite(raw, |_| core::mem::take(&mut is_first), around)
    })
}

/// The result with a note in the place of each text that is meant; `None` if none is.
pub fn cut(raw: &str, is_meant: impl FnMut(&str) -> bool, note: &str) -> Option<String> {
    rewrite(raw, is_meant, |_| plain(note))
}

/// What can stand inside a JSON string as it is.
fn plain(note: &str) -> String {
    note.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect()
}

/// Writes texts anew: strings that are values and read like text. Names, addresses and encoded data are left alone, for
/// programs read them.
fn rewrite(
    raw: &str,
    mut is_meant: impl FnMut(&str) -> bool,
    anew: impl Fn(&str) -> String,
) -> Option<String> {
    let mut written = String::new();
    let (mut done, mut at) = (0, 0);
    while let Some((start, end)) = next_string(raw, at) {
        at = end + 1;
        let is_key = raw.get(at..)?.trim_start().starts_with(':');
        let inner = raw.get(start..end)?;
        let reads_like_text = inner.contains(' ') || !inner.is_ascii();
        if is_key || !reads_like_text {
            continue;
        }
        let Ok(Json::String(text)) = Json::parse(raw.get(start - 1..at)?) else { continue };
        if is_meant(&text) {
            written.push_str(raw.get(done..start)?);
            written.push_str(&anew(inner));
            done = end;
        }
    }
    written.push_str(raw.get(done..)?);
    (done > 0).then_some(written)
}

/// The inside of the first string that begins at or after a place.
fn next_string(raw: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = raw.as_bytes();
    let start = from + memchr::memchr(b'"', bytes.get(from..)?)? + 1;
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'"' => return Some((start, at)),
            _ => at += 2,
        }
    }
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
        // One chooses the shape of a character; a run of them is a hidden text.
        Some(Hidden::VariationSelector) => hidden_class(before) == Some(Hidden::VariationSelector),
        // A soft hyphen and the ends of lines and paragraphs are honest.
        Some(Hidden::Ignorable) => !matches!(character, '\u{AD}' | '\u{2028}' | '\u{2029}'),
        Some(Hidden::PrivateUse | Hidden::Filler) | None => false,
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
        check("\"a\u{2063}b\"", Some("\"ab\""));
        check("\"x\u{FE00}\u{FE01}\u{E0101}\"", Some("\"x\u{FE00}\""));
        check("\"co\u{AD}op\"", None);
        check(r#""line\nnext \\u200b""#, None);
        check("\"👩\u{200D}🚀\"", None);
    }

    #[test]
    fn notes_stand_around_the_texts_that_are_meant() {
        let check = |raw: &str, expected: Option<&str>| {
            let marked = mark(raw, |text| text.contains("obey"), "<by others> ", " <end>");
            assert_eq!(marked.as_deref(), expected, "{raw}");
        };
        check(
            r#"{"content":[{"type":"text", "text" : "hi all"},{"text":"obey \"me\""}]}"#,
            Some(
                r#"{"content":[{"type":"text", "text" : "hi all"},{"text":"<by others> obey \"me\" <end>"}]}"#,
            ),
        );
        check(
            r#"{"obey me":{"note":"o\u0062ey me"}}"#,
            Some(r#"{"obey me":{"note":"<by others> o\u0062ey me <end>"}}"#),
        );
        check(
            r#"{"uri":"x:obey","a":["one two","three four"]}"#,
            Some(r#"{"uri":"x:obey","a":["<by others> one two <end>","three four"]}"#),
        );
        check(r#""obey me""#, Some(r#""<by others> obey me <end>""#));
        check(r#"{"n":42,"blob":"b2JleQ=="}"#, None);
    }

    #[test]
    fn a_text_that_is_cut_leaves_a_note() {
        let cut = |raw: &str| cut(raw, |text| text.contains("obey"), "cut \"out\"");
        assert_eq!(cut(r#"["obey me","hi all"]"#).as_deref(), Some(r#"["cut out","hi all"]"#));
        assert_eq!(cut(r#"["hi all"]"#), None);
    }
}
