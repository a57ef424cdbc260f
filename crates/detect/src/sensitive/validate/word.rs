//! Tells a random value and a chosen password from names, words, types and variables.

/// The least letters and digits in a row that count as random.
const LEAST_RUN: usize = 10;

/// Whether the value reads as random: somewhere letters and digits stand mixed in one run, or it is a UUID.
pub(in crate::sensitive) fn is_random(value: &[u8]) -> bool {
    let mut runs = value.split(|byte| !byte.is_ascii_alphanumeric());
    is_uuid(value) || runs.any(is_mixed)
}

/// Words end in a number or carry one ("version2", "route66"); random runs change between kinds again and again.
fn is_mixed(run: &[u8]) -> bool {
    if run.len() < LEAST_RUN {
        return false;
    }
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = run.len() - digits;
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = run.windows(2).filter(|pair| matches!(pair, [a, b] if kind(a) != kind(b))).count();
    // One digit in twenty characters is a long name with a number in it, not chance.
    let has_few_digits = digits * 20 < run.len();
    let letters_per_change = if digits == 0 { 4 } else { 3 };
    let is_number = letters == 0 || has_few_digits && changes * letters_per_change < run.len();
    // A long run of both kinds is no word either, however few the changes.
    !is_number && (changes >= 3 || digits >= 4 && letters >= 4 && run.len() >= 20)
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_alphanumeric(),
        })
}

/// Values that stand where a password would and are none.
const NO_PASSWORDS: [&[u8]; 36] = [
    b"password",
    b"passwd",
    b"pass",
    b"pwd",
    b"secret",
    b"string",
    b"null",
    b"none",
    b"nil",
    b"true",
    b"false",
    b"undefined",
    b"required",
    b"optional",
    b"text",
    b"input",
    b"hidden",
    b"field",
    b"value",
    b"username",
    b"user",
    b"admin",
    b"root",
    b"test",
    b"empty",
    b"hash",
    b"token",
    b"default",
    b"prompt",
    b"environment",
    b"object",
    b"number",
    b"boolean",
    b"not-set",
    b"unset",
    b"*",
];

/// What stands in a link or in code, not in a password.
const CODE: [&[u8]; 4] = [b"://", b"process.env", b"os.environ", b"::"];

/// Whether the value may be a password somebody chose: no type, no variable, no call, no mark of a template.
pub(super) fn is_password(value: &[u8]) -> bool {
    let is_template = |byte: &u8| matches!(byte, b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'[' | b']');
    let starts_variable = value.first().is_some_and(|byte| matches!(byte, b'$' | b'%' | b'&' | b'#' | b'@'));
    let is_stars = value.iter().filter(|byte| matches!(byte, b'*' | b'.' | b'#')).count() * 2 >= value.len();
    let is_known = NO_PASSWORDS.iter().any(|known| value.eq_ignore_ascii_case(known));
    let is_address = CODE.iter().any(|mark| memchr::memmem::find(value, mark).is_some());
    value.len() >= 3
        && !is_address
        && !is_known
        && !starts_variable
        && !is_stars
        && !value.iter().any(is_template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_and_names() {
        for random in [
            "9f3a7c1e5b8d2046",
            "Zk3vQ9mXr2LsT7",
            "123e4567-e89b-12d3-a456-426614174000",
            "v1.0-a9b8c7d6e5f4",
        ] {
            assert!(is_random(random.as_bytes()), "{random}");
        }
        for name in [
            "authentication",
            "user_profile_v2",
            "2024-11-05T10:20:30",
            "my-service-name-1",
            "1234567890",
            "com.acme.Thing",
            "BuilderForLegacyMessageTransportSystemsV2",
        ] {
            assert!(!is_random(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn passwords_and_what_stands_for_them() {
        for chosen in ["hunter2!", "P@ssw0rd123", "letmein", "s2Tf2k"] {
            assert!(is_password(chosen.as_bytes()), "{chosen}");
        }
        for other in [
            "password",
            "${DB_PASS}",
            "$PASS",
            "<password>",
            "*****",
            "get_password()",
            "string",
            "ab",
            "{{pw}}",
            "https://x.y/reset",
            "process.env.PW",
        ] {
            assert!(!is_password(other.as_bytes()), "{other}");
        }
    }
}
