//! The texts OAuth is made of: forms, queries, challenges, random words.

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};

use super::SignInError;

/// Name and value pairs as a form or a query has them.
pub(super) fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Everything but the letters that never mean anything becomes `%XX`.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The value of a field of a query.
pub(super) fn field(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.find(|(known, _)| decoded(known) == name).map(|(_, value)| decoded(value))
}

fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digits =
            [ahead.next(), ahead.next()].map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
        match (byte, digits) {
            (b'+', _) => out.push(b' '),
            (b'%', [Some(high), Some(low)]) => {
                bytes = ahead;
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
            }
            (other, _) => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A parameter of a `WWW-Authenticate: Bearer …` challenge.
pub(super) fn parameter(challenge: &str, name: &str) -> Option<String> {
    let mut rest = challenge.strip_prefix("Bearer").or_else(|| challenge.strip_prefix("bearer"))?;
    loop {
        rest = rest.trim_start_matches([' ', ',', '\t']);
        let (key, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquoted(quoted)?,
            None => {
                let end = after.find([',', ' ']).unwrap_or(after.len());
                (after.get(..end)?.to_owned(), after.get(end..)?)
            }
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
}

fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

/// A word nobody can guess: 32 random bytes, as PKCE and `state` want them.
pub(super) fn random_word() -> Result<String, SignInError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| SignInError::Random)?;
    Ok(BASE64URL_NOPAD.encode(&bytes))
}

/// The challenge for a verifier: S256 of RFC 7636.
pub(super) fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(verifier.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_again() {
        let query = form(&[("scope", "a b"), ("url", "https://x/?q=1&r=ü")]);
        assert_eq!(query, "scope=a%20b&url=https%3A%2F%2Fx%2F%3Fq%3D1%26r%3D%C3%BC");
        assert_eq!(field(&query, "url").as_deref(), Some("https://x/?q=1&r=ü"));
        assert_eq!(field("a=1+2&b=%zz&c", "a").as_deref(), Some("1 2"));
        assert_eq!(field("a=1+2&b=%zz&c", "b").as_deref(), Some("%zz"));
        assert_eq!(field("a=1+2&b=%zz&c", "c").as_deref(), Some(""));
        assert_eq!(field("a=1", "d"), None);
    }

    #[test]
    fn challenges_are_read_however_they_are_written() {
        let check = |challenge: &str, expected: Option<&str>| {
            assert_eq!(parameter(challenge, "scope").as_deref(), expected, "{challenge}");
        };
        check(r#"Bearer realm="a, b", scope="read write""#, Some("read write"));
        check(r#"Bearer error=invalid_token,scope=read"#, Some("read"));
        check(r#"Bearer realm="say \"hi\"",SCOPE="x""#, Some("x"));
        check("Bearer", None);
        check("Basic scope=\"x\"", None);
        check("Bearer scope=\"open", None);
    }

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // The example of RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
