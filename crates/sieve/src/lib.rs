//! Looks at 64 bytes at once and says which of them are worth a look.
//!
//! [`Classes`] tells which bytes are digits, letters, quotes and so on; [`Grams`] tells after which bytes one of many
//! four-byte windows may have ended. Each answer is a mask with one bit per byte. What the
//! answers are, [`Machine::PLAIN`] gets by ordinary code; `avx2`, the only unsafe code of the house, gives the same ones
//! faster to [`Work`] that [`run`] does.
#![no_std]

extern crate alloc;

#[cfg(any(test, all(feature = "std", target_arch = "x86_64")))]
extern crate std;

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2;
mod classes;
mod grams;
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
mod no_vectors;

#[cfg(all(feature = "std", target_arch = "x86_64"))]
use avx2::Vectors;
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
use no_vectors::Vectors;

pub use classes::{Classes, Product};
pub use grams::{Grams, Window};

/// Which instructions may be used; only [`run`] makes one that allows more than the plain ones.
#[derive(Clone, Copy, Debug)]
pub struct Machine(Option<Vectors>);

impl Machine {
    /// Any machine: no vector instructions.
    pub const PLAIN: Machine = Machine(None);
}

/// Work that is done with whatever instructions the machine has.
pub trait Work {
    /// What comes out of it.
    type Answer;

    /// Does the work. What is marked `#[inline(always)]`, here and in what is called, is compiled once for plain
    /// machines and once for those with vectors, where counting and shifting bits is cheaper too.
    fn run(self, machine: Machine) -> Self::Answer;
}

/// Does the work with the best instructions this machine has.
pub fn run<W: Work>(work: W) -> W::Answer {
    match Vectors::here() {
        Some(vectors) => vectors.run(work),
        None => work.run(Machine::PLAIN),
    }
}

/// Bytes looked at together.
pub const BLOCK: usize = 64;
/// Bytes a window reaches back.
pub const BACK: usize = 3;

/// A block and the bytes before it that its windows reach back to.
pub type Stretch = [u8; BACK + BLOCK];

/// Two tables of 16 answers, for the low and the high half of a byte; a byte's answer is what both agree on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nibbles {
    low: [u8; 16],
    high: [u8; 16],
}

impl Nibbles {
    const EMPTY: Nibbles = Nibbles { low: [0; 16], high: [0; 16] };

    /// Adds `bits` to the answer for all bytes made of one of the low and one of the high halves.
    const fn add(&mut self, low: u16, high: u16, bits: u8) {
        let mut half = 0;
        while half < 16 {
            if low >> half & 1 == 1 {
                self.low[half] |= bits;
            }
            if high >> half & 1 == 1 {
                self.high[half] |= bits;
            }
            half += 1;
        }
    }

    const fn answer(&self, byte: u8) -> u8 {
        self.low[(byte & 15) as usize] & self.high[(byte >> 4) as usize]
    }
}
