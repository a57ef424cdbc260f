//! What a value must pass after its shape matched: entropy, checksums, decodable headers.

mod base58;
mod basic;
mod crc32;
mod jwt;
mod pem;
mod url;
mod word;

use super::row::Validator;
pub(super) use word::is_random;

/// Whether the value passes.
pub(super) fn holds(validator: Validator, value: &[u8]) -> bool {
    match validator {
        Validator::Shape => true,
        Validator::Entropy(tenths) => entropy_tenths(value) >= u32::from(tenths),
        Validator::Random(tenths) => is_random(value) && entropy_tenths(value) >= u32::from(tenths),
        Validator::Password => word::is_password(value),
        Validator::Basic => basic::has_password(value),
        Validator::Jwt => jwt::has_algorithm(value),
        Validator::Crc32 => crc32::ends_with_own(value),
        Validator::Pem => pem::has_body(value),
        Validator::UrlPassword => word::is_password(url::password(value)) && !url::repeats_user(value),
        Validator::Base58Check => base58::checks(value),
    }
}

/// The part of a value that a placeholder would stand in.
pub(super) fn core(validator: Validator, value: &[u8]) -> &[u8] {
    match validator {
        Validator::UrlPassword => url::password(value),
        _ => value,
    }
}

/// Shannon entropy of the bytes, in tenths of a bit per byte.
pub(super) fn entropy_tenths(value: &[u8]) -> u32 {
    let mut counts = [0u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = value.len().max(1) as f32;
    let bits: f32 = counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = count as f32 / total;
            -share * libm::log2f(share)
        })
        .sum();
    (bits * 10.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_in_tenths() {
        assert_eq!(entropy_tenths(b""), 0);
        assert_eq!(entropy_tenths(b"aaaa"), 0);
        assert_eq!(entropy_tenths(b"abab"), 10);
        assert_eq!(entropy_tenths(b"0123456789abcdef"), 40);
    }
}
