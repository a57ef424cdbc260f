//! Decoders of blocks: base64 in its spellings, base32, base85, hex, and what they wrap (deflate, UTF-16).

use crate::prelude::*;
use data_encoding::{BASE32_NOPAD, Encoding, HEXLOWER_PERMISSIVE, Specification};
use miniz_oxide::inflate;
use once_cell::race::OnceBox;

/// The rungs this file serves, in the order of the slots [`decode`] fills.
pub(super) const NAMES: [&str; 7] =
    ["base64", "base32", "hex", "gzip in base64", "utf-16 in base64", "gzip in hex", "reversed base64"];

/// The most bytes one compressed block may grow to.
const LARGEST_INFLATED: usize = 1 << 20;

/// Decodes one run, of a text of `room` bytes, into the slot of every rung that makes text of it.
pub(super) fn decode(run: &str, room: usize, slots: &mut [String; NAMES.len()]) {
    let [base64_slot, base32_slot, hex_slot, gzip_slot, utf16_slot, hex_gzip_slot, reversed_slot] = slots;
    let bare = run.trim_end_matches('=');
    let bare = bare.rsplit_once('=').map_or(bare, |(_, tail)| tail);
    if let Some(bytes) = hex(bare) {
        make_room(hex_slot, room / 2);
        push_text(hex_slot, &bytes);
        push_inflated(hex_gzip_slot, &bytes);
    }
    if let Some(bytes) = base64(bare) {
        make_room(base64_slot, room / 4 * 3);
        if !push_text(base64_slot, &bytes) && !push_inflated(gzip_slot, &bytes) {
            push_utf16(utf16_slot, &bytes);
        }
    } else if bare.len() >= 20 && ends_like_text(bare) {
        let backwards: String = bare.chars().rev().collect();
        if let Some(bytes) = base64(&backwards) {
            push_text(reversed_slot, &bytes);
        }
    }
    let is_base32 = |byte: u8| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte);
    if bare.len() >= 16
        && bare.bytes().all(is_base32)
        && let Ok(bytes) = BASE32_NOPAD.decode(bare.as_bytes())
    {
        make_room(base32_slot, room / 8 * 5);
        push_text(base32_slot, &bytes);
    }
}

/// Room for all that a text may decode to, made once: a huge slot that grew step by step would be copied each time.
fn make_room(slot: &mut String, bytes: usize) {
    const HUGE: usize = 1 << 16;
    if slot.is_empty() && bytes > HUGE {
        slot.reserve(bytes);
    }
}

fn hex(run: &str) -> Option<Vec<u8>> {
    let digits = run.strip_prefix("0x").unwrap_or(run);
    let is_hex = digits.len() >= 12
        && digits.len().is_multiple_of(2)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok())?
}

/// Standard and url-safe alphabets mixed, padding and trailing bits forgiven.
fn base64(run: &str) -> Option<Vec<u8>> {
    static LENIENT: OnceBox<Encoding> = OnceBox::new();
    let encoding = LENIENT.get_or_init(|| {
        let mut specification = Specification::new();
        specification.symbols.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
        specification.translate.from.push_str("-_");
        specification.translate.to.push_str("+/");
        specification.check_trailing_bits = false;
        Box::new(specification.encoding().expect("the base64 alphabet is a valid specification"))
    });
    // A word or identifier in front of the blob shifts nothing: only whole groups of four decode.
    let whole = if run.len() % 4 == 1 { run.get(..run.len() - 1)? } else { run };
    if !starts_like_text(whole.as_bytes()) {
        return None;
    }
    encoding.decode(whole.as_bytes()).ok()
}

/// A cheap look at the first bytes: most identifiers decode to bytes that are neither text nor a header we know.
fn starts_like_text(run: &[u8]) -> bool {
    let value = |byte: u8| -> u32 {
        match byte {
            b'A'..=b'Z' => u32::from(byte - b'A'),
            b'a'..=b'z' => u32::from(byte - b'a') + 26,
            b'0'..=b'9' => u32::from(byte - b'0') + 52,
            b'+' | b'-' => 62,
            _ => 63,
        }
    };
    let mut groups = 0;
    for group in run.chunks_exact(4).take(2) {
        let bits = group.iter().fold(0, |bits, &byte| bits << 6 | value(byte));
        let [_, first, second, third] = bits.to_be_bytes();
        // UTF-16 of Cyrillic: every other byte is its block.
        if groups == 0 && second == 0x04 {
            return true;
        }
        if groups == 0
            && (first == 0x1f && second == 0x8b
                || first == 0x78 && matches!(second, 0x01 | 0x5e | 0x9c | 0xda))
        {
            return true;
        }
        if groups == 0
            && (first == 0xff && second == 0xfe
                || first == 0xfe && second == 0xff
                || first == 0
                || second == 0)
        {
            return true;
        }
        if ![first, second, third].iter().all(|&byte| is_text_byte(byte)) {
            return false;
        }
        groups += 1;
    }
    groups > 0
}

/// The same look at a run that may be written backwards.
fn ends_like_text(run: &str) -> bool {
    let mut head = [0; 8];
    head.iter_mut().zip(run.bytes().rev()).for_each(|(to, from)| *to = from);
    starts_like_text(&head)
}

fn is_text_byte(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte)
        || matches!(byte, b'\n' | b'\r' | b'\t')
        || byte >= 0xc2
        || (0x80..0xc0).contains(&byte)
}

/// Appends the bytes if they are readable text.
fn push_text(slot: &mut String, bytes: &[u8]) -> bool {
    let Some(text) = core::str::from_utf8(bytes).ok().filter(|text| is_readable(text)) else { return false };
    slot.push_str(text);
    slot.push('\n');
    true
}

fn is_readable(text: &str) -> bool {
    let (all, readable, strange) = if text.is_ascii() {
        // Three plain counts over bytes are vector code; most decoded text is ASCII.
        let count = |is: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is(byte)).count();
        let readable = count(|byte| (b' '..=b'~').contains(byte));
        (
            text.len(),
            readable,
            text.len() - readable - count(|byte| matches!(byte, b'\n' | b'\r' | b'\t' | 0x1b)),
        )
    } else {
        let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
        let readable = count(|c| c.is_alphanumeric() || c.is_ascii_punctuation() || *c == ' ');
        let strange = count(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}'));
        (text.chars().count(), readable, strange)
    };
    readable >= 6 && strange == 0 && readable * 10 >= all * 8
}

fn push_inflated(slot: &mut String, bytes: &[u8]) -> bool {
    let inflated = match bytes {
        [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, rest @ ..] => {
            // Optional header fields are not worth following: packers of payloads write none but a name.
            let body = if flags & 8 != 0 {
                rest.iter()
                    .position(|&byte| byte == 0)
                    .and_then(|end| rest.get(end + 1..))
                    .unwrap_or_default()
            } else {
                rest
            };
            inflate::decompress_to_vec_with_limit(body, LARGEST_INFLATED)
        }
        [0x78, ..] => inflate::decompress_to_vec_zlib_with_limit(bytes, LARGEST_INFLATED),
        _ => return false,
    };
    // A block cut short still shows how it begins.
    let bytes = inflated.unwrap_or_else(|error| error.output);
    push_text(slot, &bytes)
}

fn push_utf16(slot: &mut String, bytes: &[u8]) -> bool {
    let (body, big) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, false),
        [0xfe, 0xff, rest @ ..] => (rest, true),
        [0, _, ..] => (bytes, true),
        [_, 0 | 4, _, 0 | 4, ..] => (bytes, false),
        _ => return false,
    };
    let units = body.chunks_exact(2).filter_map(|pair| match pair {
        [a, b] if big => Some(u16::from_be_bytes([*a, *b])),
        [a, b] => Some(u16::from_le_bytes([*a, *b])),
        _ => None,
    });
    let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
    // Random bytes make rare ideographs; words in UTF-16 are of an alphabet and have blanks between them.
    let of_alphabet = text
        .chars()
        .filter(|c| c.is_ascii() || matches!(u32::from(*c), 0xA0..=0x24F | 0x370..=0x52F))
        .count();
    of_alphabet * 10 >= text.chars().count() * 9 && text.contains(' ') && push_text(slot, text.as_bytes())
}

const RFC1924: &[u8] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

const SHORTEST_BASE85: usize = 15;

/// Every chunk that reads as text in one of the two base85 alphabets.
pub(super) fn base85(text: &str) -> String {
    let mut decoded = String::new();
    // Ascii85 uses quotes itself, so a unit that is one block is tried whole, a block in prose piece by piece.
    let whole = (!text.trim().contains([' ', '\n'])).then(|| text.trim());
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'"' | b'\'');
    let pieces = text.as_bytes().split(is_end).filter(|piece| piece.len() >= SHORTEST_BASE85);
    let pieces = pieces.filter_map(|piece| core::str::from_utf8(piece).ok());
    for chunk in whole.into_iter().filter(|whole| whole.len() >= SHORTEST_BASE85).chain(pieces) {
        let chunk = chunk.trim_matches([',', '.', ':']);
        let inner = chunk.strip_prefix("<~").map_or(chunk, |rest| rest.trim_end_matches("~>"));
        let symbols = inner.bytes().filter(|byte| byte.is_ascii_punctuation()).count();
        if symbols * 12 < inner.len() || inner.contains("://") || inner.starts_with(['/', '~', '.']) {
            continue;
        }
        let kept = decoded.len();
        let is_text = |bytes: Vec<u8>, decoded: &mut String| bytes.is_ascii() && push_text(decoded, &bytes);
        let adobe = base85_block(inner, |byte| (33..118).contains(&byte).then(|| u32::from(byte) - 33));
        if adobe.is_some_and(|bytes| is_text(bytes, &mut decoded)) {
            continue;
        }
        decoded.truncate(kept);
        let rfc = base85_block(inner, |byte| {
            RFC1924.iter().position(|&symbol| symbol == byte).and_then(|at| u32::try_from(at).ok())
        });
        if let Some(bytes) = rfc {
            is_text(bytes, &mut decoded);
        }
    }
    decoded
}

fn base85_block(block: &str, value: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(block.len());
    for group in block.as_bytes().chunks(5) {
        let mut number: u32 = 0;
        for index in 0..5 {
            let digit = group.get(index).map_or(Some(84), |&byte| value(byte))?;
            number = number.checked_mul(85)?.checked_add(digit)?;
        }
        bytes.extend(number.to_be_bytes().iter().take(group.len().saturating_sub(1)));
    }
    Some(bytes)
}
