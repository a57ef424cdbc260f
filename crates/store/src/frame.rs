//! One record as bytes: lengths, header, hash, body.
//!
//! ```text
//! u32 header length | u32 body length | header: u64 seq, i64 time, 32 digest of the body, facts as JSON
//! | 32 hash over the hash before and the header | body: 16 salt, JSON; nothing once it was redacted
//! ```
//! All numbers are little-endian. A damaged length shows as a hash or digest that does not fit.

use crate::json;
use crate::keys::{ChainKey, Hash};
use crate::record::{Body, Facts, Record};

const LENGTHS: usize = 8;
const FIXED_HEADER: usize = 48;
const HASH: usize = 32;
/// Where in a header the time stands, and where the digest.
const TIME_AT: usize = 8;
const DIGEST_AT: usize = 16;
/// Bytes of salt before a body.
pub(crate) const SALT: usize = 16;
/// Longer headers were not written by us.
const LONGEST_HEADER: usize = 1 << 15;
/// Longer bodies were not written by us: three values of 4 KB, escaped.
const LONGEST_BODY: usize = 1 << 17;
/// Records of short calls fit in this many bytes.
const USUAL: usize = 1 << 10;
/// The longest frame.
pub(crate) const LONGEST: usize = LENGTHS + LONGEST_HEADER + HASH + LONGEST_BODY;

/// A record whose place in the chain is not known yet.
pub(crate) struct Unplaced {
    pub(crate) at_us: i64,
    /// The hash before, the header, the hash and the body; both hashes and the number are still to be filled in.
    pieces: Vec<u8>,
    /// Where the header ends.
    header_end: usize,
}

impl Unplaced {
    pub(crate) fn new(key: &ChainKey, at_us: i64, salt: &[u8; SALT], facts: &Facts, body: &Body) -> Unplaced {
        let mut pieces = Vec::with_capacity(USUAL);
        pieces.resize(HASH + DIGEST_AT, 0);
        fill(&mut pieces, HASH + TIME_AT, at_us.to_le_bytes());
        pieces.extend([0; HASH]);
        json::write_facts(facts, &mut pieces);
        let header_end = pieces.len();
        pieces.extend([0; HASH]);
        pieces.extend(salt);
        json::write_body(body, &mut pieces);
        let digest = key.digest(pieces.get(header_end + HASH..).unwrap_or_default());
        fill(&mut pieces, HASH + DIGEST_AT, digest);
        Unplaced { at_us, pieces, header_end }
    }

    /// Writes the frame to the end of `out` and returns its hash.
    pub(crate) fn place(&self, key: &ChainKey, seq: u64, before: &Hash, out: &mut Vec<u8>) -> Hash {
        let mut buffer = Vec::new();
        let (frame, hash) = self.placed(key, seq, before, &mut buffer);
        out.extend_from_slice(frame);
        hash
    }

    /// The frame, made in `buffer`, and its hash.
    ///
    /// What the chain hashes are the hash before and the header. They stand side by side here, so that one pass takes
    /// both; the lengths, which the hash does not cover, then take the place of the hash's end.
    pub(crate) fn placed<'b>(
        &self,
        key: &ChainKey,
        seq: u64,
        before: &Hash,
        buffer: &'b mut Vec<u8>,
    ) -> (&'b [u8], Hash) {
        buffer.clear();
        buffer.extend_from_slice(&self.pieces);
        fill(buffer, 0, *before);
        fill(buffer, HASH, seq.to_le_bytes());
        let hash = key.link_of(buffer.get(..self.header_end).unwrap_or_default());
        fill(buffer, self.header_end, hash);
        let header_length = self.header_end - HASH;
        let body_length = self.pieces.len() - self.header_end - HASH;
        fill(buffer, HASH - LENGTHS, (header_length as u32).to_le_bytes());
        fill(buffer, HASH - LENGTHS / 2, (body_length as u32).to_le_bytes());
        (buffer.get(HASH - LENGTHS..).unwrap_or_default(), hash)
    }
}

/// Puts bytes in their place.
fn fill<const N: usize>(bytes: &mut [u8], at: usize, with: [u8; N]) {
    // INVARIANT: every place that is filled was made before.
    if let Some(place) = bytes.get_mut(at..at + N) {
        place.copy_from_slice(&with);
    }
}

/// A frame as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'b> {
    pub(crate) seq: u64,
    pub(crate) at_us: i64,
    pub(crate) hash: Hash,
    digest: Hash,
    pub(crate) header: &'b [u8],
    pub(crate) body: &'b [u8],
    /// Bytes from its first to its last.
    pub(crate) length: usize,
}

/// Why no frame begins here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoFrame {
    /// It would go on after the last byte.
    Incomplete,
    /// Nothing we wrote begins like this.
    Foreign,
}

impl<'b> Frame<'b> {
    pub(crate) fn parse(bytes: &'b [u8]) -> Result<Frame<'b>, NoFrame> {
        let mut rest = bytes;
        let header_length = u32::from_le_bytes(take(&mut rest)?) as usize;
        let body_length = u32::from_le_bytes(take(&mut rest)?) as usize;
        let is_ours = (FIXED_HEADER..=LONGEST_HEADER).contains(&header_length)
            && (body_length == 0 || (SALT..=LONGEST_BODY).contains(&body_length));
        if !is_ours {
            return Err(NoFrame::Foreign);
        }
        let header = split(&mut rest, header_length)?;
        let hash = take(&mut rest)?;
        let body = split(&mut rest, body_length)?;
        let mut fields = header;
        Ok(Frame {
            seq: u64::from_le_bytes(take(&mut fields)?),
            at_us: i64::from_le_bytes(take(&mut fields)?),
            digest: take(&mut fields)?,
            hash,
            header,
            body,
            length: LENGTHS + header_length + HASH + body_length,
        })
    }

    pub(crate) fn is_redacted(&self) -> bool {
        self.body.is_empty()
    }

    /// What is wrong with the frame, given where it should stand.
    pub(crate) fn fault(&self, key: &ChainKey, seq: u64, before: &Hash) -> Option<&'static str> {
        if self.seq != seq {
            return Some("another record stands in its place");
        }
        if key.link(before, self.header) != self.hash {
            return Some("its header, its hash or the hash before was changed");
        }
        if !self.is_redacted() && key.digest(self.body) != self.digest {
            return Some("its body was changed");
        }
        None
    }

    /// The facts of the header; `None` if they were not written by us.
    pub(crate) fn facts(&self) -> Option<Facts> {
        serde_json::from_slice(self.header.get(FIXED_HEADER..)?).ok()
    }

    pub(crate) fn record(&self) -> Option<Record> {
        let body = match self.body.get(SALT..) {
            Some(json) => Some(serde_json::from_slice(json).ok()?),
            None => None,
        };
        Some(Record { seq: self.seq, at_us: self.at_us, facts: self.facts()?, hash: self.hash, body })
    }

    /// Writes the frame without its body and salt: the digest alone tells nothing about what was there.
    pub(crate) fn write_redacted(&self, out: &mut Vec<u8>) {
        out.extend((self.header.len() as u32).to_le_bytes());
        out.extend(0u32.to_le_bytes());
        out.extend_from_slice(self.header);
        out.extend(self.hash);
    }
}

/// A frame from its parts, kept apart by a database.
pub(crate) fn joined(header: &[u8], hash: &[u8], body: &[u8]) -> Vec<u8> {
    let lengths = [header.len() as u32, body.len() as u32].map(u32::to_le_bytes);
    [lengths.as_flattened(), header, hash, body].concat()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], NoFrame> {
    split(rest, N)?.try_into().map_err(|_| NoFrame::Incomplete)
}

fn split<'b>(rest: &mut &'b [u8], length: usize) -> Result<&'b [u8], NoFrame> {
    let (front, back) = rest.split_at_checked(length).ok_or(NoFrame::Incomplete)?;
    *rest = back;
    Ok(front)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::GENESIS;
    use crate::record::{Draft, Kind, Status};
    use portcullis_detect::sensitive::SensitiveData;

    fn placed(key: &ChainKey) -> Vec<u8> {
        let draft = Draft { note: Some("hello"), ..Draft::new(Kind::System, Status::Noted, 5) };
        let (facts, body) = draft.masked(&SensitiveData::new(), "w", None);
        let mut bytes = Vec::new();
        Unplaced::new(key, 5, &[1; SALT], &facts, &body).place(key, 1, &GENESIS, &mut bytes);
        bytes
    }

    #[test]
    fn a_frame_comes_back_as_it_was_written() {
        let key = ChainKey::from_bytes(&[1; 32]);
        let bytes = placed(&key);
        let frame = Frame::parse(&bytes).unwrap();
        assert_eq!((frame.length, frame.fault(&key, 1, &GENESIS)), (bytes.len(), None));
        let record = frame.record().unwrap();
        assert_eq!((record.seq, record.at_us), (1, 5));
        assert_eq!(record.body.unwrap().note.unwrap().text, "hello");
    }

    #[test]
    fn every_single_bit_matters() {
        let key = ChainKey::from_bytes(&[1; 32]);
        let bytes = placed(&key);
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let fault = Frame::parse(&changed).map(|frame| frame.fault(&key, 1, &GENESIS));
            assert!(!matches!(fault, Ok(None)), "bit {bit}");
        }
    }

    #[test]
    fn a_redacted_frame_still_fits_the_chain() {
        let key = ChainKey::from_bytes(&[1; 32]);
        let bytes = placed(&key);
        let mut redacted = Vec::new();
        Frame::parse(&bytes).unwrap().write_redacted(&mut redacted);
        let frame = Frame::parse(&redacted).unwrap();
        assert_eq!(frame.fault(&key, 1, &GENESIS), None);
        assert_eq!(frame.record().unwrap().body, None);
        assert!(!String::from_utf8_lossy(&redacted).contains("hello"));
    }

    #[test]
    fn every_beginning_is_incomplete() {
        let bytes = placed(&ChainKey::from_bytes(&[1; 32]));
        for length in 0..bytes.len() {
            assert_eq!(Frame::parse(&bytes[..length]).unwrap_err(), NoFrame::Incomplete, "{length}");
        }
        assert_eq!(Frame::parse(&[0; 100]).unwrap_err(), NoFrame::Foreign);
    }
}
