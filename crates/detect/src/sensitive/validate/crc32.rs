//! CRC-32 in base 62 at the end of a token, as GitHub and npm write it.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// A CRC-32 needs six digits of base 62.
const LENGTH: usize = 6;

/// Whether the last six characters are the checksum of those between the prefix (up to `_`) and them.
pub(super) fn ends_with_own(token: &[u8]) -> bool {
    let Some(prefix) = token.iter().position(|&byte| byte == b'_') else { return false };
    let body = token.get(prefix + 1..).unwrap_or_default();
    let Some((random, sum)) = body.len().checked_sub(LENGTH).and_then(|at| body.split_at_checked(at)) else {
        return false;
    };
    base62(crc32(random)) == sum
}

fn base62(mut number: u32) -> [u8; LENGTH] {
    let mut text = [b'0'; LENGTH];
    for place in text.iter_mut().rev() {
        if let Some(&digit) = DIGITS.get((number % 62) as usize) {
            *place = digit;
        }
        number /= 62;
    }
    text
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_and_digits() {
        // The check value of the CRC catalogue.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(&base62(0), b"000000");
        assert_eq!(&base62(61 + 62), b"00001z");
    }

    #[test]
    fn a_token_ends_with_its_own_sum() {
        let mut token = b"ghp_Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa".to_vec();
        let sum = base62(crc32(b"Zk3vQ9mXr2LsT7bNc5WdY1eHf8JgUa"));
        token.extend(sum);
        assert!(ends_with_own(&token));
        token[7] = b'w';
        assert!(!ends_with_own(&token));
        assert!(!ends_with_own(b"ghp_"));
    }
}
