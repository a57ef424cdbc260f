//! The header of a JSON web token.

use data_encoding::BASE64URL_NOPAD;
use memchr::memmem;

/// Longer headers are not decoded; real ones name an algorithm and a key.
const LONGEST_HEADER: usize = 4096;

/// Whether the first part decodes to a JSON object with a field `alg`.
pub(super) fn has_algorithm(token: &[u8]) -> bool {
    let length = token.iter().take(LONGEST_HEADER).position(|&byte| byte == b'.').unwrap_or(0);
    let header = token.get(..length).unwrap_or_default();
    let Ok(text) = BASE64URL_NOPAD.decode(header) else { return false };
    text.starts_with(b"{") && text.ends_with(b"}") && memmem::find(&text, b"\"alg\"").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_header_with_an_algorithm_counts() {
        let token = |header: &[u8]| [BASE64URL_NOPAD.encode(header).as_bytes(), b".e30.c2ln"].concat();
        assert!(has_algorithm(&token(br#"{"alg":"HS256"}"#)));
        assert!(has_algorithm(&token(br#"{"typ":"JWT", "alg":"none"}"#)));
        assert!(!has_algorithm(&token(br#"{"key":"value"}"#)));
        assert!(!has_algorithm(b"eyJ!.x.y"));
        assert!(!has_algorithm(b"eyJhbGciOiJIUzI1NiJ9"));
    }
}
