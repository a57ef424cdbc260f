//! Classes of bytes: digits, letters, marks; up to eight sets of bytes at one look.

use crate::{BLOCK, Machine, Nibbles};

/// The bytes whose low and high halves are among these, one bit for each of the 16 halves.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Low halves.
    pub low: u16,
    /// High halves.
    pub high: u16,
}

impl Product {
    /// The bytes from `first` to `last`, which have the same high half, and those with another high half in `also`.
    pub const fn range(first: u8, last: u8, also: u16) -> Product {
        let low = (1 << ((last & 15) + 1) as u32) - (1 << (first & 15) as u32);
        Product { low: low as u16, high: 1 << (first >> 4) | also }
    }

    /// The bytes named, which all have the same high half.
    pub const fn of(bytes: &[u8]) -> Product {
        let mut product = Product { low: 0, high: 0 };
        let mut rest = bytes;
        while let Some((&byte, others)) = rest.split_first() {
            product.low |= 1 << (byte & 15);
            product.high |= 1 << (byte >> 4);
            rest = others;
        }
        product
    }
}

/// `N` classes, each the union of some of up to eight products.
#[derive(Clone, Copy, Debug)]
pub struct Classes<const N: usize> {
    pub(crate) nibbles: Nibbles,
    pub(crate) unions: [u8; N],
}

impl<const N: usize> Classes<N> {
    /// The classes; in `unions`, bit *n* stands for the product with index *n*.
    pub const fn new(products: &[Product], unions: [u8; N]) -> Self {
        assert!(products.len() <= 8);
        let mut nibbles = Nibbles::EMPTY;
        let mut index = 0;
        while index < products.len() {
            nibbles.add(products[index].low, products[index].high, 1 << index);
            index += 1;
        }
        Classes { nibbles, unions }
    }

    /// For each class, which bytes of the block belong to it.
    #[inline(always)]
    pub fn look(&self, machine: Machine, block: &[u8; BLOCK]) -> [u64; N] {
        match machine.0 {
            Some(vectors) => vectors.classes(self, block),
            None => self.look_plainly(block),
        }
    }

    fn look_plainly(&self, block: &[u8; BLOCK]) -> [u64; N] {
        let mut masks = [0; N];
        for (index, &byte) in block.iter().enumerate() {
            let answer = self.nibbles.answer(byte);
            for (mask, union) in masks.iter_mut().zip(self.unions) {
                *mask |= u64::from(answer & union != 0) << index;
            }
        }
        masks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Work, run};
    use proptest::prelude::*;

    struct Look<'a, const N: usize>(&'a Classes<N>, &'a [u8; BLOCK]);

    impl<const N: usize> Work for Look<'_, N> {
        type Answer = [u64; N];

        fn run(self, machine: Machine) -> [u64; N] {
            self.0.look(machine, self.1)
        }
    }

    const CLASSES: Classes<3> = Classes::new(
        &[
            Product::range(b'0', b'9', 0),
            Product::range(b'A', b'O', 1 << 6),
            Product::range(b'P', b'Z', 1 << 7),
            Product::of(b"-./"),
            Product { low: 0xffff, high: 0xff00 },
        ],
        [1, 0b110, 0b11000],
    );

    #[test]
    fn classes_hold_what_they_name() {
        for byte in 0..=255u8 {
            let [digit, letter, mark] =
                CLASSES.look(Machine::PLAIN, &[byte; BLOCK]).map(|mask| mask == u64::MAX);
            assert_eq!(digit, byte.is_ascii_digit(), "{byte}");
            assert_eq!(letter, byte.is_ascii_alphabetic(), "{byte}");
            assert_eq!(mark, matches!(byte, b'-' | b'.' | b'/') || !byte.is_ascii(), "{byte}");
        }
    }

    proptest! {
        #[test]
        fn both_versions_agree(block in prop::array::uniform32(any::<[u8; 2]>()), tables: [u8; 32], unions: [u8; 5]) {
            let mut nibbles = Nibbles::EMPTY;
            nibbles.low.copy_from_slice(&tables[..16]);
            nibbles.high.copy_from_slice(&tables[16..]);
            let classes = Classes { nibbles, unions };
            let block = core::array::from_fn(|index| block[index / 2][index % 2]);
            prop_assert_eq!(run(Look(&classes, &block)), classes.look(Machine::PLAIN, &block));
        }
    }
}
