//! Made-up credentials of real shapes, made when they are served: none stands in a file.

use crate::encode::crc32;
use data_encoding::BASE64URL_NOPAD;

/// The kinds that can be made.
pub(crate) const KINDS: [&str; 7] =
    ["aws_key", "github_token", "slack_token", "stripe_key", "jwt", "private_key", "database_url"];

const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A credential of that kind; the same seed gives the same one. `None` if there is no such kind.
pub(crate) fn make(kind: &str, seed: &str) -> Option<String> {
    let mut dice = Dice::new(&[kind, seed].concat());
    Some(match kind {
        "aws_key" => format!("AKIA{}", dice.word(16, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
        "github_token" => {
            let body = dice.word(30, LETTERS);
            format!("ghp_{body}{}", base62(crc32(body.as_bytes())))
        }
        "slack_token" => {
            let mut number = || dice.word(12, b"123456789");
            let (team, bot) = (number(), number());
            format!("xoxb-{team}-{bot}-{}", dice.word(24, LETTERS))
        }
        "stripe_key" => format!("sk_live_{}", dice.word(24, LETTERS)),
        "jwt" => {
            let part = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
            let subject = dice.word(10, b"0123456789");
            let claims = format!(r#"{{"sub":"{subject}","admin":true,"iat":1790000000}}"#);
            format!("{}.{}.{}", part(r#"{"alg":"HS256","typ":"JWT"}"#), part(&claims), dice.word(43, LETTERS))
        }
        "private_key" => {
            let lines: Vec<String> = (0..12).map(|_| dice.word(64, LETTERS)).collect();
            let label = ["RSA", "PRIVATE", "KEY"].join(" ");
            format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
        }
        "database_url" => format!("postgres://ledger:{}@db.internal:5432/ledger", dice.word(20, LETTERS)),
        _ => return None,
    })
}

/// Six digits of base 62, as GitHub ends its tokens.
fn base62(number: u32) -> String {
    (0..6).rev().map(|place| char::from(LETTERS[(number / 62_u32.pow(place) % 62) as usize])).collect()
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn new(seed: &str) -> Dice {
        Dice(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    fn word(&mut self, length: usize, letters: &[u8]) -> String {
        let mut letter = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(letters[(self.0 >> 33) as usize % letters.len()])
        };
        (0..length).map(|_| letter()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_every_kind_and_always_the_same() {
        for kind in KINDS {
            let made = make(kind, "a").unwrap();
            assert_eq!(make(kind, "a"), Some(made.clone()));
            assert_ne!(make(kind, "b"), Some(made));
        }
        assert_eq!(make("password", "a"), None);
        let token = make("github_token", "a").unwrap();
        assert_eq!((token.len(), &token[..4]), (40, "ghp_"));
        assert_eq!(base62(u32::MAX), "4gfFC3");
        assert_eq!(make("jwt", "a").unwrap().split('.').count(), 3);
    }
}
