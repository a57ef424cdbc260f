//! Reads what a name is given: `"api_key": "…"`, `PASSWORD=…`, `token => …`, `--secret …`, `<key>…</key>`.

use super::validate;

/// A name may go on this far after the keyword (`datadog` in `DATADOG_PROD_API_KEY`).
const LONGEST_NAME: usize = 40;
/// Blanks, quotes and operators between name and value.
const WIDEST_GAP: usize = 12;
/// A value that only a blank or a dash parts from its name has at least this many bytes.
const SHORTEST_SPACED: usize = 16;
/// And no more of it is looked at.
const LONGEST_SPACED: usize = 128;

/// Where the value begins that is given to the name around a keyword ending at `end`.
pub(super) fn value_after(bytes: &[u8], end: usize) -> Option<usize> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let mut at = end;
    let mut blanks = 0;
    // The rest of the name, with single blanks inside it: "api key for staging: …".
    while let Some(&byte) = bytes.get(at).filter(|_| at < end + LONGEST_NAME) {
        let inner_blank = byte == b' ' && blanks < 2 && bytes.get(at + 1).copied().is_some_and(is_name);
        if inner_blank {
            blanks += 1;
        } else if !is_name(byte) {
            break;
        }
        at += 1;
    }
    operator(bytes, at)
        .or_else(|| flag(bytes, end))
        .or_else(|| spaced(bytes, end))
        .or_else(|| joined(bytes, end))
}

/// Where the name begins that a keyword at `start` is a part of.
pub(super) fn name_around(bytes: &[u8], start: usize) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes.get(..start).unwrap_or_default();
    start - before.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count()
}

/// The value after an operator that begins at `at`, quotes and blanks passed over. A comma or a bracket is one only
/// between quoted things: `set("secret", "…")`. An empty string is no value.
fn operator(bytes: &[u8], at: usize) -> Option<usize> {
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\'' | b'`'));
    let mut seen = false;
    let mut index = at;
    while let Some(&byte) = bytes.get(index).filter(|_| index < at + WIDEST_GAP) {
        match byte {
            b'=' | b':' | b'>' | b'|' => seen = true,
            b',' if is_quote(index.checked_sub(1).and_then(|before| bytes.get(before))) => seen = true,
            b'(' if is_quote(bytes.get(index + 1)) => seen = true,
            b'"' | b'\'' | b'`' if seen && bytes.get(index + 1) == Some(&byte) => return None,
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'[' | b']' | b')' | b'\\' => {}
            b'\n' | b'\r' if !seen => return None,
            _ => break,
        }
        index += 1;
    }
    seen.then_some(index)
}

/// `wandb TOKEN VALUE`: only blanks between, so the value must be long and carry a digit, as no next word does.
fn spaced(bytes: &[u8], end: usize) -> Option<usize> {
    let rest = bytes.get(end..)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name = rest.iter().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    let blanks = rest.iter().skip(name).take(WIDEST_GAP).take_while(|byte| **byte == b' ').count();
    (blanks > 0 && is_long(rest.get(name + blanks..)?)).then_some(end + name + blanks)
}

/// `acme-secret-VALUE`: a dash between, and again a long value with a digit.
fn joined(bytes: &[u8], end: usize) -> Option<usize> {
    let rest = bytes.get(end..)?;
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let name = rest.iter().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    (rest.get(name) == Some(&b'-') && is_long(rest.get(name + 1..)?)).then_some(end + name + 1)
}

/// Long, with a digit, and no words: `password-reset-2.example` names something else.
fn is_long(value: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<');
    let length = value.iter().take(LONGEST_SPACED).take_while(|byte| !is_end(byte)).count();
    length >= SHORTEST_SPACED && validate::is_random(value.get(..length).unwrap_or_default())
}

/// `--token VALUE`, `-password VALUE`: the keyword ends the name and a blank parts it from the value.
fn flag(bytes: &[u8], end: usize) -> Option<usize> {
    let begins = bytes
        .get(..end)?
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
        .count();
    let is_flag = bytes.get(end - begins) == Some(&b'-');
    (is_flag && bytes.get(end) == Some(&b' ')).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, keyword: &str, expected: Option<&str>) {
        let end = text.find(keyword).expect("the keyword is there") + keyword.len();
        let value = value_after(text.as_bytes(), end).and_then(|at| text.get(at..at + 4));
        assert_eq!(value, expected, "{text}");
    }

    #[test]
    fn names_and_operators() {
        check(r#"{"api_key": "abcd"}"#, "api", Some("abcd"));
        check("DATADOG_PROD_KEY=abcd", "DATADOG", Some("abcd"));
        check("token := 'abcd'", "token", Some("abcd"));
        check("secret => \"abcd\"", "secret", Some("abcd"));
        check("the api key for staging: abcd", "api key", Some("abcd"));
        check("run --token abcd", "token", Some("abcd"));
        check("<password>abcd</password>", "password", Some("abcd"));
        check("set(\"secret\", \"abcd\")", "secret", Some("abcd"));
        check("wandb TOKEN abcd1234abcd1234", "TOKEN", Some("abcd"));
        check("acme-secretkey-abcd1234abcd1234", "secret", Some("abcd"));
        check("password-reset-12bh12.example", "password", None);
        check("password, variables", "password", None);
        check("password = \"\", domain", "password", None);
        check("the token was lost in the mail and abcd", "token", None);
        check("password\n\nabcd", "password", None);
    }
}
