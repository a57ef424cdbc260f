//! Numbers as ECMAScript writes them, and numbers as exact decimals.

use crate::prelude::*;

/// Whether a spelling keeps JSON's grammar of numbers.
pub(super) fn is_spelt_well(spelling: &str) -> bool {
    let unsigned = spelling.strip_prefix('-').unwrap_or(spelling);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// The number as `JSON.stringify` writes it (RFC 8785 §3.2.2.3): the shortest digits that read back as the same
/// double, in the layout of ECMAScript's `Number::toString`.
pub(super) fn ecmascript(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    // serde_json's writer rounds half to even, as ECMAScript does; `core`'s rounds up.
    let shortest = serde_json::Number::from_f64(value.abs()).map(|number| exact(&number.to_string()));
    let shortest = shortest.unwrap_or_default();
    let (digits, power) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // The decimal point stands after this many digits.
    let point = power.parse::<i32>().unwrap_or_default() + count;
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let split = usize::try_from(point.clamp(0, count)).unwrap_or_default();
    let (head, tail) = digits.split_at_checked(split).unwrap_or((digits, ""));
    let unsigned = match point {
        _ if count <= point && point <= 21 => format!("{digits}{}", zeros(point - count)),
        1..=21 => format!("{head}.{tail}"),
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
            let dot = if rest.is_empty() { "" } else { "." };
            let sign = if point > 0 { "+" } else { "-" };
            format!("{first}{dot}{rest}e{sign}{}", (point - 1).abs())
        }
    };
    if value < 0.0 { format!("-{unsigned}") } else { unsigned }
}

/// The number a spelling stands for, exactly: sign, digits without zeros at either end, power of ten. Two
/// spellings are the same number exactly when these are equal.
pub(super) fn exact(spelling: &str) -> String {
    let (sign, unsigned) = match spelling.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", spelling),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return "0".into();
    }
    let dropped = all.len() - all.trim_end_matches('0').len();
    // A power that does not fit keeps its spelling: still one text for one number, and none is mistaken.
    let Ok(power) = exponent.parse::<i64>() else { return spelling.into() };
    let shift =
        i64::try_from(dropped).unwrap_or_default() - i64::try_from(fraction.len()).unwrap_or_default();
    format!("{sign}{digits}e{}", power.saturating_add(shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bit patterns and texts of RFC 8785, appendix B.
    #[test]
    fn numbers_are_written_as_the_rfc_lists_them() {
        let table: [(u64, &str); 24] = [
            (0x0000000000000000, "0"),
            (0x8000000000000000, "0"),
            (0x0000000000000001, "5e-324"),
            (0x8000000000000001, "-5e-324"),
            (0x7fefffffffffffff, "1.7976931348623157e+308"),
            (0xffefffffffffffff, "-1.7976931348623157e+308"),
            (0x4340000000000000, "9007199254740992"),
            (0xc340000000000000, "-9007199254740992"),
            (0x4430000000000000, "295147905179352830000"),
            (0x44b52d02c7e14af5, "9.999999999999997e+22"),
            (0x44b52d02c7e14af6, "1e+23"),
            (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
            (0x444b1ae4d6e2ef4e, "999999999999999700000"),
            (0x444b1ae4d6e2ef4f, "999999999999999900000"),
            (0x444b1ae4d6e2ef50, "1e+21"),
            (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
            (0x3eb0c6f7a0b5ed8d, "0.000001"),
            (0x41b3de4355555553, "333333333.3333332"),
            (0x41b3de4355555554, "333333333.33333325"),
            (0x41b3de4355555555, "333333333.3333333"),
            (0x41b3de4355555556, "333333333.3333334"),
            (0x41b3de4355555557, "333333333.33333343"),
            (0xbecbf647612f3696, "-0.0000033333333333333333"),
            (0x43143ff3c1cb0959, "1424953923781206.2"),
        ];
        for (bits, expected) in table {
            assert_eq!(ecmascript(f64::from_bits(bits)), expected, "{bits:#x}");
        }
    }

    #[test]
    fn spellings_of_one_number_are_one() {
        for (a, b) in
            [("1", "1.0"), ("10", "1e1"), ("0.10", "1E-1"), ("-0", "0"), ("0e9", "0.000"), ("120", "1.2e+2")]
        {
            assert_eq!(exact(a), exact(b), "{a} {b}");
        }
        for (a, b) in [
            ("9007199254740992", "9007199254740993"),
            ("0.1", "0.1000000000000000055511151231257827"),
            ("1", "-1"),
            ("1", "10"),
            ("1e-400", "0"),
            ("1e-99999999999999999998", "1e-99999999999999999999"),
        ] {
            assert_ne!(exact(a), exact(b), "{a} {b}");
        }
    }
}
