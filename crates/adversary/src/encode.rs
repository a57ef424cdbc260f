//! The disguises a text can be served in, so that a scenario can show its plain text to a reader.

use data_encoding::{BASE32, BASE64, BASE64URL_NOPAD, HEXLOWER};
use std::fmt::Write;

/// The names of all disguises.
pub(crate) const NAMES: [&str; 18] = [
    "base64",
    "base64url",
    "base32",
    "base85",
    "hex",
    "percent",
    "entities",
    "escapes",
    "hex_escapes",
    "rot13",
    "reversed",
    "gzip",
    "utf16",
    "leet",
    "spaced",
    "tags",
    "variation",
    "zero_width",
];

/// The text in a disguise; `None` if there is no such one.
pub(crate) fn encode(name: &str, text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    Some(match name {
        "base64" => BASE64.encode(bytes),
        "base64url" => BASE64URL_NOPAD.encode(bytes),
        "base32" => BASE32.encode(bytes),
        "base85" => base85(bytes),
        "hex" => HEXLOWER.encode(bytes),
        "percent" => each(bytes, |out, byte| write!(out, "%{byte:02X}")),
        "entities" => text.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
        "escapes" => text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
        "hex_escapes" => each(bytes, |out, byte| write!(out, "\\x{byte:02x}")),
        "rot13" => text.chars().map(rot13).collect(),
        "reversed" => text.chars().rev().collect(),
        "gzip" => BASE64.encode(&gzip(bytes)),
        "utf16" => BASE64.encode(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        "leet" => text.chars().map(leet).collect(),
        "spaced" => text.chars().flat_map(|c| [c, ' ']).collect::<String>().trim_end().to_owned(),
        "tags" => text.chars().filter_map(|c| char::from_u32(0xE_0000 + u32::from(c))).collect(),
        "variation" => bytes.iter().filter_map(|byte| selector(*byte)).collect(),
        "zero_width" => {
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| width_bit(byte >> bit))).collect()
        }
        _ => return None,
    })
}

/// The checksum of gzip, which some credentials carry too.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

fn each(bytes: &[u8], write: impl Fn(&mut String, u8) -> std::fmt::Result) -> String {
    let mut out = String::new();
    for byte in bytes {
        // INVARIANT: writing to a String cannot fail.
        let _ = write(&mut out, *byte);
    }
    out
}

/// As Adobe writes it, without the marks around it.
fn base85(bytes: &[u8]) -> String {
    let mut out = String::new();
    for group in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..group.len()].copy_from_slice(group);
        let number = u32::from_be_bytes(word);
        if number == 0 && group.len() == 4 {
            out.push('z');
            continue;
        }
        let digits = (0..5).rev().map(|place| char::from((number / 85_u32.pow(place) % 85) as u8 + b'!'));
        out.extend(digits.take(group.len() + 1));
    }
    out
}

fn rot13(c: char) -> char {
    let turn = |base: u8, c: char| char::from((c as u8 - base + 13) % 26 + base);
    match c {
        'a'..='z' => turn(b'a', c),
        'A'..='Z' => turn(b'A', c),
        other => other,
    }
}

fn leet(c: char) -> char {
    match c.to_ascii_lowercase() {
        'a' => '4',
        'e' => '3',
        'i' => '1',
        'o' => '0',
        's' => '5',
        't' => '7',
        _ => c,
    }
}

/// A byte as one of the 256 variation selectors.
fn selector(byte: u8) -> Option<char> {
    let byte = u32::from(byte);
    char::from_u32(if byte < 16 { 0xFE00 + byte } else { 0xE_0100 + byte - 16 })
}

fn width_bit(bit: u8) -> char {
    if bit & 1 == 0 { '\u{200b}' } else { '\u{200c}' }
}

/// A gzip file with the bytes as they are: any reader unpacks it, and nothing here needs to compress.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        out.push(u8::from(blocks.peek().is_none()));
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        out.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        out.extend(block);
    }
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    out.extend(crc32(bytes).to_le_bytes().into_iter().chain(length.to_le_bytes()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &str) {
        assert_eq!(encode(name, "Hi~").as_deref(), Some(expected), "{name}");
    }

    #[test]
    fn writes_every_disguise() {
        check("base64", "SGl+");
        check("base64url", "SGl-");
        check("base32", "JBUX4===");
        check("base85", "883M");
        check("hex", "48697e");
        check("percent", "%48%69%7E");
        check("entities", "&#72;&#105;&#126;");
        check("escapes", "\\u0048\\u0069\\u007e");
        check("hex_escapes", "\\x48\\x69\\x7e");
        check("rot13", "Uv~");
        check("reversed", "~iH");
        check("utf16", "SABpAH4A");
        check("leet", "H1~");
        check("spaced", "H i ~");
        check("tags", "\u{e0048}\u{e0069}\u{e007e}");
        check("variation", "\u{e0138}\u{e0159}\u{e016e}");
        assert_eq!(encode("zero_width", "A").map(|text| text.chars().count()), Some(8));
        assert_eq!(encode("base65", "x"), None);
        assert!(NAMES.iter().all(|name| encode(name, "x").is_some()));
    }

    #[test]
    fn packs_as_gzip_does() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let packed = gzip(b"Hi");
        assert_eq!(&packed[10..17], [1, 2, 0, 0xfd, 0xff, b'H', b'i']);
        assert_eq!(packed.len(), 25);
    }
}
