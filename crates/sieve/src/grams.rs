//! Windows of four bytes: where one of many may end, told by the halves of their bytes (the idea of Teddy).
//!
//! The windows are dealt out to 32 hands. A hand answers where every byte has a low half and a high half that some
//! window of the hand has at that place: all true places, and a few false ones. So windows that look alike share a
//! hand, and what is common in text weighs more than what is rare.

use crate::{Machine, Nibbles, Stretch};
use alloc::vec::Vec;

const LENGTH: usize = 4;
const HANDS: usize = 32;

/// Four bytes, each one of a set.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Low and high halves of the bytes that may stand at each place.
    places: [(u16, u16); LENGTH],
}

impl Window {
    /// A window at whose places the bytes may stand for which `allows` says so.
    pub fn new(allows: impl Fn(usize, u8) -> bool) -> Window {
        let mut places = [(0, 0); LENGTH];
        for (place, (low, high)) in places.iter_mut().enumerate() {
            for byte in (0..=255u8).filter(|&byte| allows(place, byte)) {
                *low |= 1 << (byte & 15);
                *high |= 1 << (byte >> 4);
            }
        }
        Window { places }
    }
}

/// Windows that are looked for together, and how often they are met.
#[derive(Clone, Copy)]
struct Hand {
    places: [(u16, u16); LENGTH],
    /// How common the bytes are that are let through at each place.
    shares: [f32; LENGTH],
}

impl Hand {
    const EMPTY: Hand = Hand { places: [(0, 0); LENGTH], shares: [0.0; LENGTH] };

    fn with(&self, window: &Window, commonness: &Commonness) -> Hand {
        let mut hand = *self;
        for ((place, share), (low, high)) in hand.places.iter_mut().zip(&mut hand.shares).zip(window.places) {
            let wider = (place.0 | low, place.1 | high);
            if wider != *place {
                (*place, *share) = (wider, commonness.of(wider));
            }
        }
        hand
    }

    fn rate(&self) -> f32 {
        self.shares.iter().product()
    }
}

/// How common bytes are, summed up for every set of eight low halves beside each high half.
struct Commonness([[[u32; 256]; 2]; 16]);

impl Commonness {
    fn new(of: impl Fn(u8) -> u32) -> Self {
        let mut sums = [[[0; 256]; 2]; 16];
        for (high, row) in sums.iter_mut().enumerate() {
            for (upper, half) in row.iter_mut().enumerate() {
                for set in 1..256usize {
                    let byte = high << 4 | upper << 3 | set.trailing_zeros() as usize;
                    half[set] = half[set & (set - 1)] + of(byte as u8);
                }
            }
        }
        Commonness(sums)
    }

    fn of(&self, (low, high): (u16, u16)) -> f32 {
        let [first, second] = low.to_le_bytes().map(usize::from);
        let rows = self.0.iter().enumerate().filter(|(row, _)| high >> row & 1 == 1);
        rows.map(|(_, [one, other])| one[first] + other[second]).sum::<u32>() as f32
    }
}

/// Many windows, looked for at once.
#[derive(Clone, Copy, Debug)]
pub struct Grams {
    /// Eight hands each, one bit for each; by place in the window.
    pub(crate) groups: [[Nibbles; LENGTH]; Grams::GROUPS],
}

impl Grams {
    pub(crate) const GROUPS: usize = HANDS / 8;

    /// The windows to look for; `commonness` weighs each byte by how often it is met.
    pub fn new(windows: &[Window], commonness: impl Fn(u8) -> u32) -> Self {
        let commonness = Commonness::new(commonness);
        // The most common ones first: they shape the hands, and the rare ones find their place beside them.
        let mut ordered: Vec<(f32, &Window)> =
            windows.iter().map(|window| (Hand::EMPTY.with(window, &commonness).rate(), window)).collect();
        ordered.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut hands = [Hand::EMPTY; HANDS];
        for (_, window) in ordered {
            let wider = hands.iter_mut().map(|hand| (hand.with(window, &commonness), hand));
            let costs = wider.map(|(wider, hand)| (wider.rate() - hand.rate(), wider, hand));
            if let Some((_, wider, hand)) = costs.min_by(|one, other| one.0.total_cmp(&other.0)) {
                *hand = wider;
            }
        }
        let mut grams = Grams { groups: [[Nibbles::EMPTY; LENGTH]; Grams::GROUPS] };
        for (index, hand) in hands.iter().enumerate() {
            for (nibbles, (low, high)) in grams.groups[index / 8].iter_mut().zip(hand.places) {
                nibbles.add(low, high, 1 << (index % 8));
            }
        }
        grams
    }

    /// Bit *n*: one of the windows may end with byte *n* of the block.
    #[inline(always)]
    pub fn look(&self, machine: Machine, stretch: &Stretch) -> u64 {
        match machine.0 {
            Some(vectors) => vectors.grams(self, stretch),
            None => self.look_plainly(stretch),
        }
    }

    fn look_plainly(&self, stretch: &Stretch) -> u64 {
        let mut mask = 0;
        for (index, window) in stretch.windows(LENGTH).enumerate() {
            let agreed = |group: &[Nibbles; LENGTH]| {
                group.iter().zip(window).fold(u8::MAX, |bits, (nibbles, &byte)| bits & nibbles.answer(byte))
            };
            mask |= u64::from(self.groups.iter().any(|group| agreed(group) != 0)) << index;
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Work, run};
    use proptest::prelude::*;

    struct Look<'a>(&'a Grams, &'a Stretch);

    impl Work for Look<'_> {
        type Answer = u64;

        fn run(self, machine: Machine) -> u64 {
            self.0.look(machine, self.1)
        }
    }

    fn window(bytes: [u8; LENGTH]) -> Window {
        Window::new(|place, byte| bytes[place] == byte)
    }

    proptest! {
        #[test]
        fn no_window_is_missed(all: Vec<[u8; LENGTH]>, fill: u8, at in 0..64usize) {
            let windows: Vec<Window> = all.iter().map(|bytes| window(*bytes)).collect();
            let grams = Grams::new(&windows, |byte| u32::from(byte) + 1);
            for bytes in &all {
                let mut stretch = [fill; 67];
                stretch[at..at + LENGTH].copy_from_slice(bytes);
                prop_assert_eq!(run(Look(&grams, &stretch)) >> at & 1, 1);
            }
        }

        #[test]
        fn both_versions_agree(all: Vec<[u8; LENGTH]>, text in prop::collection::vec(b'a'..=b'h', 67), any: [u8; 3]) {
            let fold = |byte: &u8| b'a' + byte % 8;
            let windows: Vec<Window> =
                all.iter().map(|bytes| window(core::array::from_fn(|place| fold(&bytes[place])))).collect();
            let grams = Grams::new(&windows, |_| 1);
            let mut stretch = [0; 67];
            stretch.copy_from_slice(&text);
            stretch[..3].copy_from_slice(&any);
            prop_assert_eq!(run(Look(&grams, &stretch)), grams.look(Machine::PLAIN, &stretch));
        }
    }

    #[test]
    fn text_without_a_window_is_mostly_passed_over() {
        let grams = Grams::new(&[window(*b"AKIA"), window(*b"ghp_")], |_| 1);
        let mut stretch = [b'e'; 67];
        assert_eq!(run(Look(&grams, &stretch)), 0);
        stretch[10..14].copy_from_slice(b"ghp_");
        assert_eq!(run(Look(&grams, &stretch)), 1 << 10);
    }
}
