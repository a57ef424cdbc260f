//! Finds runs that look encoded (base64, base32, base85, hex, escapes) and decodes them.

use super::Decoded;
use super::blocks;
use super::signs::Signs;
use crate::prelude::*;

/// The shortest run of an alphabet worth decoding.
pub(super) const SHORTEST: usize = 12;

/// Decodes every run of `text`, one result per rung.
pub(super) fn decode(text: &str, signs: &Signs, found: &mut Vec<Decoded>) {
    let mut push = |rung: &'static str, decoded: String| {
        if !decoded.trim().is_empty() {
            found.push(Decoded { rung, text: decoded });
        }
    };
    if signs.longest_run >= SHORTEST {
        let mut decoded = [const { String::new() }; blocks::NAMES.len()];
        for run in runs(text) {
            blocks::decode(run, text.len(), &mut decoded);
        }
        for (name, text) in blocks::NAMES.into_iter().zip(decoded) {
            push(name, text);
        }
    }
    if signs.fragments || signs.longest_run < 64 && signs.capitals * 6 > text.len() {
        push("fragments joined", only_encoded(join_fragments(text)));
    }
    if signs.percents >= 4 {
        push("percent", escapes(text, percent));
    }
    if signs.entities >= 3 {
        push("html entities", escapes(text, entity));
    }
    if signs.backslashes >= 3 {
        push("escapes", escapes(text, backslash));
    }
    if signs.hex_marks >= 4 || signs.hex_pairs >= 8 {
        push("byte list", byte_list(text));
    }
    if signs.symbols >= 6 {
        push("base85", blocks::base85(text));
    }
}

/// The maximal runs of the base64 alphabets, padding included.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'=');
    let runs = text.as_bytes().split(move |byte| !is_part(*byte)).filter(|run| run.len() >= SHORTEST);
    runs.filter_map(|run| core::str::from_utf8(run).ok())
}

/// Whether a piece looks like a fragment of an encoded string rather than a word.
fn is_fragment(bytes: &[u8]) -> bool {
    bytes.len() >= 4
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'))
        && (bytes.iter().any(u8::is_ascii_digit) || bytes.iter().skip(1).any(u8::is_ascii_uppercase))
}

/// Adjacent fragments (`"Y3Vyb" + "CBod"`) glued together.
fn join_fragments(text: &str) -> String {
    let mut joined = Vec::with_capacity(text.len());
    let mut fragments = 0;
    let is_separator = |byte: &u8| matches!(byte, b'"' | b'\'' | b' ' | b'\n' | b',' | b'(' | b')' | b'`');
    let pieces = text.as_bytes().split(is_separator);
    for piece in pieces.filter(|piece| !piece.is_empty() && *piece != b"+") {
        if is_fragment(piece) {
            joined.extend_from_slice(piece);
            fragments += 1;
        } else {
            joined.push(b' ');
        }
    }
    // INVARIANT: fragments are ASCII, so this is text.
    if fragments < 2 { String::new() } else { String::from_utf8(joined).unwrap_or_default() }
}

/// Sibling values that are all fragments of one encoded string, glued together.
pub(super) fn join_encoded(pieces: &[&str]) -> Option<String> {
    let fragments: Vec<&str> = pieces.iter().copied().filter(|piece| is_fragment(piece.as_bytes())).collect();
    let joined = (fragments.len() >= 2).then(|| only_encoded(fragments.concat()))?;
    (!joined.is_empty()).then_some(joined)
}

/// The text if some run of it decodes, nothing otherwise: glued identifiers are no text to look at.
fn only_encoded(text: String) -> String {
    let mut slots = [const { String::new() }; blocks::NAMES.len()];
    let is_encoded = runs(&text).any(|run| {
        blocks::decode(run, run.len(), &mut slots);
        slots.iter().any(|slot| !slot.is_empty())
    });
    if is_encoded { text } else { String::new() }
}

/// Sibling values that spell a command only together.
pub(super) fn join_commands(pieces: &[&str]) -> Option<String> {
    let is_sign = |byte: u8| matches!(byte, b'|' | b'/' | b'$' | b'~' | b'>');
    let has_shell = |piece: &&&str| piece.bytes().any(is_sign);
    let worth = pieces.len() >= 2 && pieces.len() <= 64 && pieces.iter().filter(has_shell).count() >= 2;
    worth.then(|| pieces.join(" "))
}

/// One escape: the bytes it stands for and how wide it is written.
type Escape = fn(&str) -> Option<(Piece, usize)>;

/// A character, or one byte of a longer one.
enum Piece {
    Character(char),
    Byte(u8),
}

/// Decodes chunks of which a good part is escapes; others are left out, so honest text is not read twice.
fn escapes(text: &str, one: Escape) -> String {
    let mut decoded = String::new();
    for chunk in text.split([' ', '\n', '\t']) {
        let mut plain: Vec<u8> = Vec::new();
        let mut escaped = 0;
        let mut rest = chunk;
        while let Some(first) = rest.chars().next() {
            let (piece, width) = one(rest).unwrap_or((Piece::Character(first), 0));
            escaped += width;
            match piece {
                Piece::Byte(byte) => plain.push(byte),
                Piece::Character(character) => {
                    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes())
                }
            }
            rest = rest.get(width.max(first.len_utf8())..).unwrap_or_default();
        }
        if escaped * 4 >= chunk.len() && escaped > 0 {
            decoded.push_str(&String::from_utf8_lossy(&plain));
            decoded.push(' ');
        }
    }
    if decoded.chars().filter(|character| character.is_alphanumeric()).count() < 4 {
        String::new()
    } else {
        decoded
    }
}

fn percent(rest: &str) -> Option<(Piece, usize)> {
    let hex = rest.strip_prefix('%')?.get(..2)?;
    Some((Piece::Byte(u8::from_str_radix(hex, 16).ok()?), 3))
}

fn entity(rest: &str) -> Option<(Piece, usize)> {
    let body = rest.strip_prefix('&')?;
    let end = body.bytes().take(10).position(|byte| byte == b';')?;
    let name = body.get(..end)?;
    let code = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        },
        None => u32::from(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" | "Tab" | "NewLine" => ' ',
            "sol" => '/',
            "period" => '.',
            "colon" => ':',
            "vert" | "verbar" => '|',
            _ => return None,
        }),
    };
    Some((Piece::Character(char::from_u32(code)?), end + 2))
}

fn backslash(rest: &str) -> Option<(Piece, usize)> {
    let body = rest.strip_prefix('\\')?;
    let kind = body.chars().next()?;
    let (digits, skip) = match kind {
        'x' => return Some((Piece::Byte(u8::from_str_radix(body.get(1..3)?, 16).ok()?), 4)),
        'u' if body.get(1..2) == Some("{") => {
            let end = body.bytes().take(9).position(|byte| byte == b'}')?;
            let code = u32::from_str_radix(body.get(2..end)?, 16).ok()?;
            return Some((Piece::Character(char::from_u32(code)?), end + 2));
        }
        'u' => (body.get(1..5)?, 1),
        'U' => (body.get(1..9)?, 1),
        '0'..='3' => return Some((Piece::Byte(u8::from_str_radix(body.get(..3)?, 8).ok()?), 4)),
        _ => return None,
    };
    let code = u32::from_str_radix(digits, 16).ok()?;
    Some((Piece::Character(char::from_u32(code)?), 1 + skip + digits.len()))
}

/// `0x63, 0x75, …` and `63 75 …`: numbers that are bytes of text, at least six in a row.
fn byte_list(text: &str) -> String {
    let mut decoded = String::new();
    let mut row = String::new();
    let pieces = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let digits = piece.strip_prefix(b"0x").or(piece.strip_prefix(b"0X")).unwrap_or(piece);
        let is_byte = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
        let digits = core::str::from_utf8(digits).ok().filter(|_| is_byte);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| (9..127).contains(byte)) {
            Some(byte) => row.push(char::from(byte)),
            None => flush(&mut row, &mut decoded),
        }
    }
    flush(&mut row, &mut decoded);
    decoded
}

fn flush(row: &mut String, decoded: &mut String) {
    if row.len() >= 6 && row.bytes().filter(u8::is_ascii_alphabetic).count() * 3 > row.len() {
        decoded.push_str(row);
        decoded.push('\n');
    }
    row.clear();
}
