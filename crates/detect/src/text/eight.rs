//! Eight bytes at once, in one number: a branch for each byte would be foretold wrongly too often.

/// The top bit of each of eight bytes.
pub(crate) const TOPS: u64 = every(0x80);

/// Eight times the same byte.
pub(crate) const fn every(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// Which of eight ASCII bytes lie between two others, as their top bits. No sum reaches the next byte.
pub(crate) fn within(eight: u64, from: u8, to: u8) -> u64 {
    (eight + every(0x80 - from)) & !(eight + every(0x7F - to)) & TOPS
}
