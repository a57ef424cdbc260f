//! The body of a private key block: base64 between the dashes, with line ends raw or escaped.

/// The shortest real body (an Ed25519 key in PKCS#8) has 64 characters; a cut one still shows most of them.
const LEAST: usize = 40;

/// Whether enough base64 follows the header line.
pub(super) fn has_body(block: &[u8]) -> bool {
    let mut rest = block;
    // The last header, "…KEY-----" or "…BLOCK-----", ends before the body.
    if let Some(at) = memchr::memmem::find(rest, b"KEY-----").map(|at| at + 8) {
        rest = rest.get(at..).unwrap_or_default();
    } else if let Some(at) = memchr::memmem::find(rest, b"BLOCK-----").map(|at| at + 10) {
        rest = rest.get(at..).unwrap_or_default();
    }
    let longest_line = rest
        .split(|&byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    longest_line >= LEAST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn a_body_is_base64() {
        let body = "MIIEowIBAAKCAQEAx7Kd9Qm2Vb4Zt6Rn8Wp1Lf6Hj4Gs0Ya7Ue5Io3Kx9Bv2Dm8C";
        for end in ["\n", "\\n", "\r\n", " "] {
            assert!(has_body(format!("-----BEGIN X KEY-----{end}{body}{end}").as_bytes()), "{end:?}");
        }
        assert!(!has_body(b"-----BEGIN X KEY-----\n...\n-----END X KEY-----"));
        assert!(!has_body(b"-----BEGIN X KEY-----\nyour key goes here, then the line of dashes follows"));
    }
}
