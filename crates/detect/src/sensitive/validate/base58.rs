//! Base58Check: the last four bytes are the start of a double SHA-256 of those before (Bitcoin keys).

use crate::prelude::*;
use sha2::{Digest, Sha256};

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Whether the checksum at the end holds.
pub(super) fn checks(text: &[u8]) -> bool {
    let Some(bytes) = decode(text) else { return false };
    let Some((body, sum)) = bytes.len().checked_sub(4).and_then(|at| bytes.split_at_checked(at)) else {
        return false;
    };
    Sha256::digest(Sha256::digest(body)).starts_with(sum)
}

/// Big-endian bytes of a number in base 58; keys never begin with a zero byte.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut number: Vec<u8> = Vec::with_capacity(text.len());
    for &digit in text {
        let mut carry = DIGITS.iter().position(|&known| known == digit)?;
        for byte in number.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        while carry > 0 {
            number.insert(0, (carry & 0xff) as u8);
            carry >>= 8;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_decides() {
        // Built here, so that no key is written down: version 128, 32 bytes, the mark of a compressed key.
        let mut bytes = vec![128u8];
        bytes.extend((1..=32).map(|number: u8| number.wrapping_mul(37)));
        bytes.push(1);
        let sum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend(sum.iter().take(4));
        let mut text = encode(&bytes);
        assert!(text.starts_with(b"K") || text.starts_with(b"L"));
        assert!(checks(&text));
        text[20] = if text[20] == b'a' { b'b' } else { b'a' };
        assert!(!checks(&text));
        assert!(!checks(b"0OIl"));
    }

    fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut digits: Vec<u8> = Vec::new();
        for &byte in bytes {
            let mut carry = usize::from(byte);
            for digit in digits.iter_mut() {
                carry += usize::from(*digit) << 8;
                *digit = (carry % 58) as u8;
                carry /= 58;
            }
            while carry > 0 {
                digits.push((carry % 58) as u8);
                carry /= 58;
            }
        }
        digits.iter().rev().map(|&digit| DIGITS[usize::from(digit)]).collect()
    }
}
