//! Payment card numbers: an issuer's prefix, a length it uses, and a valid check digit.

/// Numbers printed in the documentation of payment sandboxes; nobody can pay with them.
const DOCUMENTED: [&str; 12] = [
    "4242424242424242",
    "4111111111111111",
    "4012888888881881",
    "4000056655665556",
    "4000000000000002",
    "5555555555554444",
    "5105105105105100",
    "2223003122003222",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "3566002020360505",
];

/// The bytes of the first card number in `text` that is not a documented example.
pub(crate) fn find(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    // The shortest card number has thirteen digits; counting is vector code, walking is not.
    if bytes.iter().filter(|byte| byte.is_ascii_digit()).count() < 13 {
        return None;
    }
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let (digits, count, end) = run(bytes, at);
        let glued = |index: Option<usize>| {
            index
                .and_then(|index| bytes.get(index))
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        };
        let number = digits.get(..count).unwrap_or_default();
        if !glued(at.checked_sub(1)) && !glued(Some(end)) && is_card(number) {
            return Some((at, end));
        }
        at = end;
    }
    None
}

/// The digits of a run that starts at `at`, single blanks and dashes passed over, and where it ends.
fn run(bytes: &[u8], at: usize) -> ([u8; 20], usize, usize) {
    let mut digits = [0; 20];
    let mut count = 0;
    let mut end = at;
    let mut index = at;
    while let Some(&byte) = bytes.get(index) {
        if byte.is_ascii_digit() {
            if let Some(slot) = digits.get_mut(count) {
                *slot = byte;
            }
            count = (count + 1).min(20);
            index += 1;
            end = index;
        } else if matches!(byte, b' ' | b'-') && bytes.get(index + 1).is_some_and(u8::is_ascii_digit) {
            index += 1;
        } else {
            break;
        }
    }
    (digits, count, end)
}

fn is_card(number: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(number) else { return false };
    let prefix = |length: usize| text.get(..length).and_then(|head| head.parse::<u32>().ok()).unwrap_or(0);
    let of_issuer = match text.len() {
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 65)
                || matches!(prefix(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        13 | 19 => prefix(1) == 4,
        _ => false,
    };
    // Six equal digits in a row: sandboxes number their cards so, issuers hardly ever.
    let is_made_up =
        number.windows(6).any(|digits| digits.windows(2).all(|pair| matches!(pair, [a, b] if a == b)));
    of_issuer && !is_made_up && !DOCUMENTED.contains(&text) && has_check_digit(number)
}

/// The Luhn sum.
fn has_check_digit(number: &[u8]) -> bool {
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(index, byte)| {
            let digit = u32::from(byte - b'0');
            let doubled = if index % 2 == 1 { digit * 2 } else { digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_known_by_issuer_and_check_digit() {
        for yes in ["4539 5787 6362 1486", "5425-2334-3010-9903", "374245455400126"] {
            assert!(find(yes).is_some(), "{yes}");
        }
        for no in [
            "4539 5787 6362 1487",
            "4242 4242 4242 4242",
            "4000 0000 0000 9995",
            "0000 0000 0000 0000",
            "id-4539578763621486-x",
            "1234567890123456",
        ] {
            assert!(find(no).is_none(), "{no}");
        }
    }
}
