//! Escapes taken out of JSON text, so that `\u0041KIA` and `\nAKIA` are matched as what they say.

use crate::prelude::*;
use alloc::borrow::Cow;
use memchr::memchr;

/// The bytes with every JSON escape replaced by what it stands for; borrowed if there is none.
///
/// In JSON a backslash stands only inside a string, so no structure is needed to know what is an escape.
pub(super) fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\\', raw) else { return Cow::Borrowed(raw) };
    let mut flat = Vec::with_capacity(raw.len());
    let mut rest = raw;
    let mut next = Some(first);
    while let Some(at) = next {
        flat.extend_from_slice(rest.get(..at).unwrap_or_default());
        let (bytes, count, width) = escape(rest.get(at..).unwrap_or_default());
        flat.extend_from_slice(bytes.get(..count).unwrap_or_default());
        rest = rest.get(at + width..).unwrap_or_default();
        next = find_backslash(rest);
    }
    flat.extend_from_slice(rest);
    Cow::Owned(flat)
}

/// Escapes often stand close together: a short look before the vector search.
fn find_backslash(bytes: &[u8]) -> Option<usize> {
    let near = bytes.iter().take(16).position(|&byte| byte == b'\\');
    near.or_else(|| memchr(b'\\', bytes.get(16..)?).map(|at| at + 16))
}

/// What the escape at the start of `bytes` stands for (bytes, how many of them) and how wide it is written.
pub(super) fn escape(bytes: &[u8]) -> ([u8; 4], usize, usize) {
    let single = |byte: u8| ([byte, 0, 0, 0], 1, 2);
    match bytes.get(1) {
        Some(b'n') => single(b'\n'),
        Some(b'r') => single(b'\r'),
        Some(b't') => single(b'\t'),
        Some(b'b') => single(8),
        Some(b'f') => single(12),
        Some(b'u') => unicode(bytes).unwrap_or(single(b'u')),
        Some(&other) => single(other),
        None => ([b'\\', 0, 0, 0], 1, 1),
    }
}

fn unicode(bytes: &[u8]) -> Option<([u8; 4], usize, usize)> {
    let unit = |from: usize| {
        let digits = core::str::from_utf8(bytes.get(from..from + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(2)?;
    let is_pair = (0xd800..0xdc00).contains(&first) && bytes.get(6..8) == Some(b"\\u");
    let second = if is_pair { unit(8).filter(|unit| (0xdc00..0xe000).contains(unit)) } else { None };
    let (code, width) = match second {
        Some(second) => (0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12),
        None => (first, 6),
    };
    let mut buffer = [0; 4];
    let length = char::from_u32(code).unwrap_or('\u{fffd}').encode_utf8(&mut buffer).len();
    Some((buffer, length, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_what_they_say() {
        let check = |raw: &str, flat: &str| assert_eq!(unescape(raw.as_bytes()), flat.as_bytes(), "{raw}");
        check("plain", "plain");
        check(r"\u0041KIA\nx\\n", "AKIA\nx\\n");
        check(r"\ud83d\ude00 \ud83d \u00e9", "😀 \u{fffd} é");
        check(r"tail\", "tail\\");
        check(r"\u12", "u12");
    }
}
