//! Where one of many literals may begin, told by its first three bytes: a cheap look before a costly one.

/// How many bits a set of grams has; three bytes are folded into an index below it.
const BITS: usize = 1 << 15;

/// A set of three-byte beginnings. It may say yes too often, never no too often.
pub(crate) struct Grams([u64; BITS / 64]);

/// The last three bytes as one number, after one more byte.
const fn next(window: u32, byte: u8) -> u32 {
    (window << 8 | byte as u32) & 0xFF_FFFF
}

/// The bit of three bytes: the high bits of a multiplication, which depend on all of them.
const fn bit(window: u32) -> usize {
    (window.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS.ilog2())) as usize
}

impl Grams {
    /// The beginnings of all literals. Behind one of two bytes anything but a blank may stand; none is shorter.
    pub(crate) const fn of(literals: &[&[&str]]) -> Grams {
        let mut grams = Grams([0; BITS / 64]);
        let mut lists = literals;
        while let [list, other_lists @ ..] = lists {
            let mut rest = *list;
            while let [literal, others @ ..] = rest {
                grams.add(literal.as_bytes());
                rest = others;
            }
            lists = other_lists;
        }
        grams
    }

    /// Takes the beginning of one literal in.
    pub(crate) const fn add(&mut self, literal: &[u8]) {
        match literal {
            [first, second, third, ..] => self.set(*first, *second, *third),
            [first, second] => {
                let mut third = b'!';
                while third < 0x7f {
                    self.set(*first, *second, third);
                    third += 1;
                }
            }
            _ => panic!("a literal needs two bytes"),
        }
    }

    #[expect(clippy::indexing_slicing, reason = "an index is below the number of bits")]
    const fn set(&mut self, first: u8, second: u8, third: u8) {
        let bit = bit(next(next(next(0, first), second), third));
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, window: u32) -> bool {
        let bit = bit(window);
        self.0.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
    }

    /// The places where a literal may begin, left to right.
    pub(crate) fn places<'t>(
        &'t self,
        bytes: impl Iterator<Item = u8> + 't,
    ) -> impl Iterator<Item = usize> + 't {
        let mut window = 0;
        bytes.enumerate().filter_map(move |(at, byte)| {
            window = next(window, byte);
            if self.has(window) { at.checked_sub(2) } else { None }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn literals_are_found_where_they_begin() {
        const GRAMS: Grams = Grams::of(&[&["ghp_", "SK"], &["://"]]);
        let places = |text: &str| GRAMS.places(text.bytes()).collect::<Vec<usize>>();
        assert_eq!(places("a ghp_x SKy b://c"), [2, 8, 13]);
        assert!(places("plain prose about tasks").is_empty());
        assert!(places("gh").is_empty());
    }
}
