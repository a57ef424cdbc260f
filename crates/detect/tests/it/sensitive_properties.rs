//! What holds for every document: finding never panics, cutting changes nothing, redacting leaves nothing behind.

use crate::properties::config;
use portcullis_detect::sensitive::{Format, Hit, Located, Piece, Reading, SensitiveData, Stream, Strength};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::LazyLock;

static DATA: LazyLock<SensitiveData> = LazyLock::new(SensitiveData::new);

/// Values of many kinds, and what stands around them. `{cut}` is removed: no whole credential shape is committed.
const PIECES: [&str; 40] = [
    "AKIA{cut}QX7TRMSV3BLNWD4K",
    "ghp_{cut}16C7e42F292c6912E7710c838347Ae178B4a",
    "sk_live_{cut}9sKdQ2mVx7Lw4TzRb8NcYp3H",
    "xoxb-{cut}2147483647-2147483648-Zk3vQ9mXr2LsT7wYbN4cPd6F",
    "postgres://svc:{cut}hV7q2Zk9Lm4X@db.tide.example/quay",
    "-----BEGIN {cut}PRIVATE KEY-----\nMIIEowIBAAKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8C\n-----END PRIVATE KEY-----",
    "QUtJQVFY{cut}N1RSTVNWM0JMTldENEs=",
    "password=hV7q2Zk9Lm4X",
    "\"api_key\": \"9f3a7c1e5b8d2046f1a3c5e7092b4d68\"",
    "ann@tide.example",
    "4539 5787 6362 1486",
    "4242424242424242",
    "536-22-8471",
    "+44 20 7946 0958",
    "(415) 555-0132",
    "DE89 3704 0044 0532 0130 00",
    "203.0.113.24",
    "2001:db8:85a3::8a2e:370:7334",
    "born 1990-01-02",
    "529.982.247-25",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\n",
    "\\u0041",
    "\\ud83d",
    "\n",
    " ",
    "  ",
    "=",
    "-",
    "é",
    "\u{200b}",
    "12",
    "x",
];

/// Pieces and noise in any order, as bytes.
fn document() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(&PIECES[..]).prop_map(|piece| piece.replace("{cut}", "").into_bytes()),
        2 => "[a-zA-Z0-9_ .:@-]{0,12}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..8),
    ];
    vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Pieces with blanks around them, in one JSON string.
fn json_document() -> impl Strategy<Value = Vec<u8>> {
    vec(select(&PIECES[..20]), 0..6).prop_map(|pieces| {
        let text = pieces.join(" and ").replace("{cut}", "");
        serde_json::json!({ "content": [{ "text": text }] }).to_string().into_bytes()
    })
}

fn format() -> impl Strategy<Value = Format> {
    select(&[Format::Json, Format::Text][..])
}

fn is_sure(located: &Located) -> bool {
    located.hit.strength == Strength::Bound && located.hit.doubt.is_none()
}

/// Feeds a document in pieces of a size; the hits, the document with its values masked, and how it was read.
fn streamed(bytes: &[u8], format: Format, size: usize) -> (Vec<Located>, Vec<u8>, Reading) {
    let mut stream = Stream::new(&DATA, format, |_: &Hit| true);
    let (mut hits, mut redacted) = (Vec::new(), Vec::new());
    let mut give = |piece: Piece<'_>| match piece {
        Piece::Clean(clean) => redacted.extend_from_slice(clean),
        Piece::Found(located) => {
            redacted.extend_from_slice(located.masked.as_bytes());
            hits.push(located);
        }
    };
    bytes.chunks(size).for_each(|chunk| stream.feed(chunk, &mut give));
    let reading = stream.finish(&mut give);
    (hits, redacted, reading)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn finding_never_panics_and_hits_lie_in_order(bytes in vec(any::<u8>(), 0..400), format in format()) {
        let mut end = 0;
        for located in DATA.in_document(&bytes, format).hits {
            prop_assert!(end <= located.hit.start && located.hit.start < located.hit.end);
            end = located.hit.end;
        }
        prop_assert!(end <= bytes.len());
    }

    #[test]
    fn a_document_cut_anywhere_has_the_same_hits(bytes in document(), format in format(), size in 1..64usize) {
        let whole = DATA.in_document(&bytes, format);
        let (hits, redacted, reading) = streamed(&bytes, format, size);
        prop_assert_eq!(&hits, &whole.hits);
        prop_assert_eq!(reading, whole.reading);
        let found: usize = hits.iter().map(|located| located.hit.end - located.hit.start).sum();
        let masks: usize = hits.iter().map(|located| located.masked.len()).sum();
        prop_assert_eq!(redacted.len() + found, bytes.len() + masks, "nothing else is added or lost");
    }

    #[test]
    fn redacting_leaves_no_bound_secret_behind(bytes in json_document()) {
        let (before, redacted, _) = streamed(&bytes, Format::Json, 1 << 16);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&redacted).is_ok());
        for located in DATA.in_document(&redacted, Format::Json).hits {
            // What was doubted stands as it was; a masked mailbox still has its host.
            let is_address = DATA.facts(located.hit.row).kind == "email";
            prop_assert!(!is_sure(&located) || is_address, "{:?} after {:?}", located, before);
        }
    }

    #[test]
    fn a_mask_shows_at_most_half(bytes in document(), format in format()) {
        for located in DATA.in_document(&bytes, format).hits {
            let kind = DATA.facts(located.hit.row).kind;
            let value = String::from_utf8_lossy(&bytes[located.hit.start..located.hit.end]).into_owned();
            // The host of a mail address is no part of the value.
            let (masked, value) = match (kind, located.hit.encoding) {
                ("email", None) => (before_host(&located.masked), before_host(&value)),
                _ => (&*located.masked, &*value),
            };
            let shown = masked.chars().filter(|shown| *shown != '*').count();
            prop_assert!(shown * 2 <= value.chars().count(), "{} of {}", masked, value);
        }
    }
}

fn before_host(address: &str) -> &str {
    address.rsplit_once('@').map_or(address, |(mailbox, _)| mailbox)
}
