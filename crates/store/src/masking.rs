//! Values on their way to the disk: masked as a whole first, cut second, so that no cut uncovers half a secret.

use std::borrow::Cow;

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
    let (text, types) = masked(data, bytes, |_| true);
    if text.len() <= MOST_KEPT {
        return Masked { stored: StoredValue { text: text.into_owned(), length: None, digest: None }, types };
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
    cut(&masked(data, text.as_bytes(), |_| true).0, most).to_owned()
}

/// Short words of small letters with a few digits: what names nearly always are, and no secret is bound to look like.
fn is_plain(text: &str) -> bool {
    // One look at each byte and no branch: names are shorter than a wrong guess of the processor takes.
    text.len() <= 40 && text.bytes().map(|byte| WEIGHTS[usize::from(byte)]).sum::<u16>() <= MOST_DIGITS
}

/// The most digits of a plain name; a seventh could make it a number nobody may see.
const MOST_DIGITS: u16 = 6;

/// What each byte adds: a digit one, what stands in no plain name more than may be.
const WEIGHTS: [u16; 256] = {
    let mut weights = [MOST_DIGITS + 1; 256];
    let mut byte = 0;
    while byte < weights.len() {
        match byte as u8 {
            b'a'..=b'z' | b'_' | b'-' => weights[byte] = 0,
            b'0'..=b'9' => weights[byte] = 1,
            _ => {}
        }
        byte += 1;
    }
    weights
};

/// A document with the values masked that are meant, and what kinds of them there were; what was JSON stays JSON.
pub fn masked_text(
    data: &SensitiveData,
    bytes: &[u8],
    is_meant: impl Fn(&Hit) -> bool,
) -> (String, Vec<String>) {
    let (text, types) = masked(data, bytes, is_meant);
    (text.into_owned(), types)
}

/// The longest document that is looked at as a whole; it is held in memory anyway.
const MOST_AT_ONCE: usize = 1 << 20;
/// Documents up to this size are first asked whether they hold anything at all.
const SHORT: usize = 1 << 14;

fn masked<'b>(
    data: &SensitiveData,
    bytes: &'b [u8],
    is_meant: impl Fn(&Hit) -> bool,
) -> (Cow<'b, str>, Vec<String>) {
    if bytes.len() > MOST_AT_ONCE {
        return masked_in_blocks(data, bytes, is_meant);
    }
    let format = Format::guess(bytes);
    // Where nothing is escaped the text is what it says, and most hold nothing to hide: then nobody needs to know where
    // in the JSON a value would have stood. A long one is likelier to hold something, and would be looked at twice.
    let says_itself = bytes.len() <= SHORT && (format == Format::Text || !bytes.contains(&b'\\'));
    if says_itself && data.in_text(bytes).is_empty() {
        return (as_text(bytes), Vec::new());
    }
    let found = data.in_document(bytes, format);
    if found.unlisted > 0 {
        return masked_in_blocks(data, bytes, is_meant);
    }
    let mut page = Blackened { data, bytes: Vec::new(), types: Vec::new() };
    let mut at = 0;
    for located in found.hits.iter().filter(|located| is_meant(&located.hit)) {
        page.clean(bytes.get(at..located.hit.start).unwrap_or_default());
        page.found(located);
        at = located.hit.end;
    }
    if at == 0 {
        return (as_text(bytes), Vec::new());
    }
    page.clean(bytes.get(at..).unwrap_or_default());
    page.finish()
}

/// Bytes as text; what is none becomes replacement characters. What is text already is quickly told.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// For documents of any size, and any number of values in them.
fn masked_in_blocks<'b>(
    data: &SensitiveData,
    bytes: &[u8],
    is_meant: impl Fn(&Hit) -> bool,
) -> (Cow<'b, str>, Vec<String>) {
    let mut page = Blackened { data, bytes: Vec::with_capacity(bytes.len()), types: Vec::new() };
    let mut stream = Stream::new(data, Format::guess(bytes), is_meant);
    let mut give = |piece: Piece<'_>| match piece {
        Piece::Clean(clean) => page.clean(clean),
        Piece::Found(located) => page.found(&located),
    };
    stream.feed(bytes, &mut give);
    stream.finish(&mut give);
    page.finish()
}

/// A document as it is written anew.
struct Blackened<'d> {
    data: &'d SensitiveData,
    bytes: Vec<u8>,
    types: Vec<String>,
}

impl Blackened<'_> {
    fn clean(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn found(&mut self, located: &Located) {
        if located.hit.doubt.is_none() {
            self.types.push(self.data.facts(located.hit.row).kind.to_owned());
        }
        self.bytes.extend_from_slice(replacement(located).as_bytes());
    }

    fn finish<'b>(mut self) -> (Cow<'b, str>, Vec<String>) {
        self.types.sort_unstable();
        self.types.dedup();
        let text = String::from_utf8(self.bytes);
        let text = text.unwrap_or_else(|not| String::from_utf8_lossy(not.as_bytes()).into_owned());
        (Cow::Owned(text), self.types)
    }
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
    use proptest::prelude::*;
    use std::sync::LazyLock;

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
    fn plain_names_are_words_with_few_digits() {
        for name in ["", "echo", "read_file-2", "a123456", &"z".repeat(40)] {
            assert!(is_plain(name), "{name}");
        }
        for byte in (0..=u8::MAX).filter(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')) {
            assert!(!is_plain(&format!("echo{}", char::from(byte))), "{byte}");
        }
        for name in ["a1234567", "Echo", "a b", "é", &"z".repeat(41)] {
            assert!(!is_plain(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_document_is_masked_the_same_at_once_and_in_blocks(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "{", "}", "[", "]", "\"", ":", ",", " ", "\\", "\\\"", "\\n", "\\u0041", "\\u00e9", "\\ud83d\\ude00", "é",
                        "jane.doe@corporate.example.org", "4539578763621486", "\\u006aane.doe@corporate.example.org",
                        "DE89370400440532013000", "password=", "q7Zr3LmX9wKe", "user@example.com", "\"mail\":", "x",
                    ]).prop_map(|text| text.as_bytes().to_vec()),
                    prop::collection::vec(any::<u8>(), 0..6),
                ],
                0..30,
            ),
            is_some_meant: bool,
        ) {
            static DATA: LazyLock<SensitiveData> = LazyLock::new(SensitiveData::new);
            let data = &*DATA;
            let document = pieces.concat();
            let is_meant = |hit: &Hit| is_some_meant || hit.row.is_multiple_of(2);
            prop_assert_eq!(masked(data, &document, is_meant), masked_in_blocks(data, &document, is_meant));
        }
    }

    #[test]
    fn more_values_than_are_listed_are_all_masked() {
        let data = SensitiveData::new();
        let document = "jane.doe@corporate.example.org ".repeat(10_050);
        let (text, types) = masked(&data, document.as_bytes(), |_| true);
        assert!(!text.contains("jane.doe"));
        assert_eq!(types, ["email"]);
    }

    #[test]
    fn json_stays_json() {
        let data = SensitiveData::new();
        let masked = mask(&data, br#"{"card": 4539578763621486, "mail": "jane.doe@corporate.example.org"}"#);
        let value: serde_json::Value = serde_json::from_str(&masked.stored.text).unwrap();
        assert!(value["card"].is_string() && value["mail"].is_string(), "{value}");
    }
}
