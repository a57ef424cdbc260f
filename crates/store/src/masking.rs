//! Values on their way to the disk: masked as a whole first, cut second, so that no cut uncovers half a secret.

use portcullis_detect::sensitive::{Format, Hit, Located, Piece, SensitiveData, Stream};

use crate::record::StoredValue;

/// The most that is kept of one value.
pub(crate) const MOST_KEPT: usize = 4096;

/// A value that may be stored, and what was found in it.
pub(crate) struct Masked {
    pub(crate) stored: StoredValue,
    pub(crate) types: Vec<String>,
}

/// Masks a document. Placeholders are masked too: a log has no use for being wrong about one.
pub(crate) fn mask(data: &SensitiveData, bytes: &[u8]) -> Masked {
    let (text, types) = masked_text(data, bytes, |_| true);
    if text.len() <= MOST_KEPT {
        return Masked { stored: StoredValue { text, length: None, digest: None }, types };
    }
    let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
    let kept = cut(&text, MOST_KEPT).to_owned();
    let length = Some(bytes.len() as u64);
    Masked { stored: StoredValue { text: kept, length, digest: Some(digest) }, types }
}

/// Masks a name and keeps at most `most` bytes of it.
pub(crate) fn name(data: &SensitiveData, text: &str, most: usize) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    cut(&masked_text(data, text.as_bytes(), |_| true).0, most).to_owned()
}

/// Short words of small letters with a few digits: what names nearly always are, and no secret is bound to look like.
fn is_plain(text: &str) -> bool {
    let is_word = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
    is_word && text.len() <= 40 && text.bytes().filter(u8::is_ascii_digit).count() <= 6
}

/// A document with the values masked that are meant, and what kinds of them there were; what was JSON stays JSON.
pub fn masked_text(
    data: &SensitiveData,
    bytes: &[u8],
    is_meant: impl Fn(&Hit) -> bool,
) -> (String, Vec<String>) {
    let mut masked = Vec::with_capacity(bytes.len());
    let mut types = Vec::new();
    let mut stream = Stream::new(data, Format::guess(bytes), is_meant);
    let mut give = |piece: Piece<'_>| match piece {
        Piece::Clean(clean) => masked.extend_from_slice(clean),
        Piece::Found(located) => {
            if located.hit.doubt.is_none() {
                types.push(data.facts(located.hit.row).kind.to_owned());
            }
            masked.extend_from_slice(replacement(&located).as_bytes());
        }
    };
    stream.feed(bytes, &mut give);
    stream.finish(&mut give);
    types.sort_unstable();
    types.dedup();
    let text = String::from_utf8(masked);
    (text.unwrap_or_else(|not| String::from_utf8_lossy(not.as_bytes()).into_owned()), types)
}

/// What stands in the place of a value: inside a JSON string only its text, for a bare number a string, or what was
/// JSON would no longer be.
fn replacement(located: &Located) -> String {
    if located.pointer.is_none() {
        return located.masked.clone();
    }
    let quoted = serde_json::Value::from(located.masked.as_str()).to_string();
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
    if located.in_string { inner } else { quoted }
}

/// The beginning of a text, at most `most` bytes, whole characters.
fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_are_whole_and_long_ones_are_cut() {
        let data = SensitiveData::new();
        let short = mask(&data, b"{\"a\":1}").stored;
        assert_eq!(short, StoredValue { text: "{\"a\":1}".into(), length: None, digest: None });
        let long = "\u{e9}".repeat(3000);
        let stored = mask(&data, long.as_bytes()).stored;
        assert_eq!((stored.text.len(), stored.length), (4096, Some(6000)));
        assert_eq!(stored.digest, Some(blake3::hash(long.as_bytes()).to_hex().to_string()));
    }

    #[test]
    fn a_value_across_the_cut_is_masked_before() {
        let data = SensitiveData::new();
        let text = format!("{} jane.doe@corporate.example.org", ".".repeat(4090));
        let masked = mask(&data, text.as_bytes());
        assert!(!masked.stored.text.contains("jane"), "{}", masked.stored.text);
        assert_eq!(masked.types, ["email"]);
    }

    #[test]
    fn json_stays_json() {
        let data = SensitiveData::new();
        let masked = mask(&data, br#"{"card": 4539578763621486, "mail": "jane.doe@corporate.example.org"}"#);
        let value: serde_json::Value = serde_json::from_str(&masked.stored.text).unwrap();
        assert!(value["card"].is_string() && value["mail"].is_string(), "{value}");
    }
}
