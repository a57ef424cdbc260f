//! Check digits: the sums that tell a number somebody gave out from one somebody typed.

/// The value of an ASCII digit.
pub(super) fn value(digit: u8) -> u32 {
    u32::from(digit.wrapping_sub(b'0'))
}

/// Every second digit doubled, as on payment cards.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, &digit)| match (index % 2, value(digit)) {
            (0, digit) => digit,
            (_, digit @ 5..) => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The sum of the digits, each times its weight.
pub(super) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(&digit, weight)| value(digit) * weight).sum()
}

/// The remainder of a number of any length, letters counting as 10 to 35.
pub(super) fn remainder(digits: impl Iterator<Item = u8>, modulus: u32) -> u32 {
    digits.fold(0, |left, byte| match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => (left * 100 + u32::from(letter - b'A') + 10) % modulus,
        digit => (left * 10 + value(digit)) % modulus,
    })
}

/// ISO 7064 mod 11, 10.
pub(super) fn mod_11_10(digits: &[u8]) -> bool {
    let Some((&last, body)) = digits.split_last() else { return false };
    let product = body.iter().fold(10, |product, &digit| {
        let sum = (value(digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == value(last)
}

/// Verhoeff's check over the dihedral group of ten.
pub(super) fn verhoeff(digits: &[u8]) -> bool {
    const PERMUTATION: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let multiply = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let permute = |digit: u32| PERMUTATION.get(digit as usize).copied().unwrap_or(0);
    let check = digits.iter().rev().enumerate().fold(0, |check, (index, &digit)| {
        let permuted = (0..index % 8).fold(value(digit), |digit, _| permute(digit));
        multiply(check, permuted)
    });
    check == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        assert!(luhn(b"79927398713") && !luhn(b"79927398710"));
        assert!(mod_11_10(b"86095742719") && !mod_11_10(b"86095742718"));
        assert!(verhoeff(b"2363") && !verhoeff(b"2364"));
        assert_eq!(remainder(b"3214282912345698765432161182".iter().copied(), 97), 1);
    }
}
