//! Any bytes as an answer of HTTP: however they are cut, the same body comes out, and never more than came.
#![no_main]

use bytes::BytesMut;
use libfuzzer_sys::fuzz_target;
use portcullis_wire::answer::{Malformed, Piece, head};

/// The status, the body, whether it came to its end, and what is left.
type Read = Result<(Option<u16>, Vec<u8>, bool, usize), Malformed>;

fn read(bytes: &[u8], cut: usize) -> Read {
    let (mut came, mut begun, mut body, mut is_over) = (BytesMut::new(), None, Vec::new(), false);
    for part in bytes.chunks(cut.max(1)) {
        came.extend_from_slice(part);
        if begun.is_none() {
            begun = head(&mut came)?;
        }
        let Some(head) = &mut begun else { continue };
        while !is_over {
            match head.body.next(&mut came)? {
                Piece::Data(data) => body.extend_from_slice(&data),
                Piece::Awaited => break,
                Piece::Over => is_over = true,
            }
        }
    }
    Ok((begun.map(|head| head.status.as_u16()), body, is_over, came.len()))
}

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    let (whole, parts) = (read(bytes, usize::MAX), read(bytes, cut.into()));
    assert_eq!(whole, parts, "a cut changes the answer");
    if let Ok((_, body, _, left)) = whole {
        assert!(body.len() + left <= bytes.len(), "more came out than in");
    }
});
