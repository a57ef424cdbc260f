//! The value of a basic authorization header: `user:password` in base64.

use data_encoding::{BASE64, BASE64_NOPAD};

/// Whether the value decodes to printable text with a colon and a password after it.
pub(super) fn has_password(header: &[u8]) -> bool {
    let value = header.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
    let decoded = BASE64.decode(value).or_else(|_| BASE64_NOPAD.decode(value));
    let Ok(text) = decoded else { return false };
    let colon = text.iter().position(|&byte| byte == b':');
    colon.is_some_and(|at| at + 1 < text.len()) && text.iter().all(|byte| matches!(byte, 0x20..=0x7e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn only_user_and_password_count() {
        let header = |text: &str| format!("Basic {}", BASE64.encode(text.as_bytes()));
        assert!(has_password(header("deploy:hV7q2Zk9Lm").as_bytes()));
        assert!(!has_password(header("no colon in it").as_bytes()));
        assert!(!has_password(header("user:").as_bytes()));
        assert!(!has_password(b"Basic authentication"));
    }
}
