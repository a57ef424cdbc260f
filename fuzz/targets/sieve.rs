//! The vector versions of the sieve answer what the plain ones do, whatever the tables and the bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_sieve::{BLOCK, Classes, Grams, Machine, Product, Stretch, Window, Work};

/// One look with each.
struct Look<'a>(&'a Classes<5>, &'a Grams, &'a Stretch);

impl Work for Look<'_> {
    type Answer = ([u64; 5], u64);

    fn run(self, machine: Machine) -> Self::Answer {
        let Look(classes, grams, stretch) = self;
        let block = stretch.last_chunk().expect("a stretch holds a block");
        (classes.look(machine, block), grams.look(machine, stretch))
    }
}

fuzz_target!(|input: (Vec<[u8; 4]>, [u16; 16], [u8; 5], Vec<u8>)| {
    let (windows, halves, unions, text) = input;
    let products: Vec<Product> =
        halves.chunks_exact(2).map(|pair| Product { low: pair[0], high: pair[1] }).collect();
    let classes = Classes::new(&products, unions);
    let windows: Vec<Window> =
        windows.iter().map(|bytes| Window::new(|place, byte| bytes[place] == byte)).collect();
    let grams = Grams::new(&windows, |byte| u32::from(byte) + 1);
    for part in text.chunks(BLOCK) {
        let mut stretch: Stretch = [b' '; 67];
        stretch[3..3 + part.len()].copy_from_slice(part);
        let look = || Look(&classes, &grams, &stretch);
        assert_eq!(portcullis_sieve::run(look()), look().run(Machine::PLAIN));
    }
});
